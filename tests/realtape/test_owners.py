"""To which modules the ops of a finished tape belong, as their parameters tell."""

import pytest

from labkit.realtape import Names, Saved, Tape, TapeNode
from labkit.realtape.owners import note_owners

KINDS = {
    ("a",): "Linear",
    ("b",): "Block",
    ("b", "c"): "Linear",
    ("b", "d"): "Linear",
    ("r",): "GRU",
    ("e",): "Embedding",
}
OWNERS = {"a.w": [("a",)], "a.b": [("a",)], "c.w": [("b", "c")], "d.w": [("b", "d")], "r.w": [("r",)]}


def owned(*ops, owners=OWNERS):
    """The scopes of ops, each written as its name and the parameters it uses, "^" being the op before it."""
    names = list(dict.fromkeys(name for _, *used in ops for name in used if name not in ("^", "frozen")))
    nodes = [TapeNode(i, "AccumulateGrad", "leaf", label=name) for i, name in enumerate(names)]
    for op, *used in ops:
        index = len(nodes)
        parents = tuple((index - 1 if name == "^" else names.index(name), 0) for name in used)
        saved = () if op == "t" else (Saved("self"),)
        nodes.append(TapeNode(index, f"{op}Backward0", op, parents, saved=saved))
    tape = Tape("loss", ((len(nodes) - 1, 0),), nodes)
    note_owners(tape, Names(owners=owners, kinds=KINDS))
    return [
        " ".join(f"{name}{call if call > 1 else ''}" for name, _, call in node.scope) for node in nodes if not node.leaf
    ]


@pytest.mark.parametrize(
    "ops, scopes",
    [
        ([("addmm", "a.w", "a.b"), ("tanh", "^")], ["a", ""]),
        ([("t", "a.w"), ("addmm", "^", "a.b"), ("relu", "^")], ["a", "a", ""]),  # a weight that is moved first
        ([("mm", "c.w"), ("tanh", "^"), ("mm", "^", "d.w"), ("sum", "^")], ["b c", "b", "b d", ""]),
        ([("mm", "c.w"), ("mul", "^", "a.w"), ("mm", "^", "d.w")], ["b c", "a", "b2 d"]),
        ([("mm", "a.w"), ("tanh", "^"), ("mm", "^", "a.w")], ["a", "", "a2"]),  # it was called twice
        ([("mm", "c.w"), ("mm", "^", "d.w"), ("sum", "^"), ("mm", "c.w"), ("mm", "^", "d.w")],
         ["b c", "b d", "", "b2 c", "b2 d"]),
        ([("mm", "r.w"), ("tanh", "^"), ("mm", "^", "r.w")], ["r", "r", "r"]),  # a GRU uses its own once a step
        ([("exp", "x"), ("mul", "^")], ["", ""]),
    ],
)  # fmt: skip
def test_ops_belong_to_the_modules_whose_parameters_they_lie_between(ops, scopes):
    assert owned(*ops) == scopes


def test_of_modules_that_share_a_parameter_an_op_belongs_to_the_one_called_like_it():
    shared = {"e.w": [("a",), ("e",)]}
    assert owned(("embedding", "e.w"), ("tanh", "^"), ("mm", "^", "e.w"), owners=shared) == ["e", "", "a"]


def test_what_is_frozen_tells_it_too():
    node = TapeNode(0, "ConvolutionBackward0", "convolution", saved=(Saved("weight", label="a.w", note="frozen"),))
    note_owners(Tape("loss", ((0, 0),), [node]), Names(owners=OWNERS, kinds=KINDS))
    assert node.scope == (("a", "Linear", 1),)
