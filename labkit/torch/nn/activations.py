"""Activations: functions, part of `torch.nn.functional`, and modules of the same options."""

from .. import _rules
from .._ops.dispatch import apply
from .._ops.function_table import FUNCTIONS
from .._ops.operators import in_place
from .._ops.reductions import log_softmax, softmax
from .._tensor.tensor import Tensor
from ._function_modules import of_function

__all__ = ["GELU", "LeakyReLU", "LogSoftmax", "ReLU", "SiLU", "Sigmoid", "Softmax", "Softplus", "Tanh"]


def relu(input, inplace=False) -> Tensor:
    """`x` where positive, else 0."""
    return FUNCTIONS["relu_" if inplace else "relu"](input)


def leaky_relu(input, negative_slope=0.01, inplace=False) -> Tensor:
    """`x` where positive, else `negative_slope * x`."""
    return (leaky_relu_ if inplace else _leaky_relu)(input, negative_slope)


def gelu(input, approximate="none") -> Tensor:
    """`x` times the normal distribution function of `x`; with "tanh" by a formula with tanh."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return apply(_rules.gelu, input) if approximate == "none" else apply(_rules.gelu_by_tanh, input)


def silu(input, inplace=False) -> Tensor:
    """`x * sigmoid(x)`."""
    return (silu_ if inplace else _silu)(input)


def softplus(input, beta=1.0, threshold=20.0) -> Tensor:
    """`log(1 + exp(beta x)) / beta`, elementwise, of the shape of `input`; `x` itself where `beta x` is above `threshold`.

    >>> import labkit.torch as torch
    >>> torch.nn.functional.softplus(torch.tensor([-1.0, 0.0, 30.0]))
    tensor([ 0.3133,  0.6931, 30.0000])
    """
    return apply(_rules.softplus, input, beta, threshold)


_leaky_relu = lambda input, negative_slope=0.01: apply(_rules.leaky_relu, input, negative_slope)
_silu = lambda input: apply(_rules.silu, input)
leaky_relu_, silu_ = in_place("leaky_relu", _leaky_relu), in_place("silu", _silu)
relu_, sigmoid, tanh = (FUNCTIONS[name] for name in ("relu_", "sigmoid", "tanh"))


_EXAMPLE = """
The result has the shape of its input. `inplace=True`, where there is such an option, changes the input.

>>> import labkit.torch as torch
>>> x = torch.tensor([-1.0, 2.0])
>>> bool((torch.nn.{name}({given}).eval()(x) == torch.nn.functional.{fun}(x, {given})).all())
True
"""


_GIVEN = {"Softmax": "0", "LogSoftmax": "0"}


def _made(name, fun, takes="", shown=""):
    made = of_function(name, fun, __name__, takes, shown)
    made.__doc__ += _EXAMPLE.format(name=name, fun=fun.__name__, given=_GIVEN.get(name, "")).replace("(x, )", "(x)")
    return made


ReLU, SiLU = _made("ReLU", relu, "inplace=False"), _made("SiLU", silu, "inplace=False")
Sigmoid, Tanh = _made("Sigmoid", sigmoid), _made("Tanh", tanh)
GELU = _made("GELU", gelu, "approximate='none'", "approximate")
LeakyReLU = _made("LeakyReLU", leaky_relu, "negative_slope=0.01, inplace=False", "negative_slope")
Softplus = _made("Softplus", softplus, "beta=1.0, threshold=20.0", "beta threshold")
Softmax, LogSoftmax = (_made(*of, "dim=None", "dim") for of in (("Softmax", softmax), ("LogSoftmax", log_softmax)))
