"""Answers for functions of the MindSpore dialect, and of plain arrays: they are run once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine import getval, is_library
from .answer import Why
from .cut_words import beside
from .cutting import cut_off
from .examining import examine
from .notes import cuts
from .open_words import found
from .run import Run, is_functional
from .standing import compare
from .words import answer

_TRAIN = "set requires_grad to True before the optimizer and trainable_params() are asked for."
_FLOAT = "make it floating, such as 1.0 or ms.Tensor([1.0, 2.0])."
_FLAT = "{op} is flat wherever it is defined, or gives integers or truth values: these have no derivative."
_NO_TAPE = "A tensor of MindSpore does not remember how it was computed: there is no tape, and no .grad to be read."
_ASK = "labkit.why(lambda: forward_fn(x, y), w), or take the gradient that ms.value_and_grad returns."


def of_function(fun: Callable[..., Any], w: Any, held: Any = None) -> Why:
    """The answer for a function of no argument, or of `w`."""
    if getattr(w, "requires_grad", True) is False:
        said = "The parameter is not to be trained: its requires_grad is False."
        return answer("None", "requires_grad off", [said], None, _TRAIN)
    if _array(w).dtype.kind in "iub":
        said = "It holds integers or truth values, which have no slope."
        return answer("None", "integer", [said], None, _FLOAT)
    run = Run(fun, w)
    ends, sight = run.sight.ends(run.outputs), run.sight
    if not run.reached and not ends and _is_library_code(fun):
        return answer(
            "zero", "no derivative", [_FLAT.format(op=fun.__name__)], None, "use a function that has a slope."
        )
    if not run.reached:
        return cut_off(ends, sight.target, sight.exits, "zero", run.outputs, lost=sight.lost)
    flow = run.flow
    finding = examine(flow)
    more = beside([note for end in ends for note in cuts(end, sight.target)]) if finding.what != "nan" else ""
    if held is None or finding.what in ("zero", "nan"):
        return found(finding, more)
    return compare(finding, run.gradient, _array(held), more=more)


def without_a_tape() -> Why:
    """The answer for a tensor of the MindSpore dialect in place of a function."""
    return answer("None", "read before backward", [_NO_TAPE], None, _ASK)


def _is_library_code(fun):
    """Whether nothing is seen of its inside, as of a function of NumPy's."""
    return hasattr(fun, "__name__") and (not hasattr(fun, "__code__") or is_library(fun.__code__.co_filename))


def _array(value):
    return np.asarray(getval(value.__engine_value__() if is_functional(value) else value))
