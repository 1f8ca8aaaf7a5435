"""The dropout layer."""

from ...layout import with_names
from .._seed import op_seed
from ..ops._dropout import dropped
from ..ops._op import value_of
from ..tensor import Tensor
from ._checks import check_type
from .cell import Cell

__all__ = ["Dropout"]


class Dropout(Cell):
    """While training, each element is 0 with probability `p`, else divided by 1 - p; otherwise the input itself.

    `keep_prob` is the older way to say 1 - p. A new choice is made at every call, in a compiled network too.
    """

    def __init__(self, keep_prob=0.5, p=None):
        super().__init__()
        name, value = ("keep_prob", keep_prob) if p is None else ("p", p)
        check_type(value, name, (float, int), "Dropout")
        if not (0 <= value < 1 if name == "p" else 0 < value <= 1):
            interval = "[0, 1)" if name == "p" else "(0, 1]"
            raise ValueError(f"For 'Dropout', the '{name}' must be a number in range {interval}, but got {value}.")
        self.keep_prob, self.p = keep_prob, p
        self._seed, self._engines = op_seed("dropout"), {}

    def construct(self, x) -> Tensor:
        if not self.training:
            return x
        p = 1 - self.keep_prob if self.p is None else self.p
        return dropped(x, value_of(x, "Dropout"), p, self._seed, self._engines)

    def extend_repr(self) -> str:
        return with_names(self, "keep_prob" if self.p is None else "p")
