"""Ops that only arrange numbers belong to others, and attention is seen as Q, K, V, scores, softmax and output."""

import numpy as np
import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.widgets.explorer.graph.units import Units
from labkit.widgets.explorer.run.folding import folded
from labkit.widgets.explorer.run.story import Node, Story

X = np.random.default_rng(0).normal(size=(3, 4)).astype("float32")
PARTS = ["scores: Q·Kᵀ", "softmax", "output: softmax·V"]


class Packed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.proj, self.out = torch.nn.Linear(4, 12), torch.nn.Linear(4, 4)

    def forward(self, x):
        q, k, v = self.proj(x).chunk(3, -1)
        return self.out(torch.softmax(q @ k.transpose(-2, -1) / 2, -1) @ v)


class Apart(ms.nn.Cell):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (ms.nn.Dense(4, 4, has_bias=False) for _ in range(3))

    def construct(self, x):
        scores = ms.ops.matmul(self.q(x), self.k(x).swapaxes(-1, -2)) / 2
        return ms.ops.matmul(ms.ops.softmax(scores), self.v(x))


def attention(x, w):
    return torch.softmax((x @ w) @ (x @ w).transpose(0, 1) / 2, -1) @ x


def boxes(picture):
    way = picture.data["ways"][picture.opened]
    return [card["title"] for card in way["cards"] if card["kind"] in ("op", "block")]


@pytest.mark.parametrize("make, expected", [
    (lambda: labkit.show(Packed(), torch.tensor(X)), ["linear", "Q", "K", "V", *PARTS, "linear"]),
    (lambda: labkit.show(Packed()(torch.tensor(X)).sum()), ["linear", "Q", "K", "V", *PARTS, "linear", "sum"]),
    (lambda: labkit.show(Apart(), ms.Tensor(X)), ["dense", "dense", "dense", *PARTS]),
    (lambda: labkit.show(attention, torch.tensor(X), torch.tensor(X.T @ X)), ["mm", "mm", "transpose", *PARTS]),
])  # fmt: skip
def test_attention_is_seen_by_its_parts(make, expected):
    assert sorted(boxes(make())) == sorted(expected)


def test_a_part_is_unfolded_into_its_ops():
    picture = labkit.show(Packed(), torch.tensor(X))
    (key,) = [part.key for part in picture.parts if not isinstance(part, int) and part.title == PARTS[0]]
    picture.unfold(key)
    assert {"mm", "÷ 2"} <= set(boxes(picture)) and PARTS[0] not in boxes(picture)


@drawn(50)
@given(
    st.lists(st.tuples(st.sampled_from(["view", "t", "mm", "tanh"]), st.integers(0, 9), st.integers(0, 9)), max_size=12)
)
def test_boxes_are_in_an_order_in_which_each_follows_what_it_needs(ops):
    nodes = [Node(0, "net.w", "input", "", (), None, (), "float32")]
    for op, *parents in ops:
        chosen = tuple(parent % len(nodes) for parent in parents[: 2 if op == "mm" else 1])
        nodes.append(Node(len(nodes), op, op, "", chosen, None, (), "float32"))
    units = Units(Story("f", nodes, []), folded(nodes))
    assert sorted(i for unit in units.ops for i in unit.nodes) == list(range(1, len(nodes)))
    place = {unit: k for k, unit in enumerate(units.ops)}
    assert all(place[edge.start] < place[edge.end] for edge in units.edges if edge.start in place)
