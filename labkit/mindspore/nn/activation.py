"""Activations as cells: a table from class to op."""

from ..ops import _op
from .cell import Cell

_PLAIN = {
    "ReLU": "relu", "ReLU6": "relu6", "Sigmoid": "sigmoid", "Tanh": "tanh", "SiLU": "silu", "Softplus": "softplus",
    "Identity": None,
}  # fmt: skip
_OPTION = {  # class: (op, option, default)
    "Softmax": ("softmax", "axis", -1), "LogSoftmax": ("log_softmax", "axis", -1),
    "LeakyReLU": ("leaky_relu", "alpha", 0.2), "ELU": ("elu", "alpha", 1.0),
}  # fmt: skip


_EXAMPLE = """{}

>>> import labkit.mindspore as ms
>>> x = ms.Tensor([-1.0, 2.0])
>>> bool((ms.nn.{}({})(x) == ms.ops.{}(x)).all())
True
"""


def _plain(name, op):
    fun = _op.OPS[op] if op else lambda x: x

    def construct(self, input):
        return fun(input)

    doc = (
        _EXAMPLE.format(f"`ops.{op}` as a cell; it has no parameters.", name, "", op)
        if op
        else "What goes in comes out."
    )
    return type(name, (Cell,), {"construct": construct, "__doc__": doc, "__module__": __name__})


def _with_option(name, op, option, default):
    fun = _op.OPS[op]

    def __init__(self, value=default, **named):
        Cell.__init__(self)
        if set(named) - {option}:
            raise TypeError(f"For '{name}', expected the option '{option}', but got {sorted(named)}.")
        setattr(self, option, named.get(option, value))

    def construct(self, input):
        return fun(input, getattr(self, option))

    members = {"__init__": __init__, "construct": construct, "__module__": __name__}
    doc = _EXAMPLE.format(f"`ops.{op}` as a cell, with `{option}` {default} by default.", name, default, op)
    return type(name, (Cell,), {**members, "__doc__": doc})


class GELU(Cell):
    """`ops.gelu` as a cell; by the tanh formula unless `approximate` is False."""

    def __init__(self, approximate=True):
        super().__init__()
        self.approximate = approximate

    def construct(self, input):
        return _op.OPS["gelu"](input, "tanh" if self.approximate else "none")


CLASSES = {name: _plain(name, op) for name, op in _PLAIN.items()}
CLASSES |= {name: _with_option(name, *spec) for name, spec in _OPTION.items()}
CLASSES["GELU"] = GELU
_NAMES = {
    "relu": "ReLU", "relu6": "ReLU6", "sigmoid": "Sigmoid", "tanh": "Tanh", "softmax": "Softmax", "silu": "SiLU",
    "logsoftmax": "LogSoftmax", "leakyrelu": "LeakyReLU", "elu": "ELU", "gelu": "GELU", "softplus": "Softplus",
}  # fmt: skip


def get_activation(name) -> Cell:
    """The activation cell of a name such as "relu". Raises KeyError for an unknown one."""
    if name not in _NAMES:
        raise KeyError(f"The 'name' must be in {list(_NAMES)}, but got '{name}'.")
    return CLASSES[_NAMES[name]]()


globals().update(CLASSES)
__all__ = [*CLASSES, "get_activation"]
