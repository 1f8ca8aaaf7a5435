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
ARGUMENTS = {
    "one": ONE,
    "two": TWO,
    "two vectors": LINES,
    "one and a number": [ONE[0], 2],
    "one along an axis": [ONE[0], 1],
}

# What is not a differentiable function of its tensors: constants, copies without history, steps, random numbers.
CONSTANT = {
    "stop_gradient", "scalar_to_tensor", "fill", "full_like", "unique", "tensor", "scalar_tensor", "isclose",
    "allclose", "rand", "randn", "randint", "rand_like", "randn_like", "randint_like", "dropout", "bernoulli", "shuffle",
    "dropout1d", "dropout2d", "dropout3d", "detach", "from_dlpack",
    "normal", "multinomial", "poisson", "binomial", "gumbel_softmax", "empty", "empty_like", "floor_divide",
    "nextafter",
    "clip_by_global_norm",  # it has the real op's gradient, which is not that of its formula
    "igamma", "igammac",  # they have no derivative by their first, in PyTorch neither
    "softmax_cross_entropy_with_logits",  # likewise: softmax - labels, whatever the labels sum to
}  # fmt: skip
WITH_NUMBERS = {
    "leaky_relu",
    "logit",
    "nanquantile",
    "quantile",
    "repeat",
    "repeat_elements",
    "repeat_interleave",
    "nan_to_num",
    "roll",
    "celu",
    "hardshrink",
    "rrelu",
    "positive",
}  # not two tensors
WITHOUT_NUMBERS = {"selu", "group_norm"}  # in place, and too rough for differences of one size
OF_VECTORS = {"outer", "ger"}


def cases(module, tensor, is_tensor):
    """`(name, function of tensors, arguments)` of every op that answers these arguments with floating tensors."""
    for name in sorted(n for n in dir(module) if not (n.startswith(("_", "set_")) or n.endswith("_"))):
        function = getattr(module, name)
        if name in CONSTANT or not callable(function) or isinstance(function, type):
            continue
        for kind, (first, *rest) in ARGUMENTS.items():
            if name in WITHOUT_NUMBERS and kind in ("one and a number", "one along an axis"):
                continue
            if (name in WITH_NUMBERS and kind.startswith("two")) or (name in OF_VECTORS and kind == "two"):
                continue
            given = [first, *(a for a in rest if isinstance(a, np.ndarray))]
            more = [a for a in rest if not isinstance(a, np.ndarray)]
            run = lambda *tensors, f=function, more=more: f(*tensors, *more)
            try:
                answer = run(*map(tensor, given))
            except Exception:  # not made for such arguments
                continue
            if is_tensor(answer) and "float64" in str(answer.dtype).lower() and np.isfinite(np.asarray(answer)).all():
                yield pytest.param(run, given, id=f"{name} of {kind}")


def ramps(arrays):
    """Weights that give every element a say of its own."""
    return [np.linspace(0.5, 1, a.size).reshape(a.shape) for a in arrays]


@pytest.mark.parametrize("run, given", [*cases(ops, ms.Tensor, lambda t: isinstance(t, ms.Tensor))])
def test_mindspore(run, given):
    tensors, places, weights = [ms.Tensor(a) for a in given], tuple(range(len(given))), ramps(given)
    assert labkit.check_gradient(run, *tensors)

    def slope(*xs):
        gradients = ms.grad(lambda *ys: (run(*ys) ** 3).sum(), places)(*xs)
        gradients = gradients if isinstance(gradients, tuple) else (gradients,)
        return sum((g * w).sum() for g, w in zip(gradients, map(ms.Tensor, weights)))

    assert labkit.check_gradient(slope, *tensors, tolerance=1e-7)


@pytest.mark.parametrize("run, given", [*cases(torch, torch.tensor, torch.is_tensor)])
def test_torch(run, given):
    tensors, places, weights = [torch.tensor(a) for a in given], tuple(range(len(given))), ramps(given)
    assert labkit.check_gradient(run, *tensors)

    def slope(*xs):
        gradients = torch.func.grad(lambda *ys: (run(*ys) ** 3).sum(), places)(*xs)
        return sum((g * w).sum() for g, w in zip(gradients, map(torch.tensor, weights)))

    assert labkit.check_gradient(slope, *tensors, tolerance=1e-7)
