"""Training cells: the ready ones, the documented ones, accumulation, and the order of unscale, reduce, clip, check."""

import numpy as np
import pytest
from labkit.mindspore.parallel._utils import _get_device_num, _get_gradients_mean, _get_parallel_mode

import labkit.mindspore as ms
from labkit.mindspore import Parameter, ParameterTuple, Tensor, amp, nn, ops

X, Y, BAD = Tensor([[1.0, 2.0, 3.0]]), Tensor([[19.0]]), Tensor([[float("inf")]])


def dense(dtype=ms.float32):
    return nn.Dense(3, 1, weight_init=Tensor([[2, 3, 4]], dtype), has_bias=False, dtype=dtype)


def weights(net):
    return net.weight.asnumpy().ravel()


def with_loss(net):
    return nn.WithLossCell(net, nn.MSELoss())


MEASURED = [
    (1.0, [1.98, 2.96, 3.94]), (0.518402, [1.9476, 2.8952, 3.8428]), (0.0709686, [1.913112, 2.826224, 3.7393358]),
    (0.0468431, [1.8864015, 2.772803, 3.659204]),
]  # fmt: skip


def test_one_step_cell(mode):
    net = dense()
    step = nn.TrainOneStepCell(with_loss(net), nn.Momentum(net.trainable_params(), 0.01, 0.9)).set_train()
    for loss, after in MEASURED:
        assert float(step(X, Y).asnumpy()) == pytest.approx(loss, rel=2e-5)
        np.testing.assert_allclose(weights(net), after, rtol=1e-6)
    assert [p.name for p in step.get_parameters()] == [
        "weight", "global_step", "learning_rate", "momentum", "moments.weight"
    ]  # fmt: skip


def test_one_step_is_one_program_in_graph_mode(graph_mode):
    net, scaled = dense(), dense()
    step = nn.TrainOneStepCell(with_loss(net), nn.Adam(net.trainable_params(), 0.01))
    update = nn.DynamicLossScaleUpdateCell(16, 2, 2)
    other = nn.TrainOneStepWithLossScaleCell(with_loss(scaled), nn.SGD(scaled.trainable_params(), 0.01), update)
    for label in (Y, BAD, Y):
        step(X, Y), other(X, label)
    for cell in (step, other):
        (compiled,) = cell.__dict__["_labkit_compiled"].values()
        assert compiled.cache_info() == (2, 1, 1)
    assert "_labkit_compiled" not in net.__dict__, "the parts are in the program of the whole"


def test_one_step_cell_prints_its_parts():
    step = nn.TrainOneStepCell(with_loss(dense()), nn.Momentum(dense().trainable_params(), 0.01, 0.9))
    assert str(step).splitlines()[-3:] == ["  (optimizer): Momentum()", "  (grad_reducer): Identity()", ")"]


def test_sens_multiplies_the_gradient_and_return_grad_returns_it(mode):
    net = dense()
    nn.TrainOneStepCell(with_loss(net), nn.SGD(net.trainable_params(), 0.01), sens=10.0)(X, Y)
    np.testing.assert_allclose(weights(net), [1.8, 2.6, 3.4], rtol=1e-6)
    net = dense()
    loss, gradients = nn.TrainOneStepCell(with_loss(net), nn.SGD(net.trainable_params(), 0.01), return_grad=True)(X, Y)
    assert float(loss) == 1.0 and gradients["weight"].asnumpy().tolist() == [[2.0, 4.0, 6.0]]


def test_sens_zero_is_refused():
    with pytest.raises(ValueError, match="The input argument of 'sens' can not be 0"):
        nn.TrainOneStepCell(with_loss(dense()), nn.SGD(dense().trainable_params()), sens=0)


def test_an_error_in_the_network_leaves_everything_as_it_was(mode):
    net = dense()
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    step = nn.TrainOneStepCell(with_loss(net), optimizer)
    with pytest.raises((ValueError, RuntimeError)):
        step(Tensor([[1.0, 2.0]]), Y)
    assert weights(net).tolist() == [2, 3, 4] and optimizer.global_step.asnumpy() == [0]
    assert float(step(X, Y).asnumpy()) == 1.0


def test_an_evaluation_cell():
    net = dense()
    loss, outputs, label = nn.WithEvalCell(net, nn.MSELoss())(X, Y)
    assert (float(loss), float(outputs.asnumpy()[0, 0])) == (1.0, 20.0) and label is Y


# ---- with a loss scale ----


def test_a_step_with_a_loss_scale_leaves_out_the_update_after_overflow(mode):
    net = dense()
    manager = nn.DynamicLossScaleUpdateCell(loss_scale_value=16, scale_factor=2, scale_window=2)
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    step, seen = nn.TrainOneStepWithLossScaleCell(with_loss(net), optimizer, scale_sense=manager).set_train(), []
    for label in [Y, Y, Y, BAD, Y, Y, BAD, BAD, Y]:
        before = [p.asnumpy().copy() for p in optimizer.get_parameters()]
        loss, overflow, scale = step(X, label)
        seen.append((bool(overflow), float(scale)))
        assert np.isinf(loss.asnumpy()) == bool(overflow)
        same = all(np.array_equal(b, p.asnumpy()) for b, p in zip(before, optimizer.get_parameters(), strict=True))
        assert same == bool(overflow)
    assert seen == [(False, 16), (False, 32), (False, 32), (True, 16), (False, 16), (False, 32), (True, 16), (True, 8),
                    (False, 8)]  # fmt: skip
    assert isinstance(scale, Parameter) is (mode == ms.PYNATIVE_MODE)


def test_a_scale_given_as_a_tensor_is_changed_by_hand(mode):
    net = dense()
    step = nn.TrainOneStepWithLossScaleCell(with_loss(net), nn.SGD(net.trainable_params(), 0.01), Tensor(1024.0))
    assert float(step(X, Y)[2]) == 1024
    step.set_sense_scale(Tensor(8.0))
    assert float(step(X, Y)[2]) == 8
    _, overflow, scale = step(X, BAD)
    assert bool(overflow) and float(scale) == 8


class Reducer(nn.Cell):
    """Stands in for the sum over several processes: multiplies every gradient."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def construct(self, grads):
        return tuple(g * self.factor for g in grads)


def scaled_step(net):
    optimizer = nn.SGD(net.trainable_params(), 0.01)
    return nn.TrainOneStepWithLossScaleCell(with_loss(net), optimizer, Tensor(1024.0))


def test_gradients_are_reduced_before_the_step(mode):
    for cell in (lambda net: nn.TrainOneStepCell(with_loss(net), nn.SGD(net.trainable_params(), 0.01)), scaled_step):
        net = dense()
        step = cell(net)
        step.grad_reducer = Reducer(0.5)
        step(X, Y)
        np.testing.assert_allclose(weights(net), [1.99, 2.98, 3.97], rtol=1e-6)


@pytest.mark.parametrize("factor, overflow", [(1e37, False), (3e38, True)])
def test_gradients_are_unscaled_then_reduced_then_looked_at(mode, factor, overflow):
    net = dense()
    step = scaled_step(net)
    step.grad_reducer = Reducer(factor)
    assert bool(step(X, Y)[1]) is overflow, "only the sum tells, and it has to be that of unscaled gradients"
    assert np.array_equal(weights(net), [2.0, 3.0, 4.0]) is overflow


def test_overflow_in_another_process_leaves_out_the_update_here_too(mode):
    net = dense()
    step = scaled_step(net)
    step.is_distributed, step.allreduce = True, lambda found: found + 1.0
    assert bool(step(X, Y)[1]) and weights(net).tolist() == [2.0, 3.0, 4.0]


def test_a_scale_has_one_element():
    net = dense()
    with pytest.raises(ValueError, match=r"must be \(1,\) or \(\)"):
        nn.TrainOneStepWithLossScaleCell(with_loss(net), nn.SGD(net.trainable_params()), Tensor([1.0, 2.0]))


# ---- the documented cells ----


class TrainOneStepCell(nn.Cell):
    def __init__(self, network, optimizer):
        super(TrainOneStepCell, self).__init__(auto_prefix=False)  # noqa: UP008
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = self.optimizer.parameters
        self.reducer_flag = False
        self.grad_reducer = ops.identity
        self.parallel_mode = _get_parallel_mode()
        self.reducer_flag = self.parallel_mode in (ms.ParallelMode.DATA_PARALLEL, ms.ParallelMode.HYBRID_PARALLEL)
        if self.reducer_flag:
            self.mean = _get_gradients_mean()
            self.degree = _get_device_num()
            self.grad_reducer = nn.DistributedGradReducer(self.weights, self.mean, self.degree)

    def construct(self, *inputs):
        loss, grads = ms.value_and_grad(self.network, grad_position=None, weights=self.weights)(*inputs)
        grads = self.grad_reducer(grads)
        self.optimizer(grads)
        return loss


_grad_scale = ops.MultitypeFuncGraph("grad_scale")


@_grad_scale.register("Tensor", "Tensor")
def tensor_grad_scale(scale, grad):
    return grad * ops.cast(ops.Reciprocal()(scale), ops.dtype(grad))


class MyTrainOneStepCell(nn.TrainOneStepWithLossScaleCell):
    def __init__(self, network, optimizer, scale_sense=1, grad_clip=False):
        if isinstance(scale_sense, (int, float)):
            scale_sense = nn.FixedLossScaleUpdateCell(scale_sense)
        super(MyTrainOneStepCell, self).__init__(network, optimizer, scale_sense)  # noqa: UP008
        self.grad_clip = grad_clip

    def construct(self, x, img_shape, gt_bboxe, gt_label, gt_num):
        weights = self.weights
        loss = self.network(x, img_shape, gt_bboxe, gt_label, gt_num)
        scaling_sens = self.scale_sense
        status, scaling_sens = self.start_overflow_check(loss, scaling_sens)
        scaling_sens_filled = ops.ones_like(loss) * ops.cast(scaling_sens, ops.dtype(loss))
        grads = self.grad(self.network, weights)(x, img_shape, gt_bboxe, gt_label, gt_num, scaling_sens_filled)
        grads = self.hyper_map(ops.partial(_grad_scale, scaling_sens), grads)
        if self.grad_clip:
            grads = ops.clip_by_global_norm(grads)
        grads = self.grad_reducer(grads)
        cond = self.get_overflow_status(status, grads)
        overflow = self.process_loss_scale(cond)
        if not overflow:
            self.optimizer(grads)
        return loss, cond, scaling_sens.value()


class Detector(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = dense()

    def construct(self, x, img_shape, gt_bboxe, gt_label, gt_num):
        return ((self.fc(x) - gt_label) ** 2).mean()


ONE = Tensor([1.0])


def test_the_documented_one_step_cell(mode):
    net = dense()
    step = TrainOneStepCell(with_loss(net), nn.Momentum(net.trainable_params(), 0.01, 0.9))
    for loss, after in MEASURED:
        assert float(step(X, Y).asnumpy()) == pytest.approx(loss, rel=2e-5)
        np.testing.assert_allclose(weights(net), after, rtol=1e-6)


@pytest.mark.parametrize("clip, after", [(False, [1.98, 2.96, 3.94]), (True, [1.9973274, 2.9946549, 3.9919822])])
@pytest.mark.parametrize(
    "scale, then",
    [(1, 1), (1024, 1024), (lambda: nn.DynamicLossScaleUpdateCell(16, 2, 2), 8), (lambda: Tensor(64.0), 64)],
)
def test_the_documented_cell_with_clipping_and_a_loss_scale(mode, clip, after, scale, then):
    net = Detector()
    sense = scale() if callable(scale) else scale
    step = MyTrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.01), sense, clip).set_train()
    loss, overflow, used = step(X, ONE, ONE, Y, ONE)
    assert (float(loss), bool(overflow)) == (1.0, False) and type(used) is Tensor
    np.testing.assert_allclose(weights(net.fc), after, rtol=1e-6)
    loss, overflow, used = step(X, ONE, ONE, BAD, ONE)
    assert np.isinf(loss.asnumpy()) and bool(overflow) and float(used) == then
    np.testing.assert_allclose(weights(net.fc), after, rtol=1e-6)


# ---- accumulation ----


def accumulated(batches, dtype=ms.float64, learning_rate=0.01):
    """The weights after one step on `batches`, whose gradients are accumulated; and the accumulated gradient."""
    rng = np.random.default_rng(0)
    x, y = Tensor(rng.normal(size=(12, 3)), dtype), Tensor(rng.normal(size=(12, 1)), dtype)
    net, loss_fn = dense(dtype), nn.MSELoss()
    optimizer = nn.Momentum(net.trainable_params(), learning_rate, 0.9)
    total = ParameterTuple(optimizer.parameters).clone(prefix="accumulated", init="zeros")
    gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y) / batches, None, optimizer.parameters)
    n = 12 // batches
    for k in range(batches):
        _, grads = gradient(x[k * n : (k + 1) * n], y[k * n : (k + 1) * n])
        for held, g in zip(total, grads, strict=True):
            ops.assign_add(held, g)
    optimizer(tuple(held.value() for held in total))
    return weights(net), total[0].asnumpy()


@pytest.mark.parametrize("batches", [2, 3, 4, 12])
def test_accumulated_gradients_are_those_of_the_big_batch(mode, batches):
    after, gradient = accumulated(batches)
    whole_after, whole = accumulated(1)
    np.testing.assert_allclose(gradient, whole, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(after, whole_after, rtol=1e-12, atol=1e-12)


def test_batches_of_different_size_must_be_weighted_by_their_size():
    x, y = np.random.default_rng(1).normal(size=(2, 6, 1))
    net, loss_fn = (
        nn.Dense(1, 1, weight_init=Tensor([[1.0]], ms.float64), has_bias=False, dtype=ms.float64),
        nn.MSELoss(),
    )
    gradient = ms.grad(lambda x, y: loss_fn(net(x), y), None, net.weight)
    parts = [(x[:4], y[:4]), (x[4:], y[4:])]
    whole = gradient(Tensor(x), Tensor(y)).asnumpy()
    grads = [gradient(Tensor(a), Tensor(b)).asnumpy() for a, b in parts]
    weighted = sum(g * len(a) / 6 for g, (a, _) in zip(grads, parts, strict=True))
    np.testing.assert_allclose(weighted, whole, rtol=1e-12)
    assert abs(sum(grads) / 2 - whole) > 0.01


# ---- the order of unscale, reduce, clip, check ----

SCALE = 1024.0
TWO_WORKERS = [np.array([30.0, 0.0]), np.array([0.0, 0.3])]


def unscaled(gradients, scale=SCALE):
    return [g / scale for g in gradients]


def reduced(gradients):
    return sum(gradients) / len(gradients)


def clipped(gradient):
    return ops.clip_by_global_norm((Tensor(gradient),), 1.0)[0].asnumpy()


def test_clipping_before_reducing_changes_the_direction():
    mean = reduced(TWO_WORKERS)
    right, wrong = clipped(mean), reduced([clipped(g) for g in TWO_WORKERS])
    np.testing.assert_allclose(right, [1.0, 0.01], rtol=1e-3)
    np.testing.assert_allclose(right / right[0], mean / mean[0], rtol=1e-6)
    np.testing.assert_allclose(wrong, [0.5, 0.15], rtol=1e-6)


def test_clipping_before_unscaling_clips_the_scale():
    gradient = np.array([3.0, 4.0]) * 0.1
    right = clipped(unscaled([gradient * SCALE])[0])
    wrong = unscaled([clipped(gradient * SCALE)])[0]
    np.testing.assert_allclose(right, gradient)
    assert np.linalg.norm(wrong) == pytest.approx(1 / SCALE)


def test_clipping_an_infinite_gradient_makes_nan_of_it_so_the_check_must_see_it_still():
    gradient = np.array([np.inf, 1.0], np.float32)
    after = clipped(gradient)
    assert np.isnan(after[0]) and after[1] == 0.0
    assert not bool(amp.all_finite((Tensor(after),))), "nan is seen by the check"
    assert bool(amp.all_finite((Tensor(np.clip(gradient, -1, 1)),))), "but clipping by value hides the overflow"


def test_checking_before_reducing_lets_workers_disagree():
    workers = [np.array([np.inf, 1.0], np.float32), np.array([1.0, 1.0], np.float32)]
    each = [bool(amp.all_finite((Tensor(g),))) for g in workers]
    assert each == [False, True], "one would skip its step, the other not: the replicas differ from now on"
    assert not bool(amp.all_finite((Tensor(reduced(workers)),))), "after reducing all of them see the same"
