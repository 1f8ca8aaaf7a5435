"""No program holds a number of the input that it was recorded with: every function, on two inputs of the same shapes."""

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import Tensor, ops

ROOMS = {"numpy": ms.numpy, "ops": ops}
RANDOM = ("rand", "drop", "normal", "uniform", "poisson", "bernoulli", "gamma", "laplace", "shuffle", "multinomial", "choice",
          "gumbel", "rrelu", "categorical", "empty", "fractional")  # fmt: skip
BESIDES = ("assign", "print", "seed")  # they do something besides


def drawn(seed):
    """`{name: arguments}`: floats, integers, truth values, floats with nan, alone and beside others."""
    rng = np.random.default_rng(seed)
    floats = lambda *shape: Tensor(rng.standard_normal(shape).astype(np.float32))
    integers = lambda *shape: Tensor(rng.integers(0, 4, shape).astype(np.int32))
    truths = lambda *shape: Tensor(rng.random(shape) > 0.5)
    holes = lambda *shape: Tensor(
        np.where(rng.random(shape) > 0.7, np.nan, rng.standard_normal(shape)).astype(np.float32)
    )
    found = {}
    for name, draw in {"floats": floats, "integers": integers, "truths": truths, "holes": holes}.items():
        found |= {name: (draw(5),), f"{name} 2d": (draw(3, 3),), f"two {name}": (draw(5), draw(5))}
    besides = {"at": (floats(5), integers(5)), "of": (truths(5), floats(5), floats(5)), "axis": (floats(3, 3), 1)}
    return found | besides


FIRST, SECOND = drawn(1), drawn(2)


def functions(room):
    """The functions of a room that give the same at each call, once each."""
    named = {name: getattr(room, name) for name in dir(room) if not name.startswith("_")}
    plain = {n: f for n, f in named.items() if callable(f) and not isinstance(f, type)}
    return {id(f): (n, f) for n, f in plain.items() if not any(word in n for word in RANDOM + BESIDES)}.values()


def same(one, other):
    """Whether two outputs have the same types, shapes and numbers, nan for nan."""
    if isinstance(one, Tensor):
        a, b = one.asnumpy(), other.asnumpy()
        return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def outcome(function, args):
    """What comes back, in a list; an empty one where it is not made for these arguments."""
    try:
        found = function(*args)
    except Exception:
        return []
    return [found] if isinstance(found, (Tensor, tuple, list)) else []


def derivative(function):
    """The gradients of the sum of squares of the floats that it gives, in the floats that it gets."""

    def gradient(*args):
        places = tuple(i for i, a in enumerate(args) if isinstance(a, Tensor) and a.dtype == ms.float32)
        return ms.grad(lambda *args: squares(function(*args)), places)(*args) if places else None

    return gradient


def squares(found):
    parts = found if isinstance(found, (tuple, list)) else [found]
    return sum([(x * x).sum() for x in parts if isinstance(x, Tensor) and x.dtype == ms.float32], Tensor(0.0))


@pytest.mark.parametrize("of", [lambda function: function, derivative], ids=["values", "gradients"])
@pytest.mark.parametrize("room", ROOMS)
def test_a_second_input_gives_what_it_gives_eagerly(room, of):
    tried, wrong = 0, []
    for name, function in ((name, of(function)) for name, function in functions(ROOMS[room])):
        for recipe, one in FIRST.items():
            wanted = outcome(function, SECOND[recipe]) if outcome(function, one) else []
            compiled = ms.jit(lambda *args, function=function: function(*args))
            if wanted and outcome(compiled, one):
                tried += 1
                found = outcome(compiled, SECOND[recipe])
                wrong += [(name, recipe)] if not found or not same(found[0], wanted[0]) else []
    assert tried > 20 and not wrong
