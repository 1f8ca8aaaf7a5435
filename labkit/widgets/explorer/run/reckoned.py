"""All numbers of a run - values, gradients, local slopes - as lines that the page computes anew while inputs are dragged."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from autograd import tracer

from ....engine import Reverse, getval, inside, isbox, leaves, new_box, new_level, ones_like, reverse_pass, watch
from ....program import Recording, recorded
from ....tracing import plain_function
from ...kit.reckoning import Program
from .program import unnoticed

ALONG, SOMEWHERE = "_along", 0.37  # an input besides: the operand of an op near the run, and where it stands


def curve_of(node: int, place: int) -> str:
    """The name of the curve of an op, the node of a story, as a function of the operand at a place."""
    return f"{node}:{place}"


def reckoned(fun: Callable, args: Sequence[Any], inputs: Sequence[str]) -> Program | None:
    """The lines for `fun(*args)`, of whose arguments those called `inputs` may change; its `curves` are the ops near the run. None
    where there can be none: it decides by its numbers, has arrays, or does what no line says.
    """
    unmoved = getattr(fun, "__engine_unmoved__", nullcontext)
    try:
        plain, values, called = plain_function(fun, args, {}, None, "show(f, x)")
        given = {name: np.asarray(getval(v)) for name, v in zip(called, values, strict=True)}
        given[ALONG] = np.asarray(SOMEWHERE, given[inputs[0]].dtype if given[inputs[0]].dtype.kind == "f" else float)
        recording, curves = Recording(), dict[str, Any]()
        with unnoticed(), unmoved():
            boxes = [recording.input(v, name) for name, v in given.items()]
            recording.run(_everything(plain, curves), *boxes)
        program, known = Program.of(recording.log, given, [*inputs, ALONG])
    except Exception:  # whatever it is, the first run went well
        return None
    program.curves = {name: known[op] for name, box in curves.items() if (op := recorded(box)) in known}
    return program


class _Kept(Reverse):
    """A node that keeps what it ran, and knows of those before it."""

    __slots__ = ("call", "log")

    def __init__(self, value, fun, args, kwargs, argnums, parents):
        super().__init__(value, fun, args, kwargs, argnums, parents)
        self.call, self.log = (fun, args, kwargs, argnums), parents[0].log
        self.log.append(self)

    def near(self, k, operand):
        """What the op gives were its operand number `k` another."""
        fun, args, kwargs, argnums = self.call
        return fun(*args[: argnums[k]], operand, *args[argnums[k] + 1 :], **kwargs)


tracer.notrace_primitives[_Kept] = tracer.notrace_primitives[Reverse]


def _everything(plain, curves):
    """Runs `plain`, walks back, asks each op for its local slopes and for what it gives near the run; all of it is in the log of
    whoever records, and `curves` leads to the latter."""

    def run(*boxes):
        *inputs, along = boxes
        level, log = new_level(), []
        roots = [_Kept.new_root(box) for box in inputs]
        for root in roots:
            root.log = log
        log += roots
        with inside(level), watch.refusing():
            value = plain(*(new_box(box, level, root) for box, root in zip(inputs, roots, strict=True)))
        outputs = [leaf._node for leaf in leaves(value) if isbox(leaf) and leaf._trace == level]
        reverse_pass(outputs, [ones_like(node.origin) for node in outputs])
        for i, node in enumerate(log):
            if node.parents:
                list(node.vjp(ones_like(node.origin)))
            curves.update((curve_of(i, k), node.near(k, along)) for k in range(len(node.parents)))
        return value

    return run
