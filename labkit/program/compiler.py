"""From a function to a `Program`."""

from typing import Any

import numpy as np
from autograd.tracer import Box

from ..engine import (
    check_function,
    check_output,
    checked_names,
    inside,
    isbox,
    leaves,
    map_leaves,
    new_box,
    new_level,
    numeric,
    run,
    watch,
)
from .guard import Drawn, side_effects_refused
from .line import Line
from .nodes import Op, target_marker
from .simplify import needed, simplify
from .source_text import name_lines, write


class Program:
    """Straight-line NumPy code for one function at one signature; call it with arrays, print it to read it.

    `source` is its text, `lines` its ops; `lines_of(node)` leads from the graph to the text.
    `run` is the bare compiled function: arrays in, a flat tuple of arrays out.
    """

    def __init__(self, source, namespace, lines, output):
        self.source, self.lines, self._output = source, lines, output
        exec(compile(source, "<labkit program>", "exec"), namespace)
        self.run = namespace["program"]

    def __call__(self, *values):
        """The function's output, for arrays of the shapes and dtypes it was compiled for."""
        with np.errstate(all="ignore"):
            results = iter(self.run(*[numeric(value, "program: argument", i) for i, value in enumerate(values)]))
        return map_leaves(lambda _: next(results), self._output)

    def __str__(self):
        return self.source

    def lines_of(self, node) -> list[Line]:
        """The lines that compute a recorded node or belong to its derivative."""
        return [line for line in self.lines if node in (line.node, line.node.step)]


class Recording:
    """A run being recorded: `input` a value, compute with the box it returns, `finish` with the outputs."""

    def __init__(self):
        self.level, self.log = new_level(), []

    @classmethod
    def of(cls, box) -> "Recording":
        """The recording that a recorded value belongs to."""
        while type(box._node) is not Op:
            box = box._value
        found = cls.__new__(cls)
        found.level, found.log = box._trace, box._node.log
        return found

    def input(self, value, name) -> Box:
        """A box around `value`, an argument of the program to be."""
        value = numeric(value, "record:", name)
        return new_box(value, self.level, Op.new_root(value, name, self.log))

    def run(self, fun, *boxes) -> Any:
        """Call `fun`, whose reverse passes are watched and whose side effects are refused."""
        before, watch.observe = watch.observe, target_marker()
        try:
            with np.errstate(all="ignore"), inside(self.level):
                try:
                    with side_effects_refused():
                        return run(fun, boxes)
                except Drawn:
                    with side_effects_refused(precise=True):
                        run(fun, boxes)
                    raise
        finally:
            watch.observe = before

    def finish(self, output, in_place=False) -> Program:
        """The program that computes `output`, nested as it is, from the inputs in the order they were made."""
        lines, found = simplify(self.log)
        ends = [found[x._node] if isbox(x) and x._trace == self.level else x for x in leaves(output)]
        lines = needed(lines, ends)
        name_lines(lines, found)
        source, namespace = write(lines, ends, in_place)
        return Program(source, namespace, [line for line in lines if line.number], map_leaves(lambda _: None, output))


def compile_program(fun, *args, names=None, in_place=False) -> Program:
    """Record `fun(*args)` once; return the `Program` that computes the same for any arrays of these shapes and dtypes.

    `in_place` lets large elementwise results be written over values nothing else needs. Raises TraceError, naming file and
    line, where `fun` asks for a traced value (an `if` on it, `float()` of it) or has a side effect.

    >>> from labkit.engine import grad
    >>> print(compile_program(grad(lambda x: x**3), np.float64(2.0), names=["x"]))
    def program(x):
        v1 = x ** 2.0   # backward of power: g p x^(p-1)
        d_x = 3.0 * v1  # backward of power: g p x^(p-1)
        return (d_x,)
    <BLANKLINE>
    """
    check_function("compile_program(f, x)", fun)
    recording, names = Recording(), checked_names(names, fun, args)
    boxes = [recording.input(value, name) for value, name in zip(args, names, strict=True)]
    return recording.finish(check_output(fun, recording.run(fun, *boxes)), in_place)
