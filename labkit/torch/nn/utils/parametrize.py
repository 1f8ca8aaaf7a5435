"""Weights that are computed from others whenever they are asked for: `register_parametrization`."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ....aliases import attributes
from ..._modes import no_grad
from ..._tensor import Tensor
from ..containers import ModuleDict, ModuleList
from ..module import Module
from ..parameter import Parameter

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
    "type_before_parametrizations",
]  # fmt: skip

_kept: dict[tuple[int, str], Tensor] | None = None  # what was computed since `cached` began; None outside


@contextmanager
def cached() -> Iterator[None]:
    """While open, each parametrized weight is computed once and then kept."""
    global _kept
    before, _kept = _kept, {} if _kept is None else _kept
    try:
        yield
    finally:
        _kept = before


def _enter(module, name, tensor):
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _check(made, shape, dtype, flag, one, other):
    """Raise ValueError unless `made` is a tensor of this shape and dtype."""
    if not isinstance(made, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
    for what, before, after in (("dtype", dtype, made.dtype), ("shape", shape, made.shape)):
        if before != after:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless {flag} flag is enabled.\n"
                f"{one.format(what)}: {before}\n{other.format(what)}: {after}"
            )


class ParametrizationList(ModuleList):
    """The modules that make a weight of `original` (of `original0`, `original1`, ..., where the first takes several), in turn.

    Raises ValueError for modules that give another shape or dtype than that of the weight, unless `unsafe`.
    """

    def __init__(self, modules, original, unsafe=False):
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe, new = unsafe, original
        shape, dtype = original.shape, original.dtype
        with no_grad():
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):
                        new = module.right_inverse(new)
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        for name, tensor in zip(self._names(), (new,) if self.is_tensor else new, strict=True):
            _enter(self, name, self._as(original, tensor))
        if not unsafe:
            _check(self(), shape, dtype, "`unsafe`", "unparametrized {}", "parametrized {}")

    def _as(self, original, tensor):
        """`tensor`, trained as the `original` was; where it is the only one, in its place."""
        if self.is_tensor:
            if tensor is not original:
                with no_grad():
                    original.set_(tensor)
            return original
        return Parameter(tensor, original.requires_grad) if isinstance(original, Parameter) else tensor

    def _names(self):
        return ["original"] if self.is_tensor else [f"original{k}" for k in range(self.ntensors)]

    def right_inverse(self, value) -> None:
        """Let the originals be those of which `value` is made. Raises RuntimeError for a module that cannot go back."""
        with no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            for name, tensor in zip(self._names(), (value,) if self.is_tensor else value, strict=True):
                getattr(self, name).set_(tensor)

    def forward(self) -> Tensor:
        first, *others = self
        found = first(*(getattr(self, name) for name in self._names()))
        for module in others:
            found = module(found)
        return found


def is_parametrized(module, tensor_name=None) -> bool:
    """Whether a weight of the module, or the one of this name, is computed from others."""
    lists = module.__dict__.get("_modules", {}).get("parametrizations")
    return isinstance(lists, ModuleDict) and (len(lists) > 0 if tensor_name is None else tensor_name in lists)


def type_before_parametrizations(module) -> type:
    """The class of the module without what `register_parametrization` put over it."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def _property(name):
    """The attribute that computes the weight, and that takes the originals from one that is assigned."""

    def get(self):
        if _kept is None:
            return self.parametrizations[name]()
        key = id(self), name
        if key not in _kept:
            _kept[key] = self.parametrizations[name]()
        return _kept[key]

    return property(get, lambda self, value: self.parametrizations[name].right_inverse(value))


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False) -> Module:
    """Let `module.tensor_name` be what the module `parametrization` makes of the tensor that is there now; returns `module`.

    A further one takes what the first gives. `parametrization.right_inverse(weight)`, where there is one, gives the original for
    a weight, when it is assigned and at first; it may be several tensors, of which `forward` takes as many. Shape and dtype
    have to stay, unless `unsafe`. Raises ValueError for a name that is no parameter, buffer or parametrized weight.

    >>> import labkit.torch as torch
    >>> class Positive(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x.exp()
    >>> layer = torch.nn.utils.parametrize.register_parametrization(torch.nn.Linear(2, 1), "weight", Positive())
    >>> bool((layer.weight > 0).all()), [name for name, _ in layer.named_parameters()]
    (True, ['bias', 'parametrizations.weight.original'])
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        lists, weight = module.parametrizations[tensor_name], getattr(module, tensor_name)
        _append(lists, tensor_name, weight, parametrization, unsafe)
    elif tensor_name in module._parameters or tensor_name in module._buffers:
        made = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            kind: Any = type(module)
            module.__class__ = type(kind)(f"Parametrized{kind.__name__}", (kind,), {"__module__": kind.__module__})
            module.parametrizations = ModuleDict()
        setattr(type(module), tensor_name, _property(tensor_name))
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'"
        )
    return module


def _append(lists, name, weight, parametrization, unsafe):
    """One more module behind those of `lists`, which make `weight` now."""
    if not unsafe:
        names = f"module.{name}.{{}}", f"parametrization(module.{name}).{{}}"
        _check(parametrization(weight), weight.shape, weight.dtype, "the `unsafe`", *names)
    lists.append(parametrization)
    lists.unsafe |= unsafe


def remove_parametrizations(module, tensor_name, leave_parametrized=True) -> Module:
    """Make `module.tensor_name` a tensor of its own again: what is computed now, or the original; returns `module`.

    Raises ValueError where it is not parametrized, or where there are several originals and none is to be left.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    lists = module.parametrizations[tensor_name]
    if not lists.is_tensor and not leave_parametrized:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms "
                         "of a sequence of tensors.")  # fmt: skip
    with no_grad():
        weight = lists().detach()
    tensor = getattr(lists, lists._names()[0])
    if leave_parametrized:
        kept = tensor if lists.is_tensor else Parameter(weight) if isinstance(tensor, Parameter) else weight
        with no_grad():
            kept.set_(weight)
        tensor = kept
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if not len(module.parametrizations):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    _enter(module, tensor_name, tensor)
    return module


__getattr__ = attributes(__name__)
