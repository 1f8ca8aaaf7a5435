"""Every op of one or two tensors in either dialect has right first and second derivatives, found by trying them all."""

import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.mindspore import ops

rng = np.random.default_rng(5)
ONE = [rng.uniform(0.2, 0.8, (3, 3))]
TWO = [*ONE, rng.uniform(0.2, 0.8, (3, 3))]
LINES = [ONE[0][0], TWO[1][0]]
ARGUMENTS = {"one": ONE, "two": TWO, "two vectors": LINES, "one and a number": [ONE[0], 2], "one along an axis": [ONE[0], 1]}

# What is no differentiable function of its tensors: constants, copies without history, steps, random numbers.
CONSTANT = {
    "stop_gradient", "scalar_to_tensor", "fill", "full_like", "unique", "tensor", "scalar_tensor", "isclose", "allclose",
    "rand", "randn", "randint", "dropout", "bernoulli", "normal", "multinomial", "empty", "floor_divide",
    "clip_by_global_norm",  # its gradient follows the real op, which holds the norm's rounding to be constant
}  # fmt: skip


def cases(module, tensor, is_tensor):
    """`(name, function of tensors, arguments)` of every op that answers these arguments with floating tensors."""
    for name in sorted(n for n in dir(module) if not n.startswith(("_", "set_"))):
        function = getattr(module, name)
        if name in CONSTANT or not callable(function) or isinstance(function, type):
            continue
        for kind, (first, *rest) in ARGUMENTS.items():
            given = [first, *(a for a in rest if isinstance(a, np.ndarray))]
            more = [a for a in rest if not isinstance(a, np.ndarray)]
            run = lambda *tensors, f=function, more=more: f(*tensors, *more)
            try:
                answer = run(*map(tensor, given))
            except Exception:  # not made for such arguments
                continue
            if is_tensor(answer) and "float64" in str(answer.dtype).lower():
                yield pytest.param(run, given, id=f"{name} of {kind}")


def weighted(values):
    """One number that every element of every value counts in, each by a weight of its own."""
    total = 0
    for v in values:
        total = total + (v * type(v)(np.linspace(0.5, 1, v.size).reshape(v.shape)) if v.shape else v).sum()
    return total


@pytest.mark.parametrize("run, given", [*cases(ops, ms.Tensor, lambda t: isinstance(t, ms.Tensor))])
def test_mindspore(run, given):
    tensors, places = [ms.Tensor(a) for a in given], tuple(range(len(given)))
    assert labkit.check_gradient(run, *tensors)

    def slope(*xs):
        gradients = ms.grad(lambda *ys: (run(*ys) ** 2).sum(), places)(*xs)
        return weighted(gradients if isinstance(gradients, tuple) else (gradients,))

    assert labkit.check_gradient(slope, *tensors, tolerance=1e-7)


@pytest.mark.parametrize("run, given", [*cases(torch, torch.tensor, torch.is_tensor)])
def test_torch(run, given):
    tensors, places = [torch.tensor(a) for a in given], tuple(range(len(given)))
    assert labkit.check_gradient(run, *tensors)

    def slope(*xs):
        return sum((g * w).sum() for g, w in zip(torch.func.grad(lambda *ys: (run(*ys) ** 2).sum(), places)(*xs), weights))

    weights = [torch.linspace(0.5, 1, a.size, dtype=torch.float64).reshape(a.shape) for a in given]
    assert labkit.check_gradient(slope, *tensors, tolerance=1e-7)
