"""Modules made of functions: the options of the function are those of the module; and how a loss is reduced."""

from typing import Any

from ...dialects.user_warnings import warn_user
from .module import Layer, Module

_DOC = """`torch.nn.functional.{fun}` as a module, which has its options: `{name}({takes})`.

>>> import labkit.torch as torch
>>> torch.nn.{name}({given})
{made}
"""


def of_function(name, fun, module, takes="", shown="", given="") -> Any:
    """The class of modules that call `fun` on what they are called with; `takes` are its options, as they follow `def`.

    `shown`: the options that are printed, with their names. `given`: those of the example in the docstring. A `stride` that is
    left out is the size of the window.
    """

    def keep(self, given):
        Module.__init__(self)
        for option in options:
            if option in ("weight", "pos_weight"):
                self.register_buffer(option, given[option])
            else:
                setattr(self, option, given[option])
        if "stride" in given and self.stride is None:
            self.stride = self.kernel_size
        if "reduction" in given:
            self.reduction = reduction_of(given["reduction"], given["size_average"], given["reduce"], check=False)

    def forward(self, *inputs, **named):
        return fun(*inputs, **named, **{option: getattr(self, option) for option in options})

    def extra_repr(self):
        said = [f"{n}={getattr(self, n)!r}" for n in shown.split()]
        return ", ".join([*said, "inplace=True"] if getattr(self, "inplace", False) else said)

    made = eval(f"lambda self, {takes}: keep(self, locals())", {"keep": keep, "__name__": module})
    options = [option for option in made.__code__.co_varnames[1:] if option not in ("size_average", "reduce")]
    made.__name__, made.__qualname__ = "__init__", f"{name}.__init__"
    members = {"__init__": made, "forward": forward, "extra_repr": extra_repr, "__module__": module}
    kind: Any = type(name, (Layer,), members)
    shown_there = eval(f"kind({given})", {"kind": kind})
    kind.__doc__ = _DOC.format(fun=fun.__name__, name=name, takes=takes, given=given, made=shown_there)
    return kind


def reduction_of(reduction, size_average=None, reduce=None, check=True) -> str:
    """How a loss is reduced, which older code says by `size_average` and `reduce`. Raises ValueError for another word."""
    if size_average is not None or reduce is not None:
        reduction = ("mean" if size_average in (None, True) else "sum") if reduce in (None, True) else "none"
        warn_user(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")
    if check and reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction
