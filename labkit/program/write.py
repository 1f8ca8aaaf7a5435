"""Writing a program: a name for every line, its text (`expressions`), a comment that says where it comes from."""

import keyword
import re
from collections import Counter
from itertools import count

import numpy as np
from autograd.numpy.numpy_vjps import untake

from ..ops import words_of
from .branches import chosen
from .buffers import last_uses, overwritten
from .effects import Effect
from .expressions import Constants, argument, constant, text_of
from .lines import Block, Branch, Line, Repeat, everyone
from .loops import began, left
from .simplify import keeping, taken_out


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
    constants = Constants({"np", *(line.name for line in everyone(lines) if line.name)})
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
            name = constant(line.fun, line.fun.__name__, f"{line.fun.__name__}: {line.fun.words}", constants)
            yield line, f"{indent}{name}({', '.join(argument(a, constants) for a in line.args)})"
        elif line.fun is not None and line.fun is not untake:
            yield line, f"{indent}{line.name} = {text_of(line, constants, over.get(line))}"
        if gone := released.get(line):
            yield None, f"{indent}del {', '.join(value.name for value in gone)}"


def _repeat(loop, constants, indent):
    """A `while` with what it keeps, or a `for` through what another kept."""
    inside, keeps = f"{indent}    ", loop.keeps()
    under = {id(line) for block in everyone(loop.body) if isinstance(block, Block) for line in everyone([block])}
    for header in loop.headers:
        if (entry := argument(header.args[0], constants)) != header.name:
            yield header, f"{indent}{header.name} = {entry}"
    yield from ((None, f"{indent}{kept.name} = []") for kept in loop.kept)
    yield from ((None, f"{indent}{line.name} = None") for line in keeps if id(line) in under)
    if loop.of is not None:
        yield loop, f"{indent}for {_rounds_of(loop)}:"
    elif len(loop.testing) == 1 and loop.testing[0] is loop.test:
        yield loop, f"{indent}while {text_of(loop.test, constants)}:"
    elif not loop.testing:
        yield loop, f"{indent}while {argument(loop.test, constants)}:"
    else:
        yield loop, f"{indent}while True:"
        yield from _body(loop.testing, constants, {}, {}, inside)
        yield None, f"{inside}if not {argument(loop.test, constants)}:"
        yield None, f"{inside}    break"
    yield from _body(loop.body, constants, {}, {}, inside)
    yield from ((None, f"{inside}{k.name}.append(({_tuple_of([line.name for line in keeps])}))") for k in loop.kept)
    ends = [(header.name, argument(header.args[1], constants)) for header in loop.headers]
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
    return argument(end, constants) + copied


def _note(line):
    node = line.node
    if line.fun in _NOTES:
        return _NOTES[line.fun]
    if node.step is None:
        return node.op
    rule = words_of(node.step.op)
    return f"backward of {node.step.op}: {rule}" if rule else f"backward of {node.step.op}"


_NOTES = {chosen: "the result of this side", began: "what the first round begins with"}
