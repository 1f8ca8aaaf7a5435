"""The same as `torch_programs`, for the MindSpore dialect, where a gradient is asked of a function."""

import math

import numpy as np

import labkit.mindspore as ms
from labkit.mindspore import nn, ops

PROGRAMS: dict = {}


def program(cause):
    def enter(make):
        PROGRAMS[make.__name__] = cause, make
        return make

    return enter


def weight(*shape):
    return ms.Parameter(ms.Tensor(np.random.default_rng(0).normal(size=shape).astype(np.float32)), name="w")


def data(*shape):
    return ms.Tensor(np.random.default_rng(1).normal(size=shape).astype(np.float32))


@program("detached")
def features_stopped():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.body, self.head = nn.Dense(3, 4), nn.Dense(4, 1)

        def construct(self, x):
            hidden = ops.tanh(self.body(x))
            hidden = ops.stop_gradient(hidden)  # here
            return self.head(hidden)

    net, x = Net(), data(5, 3)
    return lambda: (net(x) ** 2).mean(), net.body.weight


@program("zeros from hook")
def a_hook_that_returns_zeros():
    def loss(w):
        h = w * 2
        h.register_hook(lambda g: g * 0)  # here
        return h.sum()

    return loss, ms.Tensor([1.0, 2.0])


@program("detached")
def an_argument_stopped():
    def loss(w):
        target = ops.stop_gradient(w * 2)  # here
        return (target * 3).sum(), target

    return loss, ms.Tensor([1.0, 2.0])


@program("integer")
def accuracy():
    net, x, y, b = nn.Dense(3, 2), data(6, 3), ms.Tensor([0, 1, 0, 1, 0, 1]), ms.Tensor(2.0)

    def loss():
        guessed = net(x).argmax(1)  # here
        return ((guessed == y).astype(ms.float32) * b).mean()

    return loss, net.weight


@program("integer")
def a_comparison():
    w, b = weight(3), data(3)

    def loss():
        positive = ops.cast(ops.abs(w) > 0, ms.float32)  # here
        return (positive * b).sum()

    return loss, w


@program("overwritten")
def every_element_in_turn():
    w, b = weight(3), data(3)

    def loss():
        y = w * 2
        for i in range(3):
            y[i] = 1.0  # here
        return (y * b).sum()

    return loss, w


@program("overwritten")
def all_at_once():
    w, b = weight(3), data(3)

    def loss():
        y = ops.exp(w)
        y[:] = 0.0  # here
        return (y * b).sum()

    return loss, w


@program("dead relu")
def a_large_negative_bias():
    net, x = nn.SequentialCell(nn.Dense(3, 5, bias_init=-100.0), nn.ReLU(), nn.Dense(5, 1)), data(8, 3)

    def loss():
        return net(x).mean()  # here

    return loss, net[0].weight


@program("dead relu")
def only_negative_inputs():
    def loss(w):
        h = ops.relu(w * 3)  # here
        return ops.log(h + 1).sum()

    return loss, ms.Tensor([-1.0, -2.0])


@program("saturated sigmoid")
def sigmoid_of_large_numbers():
    w, x = weight(3, 3), data(4, 3)

    def loss():
        z = ops.matmul(x, w) * 1000
        return ops.sigmoid(z).sum()  # here

    return loss, w


@program("saturated sigmoid")
def sigmoid_nearly_flat():
    def loss(w):
        p = ops.sigmoid(w)  # here
        return (p * 3).mean()

    return loss, ms.Tensor([7.0, 8.0])


@program("lost in float16")
def two_small_factors():
    w = weight(3)

    def loss():
        h = w.astype(ms.float16)
        return (h * h).sum() * 1e-4 * 1e-5  # here

    return loss, w


@program("lost in float16")
def a_sum_in_half():
    w = weight(2)

    def loss():
        part = (w.astype(ms.float16) * 2).astype(ms.float32) * 1e-9  # here
        return part.sum()

    return loss, w


@program("never used")
def another_network():
    net, other, x = nn.Dense(2, 1), nn.Dense(2, 1), data(4, 2)
    return lambda: net(x).sum(), other.weight


@program("never used")
def an_argument_not_used():
    u = data(2)
    return lambda w: (u * u).sum(), ms.Tensor([1.0, 2.0])


@program("requires_grad off")
def a_frozen_weight():
    net, x = nn.Dense(2, 1), data(4, 2)
    net.weight.requires_grad = False
    return lambda: net(x).sum(), net.weight


@program("requires_grad off")
def a_parameter_frozen_from_the_start():
    w = ms.Parameter(ms.Tensor([1.0]), requires_grad=False)
    return lambda: (w * 2).sum(), w


@program("numpy")
def through_numpy():
    w, b = weight(3), data(3)

    def loss():
        y = np.exp((w * 2).asnumpy())  # here
        return (ms.Tensor(y) * b).sum()

    return loss, w


@program("left as a number")
def through_a_number():
    w, u = weight(3), data(3)

    def loss():
        scale = math.sqrt((w * w).sum().item())  # here
        return (u / scale).sum()

    return loss, w


@program("left as a number")
def a_number_returned():
    w = weight(3)
    return lambda: float((w * w).sum()), w  # here


@program("no derivative")
def rounded():
    w = weight(3)

    def loss():
        return (ops.round(w * 4) ** 2).sum()  # here

    return loss, w


@program("not chosen")
def the_other_branch():
    w, u = weight(3), data(3)

    def loss():
        return ops.where(u * u >= 0, u, w * 3).sum()  # here

    return loss, w


@program("inf from sqrt")
def the_norm_of_zeros():
    w = ms.Parameter(ms.Tensor([0.0, 0.0]), name="w")

    def loss():
        return ops.sqrt((w * w).sum())  # here

    return loss, w


@program("healthy")
def a_pair_is_returned():
    net, x = nn.Dense(2, 1), data(4, 2)

    def forward():
        logits = net(x)
        return (logits**2).mean(), logits

    return forward, net.weight


@program("nan in the data")
def a_nan_in_the_data():
    net, x = nn.Dense(2, 2), ms.Tensor([[1.0, float("nan")]])

    def loss():
        y = net(x)  # here
        return ops.tanh(y).sum()

    return loss, net.weight


@program("nan from softmax")
def a_row_masked_out_whole():
    scores, mask = weight(2, 2), ms.Tensor([[0.0, 0.0], [-float("inf"), -float("inf")]])

    def loss():
        shown = scores + mask
        p = ops.softmax(shown, -1)  # here
        return (p**2).sum()

    return loss, scores


@program("not chosen")
def the_larger_of_it_and_zeros():
    w = ms.Parameter(ms.Tensor([-1.0, -2.0]), name="w")

    def loss():
        return ops.maximum(w, ops.zeros((2,))).sum()  # here

    return loss, w


@program("integer")
def a_table_indexed_by_rounded_numbers():
    w, table = ms.Parameter(ms.Tensor([1.2, 2.7]), name="w"), ops.ones((5, 3))

    def loss():
        places = w.astype(ms.int32)  # here
        return table[places].sum()

    return loss, w


@program("detached")
def assigned_to_a_parameter():
    w, kept, u = weight(3), ms.Parameter(ms.Tensor([0.0, 0.0, 0.0]), name="kept"), weight(3)

    def loss():
        ops.assign(kept, w * 2)  # here
        return (kept * u).sum()

    return loss, w


@program("cancelled")
def a_sum_of_probabilities():
    net, x = nn.Dense(2, 4), data(4, 2)

    def loss():
        p = ops.softmax(net(x), -1)  # here
        return p.sum()

    return loss, net.weight


@program("overflow in exp")
def an_exp_of_a_large_number():
    w = ms.Parameter(ms.Tensor([120.0, 1.0]), name="w")

    def loss():
        e = ops.exp(w)  # here
        return ops.log(1 + e).sum()

    return loss, w
