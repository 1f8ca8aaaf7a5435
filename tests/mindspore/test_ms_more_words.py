"""Words that programs use now and then: parts of tensors by their numbers, cells in dictionaries, further losses and steps.

The numbers are those of MindSpore 2.10.
"""

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import Parameter, Tensor, amp, nn, ops
from labkit.mindspore import numpy as mnp

IDS = Tensor([0, 0, 2, 2], ms.int32)
LARGEST = float(np.finfo(np.float32).max)


@pytest.mark.parametrize(
    ("op", "value", "slope"),
    [
        (ops.unsorted_segment_min, [2.0, LARGEST, 0.0, LARGEST], [0.5, 0.5, 1.0, 0.0]),
        (ops.unsorted_segment_max, [2.0, -LARGEST, 2.0, -LARGEST], [0.5, 0.5, 0.0, 1.0]),
        (ops.unsorted_segment_prod, [4.0, 1.0, 0.0, 1.0], [2.0, 2.0, 2.0, 0.0]),
        (ops.unsorted_segment_sum, [4.0, 0.0, 2.0, 0.0], [1.0, 1.0, 1.0, 1.0]),
    ],
)
def test_segments(op, value, slope):
    x = Tensor([2.0, 2.0, 0.0, 2.0])
    assert op(x, IDS, 4).tolist() == value
    assert ms.grad(lambda x: op(x, IDS, 4).sum())(x).tolist() == slope
    assert ms.jit(lambda x: op(x, IDS, 4))(x).tolist() == value


def test_a_slice_by_its_beginning_and_its_lengths():
    x = ops.arange(12).reshape((3, 4))
    assert ops.Slice()(x, (1, 1), (2, 2)).tolist() == ops.slice(x, [1, 1], [-1, 2]).tolist() == [[5, 6], [9, 10]]


def test_pixels_are_put_back():
    x = ops.arange(16).reshape((1, 1, 4, 4))
    assert ops.pixel_unshuffle(x, 2)[0, 1].tolist() == [[1, 3], [9, 11]]
    assert (ops.pixel_shuffle(ops.pixel_unshuffle(x, 2), 2) == x).all()


def test_slices_are_added_at_their_places():
    x, more = Tensor([[1.0, 2.0, 3.0]]), Tensor([[10.0, 20.0]])
    places = Tensor([0, 2], ms.int32)
    assert x.index_add(1, places, more, alpha=2).tolist() == [[21.0, 2.0, 43.0]]
    p = Parameter(Tensor([1.0, 2.0, 3.0]), name="p")
    ops.index_add(p, places, Tensor([1.0, 1.0]), 0)
    assert p.tolist() == [2.0, 2.0, 4.0]


def test_cells_leave_a_dictionary():
    cells = nn.CellDict({"a": nn.ReLU(), "b": nn.Tanh()})
    cells.update({"c": nn.Dense(1, 1)})
    assert isinstance(cells.pop("a"), nn.ReLU) and "b" in cells and list(cells) == ["b", "c"]
    del cells["b"]
    assert [p.name for p in cells.get_parameters()] == ["c.weight", "c.bias"]
    cells.clear()
    assert len(cells) == 0


def test_a_copy_into_a_tensor_is_seen_by_its_views():
    x = Tensor([1.0, 2.0])
    shared = x.asnumpy()
    assert x.copy_(Tensor([3, 4])) is x and shared.tolist() == [3.0, 4.0]


def test_ranges_of_values():
    x = Tensor([[1.0, 5.0], [3.0, 2.0]])
    assert x.ptp().item() == 4 and x.ptp(1).tolist() == [4.0, 1.0]
    counts, edges = mnp.histogram([1, 2, 1], bins=[0, 1, 2, 3])
    assert (counts.dtype, edges.dtype, counts.tolist()) == (ms.float32, ms.int32, [0.0, 2.0, 1.0])


# ---- losses, measures, steps ----

SCORES = Tensor([[0.8, 1.4], [0.5, 0.9], [1.2, 0.9]])


def test_the_focal_loss():
    classes = Tensor([[1], [1], [0]], ms.int32)
    assert nn.FocalLoss()(SCORES, classes).item() == pytest.approx(0.0793146, rel=2e-5)
    hot = Tensor([[0, 1], [0, 1], [1, 0]], ms.float32)
    assert nn.FocalLoss(reduction="sum")(SCORES, hot).item() == pytest.approx(0.2379, rel=1e-3)
    weighted = nn.FocalLoss(Tensor([1.0, 2.0]), reduction="none")(SCORES, classes)
    plain = nn.FocalLoss(reduction="none")(SCORES, classes)
    assert (weighted / plain).tolist() == pytest.approx([2, 2, 1])


def test_the_dice_loss_of_several_classes():
    logits = Tensor([[0.2, 0.5, 0.7], [0.3, 0.1, 0.5], [0.9, 0.6, 0.3]])
    label = Tensor([[0, 1, 0], [1, 0, 0], [0, 0, 1]], ms.float32)
    assert nn.MultiClassDiceLoss()(logits, label).item() == pytest.approx(0.549581, rel=1e-5)


def test_the_mean_of_gradient_descent():
    p = Parameter(Tensor([1.0, 2.0]), name="w")
    optimizer = nn.ASGD([p], learning_rate=0.1)
    for _ in range(3):
        optimizer((Tensor([1.0, -2.0]),))
    assert p.tolist() == pytest.approx([0.69997525, 2.59992957], rel=1e-6)


def test_which_cells_compute_in_two_bytes():
    for words in ({"white_list": [nn.Dense]}, {"black_list": [nn.BatchNorm1d]}):
        network = amp.custom_mixed_precision(
            nn.SequentialCell(nn.Dense(1, 1, Tensor([[1.0]]), has_bias=False)), **words
        )
        assert network(Tensor([[70000.0]])).tolist() == [[np.inf]]
    with pytest.raises(ValueError, match="at least one of"):
        amp.custom_mixed_precision(nn.Dense(1, 1))
