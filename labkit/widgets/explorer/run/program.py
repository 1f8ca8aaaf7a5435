"""The program that graph mode would run, for a story: its source, and which lines belong to which node."""

import io
import random
from collections.abc import Callable, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

import numpy as np

from ....engine import Graph, getval, value_and_grad
from ....program import Op, Recording, TraceError
from .story import Story


def add_program(story: Story, graph: Graph, plain: Callable, values: Sequence[Any], names: Sequence[str]) -> None:
    """Write the program for value and gradients of `plain` at `values`, and note the lines of each node of `story`.

    `plain` is run once more for it; what it prints is dropped, and NumPy's and Python's random numbers go on as if it had
    not run. Where there can be no program, `story.no_program` says why.
    """
    floating = tuple(i for i, v in enumerate(values) if "float" in str(np.asarray(getval(v)).dtype))
    recording, ran = Recording(), []

    def forward(*boxes):
        before = len(recording.log)
        output = plain(*boxes)
        ran.append(recording.log[before:])
        return output

    try:
        with unnoticed():
            boxes = [recording.input(np.asarray(v), name) for v, name in zip(values, names, strict=True)]
            program = recording.finish(recording.run(value_and_grad(forward, floating), *boxes))
    except TraceError as error:
        story.no_program = str(error)
        return
    except Exception as error:  # the first run went well: this one must not spoil the picture
        story.no_program = f"{type(error).__name__}: {error}"
        return
    story.program = program.source
    _note_lines(story, program, _nodes_of_ops(graph, ran[-1]))


def _note_lines(story, program, of_op):
    """A line belongs to the node whose op it computes, else to the backward of the node whose derivative it is part of."""
    lines: dict[int, tuple[list[int], list[int]]] = {i: ([], []) for i in of_op.values()}
    for line in program.lines:
        if line.node in of_op:
            lines[of_op[line.node]][0].append(line.number)
        elif line.node.step in of_op:
            lines[of_op[line.node.step]][1].append(line.number)
    for i, (own, back) in lines.items():
        story.nodes[i].lines, story.nodes[i].back_lines = tuple(own), tuple(back)


def _nodes_of_ops(graph: Graph, log: list[Op]) -> dict[Op, int]:
    """Which node of the graph each op of the program's forward run is. The same code ran, so the ops come in the same
    order; some are in one of the two alone, such as comparisons."""
    found, start = {}, 0
    for i, node in enumerate(graph.forward):
        if node.fun is not None:
            alike = (k for k in range(start, len(log)) if log[k].fun is node.fun and _same(log[k].value, node.value))
            place = next(alike, None)
            if place is not None:
                found[log[place]], start = i, place + 1
    return found


def _same(a, b):
    return np.array_equal(
        np.asarray(getval(a)), np.asarray(getval(b)), equal_nan=np.asarray(getval(a)).dtype.kind == "f"
    )


@contextmanager
def unnoticed():
    """While open, what is printed is dropped; afterwards random numbers go on from where they were."""
    numpy_state, python_state = np.random.get_state(), random.getstate()
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            yield
    finally:
        np.random.set_state(numpy_state)
        random.setstate(python_state)
