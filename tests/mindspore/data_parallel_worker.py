"""One rank of `test_ms_parallel`: computes everything that the tests look at; rank 0 prints it as JSON."""

import json
import sys

import numpy as np
from labkit.mindspore.parallel._utils import _get_device_num, _get_gradients_mean, _get_parallel_mode

import labkit.mindspore as ms
from labkit import parallel
from labkit.mindspore import Tensor, nn, ops
from labkit.mindspore.communication import get_group_size, get_rank, init, release

SAMPLES, STEPS = 12, 5


def gathered(array):
    """The arrays of all ranks, one after the other."""
    return np.concatenate(parallel.member().exchange("what is gathered", np.asarray(array)))


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
        history.append(gathered([state]).tolist())
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


def scaled():
    """The steps of both kinds of cells in both modes, as every rank has them."""
    cells = {"cell": nn.TrainOneStepWithLossScaleCell, "own cell": ClippingStep}
    modes = {"": ms.PYNATIVE_MODE, " compiled": ms.GRAPH_MODE}
    runs = {f"{c}{m}": scaled_steps(cells[c], modes[m], even(), bad_rank=1) for c in cells for m in modes}
    return {name: gathered([run]).tolist() for name, run in runs.items()}


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
    return {"grads": {name: gathered(v).tolist() for name, v in by_rank.items()}, "values": values}


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


def joined_again():
    """After a mistake that all ranks have noticed, they leave and join afresh."""
    try:
        ops.AllReduce("max")(Tensor([1.0])) if get_rank() == 1 else ops.AllReduce()(Tensor([1.0]))
        noticed = 0.0
    except RuntimeError:
        noticed = 1.0
    release()
    init()
    return flat([ops.AllReduce()(Tensor([noticed]))])


def everything():
    x, y = data()
    part = even()
    net = Net()
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
    mean = nn.DistributedGradReducer(net.trainable_params())
    total = nn.DistributedGradReducer(net.trainable_params(), mean=False)
    grads = gradients(net, x[part], y[part])
    return {
        "place": [get_group_size(), _get_device_num()],
        "mean": flat(mean(grads)), "sum": flat(total(grads)),
        "five steps": trained(ms.PYNATIVE_MODE, x[part], y[part]),
        "five steps compiled": trained(ms.GRAPH_MODE, x[part], y[part]),
        "uneven": uneven(), "clipping": clipping(), "precision": precision(), "overflow": overflow(), "scaled": scaled(),
        "collectives": collectives(), "recompiled": recompiled(), "joined again": joined_again(),
    }  # fmt: skip


if __name__ == "__main__":
    init()
    found = everything()
    if get_rank() == 0:
        json.dump(found, sys.stdout)
