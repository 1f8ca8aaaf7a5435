"""The traits and the widget class of labs: those of traitlets and anywidget, or plain attributes without these."""

from types import SimpleNamespace
from typing import Any

Trait = Any  # what a trait of a class is for the type checker: its value


class _Plain:
    """A trait that only holds a value."""

    def __init__(self, *given: Any, default_value: Any = None, **limits: Any) -> None:
        self.default = default_value

    def tag(self, **_: Any) -> Any:
        return self

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = f"_{name}"

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else vars(instance).get(self.name, self.default)

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self.name] = value


class _NoWidget:
    """What stands for a Jupyter widget: it has its values."""

    def __init__(self, **values: Any) -> None:
        for name, value in values.items():
            setattr(self, name, value)


AnyWidget: Any = _NoWidget
traits: Any = SimpleNamespace(Dict=_Plain, Unicode=_Plain, Float=_Plain, Int=_Plain, Enum=_Plain, Bool=_Plain)
try:
    import anywidget
    import traitlets
except ImportError:
    pass
else:
    AnyWidget, traits = anywidget.AnyWidget, traitlets
