"""One warm gradient: the documents' Net(3, 1), and a multilayer perceptron; ours against plain autograd."""

import autograd
import autograd.numpy as anp
import numpy as np
import pytest
from workloads import Net, W, X, Y, loss_of_net, timed

import labkit.mindspore as ms
import labkit.torch as torch
from labkit import engine


def autograd_net():
    gradient = autograd.value_and_grad(lambda inputs: loss_of_net(*inputs))
    return lambda: gradient((X, Y, W))


def engine_net():
    gradient = engine.value_and_grad(loss_of_net, (0, 1, 2))
    return lambda: gradient(X, Y, W)


def mindspore_net():
    net, x, y = Net(), ms.Tensor(X), ms.Tensor(Y)
    gradient = ms.value_and_grad(net, (0, 1), net.trainable_params(), has_aux=True)
    return lambda: gradient(x, y)


def torch_net():
    x, y, w = (torch.tensor(a, requires_grad=True) for a in (X, Y, W))

    def run():
        for leaf in (x, y, w):
            leaf.grad = None
        value = torch.nn.functional.mse_loss(torch.nn.functional.linear(x, w).squeeze(), y)
        value.backward()
        return value, (x.grad, y.grad, w.grad)

    return run


NETS = {"autograd, tuple argument": autograd_net, "engine.value_and_grad": engine_net,
        "ms.value_and_grad(net)": mindspore_net, "torch: loss.backward()": torch_net}  # fmt: skip

# ---- a multilayer perceptron, 64 x 784 -> 128 -> 64 -> 10, by its six parameters ----

rng = np.random.default_rng(0)
SIZES = [(784, 128), (128, 64), (64, 10)]
IMAGES, LABELS = rng.normal(size=(64, 784)).astype("float32"), rng.integers(0, 10, 64)
ONE_HOT = np.eye(10, dtype="float32")[LABELS]
PARAMETERS = [p for n, m in SIZES for p in (rng.normal(0, n**-0.5, (n, m)).astype("float32"), np.zeros(m, "float32"))]


def mlp(*parameters):
    h = IMAGES
    for i in range(0, 6, 2):
        h = anp.matmul(h, parameters[i]) + parameters[i + 1]
        h = anp.maximum(h, 0) if i < 4 else h
    h = h - anp.max(h, axis=1, keepdims=True)
    return -anp.sum(ONE_HOT * (h - anp.log(anp.sum(anp.exp(h), axis=1, keepdims=True)))) / 64


def autograd_mlp():
    gradient = autograd.value_and_grad(lambda ps: mlp(*ps))
    return lambda: gradient(PARAMETERS)


def engine_mlp():
    gradient = engine.value_and_grad(mlp, tuple(range(6)))
    return lambda: gradient(*PARAMETERS)


def mindspore_mlp():
    nn = ms.nn
    net = nn.SequentialCell(nn.Dense(784, 128), nn.ReLU(), nn.Dense(128, 64), nn.ReLU(), nn.Dense(64, 10))
    x, y = ms.Tensor(IMAGES), ms.Tensor(ONE_HOT)
    gradient = ms.value_and_grad(
        lambda x, y: -(ms.ops.log_softmax(net(x)) * y).sum() / 64, None, net.trainable_params()
    )
    return lambda: gradient(x, y)


def torch_mlp():
    nn = torch.nn
    net = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))
    loss_fn, x, y = nn.CrossEntropyLoss(), torch.tensor(IMAGES), torch.tensor(LABELS)

    def run():
        net.zero_grad()
        loss_fn(net(x), y).backward()

    return run


MLPS = {"autograd, list argument": autograd_mlp, "engine.value_and_grad": engine_mlp,
        "ms.value_and_grad(net)": mindspore_mlp, "torch: loss.backward()": torch_mlp}  # fmt: skip


def test_all_ways_give_the_same_gradients():
    expected = autograd_net()()[1]
    _, (by_input, by_weight) = mindspore_net()()
    for found in (
        engine_net()()[1],
        [g.asnumpy() for g in (*by_input, *by_weight)],
        [g.numpy() for g in torch_net()()[1]],
    ):
        for g, want in zip(found, expected, strict=True):
            np.testing.assert_allclose(g, want)


def test_the_net_of_the_documents(alternate):
    ways = {name: timed(make(), 50) for name, make in NETS.items()}
    ratios = alternate("value and gradients of Net(3, 1), warm", ways, rounds=40, base="autograd, tuple argument")
    assert ratios["ms.value_and_grad(net)"] <= 1.0 and ratios["engine.value_and_grad"] <= 1.0, ratios


def test_a_multilayer_perceptron(alternate):
    ways = {name: timed(make(), 5) for name, make in MLPS.items()}
    alternate("gradients of an MLP, batch of 64", ways, rounds=30, base="autograd, list argument")


@pytest.mark.parametrize("name", NETS)
@pytest.mark.benchmark(group="Net(3, 1)")
def test_net(benchmark, name):
    benchmark(NETS[name]())


@pytest.mark.parametrize("name", MLPS)
@pytest.mark.benchmark(group="MLP")
def test_mlp(benchmark, name):
    benchmark(MLPS[name]())
