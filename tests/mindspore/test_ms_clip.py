"""Clipping by value, by norm, by global norm."""

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import Tensor, ops

G = Tensor([[2.0, 4.0, 6.0]])


def test_the_gradient_of_the_documents():
    clipped = ops.clip_by_global_norm((G,))
    assert clipped[0].asnumpy().tolist() == [[0.26726123690605164, 0.5345224738121033, 0.8017836809158325]]


GLOBAL = [  # gradients, limit, clipped
    ([[3.0, 4.0], [12.0]], 1.0, [[3 / 13, 4 / 13], [12 / 13]]), ([[3.0, 4.0]], 2, [[1.2, 1.6]]),
    ([[3.0, 4.0]], 5.0, [[3.0, 4.0]]), ([[0.1, 0.2]], 1.0, [[0.1, 0.2]]), ([[0.0, 0.0]], 1.0, [[0.0, 0.0]]),
]  # fmt: skip


@pytest.mark.parametrize("gradients, limit, clipped", GLOBAL)
def test_all_gradients_together_are_at_most_as_long_as_the_limit(gradients, limit, clipped):
    found = ops.clip_by_global_norm([Tensor(g) for g in gradients], limit)
    assert type(found) is tuple
    for f, c in zip(found, clipped, strict=True):
        assert f.tolist() == pytest.approx(c, rel=1e-6)


def test_edges_of_the_global_norm():
    assert [t.shape for t in ops.clip_by_global_norm((Tensor(3.0), Tensor(4.0)))] == [(1,), (1,)]
    assert ops.clip_by_global_norm((Tensor([300.0, 400.0], ms.float16),))[0].tolist() == [0.0, 0.0]
    assert ops.clip_by_global_norm((Tensor([3, 4]),))[0].tolist() == [0, 0]
    infinite = ops.clip_by_global_norm((Tensor([3.0, np.inf], ms.float32),))[0].tolist()
    assert infinite[0] == 0.0 and np.isnan(infinite[1])
    assert ops.clip_by_global_norm((Tensor([3.0, np.nan], ms.float32),))[0].tolist()[0] == 3.0
    assert ops.clip_by_global_norm(Tensor([3.0, 4.0])).tolist() == pytest.approx([0.6, 0.8])


def test_clipping_removes_the_gradient_along_the_vector():
    clipped_sum = lambda v: ops.clip_by_global_norm((v,))[0].sum()
    assert ms.grad(clipped_sum)(Tensor([3.0, 4.0])).tolist() == pytest.approx([0.032, -0.024], rel=1e-4)
    assert ms.grad(clipped_sum)(Tensor([0.3, 0.4])).tolist() == [1.0, 1.0]


def test_graph_mode_gives_a_list_for_a_list():
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        assert type(ops.clip_by_global_norm([G])) is list
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("use, error, message", [
    (lambda: ops.clip_by_global_norm((G,), 0), ValueError, "the argument 'clip_norm' must > 0.0, but got 0."),
    (lambda: ops.clip_by_global_norm((G,), None), TypeError, "'>' not supported between instances of 'NoneType'"),
    (lambda: ops.clip_by_global_norm((G,), use_norm=2.0), ValueError, "only supports None currently"),
    (lambda: ops.clip_by_global_norm(()), ValueError, "the input num must be greater than or equal to 1"),
    (lambda: ops.clip_by_global_norm(((G,), G)), TypeError, "Failed calling AddN"),
    (lambda: ops.clip_by_global_norm(5), TypeError, "Failed calling Square"),
    (lambda: ops.clip_by_value(G), ValueError, "at least one of 'clip_value_min' or 'clip_value_max'"),
    (lambda: ops.clip_by_value(3.0, 5, 20), TypeError, "the type of argument 'x' must be Tensor or tuple"),
    (lambda: ops.clip_by_norm(Tensor([np.inf], ms.float32), 1.0, error_if_nonfinite=True), RuntimeError, "is non-finite"),
])  # fmt: skip
def test_misuse_says_what_is_wrong(use, error, message):
    with pytest.raises(error, match=message):
        use()


def test_by_value():
    x = Tensor([[1.0, 25.0], [4.0, 11.0]])
    assert ops.clip_by_value(x, 5, 20).tolist() == [[5.0, 20.0], [5.0, 11.0]]
    assert ops.clip_by_value(x, clip_value_max=20).tolist() == [[1.0, 20.0], [4.0, 11.0]]
    assert ops.clip_by_value(x, 20, 5).tolist() == [[5.0, 5.0], [5.0, 5.0]]
    assert type(ops.clip_by_value([x], 5, 20)) is tuple
    assert ms.grad(lambda v: ops.clip_by_value(v, 5, 20))(Tensor([5.0, 20.0, 10.0, 30.0])).tolist() == [
        0.5,
        0.5,
        1.0,
        0.0,
    ]


def test_by_norm_the_factor_has_a_small_number_below():
    assert ops.clip_by_norm(G, 1.0).tolist() == [[0.26726120710372925, 0.5345224142074585, 0.8017836213111877]]
    assert ops.clip_by_norm(G, 100.0).tolist() == G.tolist()
    assert ops.clip_by_norm(G, 1.0, norm_type=1).tolist()[0] == pytest.approx([1 / 6, 1 / 3, 1 / 2], rel=1e-6)
    both = ops.clip_by_norm([G, Tensor([1.0])], 1.0)
    assert both[1].item() == pytest.approx(1 / np.sqrt(57), rel=1e-6)


def test_a_cell_clips_by_the_norm():
    x = ms.Tensor([[3.0, 4.0]])
    assert ms.nn.ClipByNorm()(x, ms.Tensor([1.0])).asnumpy().tolist() == np.float32([[0.6, 0.8]]).tolist()
    assert ms.nn.ClipByNorm()(x, ms.Tensor([100.0])).asnumpy().tolist() == [[3.0, 4.0]]
