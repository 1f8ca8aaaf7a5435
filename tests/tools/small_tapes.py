"""Small tapes of the installed PyTorch, written down without it."""

import numpy as np

from labkit.realtape import Tape, TapeNode, Value


def value(*numbers):
    return Value((len(numbers),), "float32", np.array(numbers, np.float32))


def chain(*ops, **tape):
    """A tape of a leaf and ops, one after the other; each op a name, or a name with fields of its node."""
    nodes = [TapeNode(0, "AccumulateGrad", "leaf", outputs=(((4, 4), "float32", "cpu"),), label="w")]
    for i, op in enumerate(ops, 1):
        name, more = op if isinstance(op, tuple) else (op, {})
        fields = {"outputs": (((4, 1), "float32", "cpu"),), **more}
        nodes.append(TapeNode(i, f"{name.title()}Backward0", name, ((i - 1, 0),), **fields))
    return Tape("loss", ((len(ops), 0),), nodes, **tape)


def cut_off(*saved, **tape):
    """A tape of `addmm` in a head, whose data has no history, with an encoder that no path leads to."""
    node = {"saved": saved, "outputs": (((4, 1), "float32", "cpu"),), "label": ""}
    made = chain(("addmm", node), "mean", unreached=("enc.weight", "enc.bias"), **tape)
    made.nodes[1].parents = ((0, 0), None)
    return made
