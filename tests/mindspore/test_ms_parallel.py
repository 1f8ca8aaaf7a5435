"""Data parallel training: the gradients of several ranks, against those of one process with all the data."""

import math
import re

import numpy as np
import pytest
from labkit.mindspore.parallel._utils import _get_device_num, _get_gradients_mean, _get_parallel_mode

import labkit.mindspore as ms
from labkit import parallel
from labkit.mindspore import Tensor, communication, nn, ops
from labkit.mindspore.communication import get_group_size, get_rank

SAMPLES, STEPS = 12, 5


def data():
    rng = np.random.default_rng(7)
    return rng.normal(size=(SAMPLES, 3)), rng.normal(size=(SAMPLES, 2))


class Net(nn.Cell):
    """A small network in float64 with its loss: the mean over the samples."""

    def __init__(self, scale=1.0):
        super().__init__()
        rng = np.random.default_rng(3)
        self.w = ms.Parameter(Tensor(scale * rng.normal(size=(3, 4))), name="w")
        self.v = ms.Parameter(Tensor(rng.normal(size=(4, 2))), name="v")

    def construct(self, x, y):
        return ops.square(ops.matmul(ops.tanh(ops.matmul(x, self.w)), self.v) - y).sum(axis=1).mean()


def gradients(net, x, y):
    return ms.grad(net, None, net.trainable_params())(Tensor(x), Tensor(y))


class TrainOneStepCell(nn.Cell):
    """The documented training cell, from its parts."""

    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = self.optimizer.parameters
        self.grad_reducer = ops.identity
        if _get_parallel_mode() in (ms.ParallelMode.DATA_PARALLEL, ms.ParallelMode.HYBRID_PARALLEL):
            self.grad_reducer = nn.DistributedGradReducer(self.weights, _get_gradients_mean(), _get_device_num())

    def construct(self, *inputs):
        loss, grads = ms.value_and_grad(self.network, grad_position=None, weights=self.weights)(*inputs)
        grads = self.grad_reducer(grads)
        self.optimizer(grads)
        return loss


def trained(mode, x, y):
    """The parameters after five steps of Momentum, in one flat list."""
    ms.set_context(mode=mode)
    net = Net()
    step = TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    for _ in range(STEPS):
        step(Tensor(x), Tensor(y))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    return flat(net.trainable_params())


def flat(tensors):
    return [float(v) for t in tensors for v in np.ravel(t.asnumpy().astype(np.float64))]


def shards(sizes):
    ends = np.cumsum(sizes)
    return slice(ends[get_rank()] - sizes[get_rank()], ends[get_rank()])


def even():
    return shards([SAMPLES // get_group_size()] * get_group_size())


def uneven():
    """The gradient from shards of unequal sizes, by the plain mean and weighted by size."""
    size = get_group_size()
    sizes = [1] * (size - 1) + [SAMPLES - size + 1]
    x, y = data()
    net, part = Net(), shards(sizes)
    grads = gradients(net, x[part], y[part])
    weights = net.trainable_params()
    total = ops.AllReduce()(Tensor(float(sizes[get_rank()]), ms.float64))
    share = Tensor(float(sizes[get_rank()]), ms.float64) / total
    return {
        "plain": flat(nn.DistributedGradReducer(weights, mean=True)(grads)),
        "weighted": flat(nn.DistributedGradReducer(weights, mean=False)(tuple(g * share for g in grads))),
    }


def overflow():
    """Four steps under a dynamic loss scale; in the second one sample of rank 1, and of no other, overflows."""
    net, part = Net(), even()
    weights = net.trainable_params()
    optimizer, scaler = nn.SGD(weights, 0.1), ms.amp.DynamicLossScaler(1024.0, 2, 100)
    reduce = nn.DistributedGradReducer(weights, mean=True)
    forward = ms.value_and_grad(lambda x, y: scaler.scale(net(x, y)), None, weights)
    history = []
    for step in range(4):
        x, y = (a[part] for a in data())
        if step == 1 and get_rank() == 1:
            y[0] = 1e308
        _, grads = forward(Tensor(x), Tensor(y))
        here = ms.amp.all_finite(grads)
        grads = scaler.unscale(reduce(grads))
        everywhere = ms.amp.all_finite(grads)
        if everywhere:
            optimizer(grads)
        scaler.adjust(everywhere)
        state = [float(here), float(everywhere), float(scaler.scale_value.asnumpy()), *flat(weights)]
        history.append(state)
    return history


class ClippingStep(nn.TrainOneStepWithLossScaleCell):
    """A step of one's own, after the documented one, that branches on the overflow; it clips what is reduced."""

    def construct(self, x, y):
        loss = self.network(x, y)
        status, scale = self.start_overflow_check(loss, self.scale_sense)
        sens = ops.ones_like(loss) * ops.cast(scale, ops.dtype(loss))
        grads = self.grad_reducer(self.grad(self.network, self.weights)(x, y, sens))
        grads = tuple(g / ops.cast(scale, ops.dtype(g)) for g in grads)
        overflow = self.process_loss_scale(self.get_overflow_status(status, grads))
        if not overflow:
            self.optimizer(ops.clip_by_global_norm(grads, 0.5))
        return loss, overflow, scale


def scaled_steps(kind, mode, part, bad_rank):
    """Four steps of a cell with a dynamic loss scale: (overflow, scale, weights) after each; the second one overflows."""
    ms.set_context(mode=mode)
    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    step = kind(net, optimizer, nn.DynamicLossScaleUpdateCell(1024, 2, 100))
    history = []
    for k in range(4):
        x, y = data()
        x, y = x[part], y[part]
        if k == 1 and get_rank() == bad_rank:
            y[0] = 1e308
        _, overflow, _ = step(Tensor(x), Tensor(y))
        history.append([float(overflow.asnumpy()), float(step.scale_sense.asnumpy()), *flat(net.trainable_params())])
    ms.set_context(mode=ms.PYNATIVE_MODE)
    return history


def clipping():
    """Both orders of clipping and reducing; workers beyond the second have no gradient."""
    own = [[30.0, 0.0], [0.0, 0.3]][get_rank()] if get_rank() < 2 else [0.0, 0.0]
    grad = Tensor(own)
    reduce = nn.DistributedGradReducer([ms.Parameter(Tensor([0.0, 0.0]), name="w")], mean=True)
    return {
        "clip, mean": flat(reduce(ops.clip_by_global_norm((grad,), 1.0))),
        "mean, clip": flat(ops.clip_by_global_norm(reduce((grad,)), 1.0)),
    }


def precision():
    """float16 gradients: added in float32, then rounded once."""
    grads = (Tensor(np.full(2, 40000.0), ms.float16), Tensor(np.ones(1), ms.float64))
    weights = [ms.Parameter(g, name=f"p{i}") for i, g in enumerate(grads)]
    found = nn.DistributedGradReducer(weights, mean=True)(grads)
    return {
        "mean of 40000": flat(found[:1]),
        "sum of 40000": flat(nn.DistributedGradReducer(weights, mean=False)(grads)[:1]),
        "dtypes": [str(g.dtype) for g in found],
    }


def collectives():
    own = Tensor(np.array([float(get_rank() + 1)]))

    def grad_of(fn):
        return flat([ms.grad(fn)(own)])

    weight = float(get_rank() + 1)  # ranks weigh the result unequally, so that the gradient has to add these weights
    by_rank = {
        "sum": grad_of(lambda t: (ops.AllReduce()(t) * weight).sum()),
        "avg": grad_of(lambda t: (ops.AllReduce("avg")(t) * weight).sum()),
        "prod": grad_of(lambda t: (ops.AllReduce("prod")(t) * weight).sum()),
        "max": grad_of(lambda t: (ops.AllReduce("max")(t) * weight).sum()),
        "second": grad_of(lambda t: ms.grad(lambda u: (ops.AllReduce()(u) ** 3).sum())(t).sum()),
    }
    for name, fn in compiled_functions().items():
        by_rank[name] = flat([fn(own)])
    values = {op: flat([ops.AllReduce(op)(own)]) for op in ("sum", "max", "min", "prod", "avg")}
    return {"grads": by_rank, "values": values}


def compiled_functions():
    """Compiled, with constants of this rank that an exchange must not take for everyone's."""
    constant = Tensor(np.array([float(get_rank() + 1)]))
    reduce = ops.AllReduce()
    return {
        "jit sum": ms.jit(lambda t: reduce(t) * 1.0),
        "jit constant": ms.jit(lambda t: reduce(constant) + 0 * t),
        "jit grad": ms.jit(lambda t: ms.grad(lambda u: reduce(u).sum())(t)),
        "jit sens": ms.jit(lambda t: ms.vjp(reduce, t)[1](constant)[0]),
    }


def recompiled():
    """Ranks that compile at different times: rank 0 alone has seen the shape (2,) before the second call."""
    reduce = ms.jit(lambda t: ops.AllReduce()(t.sum()))
    first = reduce(Tensor(np.ones(2 if get_rank() == 0 else 3)))
    second = reduce(Tensor(np.ones(2)))
    return [float(first.asnumpy()), float(second.asnumpy())]


def shared():
    """The gradient of the whole batch from equal shards: its mean and its sum over the ranks."""
    x, y = data()
    net, part = Net(), even()
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
    grads = gradients(net, x[part], y[part])
    mean, total = (nn.DistributedGradReducer(net.trainable_params(), mean=mean)(grads) for mean in (None, False))
    return {"place": [get_group_size(), _get_device_num()], "mean": flat(mean), "sum": flat(total)}


# ---- what the ranks compute, against one process ----


def close(found, expected, tolerance=1e-12):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.fixture
def settings():
    yield
    ms.reset_auto_parallel_context()


@pytest.fixture(params=[2, 4])
def size(request, settings):
    """The number of ranks."""
    return request.param


@pytest.fixture(scope="module")
def big_batch():
    return flat(gradients(Net(), *data()))


def test_the_mean_of_equal_shards_is_the_gradient_of_the_big_batch(size, big_batch):
    for found in parallel.in_turn(shared, size):
        assert found["place"] == [size, size]
        close(found["mean"], big_batch)
        close(found["sum"], np.multiply(size, big_batch))


def test_unequal_shards_have_to_be_weighted(size, big_batch):
    for found in parallel.in_turn(uneven, size):
        close(found["weighted"], big_batch)
        assert np.max(np.abs(np.subtract(found["plain"], big_batch))) > 0.05


def test_clipping_before_the_mean_is_another_step(size):
    for found in parallel.in_turn(clipping, size):
        close(found["clip, mean"], [1 / size, 0.3 / size], 1e-6)
        close(found["mean, clip"], [1.0, 0.01], 1e-4)


def test_float16_is_added_in_float32_and_float64_stays(size):
    found = parallel.in_turn(precision, size)[0]
    assert found["dtypes"] == ["Float16", "Float64"]
    assert found["mean of 40000"] == [40000, 40000]  # the sum alone is beyond float16
    assert found["sum of 40000"] == [math.inf, math.inf]


def test_an_overflow_on_one_rank_skips_the_step_on_all(size):
    history = np.swapaxes(
        parallel.in_turn(overflow, size), 0, 1
    )  # step, rank, (finite here, finite everywhere, scale, weights ...)
    assert history[1, :, 0].tolist() == [float(rank != 1) for rank in range(size)]
    assert np.all(history[:, :, 1] == [[1.0], [0.0], [1.0], [1.0]])
    assert np.all(history[:, :, 2] == [[1024.0], [512.0], [512.0], [512.0]])
    assert np.all(history[:, :1, 1:] == history[:, :, 1:])  # bit for bit the same on every rank
    assert np.all(history[1, :, 3:] == history[0, :, 3:])
    assert np.all(np.any(history[2, :, 3:] != history[1, :, 3:], axis=-1))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("kind", [nn.TrainOneStepWithLossScaleCell, ClippingStep])
def test_cells_with_a_loss_scale_skip_together_and_step_as_the_big_batch(size, kind, mode):
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
    history = np.array(parallel.in_turn(lambda: scaled_steps(kind, mode, even(), bad_rank=1), size))
    ms.reset_auto_parallel_context()
    alone = scaled_steps(kind, ms.PYNATIVE_MODE, slice(None), bad_rank=0)
    assert history[0, :, :2].tolist() == [[0.0, 1024.0], [1.0, 512.0], [0.0, 512.0], [0.0, 512.0]]
    assert np.all(history == history[:1])
    close(history[0], alone)


def test_collective_ops_and_their_gradients(size):
    place = np.arange(1.0, size + 1)  # what each rank gives, and how it weighs the result
    found, total = parallel.in_turn(collectives, size), place.sum()
    values = {"sum": total, "max": place[-1], "min": 1.0, "prod": place.prod(), "avg": place.mean()}
    assert all(one["values"] == {op: [value] for op, value in values.items()} for one in found)
    last = (place == place[-1]) * total
    expected = {
        "sum": total, "avg": place.mean(), "prod": total * place.prod() / place, "max": last,
        "second": 6 * total * size**2,
    }  # fmt: skip
    for name, value in expected.items():
        close([one["grads"][name][0] for one in found], np.broadcast_to(value, place.shape))


def test_a_program_exchanges_when_it_runs(size):
    total = np.arange(1.0, size + 1).sum()
    for found in (one["grads"] for one in parallel.in_turn(collectives, size)):
        assert found["jit sum"] == found["jit constant"] == found["jit sens"] == [total]
        assert found["jit grad"] == [size]


def test_ranks_may_compile_at_different_times(size):
    assert parallel.in_turn(recompiled, size) == [[3.0 * size - 1, 2.0 * size]] * size


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_steps_in_turn_are_steps_with_the_big_batch(settings, mode):
    x, y = data()

    def rank():
        communication.init()
        ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
        part = even()
        return trained(mode, x[part], y[part])

    found = parallel.in_turn(rank, 3)
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.STAND_ALONE, gradients_mean=False)
    assert found[0] == found[1] == found[2]
    close(found[0], trained(ms.PYNATIVE_MODE, x, y))
    assert get_group_size() == 1


def test_ranks_in_turn_print_once_each_in_their_order(capsys):
    def rank():
        for _ in range(3):
            total = ops.AllReduce()(Tensor(np.array([1.0 + get_rank()])))
            print(get_rank(), total)

    parallel.in_turn(rank, 2)
    assert capsys.readouterr().out == "0 [3.]\n" * 3 + "1 [3.]\n" * 3


IN_TURN_FAILURES = {
    "raise ValueError('bad batch')": (ValueError, "bad batch"),
    "return": (RuntimeError, "rank 0 waits in AllReduce(sum) of float32[2], but rank 1 has ended"),
    "x = ops.ones((3,))": (RuntimeError, "that of rank 0 is AllReduce(sum) of float32[2]"),
    "ops.AllReduce('max')(x)": (RuntimeError, "exchange 1 of rank 1 is AllReduce(max) of float32[2]"),
    "drawn.append(1); x = x * len(drawn)": (
        RuntimeError,
        "rank 1 sent other values in exchange 1 when it ran the last time",
    ),
}


@pytest.mark.parametrize("does", IN_TURN_FAILURES)
def test_a_rank_in_turn_that_goes_its_own_way_is_an_error(does):
    kind, message = IN_TURN_FAILURES[does]
    names = {"ops": ops, "get_rank": get_rank, "drawn": []}
    code = f"x = ops.ones((2,))\n    if get_rank() == 1:\n        {does}\n    ops.AllReduce()(ops.AllReduce()(x))"
    exec(f"def rank():\n    {code}", names)
    with pytest.raises(kind, match=re.escape(message)) as raised:
        parallel.in_turn(names["rank"], 3)
    assert "waits" in message or raised.value.__notes__ == ["This was rank 1 of 3."]
    assert parallel.member().size == 1


@pytest.mark.parametrize("size", [0, 2.0, "2"])
def test_a_number_of_ranks_is_asked_for(size):
    with pytest.raises(ValueError, match="expected a number of ranks, 1 or more, but got"):
        parallel.in_turn(print, size)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_in_one_process_gradients_stay_as_they_are(mode):
    weights = [ms.Parameter(Tensor([1.0, 2.0]), name="w")]
    grads = (Tensor([3.0, 4.0]),)
    ms.set_context(mode=mode)
    try:
        (same,) = nn.DistributedGradReducer(weights, mean=True)(grads)
        (shared,) = nn.DistributedGradReducer(weights, mean=True, degree=4)(grads)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert same.asnumpy().tolist() == [3.0, 4.0]
    assert shared.asnumpy().tolist() == [0.75, 1.0]


def test_a_parameter_of_one_rank_keeps_its_gradient():
    own = ms.Parameter(Tensor([1.0]), name="own", layerwise_parallel=True)
    shared = ms.Parameter(Tensor([1.0]), name="shared")
    found = nn.DistributedGradReducer([own, shared], mean=True, degree=2)((Tensor([8.0]), Tensor([8.0])))
    assert [float(g.asnumpy()[0]) for g in found] == [8.0, 4.0]


def test_the_settings_of_the_real_framework(settings):
    for name in ("device_num", "global_rank", "gradients_mean", "parallel_mode"):
        assert ms.get_auto_parallel_context(name) in (1, 0, False, "stand_alone")
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True, device_num=4)
    assert ms.get_auto_parallel_context("device_num") == 4
    weights = nn.Dense(2, 1).trainable_params()
    assert nn.DistributedGradReducer(weights).mean is True
    ms.reset_auto_parallel_context()
    assert nn.DistributedGradReducer(weights).mean is False


@pytest.mark.parametrize(("wrong", "error", "message"), [
    (lambda: ms.set_auto_parallel_context(foo=3), ValueError, "Set context keyword foo is not recognized!"),
    (lambda: ms.get_auto_parallel_context("foo"), ValueError, "Get context keyword foo is not recognized!"),
    (lambda: ms.set_auto_parallel_context(device_num="a"), TypeError, "must be <class 'int'>, but got <class 'str'>"),
    (lambda: ms.set_auto_parallel_context(parallel_mode="foo"), ValueError, "but got the value : foo."),
    (lambda: communication.init("foo"), RuntimeError, "but got 'backend_name' : foo"),
    (lambda: nn.DistributedGradReducer([], True, 0), ValueError, "should large than 0 and be int, degree: 0."),
    (lambda: nn.DistributedGradReducer([], True, 1)((Tensor(1.0),)), ValueError, "expected 0 gradients"),
    (lambda: ops.AllReduce("foo"), ValueError, "the 'op' must be one of"),
    (lambda: ops.AllReduce()(Tensor([True])), TypeError, "but got Bool"),
])  # fmt: skip
def test_errors(wrong, error, message):
    with pytest.raises(error) as caught:
        wrong()
    assert message in str(caught.value)
