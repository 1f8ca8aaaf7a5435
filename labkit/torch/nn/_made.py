"""Modules made of functions: the options of the function are those of the module."""

from collections.abc import Callable
from inspect import Parameter as Option
from inspect import Signature, signature
from typing import Any

from ._losses import by_old_words
from .module import Layer, Module

_DOC = """`torch.nn.functional.{fun}` as a module, which has its options: `{call}`."""


def of_function(name, fun, module, tensors=1, shown="", plain=False, base: Any = Layer, **defaults) -> Any:
    """The class of modules that call `fun` on what they are called with, its first `tensors` arguments.

    `shown`: the options that are printed, with their names unless `plain`; `base`: the class that it is derived from;
    `defaults`: options that the module has otherwise.
    """
    takes = list(signature(fun).parameters.values())
    options = [o for o in takes[tensors:] if not o.name.startswith("_")]
    options = [
        o.replace(default=defaults.get(o.name, o.default)) for o in options if o.name not in ("training", "dtype")
    ]
    place = Signature([Option("self", Option.POSITIONAL_OR_KEYWORD), *options])
    trains, names = "training" in signature(fun).parameters, [o.name for o in options]
    kept = [n for n in names if n not in ("size_average", "reduce")]

    def __init__(self, *args, **kwargs):
        Module.__init__(self)
        given = place.bind(self, *args, **kwargs)
        given.apply_defaults()
        for option in names:
            value = given.arguments[option]
            if option in ("weight", "pos_weight"):
                self.register_buffer(option, value)
            elif option in kept:
                setattr(self, option, value)
        if old := by_old_words(given.arguments.get("size_average"), given.arguments.get("reduce")):
            self.reduction = old

    def forward(self, *inputs, **named):
        how = {option: getattr(self, option) for option in kept}
        return fun(*inputs, **named, **how, **({"training": self.training} if trains else {}))

    def extra_repr(self):
        said = [f"{'' if plain else f'{n}='}{_text(getattr(self, n))}" for n in shown.split()]
        if getattr(self, "inplace", False) and "inplace" not in shown:
            said.append("inplace=True")
        return ", ".join(said)

    called: tuple[Callable[..., Any], ...] = (__init__, forward)
    inputs = [o.replace(kind=Option.POSITIONAL_OR_KEYWORD) for o in takes[:tensors]]
    for method, known in zip(called, (place, Signature([Option("self", Option.POSITIONAL_OR_KEYWORD), *inputs]))):
        method.__signature__ = known  # type: ignore[attr-defined]
    call = f"{name}({', '.join(str(o) for o in options)})"
    members = {"__init__": __init__, "forward": forward, "extra_repr": extra_repr, "__module__": module}
    return type(name, (base,), {**members, "__doc__": _DOC.format(fun=fun.__name__, call=call)})


def _text(value):
    return repr(value) if isinstance(value, str) else str(value)
