"""Writes a program: a name for every line, its text (`expressions`), and a comment on its origin."""

import keyword
import re
from collections import Counter
from itertools import count

import numpy as np
from autograd.numpy.numpy_vjps import untake

from ..ops import words_of
from .buffers import last_uses, overwritten
from .decisions import Decision
from .expressions import Constants, argument, constant, text_of
from .line import Line


def name_lines(lines, found) -> None:
    """Give every line a Python name: the user's, `d_h` for the gradient of h, else v1, v2 ..."""
    taken, unnamed = {"np", "program", *keyword.kwlist}, count(1)
    again: Counter[str] = Counter()
    owner = {line.node.site: line for line in lines if line.node.site and line.node.step is None}
    for line in lines:
        if type(line.fun) is Decision:
            continue
        node = line.node
        wanted = node.name if line.fun is None or owner.get(node.site) is line else None
        if node.target is not None:
            of = found.get(node.target)
            wanted = f"d_{of.name}" if type(of) is Line and of.name else None
        wanted = re.sub(r"\W|^(?=\d)", "_", wanted) if wanted else f"v{next(unnamed)}"
        line.name = wanted
        while line.name in taken:
            again[wanted] += 1
            line.name = f"{wanted}_{again[wanted]}"
        taken.add(line.name)


def write(lines, ends, in_place=False) -> tuple[str, dict]:
    """The source of the program and the namespace it runs in; sets every line's `number`."""
    constants = Constants({"np", *(line.name for line in lines if line.name)})
    over = overwritten(lines, ends) if in_place else {}
    body = list(_body(lines, constants, over, last_uses(lines, ends)))
    result = "".join(f"{_result(end, constants)}, " for end in ends)
    source = [f"# {note}" for _, _, note in constants.values()]
    source.append(f"def program({', '.join(line.name for line in lines if line.fun is None)}):")
    width = min(max((len(text) for line, text in body if line), default=0), 56)
    for line, text in body:
        source.append(f"    {text:<{width}}  # {_note(line)}" if line is not None else f"    {text}")
        if line is not None:
            line.number = len(source)
    source.append(f"    return ({result.rstrip()})")
    return "\n".join(source) + "\n", {"np": np, **{name: value for name, value, _ in constants.values()}}


def _body(lines, constants, over, released):
    """The lines with their texts, None for a text that computes nothing."""
    for line in lines:
        if type(line.fun) is Decision:
            name = constant(line.fun, line.fun.__name__, f"{line.fun.__name__}: {line.fun.words}", constants)
            yield line, f"{name}({argument(line.args[0], constants)})"
        elif line.fun is not None and line.fun is not untake:
            yield line, f"{line.name} = {text_of(line, constants, over.get(line))}"
        if gone := released.get(line):
            yield None, f"del {', '.join(value.name for value in gone)}"


def _result(end, constants):
    """An output; a constant array as a copy, so that its receiver may write to it."""
    copied = ".copy()" if isinstance(end, np.ndarray) else ""
    return argument(end, constants) + copied


def _note(line):
    node = line.node
    if type(line.fun) is Decision:
        return f"only for {line.fun.answer}"
    if node.step is None:
        return node.op
    rule = words_of(node.step.op)
    return f"backward of {node.step.op}: {rule}" if rule else f"backward of {node.step.op}"
