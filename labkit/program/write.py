"""Writing a program: a name for every line, a spelling for every op, a comment that says where it comes from."""

import inspect
import keyword
import re
from collections import Counter
from itertools import count

import autograd.numpy as anp
import numpy as np
from autograd.core import VSpace, sparse_add
from autograd.numpy import numpy_wrapper
from autograd.numpy.numpy_vjps import untake

from ..engine import ArrayBox, cast
from ..ops import NUMBERS_ARE_WEAK, defined_here, spelling, words_of
from .branches import chosen
from .buffers import last_uses, overwritten
from .effects import Effect
from .lines import Block, Branch, Line, Repeat, everyone
from .loops import began, left
from .simplify import dtype_of_line, frozen, keeping, permutation, taken_out


def name_lines(lines, found) -> None:
    """Give every line a Python name: the user's, `d_h` for the gradient of h, else v1, v2 ..."""
    taken, unnamed = {"np", "program", *keyword.kwlist}, count(1)
    again: Counter[str] = Counter()
    every = list(everyone(lines))
    owner = {line.node.site: line for line in every if line.node.site and line.node.step is None}
    for line in every:
        if isinstance(line, Block) or line.name or type(line.fun) is Effect:
            continue
        node = line.node
        wanted = node.name if line.fun in (None, chosen, began) or owner.get(node.site) is line else None
        if line.fun in (left, taken_out, keeping):
            wanted = "kept" if line.fun is keeping else line.args[0].name
            if line.fun is left:
                line.name = wanted
                continue
        elif node.target is not None:
            of = found.get(node.target)
            wanted = f"d_{of.name}" if type(of) is Line and of.name else None
        wanted = re.sub(r"\W|^(?=\d)", "_", wanted) if wanted else f"v{next(unnamed)}"
        line.name = wanted
        while line.name in taken:
            again[wanted] += 1
            line.name = f"{wanted}_{again[wanted]}"
        taken.add(line.name)
        if line.fun is chosen:
            _name_ends(line, every)


def _name_ends(join, every):
    """What becomes of a choice has its name on either side, too, where it is computed there."""
    branch = next(line for line in every if type(line) is Branch and join in line.joins)
    for end, block in zip(join.args[1:], branch.blocks, strict=True):
        plain = type(end) is Line and end.fun not in (left, began, taken_out, keeping)
        if plain and not end.name and any(end is line for line in everyone(block)):
            end.name = join.name
            if end.fun is chosen:
                _name_ends(end, every)


def write(lines, ends, in_place=False) -> tuple[str, dict]:
    """The source of the program and the namespace it runs in; sets every line's `number`."""
    constants = _Constants()
    over = overwritten(lines, ends) if in_place else {}
    body = list(_body(lines, constants, over, last_uses(lines, ends), "    "))
    result = "".join(f"{_result(end, constants)}, " for end in ends)
    source = [f"# {note}" for _, _, note in constants.values()]
    source.append(f"def program({', '.join(line.name for line in lines if line.fun is None)}):")
    width = min(max((len(text) for line, text in body if line), default=0), 60)
    for line, text in body:
        source.append(f"{text:<{width}}  # {_note(line)}" if type(line) is Line else text)
        if line is not None:
            line.number = len(source)
    source.append(f"    return ({result.rstrip()})")
    return "\n".join(source) + "\n", {"np": np, **{name: value for name, value, _ in constants.values()}}


def _body(lines, constants, over, released, indent):
    """The lines with their texts, None for a text that computes nothing."""
    for line in lines:
        if type(line) is Branch:
            yield from _branch(line, constants, indent)
        elif type(line) is Repeat:
            yield from _repeat(line, constants, indent)
        elif type(line.fun) is Effect:
            name = _constant(line.fun, line.fun.__name__, f"{line.fun.__name__}: {line.fun.words}", constants)
            yield line, f"{indent}{name}({', '.join(_argument(a, constants) for a in line.args)})"
        elif line.fun is not None and line.fun is not untake:
            yield line, f"{indent}{line.name} = {_text(line, constants, over.get(line))}"
        if gone := released.get(line):
            yield None, f"{indent}del {', '.join(value.name for value in gone)}"


def _repeat(loop, constants, indent):
    """A `while` with what it keeps, or a `for` through what another kept."""
    inside, keeps = f"{indent}    ", loop.keeps()
    under = {id(line) for block in everyone(loop.body) if isinstance(block, Block) for line in everyone([block])}
    for header in loop.headers:
        if (entry := _argument(header.args[0], constants)) != header.name:
            yield header, f"{indent}{header.name} = {entry}"
    yield from ((None, f"{indent}{kept.name} = []") for kept in loop.kept)
    yield from ((None, f"{indent}{line.name} = None") for line in keeps if id(line) in under)
    if loop.of is not None:
        yield loop, f"{indent}for {_rounds_of(loop)}:"
    elif len(loop.testing) == 1 and loop.testing[0] is loop.test:
        yield loop, f"{indent}while {_text(loop.test, constants)}:"
    elif not loop.testing:
        yield loop, f"{indent}while {_argument(loop.test, constants)}:"
    else:
        yield loop, f"{indent}while True:"
        yield from _body(loop.testing, constants, {}, {}, inside)
        yield None, f"{inside}if not {_argument(loop.test, constants)}:"
        yield None, f"{inside}    break"
    yield from _body(loop.body, constants, {}, {}, inside)
    yield from ((None, f"{inside}{k.name}.append(({_tuple_of([line.name for line in keeps])}))") for k in loop.kept)
    ends = [(header.name, _argument(header.args[1], constants)) for header in loop.headers]
    changed = [pair for pair in ends if pair[0] != pair[1]]
    if changed:
        yield None, f"{inside}{', '.join(name for name, _ in changed)} = {', '.join(end for _, end in changed)}"
    if not (loop.body or loop.kept or changed):
        yield None, f"{inside}pass"


def _rounds_of(loop):
    """`(v1, v2) in reversed(kept)`: what a loop takes out of the rounds of others."""
    targets, lists = [], []
    for source, kept in zip(loop.through, loop.args, strict=True):
        names = [loop.taken[line].name if line in loop.taken else "_" for line in source.keeps()]
        targets.append(f"({_tuple_of(names)})" if names else "_")
        lists.append(kept.name if source.forwards == loop.forwards else f"reversed({kept.name})")
    return f"{targets[0]} in {lists[0]}" if len(lists) == 1 else f"{', '.join(targets)} in zip({', '.join(lists)})"


def _tuple_of(names):
    return ", ".join(names) + ("," if len(names) == 1 else "")


def _branch(line, constants, indent):
    """An `if` with its sides; one that does nothing is left out."""
    (test,), sides = line.args, []
    for side, block in enumerate(line.blocks):
        inner = list(_body(block, constants, {}, {}, indent + "    "))
        for join in line.joins:
            value = _result(join.args[1 + side], constants)
            if value != join.name:
                inner.append((join, f"{indent}    {join.name} = {value}"))
        sides.append(inner)
    first, second = sides
    yield line, f"{indent}if {'' if first else 'not '}{test.name}:"
    yield from first or second
    if first and second:
        yield None, f"{indent}else:"
        yield from second


def _result(end, constants):
    """An output; a constant array as a copy, so that whoever gets it may write to it."""
    copied = ".copy()" if isinstance(end, np.ndarray) else ""
    return _argument(end, constants) + copied


def _note(line):
    node = line.node
    if line.fun in _NOTES:
        return _NOTES[line.fun]
    if node.step is None:
        return node.op
    rule = words_of(node.step.op)
    return f"backward of {node.step.op}: {rule}" if rule else f"backward of {node.step.op}"


_NOTES = {chosen: "the result of this side", began: "what the first round begins with"}
_DEFAULTS = [("keepdims", False), ("ddof", 0)]


def _text(line, constants, over=None):
    """One op as NumPy code, written over the value `over` where there is one."""
    fun, args = line.fun, line.args
    if fun is sparse_add:
        return _scatter(args, constants)
    if fun is VSpace.add:
        args = args[1:]
    if fun is numpy_wrapper.concatenate_args:
        fun, args = np.concatenate, (args[1:], args[0])
    if fun is numpy_wrapper.array_from_args:
        fun, args = np.array, (args[2:],)
    if fun is numpy_wrapper._array_from_scalar_or_array:
        fun, args = np.array, args[2:3]
    if fun is anp.reshape and isinstance(args[1], np.ndarray):
        args = args[0], tuple(args[1].tolist())
    if fun is cast and np.ndim(line.value) and hasattr(args[0].value, "astype"):
        return f"{args[0].name}.astype({_argument(args[1], constants)})"
    shown = [a.name if type(a) is Line else _argument(_weak(a, line), constants) for a in args]
    if fun is ArrayBox.__getitem__ or spelling(fun) == "{}[...]":
        return f"{shown[0]}[{_index(args[1] if fun is ArrayBox.__getitem__ else args[1:], constants)}]"
    extra = [
        f"{k}={_argument(v, constants)}" for k, v in line.kwargs.items() if v is not None and (k, v) not in _DEFAULTS
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
        spelt = _constant(getattr(fun, "fun", fun), fun.__name__, _first_line(fun), constants)
    if "**" in spelt and shown[0].startswith("-"):
        shown[0] = f"({shown[0]})"
    return spelt.format(*shown) if "{" in spelt else f"{spelt}({', '.join(shown + extra)})"


def _index(index, constants):
    """An index as it is written between brackets: `1:, 0`."""
    if isinstance(index, tuple) and index:
        return ", ".join(_index(i, constants) for i in index)
    if isinstance(index, slice):
        ends = ["" if i is None else str(i) for i in (index.start, index.stop)]
        return ":".join(ends) + ("" if index.step is None else f":{index.step}")
    return _argument(index, constants)


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
    """Whether the other arguments give a line its dtype beside a Python number; on NumPy 1 0-d arrays do not."""
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
    name = _constant(scatter, "scatter", "scatter(g, index, shape, dtype): zeros, with g added at index", constants)
    g, index = sparse.args[:2]
    sliced = any(isinstance(i, (slice, type(...))) for i in (index if isinstance(index, tuple) else (index,)))
    place = f"np.s_[{_index(index, constants)}]" if sliced else _argument(index, constants)
    shown = [
        _argument(g, constants),
        place,
        _argument(tuple(space.shape), constants),
        _argument(space.dtype, constants),
    ]
    shown += [f"total={_argument(total, constants)}"] if total is not None else []
    return f"{name}({', '.join(shown)})"


def _argument(value, constants):
    """A line by its name, a small constant as a literal, another by a name of its own."""
    if type(value) is Line:
        return value.name
    if isinstance(value, tuple):
        inner = ", ".join(_argument(v, constants) for v in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return f"[{', '.join(_argument(v, constants) for v in value)}]"
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, (np.generic, bool, int, float))):
        name = np.bool_.__name__ if np.dtype(value) == bool else np.dtype(value).name
        return f"np.{name}" if hasattr(np, name) else _constant(np.dtype(value), name, f"{name}: a dtype", constants)
    if isinstance(value, slice):
        return f"slice({value.start}, {value.stop}, {value.step})"
    if value is Ellipsis:
        return "..."
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and np.isfinite(value)):
        return repr(value)
    return _constant(value, "c", None, constants)


def _described(value):
    """What a constant holds, in a few words."""
    if not isinstance(value, np.ndarray) or value.ndim == 0:
        return str(value)
    if value.size and np.all(value == value.flat[0]):
        return f"all {value.flat[0]}"
    return str(value.tolist()) if value.size <= 6 else ""


class _Constants(dict):
    """`{what tells a constant from others: (its name, value, note)}`; `numbers` are for those that have no name."""

    def __init__(self):
        super().__init__()
        self.numbers = count(1)


def _constant(value, name, note, constants):
    key = frozen(value) if isinstance(value, (np.ndarray, np.generic)) else id(value)
    if key in constants:
        return constants[key][0]
    if note is None:
        name = f"c{next(constants.numbers)}"
        kind = f"{getattr(value, 'dtype', type(value).__name__)}{list(np.shape(value))}"
        note = f"{name}: {kind} {_described(value)}".rstrip()
    elif type(value) is Effect and (same := sum(type(v) is Effect for _, v, _ in constants.values())):
        name, note = f"{name}_{same + 1}", note.replace(name, f"{name}_{same + 1}", 1)
    constants[key] = name, value, note
    return name
