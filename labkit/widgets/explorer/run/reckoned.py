"""All numbers of a run - values, gradients, local slopes - as lines that the page computes anew while inputs are dragged."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from ....engine import Reverse, getval, inside, isbox, leaves, new_box, new_level, ones_like, reverse_pass, watch
from ....program import Op, Recording
from ....tracing import plain_function
from ...kit.reckoning import Program
from .program import unnoticed


def reckoned(fun: Callable, args: Sequence[Any], inputs: Sequence[str]) -> Program | None:
    """The lines for `fun(*args)`, of whose arguments those called `inputs` may change. None where there can be none: it decides by
    its numbers, has arrays, or does what no line says.
    """
    unmoved = getattr(fun, "__engine_unmoved__", nullcontext)
    try:
        plain, values, called = plain_function(fun, args, {}, None, "show(f, x)")
        recording = Recording()
        with unnoticed(), unmoved():
            boxes = [recording.input(np.asarray(getval(v)), name) for v, name in zip(values, called, strict=True)]
            recording.run(_everything(plain), *boxes)
            program = recording.finish([new_box(op.value, recording.level, op) for op in recording.log])
        return Program.of(program.lines, dict(zip(called, (getval(v) for v in values), strict=True)), inputs)
    except Exception:  # whatever it is, the first run went well
        return None


def _everything(plain):
    """Runs `plain`, walks back, and asks each op for its local slopes; all of it is in the log of whoever records."""

    def run(*boxes):
        level = new_level()
        with inside(level), watch.refusing():
            value = plain(*(new_box(box, level, Reverse.new_root(box)) for box in boxes))
        outputs = [leaf._node for leaf in leaves(value) if isbox(leaf) and leaf._trace == level]
        reverse_pass(outputs, [ones_like(node.origin) for node in outputs])
        waiting, found = outputs, set[Reverse]()
        while waiting:
            node = waiting.pop()
            if node.parents and node not in found:
                found.add(node)
                waiting.extend(node.parents)
                list(node.vjp(ones_like(node.origin)))
        return value

    return run
