"""Activations as modules."""

from .. import _creation
from .._table import FUNCTIONS
from .._tensor import Tensor
from . import functional as F
from . import init
from ._made import of_function
from .module import Layer
from .parameter import Parameter

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "SELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU", "LogSigmoid",
    "LogSoftmax", "Mish", "PReLU", "RReLU", "ReLU", "ReLU6", "SiLU", "Sigmoid", "Softmax", "Softmax2d", "Softmin", "Softplus",
    "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold",
]  # fmt: skip


def _named(name):
    """A function of the table of ops, without options."""

    def fun(input):
        return FUNCTIONS[name](input)

    fun.__name__ = name
    return fun


_EXAMPLE = """
The result has the shape of its input. `inplace=True`, where there is such an option, changes the input.

>>> import labkit.torch as torch
>>> x = torch.tensor([-1.0, 2.0])
>>> bool((torch.nn.{name}({given}).eval()(x) == torch.nn.functional.{fun}(x, {given})).all())
True
"""
_GIVEN = {"Threshold": "0.5, 20.0", "Softmax": "0", "LogSoftmax": "0", "Softmin": "0"}


def _made(name, fun, shown="", **more):
    made = of_function(name, fun, __name__, 1, shown, **more)
    made.__doc__ += _EXAMPLE.format(name=name, fun=fun.__name__, given=_GIVEN.get(name, "")).replace("(x, )", "(x)")
    return made


ReLU, SiLU, Mish, SELU = (_made(n, getattr(F, n.lower())) for n in ("ReLU", "SiLU", "Mish", "SELU"))
Hardsigmoid, Hardswish = _made("Hardsigmoid", F.hardsigmoid), _made("Hardswish", F.hardswish)
LogSigmoid, Softsign, Tanhshrink = (_made(n, getattr(F, n.lower())) for n in ("LogSigmoid", "Softsign", "Tanhshrink"))
Sigmoid, Tanh = _made("Sigmoid", _named("sigmoid")), _made("Tanh", _named("tanh"))
ELU, CELU = _made("ELU", F.elu, "alpha"), _made("CELU", F.celu, "alpha")
GELU, GLU = _made("GELU", F.gelu, "approximate"), _made("GLU", F.glu, "dim")
LeakyReLU, RReLU = _made("LeakyReLU", F.leaky_relu, "negative_slope"), _made("RReLU", F.rrelu, "lower upper")
Hardtanh, Threshold = (
    _made("Hardtanh", F.hardtanh, "min_val max_val"),
    _made("Threshold", F.threshold, "threshold value"),
)
Hardshrink, Softshrink = (
    _made("Hardshrink", F.hardshrink, "lambd", plain=True),
    _made("Softshrink", F.softshrink, "lambd", plain=True),
)
Softplus = _made("Softplus", F.softplus, "beta threshold")
Softmax, LogSoftmax, Softmin = (
    _made(n, f, "dim", dim=None)
    for n, f in (("Softmax", F.softmax), ("LogSoftmax", F.log_softmax), ("Softmin", F.softmin))
)


class ReLU6(Hardtanh):  # type: ignore[misc,valid-type]
    """`x` limited to [0, 6]."""

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)

    def forward(self, input) -> Tensor:
        return F.relu6(input, self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Softmax2d(Layer):
    """Softmax over the channels of images (..., channels, height, width)."""

    def forward(self, input) -> Tensor:
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)


class PReLU(Layer):
    """`x` where positive, else `weight * x`; `weight`, one number or one for each channel, is trained.

    >>> import labkit.torch as torch
    >>> torch.nn.PReLU()(torch.tensor([-1.0, 2.0]))
    tensor([-0.2500,  2.0000], grad_fn=<PreluKernelBackward0>)
    """

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(_creation.empty(num_parameters, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """The weight as at first."""
        init.constant_(self.weight, self.init)

    def forward(self, input) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"
