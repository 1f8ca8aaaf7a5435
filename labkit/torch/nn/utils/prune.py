"""`torch.nn.utils.prune`: weights held at zero by a mask, which a hook of the module applies before each forward."""

from typing import Any

from ....aliases import attributes
from ..._table import FUNCTIONS
from ..._tensor import Tensor
from .convert_parameters import parameters_to_vector
from .masks import BasePruningMethod, PruningContainer, hook_of

__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer", "RandomStructured",
    "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity", "is_pruned", "l1_unstructured", "ln_structured",
    "random_structured", "random_unstructured", "remove",
]  # fmt: skip


class Identity(BasePruningMethod):
    """Prunes nothing."""

    PRUNING_TYPE = "unstructured"
    compute_mask = lambda self, t, default_mask: default_mask


class CustomFromMask(BasePruningMethod):
    """Prunes what a given mask has at 0."""

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask) -> Tensor:
        return default_mask * self.mask.to(default_mask.dtype)


class _Amount(BasePruningMethod):
    """Prunes an `amount`: a share in [0, 1], or how many."""

    def __init__(self, amount):
        if not isinstance(amount, (int, float)):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        if amount < 0 or (not isinstance(amount, int) and amount > 1):
            raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")
        self.amount: Any = amount

    def _many(self, size):
        if isinstance(self.amount, int) and self.amount > size:
            raise ValueError(f"amount={self.amount} should be smaller than the number of parameters to prune={size}")
        return self.amount if isinstance(self.amount, int) else round(self.amount * size)


class RandomUnstructured(_Amount):
    """Prunes elements at random."""

    PRUNING_TYPE = "unstructured"
    _scores = staticmethod(lambda t: FUNCTIONS["rand_like"](t))
    _largest = True

    def compute_mask(self, t, default_mask) -> Tensor:
        many, mask = self._many(t.numel()), default_mask.clone()
        if many:
            mask.view(-1)[self._scores(t).reshape(-1).topk(many, largest=self._largest).indices] = 0
        return mask


class L1Unstructured(RandomUnstructured):
    """Prunes the elements of the smallest size."""

    _scores = staticmethod(lambda t: t.abs())
    _largest = False


class RandomStructured(_Amount):
    """Prunes slices along `dim` at random."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount, dim=-1):
        super().__init__(amount)
        self.dim = dim

    def compute_mask(self, t, default_mask) -> Tensor:
        if t.ndim <= 1:
            raise ValueError("Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                             f"{t.shape} with {t.ndim} dims")  # fmt: skip
        size = t.shape[self.dim]
        many = self._many(size)
        if not many:
            return default_mask
        kept = self._kept(t, size, many).to(default_mask.dtype)
        return default_mask * kept.reshape(*(size if d == self.dim % t.ndim else 1 for d in range(t.ndim)))

    def _kept(self, t, size, many):
        drawn = FUNCTIONS["rand"](size)
        return drawn > drawn.kthvalue(many).values


class LnStructured(RandomStructured):
    """Prunes the slices along `dim` of the smallest `n`-norm."""

    def __init__(self, amount, n, dim=-1):
        super().__init__(amount, dim)
        self.n = n

    def _kept(self, t, size, many):
        norms = t.movedim(self.dim, 0).flatten(1).norm(p=self.n, dim=1)
        kept = FUNCTIONS["zeros_like"](norms)
        kept[norms.topk(size - many).indices] = 1
        return kept


def identity(module, name) -> Any:
    """Give a parameter a mask of ones; the module."""
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount) -> Any:
    """Prune an `amount` of the elements of a parameter at random; the module."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None) -> Any:
    """Prune the smallest elements of a parameter, or those of the smallest scores; the module.

    >>> import labkit.torch as torch
    >>> layer = torch.nn.Linear(2, 1)
    >>> _ = layer.weight.data.copy_(torch.tensor([[0.1, -2.0]]))
    >>> l1_unstructured(layer, "weight", amount=0.5).weight.detach()
    tensor([[ 0., -2.]])
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim) -> Any:
    """Prune slices of a parameter along `dim` at random; the module."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None) -> Any:
    """Prune the slices of a parameter along `dim` with the smallest `n`-norm; the module."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module, name, mask) -> Any:
    """Prune what `mask` has at 0; the module."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs) -> None:
    """Prune parameters, pairs of module and name, as if they were one: some lose more than others.

    Raises TypeError for methods that are not unstructured.
    """
    pairs, given = list(parameters), importance_scores or {}
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
                        f"{pruning_method} of type {method.PRUNING_TYPE}")  # fmt: skip
    values: Any = [getattr(module, name).detach() for module, name in pairs]
    scores = parameters_to_vector(given.get(pair, value) for pair, value in zip(pairs, values))
    known = [getattr(m, f"{n}_mask", FUNCTIONS["ones_like"](v)) for (m, n), v in zip(pairs, values)]
    whole, method._tensor_name = PruningContainer(), "temp"
    whole._tensor_name = "temp"
    whole.add_pruning_method(method)
    mask = whole.compute_mask(scores, parameters_to_vector(known))
    for (module, name), part in zip(pairs, mask.split([v.numel() for v in values])):
        custom_from_mask(module, name, part.view(*getattr(module, name).shape))


def remove(module, name) -> Any:
    """Make a pruned parameter one of its own again, with its zeros; the module. Raises ValueError where it is not pruned."""
    number = hook_of(module, name)
    if number is None:
        raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
    module._forward_pre_hooks.pop(number).remove(module)
    return module


def is_pruned(module) -> bool:
    """Whether a hook of the module, or of one below it, prunes."""
    return any(isinstance(hook, BasePruningMethod) for m in module.modules() for hook in m._forward_pre_hooks.values())


__getattr__ = attributes(__name__)
