"""`why`: it chooses the reader for the kind of tensor."""

import ast
import re
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from ..realtape import is_real_tensor
from .answer import Why
from .calls import expression_at
from .functional import of_function, without_a_tape
from .installed import of_real_run, of_real_tape
from .run import is_functional
from .tape import is_taped
from .taped import of_run, of_tape

_INSTALLED = "a {kind} of the installed PyTorch"


def why(loss: Any, w: Any, grad: Any = None) -> Why:
    """Why the gradient of `loss` with respect to `w` is None, zero, nan, small or healthy: a `Why`, which prints as a few
    sentences and has `what`, `cause`, `where`, `next`.

    `w`: a tensor or parameter of either dialect or of the installed PyTorch, or a number or an array. `loss`: the tensor that
    was computed from it, of any shape; or a function that computes it, which is called once, without arguments or with `w`
    if it takes one, and may return other values after the loss. `grad`: the gradient that you have, to be compared; by
    default what `w.grad` holds.

    labkit's PyTorch dialect records lines, so a tensor is enough. MindSpore tensors have no graph, and the graph of the installed
    PyTorch has no lines and no ops that were not recorded: pass a function, and the answer names the line. No hook runs, no
    `.grad` changes, and you can still call `backward()`. Raises TypeError for other values.

    >>> import labkit.torch as torch
    >>> w = torch.tensor([-1.0, -2.0], requires_grad=True)
    >>> loss = torch.relu(w).sum()
    >>> reason = why(loss, w)
    >>> reason.what, reason.cause
    ('zero', 'dead relu')
    """
    return _named(_asked(loss, w, grad), _argument(sys._getframe(1)))


def _asked(loss, w, grad):
    if is_taped(w):
        if not (is_taped(loss) or callable(loss)):
            raise _not_of_one(loss, w)
        return of_tape(loss, w, grad) if is_taped(loss) else of_run(loss, w, grad)
    if is_real_tensor(w):
        if not (is_real_tensor(loss) or callable(loss)):
            raise _not_of_one(loss, w)
        return of_real_tape(loss, w, grad) if is_real_tensor(loss) else of_real_run(loss, w, grad)
    if not (is_functional(w) or isinstance(w, (int, float, np.ndarray, np.generic))):
        raise _not_of_one(loss, w)
    if is_functional(loss):
        return without_a_tape()
    if is_taped(loss) or is_real_tensor(loss) or not callable(loss):
        raise _not_of_one(loss, w)
    return of_function(loss, w, grad)


def _argument(frame):
    """What the user wrote for `w` in this call; "w" where that cannot be read."""
    written: Any = expression_at(frame.f_code, frame.f_lasti)
    if not isinstance(written, ast.Call) or any(isinstance(arg, ast.Starred) for arg in written.args):
        return "w"
    given = [*written.args[1:2], *(word.value for word in written.keywords if word.arg == "w")]
    plain = given and isinstance(given[0], (ast.Name, ast.Attribute, ast.Subscript))
    return ast.unparse(given[0]) if plain else "w"


def _named(said, name):
    """The answer with the name of the argument in what it proposes to write."""
    if name == "w":
        return said
    mine = lambda text: re.sub(r"(labkit\.why\(lambda: .*?, |torch\.tensor\()w\)", rf"\g<1>{name})", text)
    return replace(said, next=mine(said.next), text=mine(said.text), possible=tuple(map(mine, said.possible)))


def _not_of_one(loss, w):
    return TypeError(_TWO_KINDS.format(loss=_kind(loss), tensor=_kind(w)))


_TWO_KINDS = (
    "why(loss, w): expected two tensors of one framework, or a function and a tensor, but got {loss} and {tensor}"
)


def _kind(value):
    kind = type(value)
    if is_taped(value) or is_functional(value):
        return f"a {kind.__name__} of labkit.{'torch' if is_taped(value) else 'mindspore'}"
    return _INSTALLED.format(kind=kind.__name__) if is_real_tensor(value) else f"a {kind.__name__}"
