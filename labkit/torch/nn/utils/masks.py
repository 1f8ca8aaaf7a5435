"""What keeps a parameter at zero where a mask is zero: a method that prunes it, or several, one after the other."""

from typing import Any

from ....layout import Placed
from ..._table import FUNCTIONS
from ..._tensor import Tensor

__all__ = ["BasePruningMethod", "PruningContainer"]


class BasePruningMethod(metaclass=Placed):
    """What says which elements of a parameter are zero: a subclass has `PRUNING_TYPE` and `compute_mask(t, default_mask)`.

    `PRUNING_TYPE`: "unstructured", "structured" (whole slices along `dim`) or "global". `apply` makes of the parameter `weight`
    a parameter `weight_orig`, a buffer `weight_mask` and an attribute `weight`, their product.
    """

    PRUNING_TYPE: Any = None
    _tensor_name: str

    def compute_mask(self, t, default_mask) -> Tensor:
        """1 where elements stay and 0 elsewhere; what `default_mask` has at 0 stays there."""
        raise NotImplementedError(
            f"{type(self).__name__}: expected a subclass that defines compute_mask(t, default_mask)"
        )

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    def apply_mask(self, module) -> Tensor:
        """The parameter times its mask."""
        name = self._tensor_name
        return getattr(module, f"{name}_mask").to(getattr(module, f"{name}_orig").dtype) * getattr(
            module, f"{name}_orig"
        )

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs) -> "BasePruningMethod":
        """Prune the parameter `name` of `module`; what was pruned before stays so."""
        method, known = cls(*args, **kwargs), hook_of(module, name)
        method._tensor_name = name
        value: Any = getattr(module, name)
        scores = value if importance_scores is None else importance_scores
        if scores.shape != value.shape:
            raise ValueError(f"importance_scores should have the same shape as parameter {name} of {module}")
        fresh = known is None
        mask: Any = FUNCTIONS["ones_like"](value.detach()) if fresh else getattr(module, f"{name}_mask")
        if not fresh:
            method = _after(module._forward_pre_hooks.pop(known), method)
        mask = method.compute_mask(scores.detach(), default_mask=mask.detach().clone()).to(value.dtype)
        if fresh:
            module.register_parameter(f"{name}_orig", module._parameters.pop(name))
        module.register_buffer(f"{name}_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t, default_mask=None, importance_scores=None) -> Tensor:
        """`t` with zeros where its mask has them, of which `importance_scores` decide in its place."""
        start = FUNCTIONS["ones_like"](t) if default_mask is None else default_mask
        return t * self.compute_mask(t if importance_scores is None else importance_scores, default_mask=start)

    def remove(self, module) -> None:
        """Make the pruned values the parameter again, and take away what pruned it."""
        name = self._tensor_name
        original = module._parameters.pop(f"{name}_orig")
        original.data = original.detach() * module._buffers.pop(f"{name}_mask")
        delattr(module, name)
        module.register_parameter(name, original)


def hook_of(module, name) -> Any:
    """The number of the hook that prunes this parameter; None where none does."""
    hooks = module._forward_pre_hooks.items()
    return next((k for k, h in hooks if isinstance(h, BasePruningMethod) and h._tensor_name == name), None)


def _after(first, method):
    if not isinstance(first, PruningContainer):
        first = PruningContainer(first)
    first.add_pruning_method(method)
    return first


class PruningContainer(BasePruningMethod):
    """Methods that prune one parameter, one after the other: each looks at what is left."""

    def __init__(self, *args):
        self._pruning_methods = tuple(args)
        if args:
            self._tensor_name = args[0]._tensor_name

    def add_pruning_method(self, method) -> None:
        """Add one. Raises TypeError for what is none, ValueError for another parameter's."""
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method._tensor_name != self._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def compute_mask(self, t, default_mask) -> Tensor:
        method, mask = self._pruning_methods[-1], default_mask.clone()
        left = _left(method, mask)
        mask[left] = method.compute_mask(t[left], default_mask=mask[left]).to(mask.dtype)
        return mask

    __len__ = lambda self: len(self._pruning_methods)
    __iter__ = lambda self: iter(self._pruning_methods)
    __getitem__ = lambda self, index: self._pruning_methods[index]


def _left(method, mask):
    """An index of what is left: elements, or slices with something in them."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    if method.PRUNING_TYPE == "global":
        return ...
    if method.PRUNING_TYPE != "structured":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    dim = getattr(method, "dim", 0) % mask.ndim
    full = mask.movedim(dim, 0).flatten(1).sum(1) != 0
    return (*(slice(None) for _ in range(dim)), full)
