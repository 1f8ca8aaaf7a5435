"""Answers for functions of the MindSpore dialect, and of plain arrays: they are run once."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..dialects.provenance import INTEGER
from ..engine import getval, is_library
from .answer import Why
from .causes import examine
from .cut_words import beside
from .cutting import cut_off
from .held_grad import compare
from .open_words import found
from .provenance_paths import cuts
from .run import Run, is_functional
from .words import answer

_TRAIN = "set requires_grad to True before you call trainable_params() and create the optimizer."
_FLOAT = "use floating point, such as 1.0 or ms.Tensor([1.0, 2.0])."
_FLAT = "The derivative of {op} is 0 everywhere, or its result has integers or booleans, which have no derivative."
_NO_TAPE = "A MindSpore tensor does not record how it was computed: it has no graph and no .grad."
_ASK = "call labkit.why(lambda: forward_fn(x, y), w), or use the gradient that ms.value_and_grad returns."


def of_function(fun: Callable[..., Any], w: Any, held: Any = None) -> Why:
    """The answer for a function of no argument, or of `w`."""
    if getattr(w, "requires_grad", True) is False:
        said = "The parameter is frozen: its requires_grad is False."
        return answer("None", "requires_grad off", [said], None, _TRAIN)
    if _array(w).dtype.kind in "iub":
        said = "It has an integer or boolean dtype, which has no derivative."
        return answer("None", "integer", [said], None, _FLOAT)
    run = Run(fun, w)
    ends, sight = run.sight.ends(run.outputs), run.sight
    if not run.reached and not ends and _is_library_code(fun):
        return answer(
            "zero", "no derivative", [_FLAT.format(op=fun.__name__)], None, "use a function that is differentiable."
        )
    if not run.reached:
        return cut_off(ends, sight.target, sight.exits, "zero", run.outputs, lost=sight.lost)
    flow = run.flow
    finding = examine(flow)
    # the gradient goes through a cast to integers, as in MindSpore
    notes = [note for end in ends for note in cuts(end, sight.target) if note.kind != INTEGER]
    more = beside(notes) if finding.what != "nan" else ""
    if held is None or finding.what in ("zero", "nan"):
        why = found(finding, more)
        named = "The gradient of {} is".format(getattr(fun, "__name__", ""))
        return replace(why, text=why.text.replace("The gradient is", named, 1)) if _is_library_code(fun) else why
    return compare(finding, run.gradient, _array(held), more=more)


def without_a_tape() -> Why:
    """The answer for a tensor of the MindSpore dialect in place of a function."""
    return answer("None", "read before backward", [_NO_TAPE], None, _ASK)


def _is_library_code(fun):
    """Whether nothing is seen of its inside, as of a function of NumPy's."""
    return hasattr(fun, "__name__") and (not hasattr(fun, "__code__") or is_library(fun.__code__.co_filename))


def _array(value):
    return np.asarray(getval(value.__engine_value__() if is_functional(value) else value))
