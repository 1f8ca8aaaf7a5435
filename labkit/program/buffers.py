"""Buffers: which values are not needed any more, and where an op may write its result over one of them."""

import autograd.numpy as anp
import numpy as np
from autograd.core import VSpace

from ..engine import shape_of
from .identities import dtype_of_line
from .line import Line

WORTH = 1 << 14  # bytes: smaller arrays are not worth a line
_FRESH = {
    anp.matmul,
    anp.dot,
    anp.sum,
    anp.where,
    VSpace.add,
}  # besides ufuncs: their result is new memory, never a view


def last_uses(lines, ends) -> dict[Line, list[Line]]:
    """`{line: [larger values not needed after it]}`. (A view keeps its base alive, so letting go of a name is safe.)"""
    if not any(_is_large(line) for line in lines):
        return {}
    last = {parent: line for line in lines for parent in line.parents}
    found: dict[Line, list[Line]] = {}
    kept = set(map(id, ends))
    for value, line in last.items():
        if _is_large(value) and id(value) not in kept:
            found.setdefault(line, []).append(value)
    return found


def _is_large(line):
    return line.fun is not None and getattr(line.value, "nbytes", 0) >= WORTH


def overwritten(lines, ends) -> dict[Line, Line]:
    """`{line: value}`: elementwise ops that may write their result over an argument that nothing else can see."""
    seen_by: dict[Line, list[Line]] = {}
    found: dict[Line, Line] = {}
    taken = set()
    if not (last := last_uses(lines, ends)):
        return {}
    for line in lines:
        for parent in line.parents:
            seen_by.setdefault(parent, []).append(line)
    for line, values in last.items():
        for value in values:
            private = _is_fresh(value) and all(_is_fresh(reader) for reader in seen_by[value])
            alike = shape_of(value.value) == shape_of(line.value) and dtype_of_line(value) == dtype_of_line(line)
            if private and alike and value not in taken and _ufunc(line):
                found[line] = value
                taken.add(value)
                break
    return found


def _ufunc(line):
    raw = getattr(line.fun, "fun", None)
    return raw if isinstance(raw, np.ufunc) and raw.signature is None and line.fun is not anp.power else None


def _is_fresh(line):
    return _ufunc(line) is not None or line.fun in _FRESH
