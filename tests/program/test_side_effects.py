"""What has a side effect is refused before it happens, however it is hidden."""

import functools
import math
import sys
import time
from collections import deque

import autograd.numpy as np
import numpy as onp
import pytest
from autograd.extend import defvjp, primitive

from labkit import mindspore as ms
from labkit.engine import grad, value_and_grad
from labkit.program import TraceError, compile_program

X = onp.array([0.5, 1.0, 2.0])
LOG: list = []
PUSH, CLOCK, HOOKS, QUEUE, BATCHES = LOG.append, time.perf_counter, {"push": LOG.append}, deque(), iter([1.0] * 9)
DRAWS = onp.random.default_rng(0)
count = 0


class Scale(float):
    def __call__(self, x):
        LOG.append(x)
        return x * self


SCALE = Scale(2.0)


class Layer:
    """An object of the user's: what it holds and how it computes are given."""

    rate = 2.0

    def __init__(self, held, compute):
        super().__init__()
        self.held, self.compute = held, compute

    def __call__(self, x):
        return self.compute(self, x) * self.rate


class Slotted:
    __slots__ = ("__held",)

    def __init__(self, held):
        self.__held = held

    def __call__(self, x):
        return x * self.__held(1) * len(LOG)


class Rated(Layer):
    @property
    def rate(self):
        LOG.append(1)
        return 2.0


class Logging(Layer):
    @staticmethod
    def logged(x):
        LOG.append(1)
        return x


class Network(ms.nn.Cell):
    def __init__(self, function):
        super().__init__()
        self.layers, self.function = ms.nn.SequentialCell(ms.nn.Dense(3, 2), ms.nn.ReLU()), function

    def construct(self, x):
        return self.function(self.layers(x)).sum()


def trained(network):
    """What a training step is made of in the MindSpore dialect."""
    return ms.nn.TrainOneStepCell(network, ms.nn.Adam(network.trainable_params()))


def helper(x):
    return np.sin(x) * math.pi


def logging(x):
    LOG.append(1)
    return x


@primitive
def logged(x):
    return x**3


defvjp(logged, lambda ans, x: lambda g: logging(3 * g * x**2))


def counting(x):
    global count
    count += 1
    return x


def keeping():
    kept = []

    def inner(x):
        kept.append(x)
        return x

    return inner


def chain(length):
    def run(y):
        for _ in range(length):
            y = np.sin(y) * 1.01
        return y

    return run


EFFECTS = {  # what changes something, by all kinds of ways
    "method": lambda x: logging(x),
    "alias": lambda x: PUSH(1) or x * len(LOG),
    "alias in a dict": lambda x: HOOKS["push"](1) or x * len(LOG),
    "alias by default": lambda x, push=LOG.append: push(1) or x * len(LOG),
    "alias in a partial": functools.partial(lambda push, x: push(1) or x * len(LOG), LOG.append),
    "deque": lambda x: QUEUE.append(1) or x,
    "clock": lambda x: x * CLOCK(),
    "clock of a module": lambda x: x * time.time(),
    "iterator": lambda x: x * next(BATCHES),
    "outer variable": counting,
    "closure": keeping(),
    "in a helper": lambda x: helper(logging(x)),
    "in an inner function": lambda x: (lambda y: LOG.append(y) or y)(x),
    "in a rule": logged,
    "in a method": lambda x: SCALE(x),
    "held by an object": Layer(LOG.append, lambda self, x: self.held(1) or x * len(LOG)),
    "in a slot": Slotted(LOG.append),
    "property": Rated(None, lambda self, x: x),
    "static method": Logging(None, lambda self, x: self.logged(x)),
    "bound method": Logging(None, lambda self, x: self.logged(x)).__call__,
}


@pytest.mark.parametrize("name", EFFECTS)
def test_side_effects_are_refused_before_they_happen(name):
    before, effect = (list(LOG), count, len(QUEUE)), EFFECTS[name]
    with pytest.raises(TraceError, match=r"test_side_effects.py:\d+: a compiled function cannot"):
        compile_program(grad(lambda x: np.sum(effect(x))), X)
    assert (list(LOG), count, len(QUEUE)) == before


@pytest.mark.parametrize("wrap", [lambda network: network, trained])
def test_side_effects_in_cells_are_refused_before_they_happen(wrap, monkeypatch):
    before = list(LOG)
    x = ms.Tensor(X[None], ms.float32)
    for function in (logging, Layer(LOG.append, lambda self, x: self.held(1) or x * len(LOG))):
        with pytest.raises(TraceError, match="change a list from outside"):
            ms.jit(wrap(Network(function)))(x)
    monkeypatch.setattr(ms.nn.ReLU, "construct", lambda self, x: logging(x))
    with pytest.raises(TraceError, match="change a list from outside"):
        ms.jit(wrap(Network(ms.ops.tanh)))(x)
    assert before == LOG


DRAWN = {
    "of an object": Layer(DRAWS, lambda self, x: x * self.held.normal()),
    "a generator": lambda x: x * DRAWS.normal(),
    "NumPy's own": lambda x: x * onp.random.rand(),
}


@pytest.mark.parametrize("name", DRAWN)
def test_random_numbers_are_refused(name):
    with pytest.raises(TraceError, match="draw random numbers"):
        compile_program(DRAWN[name], X)


def test_a_function_put_into_a_library_is_looked_into(monkeypatch):
    monkeypatch.setattr(np, "own_log", logging, raising=False)
    with pytest.raises(TraceError, match=r"\.append"):
        compile_program(lambda x: np.own_log(x), X)


def calls_of(run):
    """How many calls Python makes meanwhile, but for those of a run that is recorded, which is watched itself."""
    made = 0

    def see(frame, event, argument):
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        run()
    finally:
        sys.setprofile(before)
    return made


def test_compiling_takes_so_many_calls_for_every_op_however_long_the_chain():
    made = {n: calls_of(lambda n=n: compile_program(value_and_grad(chain(n)), X)) for n in (1, 50, 100)}
    assert made[100] - made[50] < 1.1 * (made[50] - made[1]) * 50 / 49
    assert (made[100] - made[50]) / 50 < 360, "a step of five ops took some 340 calls"


def test_many_constants_and_large_arrays_take_no_more_calls_each():
    constants, large = list(onp.random.default_rng(0).normal(size=(80, 3))), onp.linspace(0.0, 1.0, 5000)

    def of_constants(length):
        def run(y):
            for c in constants[:length]:
                y = np.sin(y) * c
            return y

        return run

    for function, x in ((of_constants, X), (chain, large)):
        program = lambda n: compile_program(value_and_grad(function(n)), x, in_place=True)  # noqa: B023
        made = {n: calls_of(lambda n=n: program(n)) for n in (1, 40, 80)}  # noqa: B023
        assert made[80] - made[40] < 1.1 * (made[40] - made[1]) * 40 / 39
