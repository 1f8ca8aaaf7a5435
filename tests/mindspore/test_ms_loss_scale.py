"""Loss-scale managers, the cells that change a scale, float16 training with and without one."""

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import Parameter, Tensor, amp, nn

OUTCOMES = [0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0]


def test_a_fixed_manager_never_changes():
    manager = amp.FixedLossScaleManager()
    assert manager.update_loss_scale(True) is None
    assert (manager.get_loss_scale(), manager.get_drop_overflow_update()) == (128.0, True)
    assert isinstance(manager.get_update_cell(), nn.FixedLossScaleUpdateCell)
    assert amp.FixedLossScaleManager(1024, False).get_update_cell() is None


def test_a_dynamic_manager_grows_whenever_the_steps_since_overflow_fill_a_window():
    manager, seen = amp.DynamicLossScaleManager(init_loss_scale=16, scale_factor=2, scale_window=3), []
    for overflow in OUTCOMES:
        manager.update_loss_scale(bool(overflow))
        seen.append(manager.get_loss_scale())
    assert seen == [16, 16, 32, 32, 16, 16, 16, 32, 16, 8, 4, 2, 1, 1, 1, 1, 2]


def test_the_dynamic_cell_does_the_same_in_parameters(mode):
    cell, scale = nn.DynamicLossScaleUpdateCell(16, 2, 3), Parameter(Tensor(16.0), name="scale")
    seen = []
    for overflow in OUTCOMES:
        assert bool(cell(scale, Tensor(bool(overflow)))) is bool(overflow)
        seen.append((float(scale), int(cell.cur_iter), int(cell.last_overflow_iter)))
    assert [s for s, *_ in seen] == [16, 16, 32, 32, 16, 16, 16, 32, 16, 8, 4, 2, 1, 1, 1, 1, 2]
    assert seen[2] == (32, 4, 3) and seen[4] == (16, 6, 5) and seen[-1] == (2, 18, 17)


def test_overflow_in_the_step_that_would_fill_the_window_makes_the_scale_smaller_all_the_same(mode):
    cell, scale = nn.DynamicLossScaleUpdateCell(16, 2, 2), Parameter(Tensor(16.0), name="scale")
    manager = amp.DynamicLossScaleManager(16, 2, 2)
    for overflow in (False, True):
        cell(scale, Tensor(overflow))
        manager.update_loss_scale(overflow)
    assert float(scale) == manager.get_loss_scale() == 8


def test_the_fixed_cell_only_hands_on_the_overflow():
    cell, scale = nn.FixedLossScaleUpdateCell(64), Parameter(Tensor(2.0), name="scale")
    assert cell.get_loss_scale() == 64 and bool(cell(scale, Tensor(True))) and float(scale) == 2.0


@pytest.mark.parametrize("make, message", [
    (lambda: amp.FixedLossScaleManager(0.5), "The argument 'loss_scale' must be >= 1, but got 0.5"),
    (lambda: amp.DynamicLossScaleManager(0.5), "The argument 'init_loss_scale' must be > 1, but got 0.5"),
    (lambda: amp.DynamicLossScaleManager(2, 0), "The argument 'scale_factor' must be > 0, but got 0"),
    (lambda: amp.DynamicLossScaleManager(2, 2, 0), "For 'DynamicLossScaleManager', the 'scale_window' must be int and"),
])  # fmt: skip
def test_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_overflow_a_thousand_times_in_a_row_is_an_error():
    manager = amp.DynamicLossScaleManager()
    for _ in range(1000):
        manager.update_loss_scale(True)
    with pytest.raises(RuntimeError, match="Continuous overflow"):
        manager.update_loss_scale(True)


# ---- float16, really ----


def small_gradients(scale, level="O2", steps=20):
    """A linear fit in float16 whose gradients are near 2e-8, below the smallest float16: the weight after some steps."""
    net = nn.Dense(1, 1, weight_init=Tensor([[0.0]]), has_bias=False)
    optimizer = nn.SGD(net.trainable_params(), 2.0**24)

    class Small(nn.LossBase):
        def construct(self, out, label):
            return ((out - label) ** 2 * 2.0**-28).sum()

    manager = None if scale is None else amp.FixedLossScaleManager(scale)
    step = amp.build_train_network(net, optimizer, Small(), level=level, loss_scale_manager=manager)
    for _ in range(steps):
        step(Tensor([[1.0]]), Tensor([[3.0]]))
    return float(net.weight.asnumpy()[0, 0])


def test_small_gradients_vanish_in_float16_unless_the_loss_is_scaled(mode):
    assert small_gradients(None) == 0.0
    assert small_gradients(2.0**16) == pytest.approx(small_gradients(None, "O0"), rel=1e-2)


def test_a_dynamic_scale_finds_the_largest_that_does_not_overflow(mode):
    net = nn.Dense(1, 1, weight_init=Tensor([[1.0]]), has_bias=False)
    step = amp.build_train_network(net, nn.SGD(net.trainable_params(), 1e-3), nn.MSELoss(), level="O2")
    overflows = [bool(step(Tensor([[8.0]]), Tensor([[0.0]]))[1]) for _ in range(20)]
    assert overflows == [True] * 16 + [False] * 4, "2 * 8 * 8 * 2**8 is the first below 65504"
    assert float(step.scale_sense) == 2.0**8
    assert float(net.weight.asnumpy()[0, 0]) < 1.0


# ---- networks in two bytes ----


class Two(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(2, 2, weight_init="ones", has_bias=False)
        self.second = nn.Dense(2, 1, weight_init="ones", has_bias=False)
        self.seen = []

    def construct(self, x):
        h = self.first(x)
        out = self.second(h)
        self.seen.append((h.dtype, out.dtype))
        return out


X = Tensor([[1.0, 2.0]])


@pytest.mark.parametrize(
    "level, inside", [("O0", ms.float32), ("O1", ms.float32), ("O2", ms.float16), ("O3", ms.float16)]
)
def test_levels_of_mixed_precision(level, inside):
    net = Two()
    mixed = amp.auto_mixed_precision(net, level)
    out = mixed(X)
    assert out.dtype is ms.float32 and net.seen == [(inside, inside)]
    gradients = ms.grad(mixed, None, net.trainable_params())(X)
    assert all(g.dtype is ms.float32 for g in gradients)
    assert (type(mixed) is Two) is (level in ("O0", "O1"))


def test_level_one_computes_dense_layers_in_two_bytes():
    net = amp.auto_mixed_precision(Two(), "O1")
    assert net(Tensor([[1.0, 2.0**-12]])).asnumpy() == 2.0, "the small summand is lost in float16"
    assert Two()(Tensor([[1.0, 2.0**-12]])).asnumpy() == 2.0 + 2.0**-11


def test_to_float_computes_in_that_type_and_keeps_the_parameters():
    layer = nn.Dense(2, 1, weight_init="ones", has_bias=False).to_float(ms.float16)
    out = layer(Tensor([[60000.0, 60000.0]]))
    assert out.dtype is ms.float16 and np.isinf(out.asnumpy())
    assert layer.weight.dtype is ms.float32
    assert ms.grad(layer)(Tensor([[60000.0, 60000.0]])).asnumpy().tolist() == [[1.0, 1.0]]
    with pytest.raises(ValueError, match="the argument 'dst_type' must be mstype"):
        layer.to_float(ms.int32)


def test_bfloat16_too(mode):
    layer = nn.Dense(2, 1, weight_init="ones", has_bias=False).to_float(ms.bfloat16)
    assert layer(Tensor([[1.0, 2.0**-10]])).astype(ms.float32).asnumpy() == 1.0
    gradients = ms.grad(layer, (0,), layer.trainable_params())(Tensor([[3.0, 4.0]]))
    assert [g.dtype for g in (gradients[0], *gradients[1])] == [ms.float32, ms.float32]
    assert gradients[1][0].asnumpy().tolist() == [[3.0, 4.0]]


@pytest.mark.parametrize("level", ["O2", "O3"])
def test_running_means_keep_their_type(mode, level):
    norm = nn.BatchNorm1d(2)
    step = amp.build_train_network(norm, nn.SGD(norm.trainable_params(), 0.1), nn.MSELoss(), level=level)
    step(Tensor([[1.0, 2.0], [3.0, 6.0]]), Tensor([[0.0, 0.0], [0.0, 0.0]]))
    assert norm.moving_mean.dtype is ms.float32
    np.testing.assert_allclose(norm.moving_mean.asnumpy(), [0.2, 0.4], rtol=1e-3)


@pytest.mark.parametrize("call, kind, message", [
    (lambda: amp.auto_mixed_precision(Two(), "O5"), ValueError, "The amp level O5 is not supported"),
    (lambda: amp.auto_mixed_precision(print, "O2"), TypeError, "For amp_level 'O2', the network type should be Cell."),
    (lambda: amp.auto_mixed_precision(Two(), "O2", ms.float32), ValueError, "The dtype should be one of"),
    (lambda: amp.build_train_network(Two(), 5), TypeError, "The type of 'optimizer' should be"),
    (lambda: amp.build_train_network(Two(), nn.SGD(Two().trainable_params()), foo=1), ValueError, "Unsupported arg 'foo'"),
])  # fmt: skip
def test_errors_of_mixed_precision(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
