"""`torch.nn.utils.prune`: parameters of which a part is held at 0, by a mask.

The parameter `weight` becomes `weight_orig`, which is trained, and the buffer `weight_mask`; their product is `weight`, made anew
before each call of the module.
"""

from collections.abc import Callable
from typing import Any

from ....aliases import attributes
from ..._creation import ones_like, zeros_like
from ..._random import rand
from ..._reduce import norm
from ..._table import FUNCTIONS
from ..._tensor import Tensor
from .convert_parameters import parameters_to_vector

__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer",
    "RandomStructured", "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity", "is_pruned",
    "l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove",
]  # fmt: skip


class BasePruningMethod:
    """A way to choose what is pruned: a subclass has `PRUNING_TYPE` and `compute_mask(t, default_mask)`."""

    _tensor_name: str
    PRUNING_TYPE = "unstructured"

    def __call__(self, module, inputs) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t, default_mask) -> Tensor:
        """The mask, of 0 and 1, for the scores `t`; what `default_mask` has pruned stays so."""
        raise NotImplementedError

    def apply_mask(self, module) -> Tensor:
        """The pruned parameter: the original one times its mask."""
        mask, orig = (getattr(module, f"{self._tensor_name}_{part}") for part in ("mask", "orig"))
        return mask.to(dtype=orig.dtype) * orig

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs) -> Any:
        """Prune the parameter `name` of a module, now and before each call; what was pruned before stays so."""
        method, old = cls(*args, **kwargs), _hook_of(module, name)
        method._tensor_name = name
        if old is None:
            orig = getattr(module, name)
            del module._parameters[name]
            module.register_parameter(f"{name}_orig", orig)
            before = ones_like(orig)
        else:
            orig, before = getattr(module, name), getattr(module, f"{name}_mask").detach().clone()
            method = PruningContainer(*_each_of(module._forward_pre_hooks.pop(old)), method)
        scores = orig if importance_scores is None else importance_scores
        if scores.shape != orig.shape:
            raise ValueError(
                f"importance_scores should have the same shape as parameter                 {name} of {module}"
            )
        module.register_buffer(f"{name}_mask", method.compute_mask(scores.detach(), before))
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t, default_mask=None, importance_scores=None) -> Tensor:
        """A tensor with the chosen part at 0."""
        scores = t if importance_scores is None else importance_scores
        return t * self.compute_mask(scores, ones_like(t) if default_mask is None else default_mask)

    def remove(self, module) -> None:
        """Make the pruned parameter the module's own again: what is 0 stays 0, and is trained from now on."""
        name = self._tensor_name
        weight, orig = self.apply_mask(module), module._parameters.pop(f"{name}_orig")
        orig.data = weight.data
        del module._buffers[f"{name}_mask"]
        delattr(module, name)
        module.register_parameter(name, orig)


class PruningContainer(BasePruningMethod):
    """Several methods, one after the other: each chooses among what the ones before have left."""

    def __init__(self, *args):
        self._pruning_methods = ()
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method) -> None:
        """One more. Raises TypeError for anything else, ValueError for one of another parameter."""
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._pruning_methods and method._tensor_name != self._tensor_name:
            raise ValueError("Can only add pruning methods acting on the parameter named "
                             f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'")  # fmt: skip
        self._tensor_name, self._pruning_methods = method._tensor_name, (*self._pruning_methods, method)

    __len__ = lambda self: len(self._pruning_methods)
    __iter__ = lambda self: iter(self._pruning_methods)
    __getitem__ = lambda self, place: self._pruning_methods[place]

    def compute_mask(self, t, default_mask) -> Tensor:
        last, mask = self._pruning_methods[-1], default_mask.clone()
        places: Any = mask == 1
        if last.PRUNING_TYPE == "structured":
            others = [d for d in range(t.ndim) if d != last.dim % t.ndim]
            places = _along(t, last.dim, mask.sum(dim=others) != 0)
        elif last.PRUNING_TYPE == "global":
            places = _along(t, 0, slice(None))
        mask[places] = last.compute_mask(t[places], default_mask=mask[places])
        return mask


def _along(t, dim, chosen):
    places = [slice(None)] * t.ndim
    places[dim] = chosen
    return tuple(places)


class Identity(BasePruningMethod):
    """A mask of ones alone."""

    def compute_mask(self, t, default_mask) -> Tensor:
        return default_mask


class CustomFromMask(BasePruningMethod):
    """A mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask) -> Tensor:
        return default_mask * self.mask.to(dtype=default_mask.dtype)


class _Amount(BasePruningMethod):
    """What prunes an `amount`: a share from 0 to 1, or an integer count."""

    def __init__(self, amount):
        if not isinstance(amount, (int, float)):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        if amount < 0 or (isinstance(amount, float) and amount > 1):
            raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")
        self.amount = amount

    def _count(self, size):
        if isinstance(self.amount, int) and self.amount > size:
            raise ValueError(f"amount={self.amount} should be smaller than the number of parameters to prune={size}")
        return self.amount if isinstance(self.amount, int) else round(self.amount * size)


class RandomUnstructured(_Amount):
    """Elements at random."""

    _scores, _largest = staticmethod(lambda t: FUNCTIONS["rand_like"](t)), True

    def compute_mask(self, t, default_mask) -> Tensor:
        mask, count = default_mask.clone(), self._count(t.nelement())
        if count:
            mask.view(-1)[self._scores(t).reshape(-1).topk(count, largest=self._largest).indices] = 0
        return mask


class L1Unstructured(RandomUnstructured):
    """The elements nearest to 0."""

    _scores, _largest = staticmethod(lambda t: t.abs()), False


class RandomStructured(_Amount):
    """Channels at random: what has one index along `dim`."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount, dim=-1):
        super().__init__(amount)
        self.dim = dim

    def compute_mask(self, t, default_mask) -> Tensor:
        size = t.shape[self.dim]
        count = self._count(size)
        if not count:
            return default_mask
        mask = zeros_like(t)
        mask[_along(t, self.dim, self._kept(t, size, count))] = 1
        return mask * default_mask.to(dtype=mask.dtype)

    def _kept(self, t, size, count):
        drawn = rand(size)
        return drawn > drawn.kthvalue(count).values


class LnStructured(RandomStructured):
    """The channels whose norms of order `n` are smallest."""

    def __init__(self, amount, n, dim=-1):
        super().__init__(amount, dim)
        self.n = n

    def _kept(self, t, size, count):
        others = [d for d in range(t.ndim) if d != self.dim % t.ndim]
        return norm(t, self.n, others).topk(size - count).indices


def _hook_of(module, name):
    """The key of the hook that prunes the parameter `name`; None where there is none."""
    hooks = module._forward_pre_hooks.items()
    return next((k for k, h in hooks if isinstance(h, BasePruningMethod) and h._tensor_name == name), None)


def _each_of(method):
    return tuple(method) if isinstance(method, PruningContainer) else (method,)


def _by(kind, name, words) -> Callable:
    """The function that prunes by a method of `kind`."""
    takes = words.split()

    def pruned(module, name, *args, importance_scores=None, **kwargs):
        given = {**dict(zip(takes, args)), **kwargs}
        kind.apply(module, name, importance_scores=importance_scores or given.pop("importance_scores", None), **given)
        return module

    pruned.__name__ = pruned.__qualname__ = name
    pruned.__doc__ = (
        f"Prune the parameter `name` of a module: {kind.__doc__[0].lower()}{kind.__doc__[1:]} Returns the module."
    )
    return pruned


identity = _by(Identity, "identity", "")
random_unstructured = _by(RandomUnstructured, "random_unstructured", "amount")
l1_unstructured = _by(L1Unstructured, "l1_unstructured", "amount importance_scores")
random_structured = _by(RandomStructured, "random_structured", "amount dim")
ln_structured = _by(LnStructured, "ln_structured", "amount n dim importance_scores")
custom_from_mask = _by(CustomFromMask, "custom_from_mask", "mask")


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs) -> None:
    """Prune several `(module, name)` at once: what is chosen is chosen among all elements.

    >>> import labkit.torch as torch
    >>> layers = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    >>> global_unstructured([(layer, "weight") for layer in layers], L1Unstructured, amount=4)
    >>> sum(int((layer.weight == 0).sum()) for layer in layers)
    4
    """
    known = importance_scores or {}
    pairs = [(module, name, getattr(module, name)) for module, name in parameters]
    scores = parameters_to_vector([known.get((module, name), weight) for module, name, weight in pairs]).detach()
    before = parameters_to_vector([getattr(m, f"{n}_mask", ones_like(weight)) for m, n, weight in pairs])
    method = pruning_method(**kwargs)
    method._tensor_name, start = "temp", 0
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError('Only "unstructured" PRUNING_TYPE supported for '
                        f"the `pruning_method`. Found method {pruning_method} of type {method.PRUNING_TYPE}")  # fmt: skip
    mask = PruningContainer(method).compute_mask(scores, before)
    for module, name, weight in pairs:
        custom_from_mask(module, name, mask=mask[start : start + weight.numel()].view_as(weight))
        start += weight.numel()


def remove(module, name) -> Any:
    """Keep what was pruned at 0, and the parameter as any other. Raises ValueError for one that was not pruned."""
    key = _hook_of(module, name)
    if key is None:
        raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
    module._forward_pre_hooks.pop(key).remove(module)
    return module


def is_pruned(module) -> bool:
    """Whether a parameter of the module, or of one inside it, is pruned."""
    return any(isinstance(hook, BasePruningMethod) for m in module.modules() for hook in m._forward_pre_hooks.values())


__getattr__ = attributes(__name__)
