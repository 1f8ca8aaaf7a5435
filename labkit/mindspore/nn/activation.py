"""Activations as cells: a table from class to op, whose options become those of the class."""

import inspect

import numpy as np

from ..ops import _op
from ..parameter import Parameter
from ..tensor import Tensor
from ._checks import check_positive_int
from .cell import Cell

_CELLS = {  # class: the op, whose options are those of the class
    "ReLU": "relu", "ReLU6": "relu6", "Sigmoid": "sigmoid", "Tanh": "tanh", "SiLU": "silu", "Softplus": "softplus",
    "Softmax": "softmax", "LogSoftmax": "log_softmax", "LeakyReLU": "leaky_relu", "ELU": "elu", "HSwish": "hardswish",
    "HSigmoid": "hardsigmoid", "HShrink": "hardshrink", "SoftShrink": "softshrink", "Softsign": "softsign", "Mish": "mish",
    "SeLU": "selu", "CELU": "celu", "Hardtanh": "hardtanh", "LogSigmoid": "logsigmoid", "Tanhshrink": "tanhshrink",
    "Threshold": "threshold", "Softmin": "softmin", "GLU": "glu", "FastGelu": "fast_gelu",
}  # fmt: skip
_RENAMED = {"thr": "threshold"}  # an option of the op: the class calls it so

_EXAMPLE = """{}

>>> import labkit.mindspore as ms
>>> x = ms.Tensor([-1.0, 2.0])
>>> bool((ms.nn.{}({})(x) == ms.ops.{}(x{})).all())
True
"""


def _cell(name, op):
    fun = _op.OPS[op]
    known = list(inspect.signature(fun).parameters.values())[1:]
    known = [p for p in known if p.kind is p.POSITIONAL_OR_KEYWORD]
    options = {_RENAMED.get(p.name, p.name): p.default for p in known}
    signature = inspect.Signature(
        [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=d) for n, d in options.items()]
    )

    def __init__(self, *args, **named):
        Cell.__init__(self)
        if set(named) - set(options):
            wanted = f"the option{'s' * (len(options) != 1)} {', '.join(map(repr, options))}"
            raise TypeError(f"For '{name}', expected {wanted if options else 'no option'}, but got {sorted(named)}.")
        bound = signature.bind(*args, **named)
        bound.apply_defaults()
        self._options = tuple(bound.arguments.values())
        for option, value in bound.arguments.items():
            setattr(self, option, value)

    def construct(self, input) -> Tensor:
        return fun(input, *self._options)

    needed = ", ".join("0.5" for p in known if p.default is p.empty)
    with_options = f", with the options {', '.join(options)}" if options else "; it has no parameters"
    doc = _EXAMPLE.format(f"`ops.{op}` as a cell{with_options}.", name, needed, op, f", {needed}" if needed else "")
    members = {"__init__": __init__, "construct": construct, "__module__": __name__, "__signature__": signature}
    return type(name, (Cell,), {**members, "__doc__": doc})


class Identity(Cell):
    """What goes in comes out."""

    def construct(self, input) -> Tensor:
        return input


class Softmax2d(Cell):
    """The softmax over the channels of images (batch, channels, height, width)."""

    def construct(self, input) -> Tensor:
        return _op.OPS["softmax"](input, -3)


class PReLU(Cell):
    """x above 0, `weight` x below, with trained weights: one, or one for each of `channel` channels; they begin as `w`."""

    def __init__(self, channel=1, w=0.25):
        super().__init__()
        check_positive_int(channel, "channel", self.cls_name)
        start = w.asnumpy() if isinstance(w, Tensor) else np.broadcast_to(np.float32(w), (channel,))
        self.w = Parameter(Tensor(np.array(start, np.float32)), name="a")

    def construct(self, x) -> Tensor:
        return _op.OPS["prelu"](x, self.w)


class GELU(Cell):
    """`ops.gelu` as a cell; by the tanh formula unless `approximate` is False."""

    def __init__(self, approximate=True):
        super().__init__()
        self.approximate = approximate

    def construct(self, input) -> Tensor:
        return _op.OPS["gelu"](input, "tanh" if self.approximate else "none")


CLASSES: dict[str, type[Cell]] = {name: _cell(name, op) for name, op in _CELLS.items()}
CLASSES |= {"GELU": GELU, "Identity": Identity, "PReLU": PReLU, "Softmax2d": Softmax2d}
_NAMES = {
    "relu": "ReLU", "relu6": "ReLU6", "sigmoid": "Sigmoid", "tanh": "Tanh", "softmax": "Softmax", "silu": "SiLU",
    "logsoftmax": "LogSoftmax", "leakyrelu": "LeakyReLU", "elu": "ELU", "gelu": "GELU", "softplus": "Softplus",
    "mish": "Mish", "fast_gelu": "FastGelu", "hswish": "HSwish", "hsigmoid": "HSigmoid", "logsigmoid": "LogSigmoid",
    "selu": "SeLU", "prelu": "PReLU", "softsign": "Softsign", "celu": "CELU",
}  # fmt: skip


def get_activation(name, prim_name=None) -> Cell:
    """The activation cell of a name such as "relu". Raises KeyError for an unknown one."""
    if name not in _NAMES:
        owner = "The" if prim_name is None else f"For '{prim_name}', the"
        raise KeyError(f"{owner} 'name' must be in {list(_NAMES)}, but got '{name}'.")
    return CLASSES[_NAMES[name]]()


globals().update(CLASSES)
__all__ = [*CLASSES, "get_activation"]
