"""Writes an op: its spelling in NumPy, its arguments, and names for large constants."""

import inspect
from itertools import chain, count

import autograd.numpy as anp
import numpy as np
from autograd.core import VSpace, sparse_add
from autograd.numpy import numpy_wrapper

from ..engine import ArrayBox, cast
from ..ops import NUMBERS_ARE_WEAK, defined_here, spelling
from .identities import dtype_of_line, frozen, permutation
from .line import Line
from .nodes import Interpreted, trace_error

_DEFAULTS = [("keepdims", False), ("ddof", 0)]


def text_of(line, constants, over=None) -> str:
    """One op as NumPy code, written over the value `over` where there is one."""
    if line.fun is sparse_add:
        return _scatter(line.args, constants)
    fun, args = _as_called(line.fun, line.args)
    if fun is cast and np.ndim(line.value) and hasattr(args[0].value, "astype"):
        return f"{args[0].name}.astype({argument(args[1], constants)})"
    shown = [a.name if type(a) is Line else argument(_weak(a, line), constants) for a in args]
    if fun is ArrayBox.__getitem__ or spelling(fun) == "{}[...]":
        return f"{shown[0]}[{_index(args[1] if fun is ArrayBox.__getitem__ else args[1:], constants)}]"
    extra = [
        f"{k}={argument(v, constants)}" for k, v in line.kwargs.items() if v is not None and (k, v) not in _DEFAULTS
    ]
    order = permutation(line)
    if order is not None and order == tuple(range(len(order)))[::-1]:
        return f"{shown[0]}.T"
    if over is not None:
        return f"np.{fun.fun.__name__}({', '.join(shown)}, out={over.name})"
    if defined_here(fun):
        shown, extra = _as_keywords(fun, shown, extra)
    spelt = spelling(fun) or _numpy_name(fun)
    if spelt is None:
        spelt = constant(getattr(fun, "fun", fun), fun.__name__, _first_line(fun), constants)
    if "**" in spelt and shown[0].startswith("-"):
        shown[0] = f"({shown[0]})"
    return spelt.format(*shown) if "{" in spelt else f"{spelt}({', '.join(shown + extra)})"


def _as_called(fun, args):
    """A function of NumPy's and its arguments, for one that autograd puts in its place."""
    if fun is VSpace.add:
        return fun, args[1:]
    if fun is numpy_wrapper.concatenate_args:
        return np.concatenate, (args[1:], args[0])
    if fun is numpy_wrapper.array_from_args:
        return np.array, (args[2:],)
    if fun is numpy_wrapper._array_from_scalar_or_array:
        return np.array, args[2:3]
    if fun is anp.reshape and isinstance(args[1], np.ndarray):
        return fun, (args[0], tuple(args[1].tolist()))
    return fun, args


def _index(index, constants):
    """An index as it is written between brackets: `1:, 0`."""
    if isinstance(index, tuple) and index:
        return ", ".join(_index(i, constants) for i in index)
    if isinstance(index, slice):
        ends = ["" if i is None else str(i) for i in (index.start, index.stop)]
        return ":".join(ends) + ("" if index.step is None else f":{index.step}")
    return argument(index, constants)


def _weak(value, line):
    """A 0-d constant of the line's own dtype as a Python number, where another argument fixes the dtype anyway."""
    number = type(value) in (float, int) and not NUMBERS_ARE_WEAK and defined_here(line.fun)
    if not number and (not isinstance(value, (np.generic, np.ndarray)) or value.ndim):
        return value
    dtype = dtype_of_line(line)
    operator = "{" in (spelling(line.fun) or "")
    if number:
        typed = getattr(dtype, "kind", "") == "f" and (operator or type(value) is float) and not _fixes(line, value)
        return dtype.type(value) if typed else value
    exact = operator and value.dtype == dtype and dtype.name in _EXACT
    return value.item() if exact and _fixes(line, value.item()) else value


def _fixes(line, number):
    """Whether the other arguments give a line its dtype next to a Python number; on NumPy 1 0-d arrays do not."""
    same = [p for p in line.parents if dtype_of_line(p) == dtype_of_line(line)]
    if NUMBERS_ARE_WEAK or not same:
        return bool(same)
    return any(np.ndim(p.value) or np.result_type(dtype_of_line(p), type(number)) == dtype_of_line(p) for p in same)


_EXACT = {"float64", "float32", "float16", "int64", "int32", "bool"}  # Python numbers hold these exactly


def _as_keywords(fun, shown, extra):
    """Arguments that have a default written by name, for NumPy's functions have them in another order."""
    parameters = list(inspect.signature(fun.fun).parameters.values())
    named = [f"{p.name}={text}" for p, text in zip(parameters, shown, strict=False) if p.default is not p.empty]
    return shown[: len(shown) - len(named)], [n for n in named if not n.endswith(("=None", "=False"))] + extra


def _first_line(fun):
    """What a helper does, in a line: `sigmoid(x): 1 / (1 + exp(-x)) ...`."""
    names = ", ".join(inspect.signature(getattr(fun, "fun", fun)).parameters)
    words = (fun.__doc__ or "").strip().splitlines()
    return f"{fun.__name__}({names}){': ' + words[0] if words else ''}"


def _numpy_name(fun):
    raw = getattr(fun, "fun", fun)
    name = getattr(raw, "__name__", "")
    if getattr(np, name, None) is raw:
        return f"np.{name}"
    return f"np.linalg.{name}" if getattr(np.linalg, name, None) is raw else None


def scatter(g, index, shape, dtype, total=None) -> np.ndarray:
    """Zeros (or `total`) with `g` added at `index`: the transpose of indexing; an element read twice gets both."""
    out = np.zeros(shape, dtype) if total is None else np.array(total)
    np.add.at(out, index, g)
    return out


def _scatter(args, constants):
    """`sparse_add(space, total, untake(g, index, space))` as one call."""
    space, total, sparse = args
    if not hasattr(space, "dtype"):
        raise trace_error("differentiate an op that returns several arrays", Interpreted)
    name = constant(scatter, "scatter", "scatter(g, index, shape, dtype): zeros, with g added at index", constants)
    g, index = sparse.args[:2]
    sliced = any(isinstance(i, (slice, type(...))) for i in (index if isinstance(index, tuple) else (index,)))
    place = f"np.s_[{_index(index, constants)}]" if sliced else argument(index, constants)
    shown = [argument(g, constants), place, argument(tuple(space.shape), constants), argument(space.dtype, constants)]
    shown += [f"total={argument(total, constants)}"] if total is not None else []
    return f"{name}({', '.join(shown)})"


def argument(value, constants) -> str:
    """A line by its name, a small constant as a literal, another by a name of its own."""
    if type(value) is Line:
        return value.name
    if isinstance(value, tuple):
        inner = ", ".join(argument(v, constants) for v in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return f"[{', '.join(argument(v, constants) for v in value)}]"
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, (np.generic, bool, int, float))):
        name = np.bool_.__name__ if np.dtype(value) == bool else np.dtype(value).name
        return f"np.{name}" if hasattr(np, name) else constant(np.dtype(value), name, f"{name}: a dtype", constants)
    if isinstance(value, slice):
        return f"slice({value.start}, {value.stop}, {value.step})"
    if value is Ellipsis:
        return "..."
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and np.isfinite(value)):
        return repr(value)
    return constant(value, "c", None, constants)


def _described(value):
    """What a constant holds, in a few words."""
    if not isinstance(value, np.ndarray) or value.ndim == 0:
        return str(value)
    if value.size and np.all(value == value.flat[0]):
        return f"all {value.flat[0]}"
    return str(value.tolist()) if value.size <= 6 else ""


class Constants(dict):
    """`{what distinguishes a constant: (its name, value, note)}`; `numbers` are for those that have no name.

    `taken`: the names that stand for something else in the program; no two constants have one.
    """

    def __init__(self, taken=()):
        super().__init__()
        self.numbers, self.taken = count(1), {*taken}

    def free(self, names) -> str:
        """The first of these names that is free; it is taken from then on."""
        name = next(name for name in names if name not in self.taken)
        self.taken.add(name)
        return name


def constant(value, name, note, constants) -> str:
    """The name of a constant in the program, with a note on what it is; a new one where it has none yet."""
    key = frozen(value) if isinstance(value, (np.ndarray, np.generic)) else id(value)
    if key in constants:
        return constants[key][0]
    if note is None:
        name = constants.free(f"c{number}" for number in constants.numbers)
        kind = f"{getattr(value, 'dtype', type(value).__name__)}{list(np.shape(value))}"
        note = f"{name}: {kind} {_described(value)}".rstrip()
    else:
        wanted, name = name, constants.free(chain([name], (f"{name}_{again}" for again in count(2))))
        note = note.replace(wanted, name, 1)
    constants[key] = name, value, note
    return name
