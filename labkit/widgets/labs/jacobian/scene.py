"""The Jacobian of a function as a heat map that is built one pull (a row) or one push (a column) at a time."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...kit.passes import passes
from ...kit.picture import Picture
from ...kit.scene import Scene
from .view import Drawing


class JacobianMap(Picture):
    """The Jacobian of `fn` at `args`: output elements as rows, input elements as columns.

    `fn`: any function of arrays or of a dialect's tensors, a Cell or a Module. `argnum`: the argument to differentiate
    by, a position or a name (a parameter's name, for a network). Dials: "mode", "pulls", "pushes", and where there are two
    inputs and two outputs to draw "direction", of a tangent, and "weights", of a cotangent. Up to 40 rows and columns are
    drawn one by one; a larger Jacobian is pooled. Where numbers are written, the elements of the input can be dragged to
    others, in Python. Raises TypeError for what is not numeric, IndexError for an unknown argument, ValueError for an
    empty input or output or more than 4 million entries.

    >>> picture = JacobianMap(lambda x: x**2, np.array([1.0, 3.0]))
    >>> picture.matrix
    array([[2., 0.],
           [0., 6.]])
    """

    plays_at_once = True

    def __init__(self, fn: Callable, *args: Any, argnum: int | str = 0):
        self._at = lambda x: passes(fn, args, argnum, x=x)
        self.passes = passes(fn, args, argnum)
        drawing = Drawing(self.passes)
        self._wide = drawing.w if drawing.words else 0.0
        super().__init__(drawing.scene())

    @property
    def inputs(self) -> Mapping[str, float]:
        """The elements of the input, where their numbers are written."""
        return dict(zip(self.passes.columns, map(float, self.passes.x))) if self._wide else {}

    def fill(self, inputs: Mapping[str, float], at: Mapping[str, int] | None = None) -> None:
        """The Jacobian at another input. Raises what the function does."""
        self.passes = self._at(list(inputs.values()))
        drawing = Drawing(self.passes, self._wide)
        self._wide = drawing.w
        self.scene = drawing.scene()

    def scene_at(self, inputs: Mapping[str, float]) -> Scene | None:
        """The scene at another input."""
        return Drawing(self._at(list(inputs.values())), self._wide).scene()

    @property
    def matrix(self) -> np.ndarray:
        """The Jacobian, outputs by inputs, both flattened."""
        return self.passes.matrix
