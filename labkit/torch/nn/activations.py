"""Activations: functions, part of `torch.nn.functional`, and modules of the same options."""

from functools import wraps

from ...dialects.user_warnings import warn_user
from .. import _rules
from .._error_texts import said
from .._ops import reductions
from .._ops.dispatch import apply, for_kernel
from .._ops.function_table import FUNCTIONS
from .._ops.operators import in_place
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
    return apply(_rules.gelu if approximate == "none" else _rules.gelu_by_tanh, for_kernel("GeluKernelImpl", input))


def silu(input, inplace=False) -> Tensor:
    """`x * sigmoid(x)`."""
    return (silu_ if inplace else _silu)(input)


def softplus(input, beta=1.0, threshold=20.0) -> Tensor:
    """`log(1 + exp(beta x)) / beta`, elementwise, of the shape of `input`; `x` itself where `beta x` is above `threshold`.

    >>> import labkit.torch as torch
    >>> torch.nn.functional.softplus(torch.tensor([-1.0, 0.0, 30.0]))
    tensor([ 0.3133,  0.6931, 30.0000])
    """
    return apply(_rules.softplus, for_kernel("softplus_cpu", input), beta, threshold)


_leaky_relu = lambda input, negative_slope=0.01: apply(
    _rules.leaky_relu, for_kernel("leaky_relu_cpu", input), negative_slope
)
_silu = lambda input: apply(_rules.silu, for_kernel("silu_cpu", input))
leaky_relu_, silu_ = in_place("leaky_relu", _leaky_relu), in_place("silu", _silu)


def _with_implicit_dim(fun):
    """`fun` over a dimension that PyTorch chooses where none is given, with a warning."""

    @wraps(fun)
    def answer(input, dim=None, _stacklevel=3, dtype=None):
        if dim is None:
            warn_user(said("implicit_dim", op=fun.__name__))
            dim = 0 if input.ndim in (0, 1, 3) else 1
        return fun(input, dim, dtype)

    return answer


softmax, log_softmax = map(_with_implicit_dim, (reductions.softmax, reductions.log_softmax))
relu_, sigmoid, tanh = (FUNCTIONS[name] for name in ("relu_", "sigmoid", "tanh"))

ReLU, SiLU = (of_function(*of, __name__, "inplace=False") for of in (("ReLU", relu), ("SiLU", silu)))
Softplus = of_function("Softplus", softplus, __name__, "beta=1.0, threshold=20.0", "beta threshold")
Sigmoid, Tanh = of_function("Sigmoid", sigmoid, __name__), of_function("Tanh", tanh, __name__)
GELU = of_function("GELU", gelu, __name__, "approximate='none'", "approximate")
LeakyReLU = of_function("LeakyReLU", leaky_relu, __name__, "negative_slope=0.01, inplace=False", "negative_slope")
Softmax = of_function("Softmax", softmax, __name__, "dim=None", "dim")
LogSoftmax = of_function("LogSoftmax", log_softmax, __name__, "dim=None", "dim")
