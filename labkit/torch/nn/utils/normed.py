"""A weight of which a hook takes the length apart before each forward: `spectral_norm` (GANs), `weight_norm`."""

from collections.abc import Iterator
from typing import Any

from ....aliases import attributes
from ..._linear import mv
from ..._modes import no_grad
from ..._table import FUNCTIONS
from ..._tensor import Tensor
from ..functional import normalize
from ..module import Module
from ..parameter import Parameter

__all__ = ["remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm"]


class _Recomputed:
    """The hook that computes `module.name` from other parameters before each forward; a subclass says how."""

    kind = ""
    parts: tuple[str, ...] = ()

    def __init__(self, name, dim):
        self.name, self.dim = name, dim

    def __call__(self, module, inputs):
        setattr(module, self.name, self.computed(module, module.training))

    def computed(self, module, training) -> Tensor:
        """The weight, on the tape."""
        raise NotImplementedError

    def taken(self, module) -> Parameter:
        """The parameter that takes part no more as it is. Raises RuntimeError where it is recomputed by this kind already."""
        if any(type(hook) is type(self) and hook.name == self.name for hook in module._forward_pre_hooks.values()):
            raise RuntimeError(f"Cannot register two {self.kind} hooks on the same parameter {self.name}")
        return module._parameters.pop(self.name)

    def removed(self, module) -> None:
        """Make what is computed now the parameter again."""
        with no_grad():
            weight = self.computed(module, False)
        delattr(module, self.name)
        for part in self.parts:
            delattr(module, f"{self.name}_{part}")
        module.register_parameter(self.name, Parameter(weight.detach()))


class _SpectralNorm(_Recomputed):
    kind, parts = "spectral_norm", ("u", "v", "orig")

    def __init__(self, name, n_power_iterations, dim, eps):
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        super().__init__(name, dim)
        self.n_power_iterations, self.eps = n_power_iterations, eps

    def matrix(self, weight) -> Tensor:
        """The weight with `dim` as rows."""
        weight = weight.movedim(self.dim, 0) if self.dim else weight
        return weight.reshape(weight.shape[0], -1)

    def computed(self, module, training) -> Tensor:
        weight: Any = getattr(module, f"{self.name}_orig")
        rows, (u, v) = self.matrix(weight), (getattr(module, f"{self.name}_{part}") for part in "uv")
        if training:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(normalize(mv(rows.t(), u), dim=0, eps=self.eps))
                    u.copy_(normalize(mv(rows, v), dim=0, eps=self.eps))
                u, v = u.clone(), v.clone()  # two forwards may come before a backward
        return weight / FUNCTIONS["dot"](u, mv(rows, v))


class _WeightNorm(_Recomputed):
    kind, parts = "weight_norm", ("g", "v")

    def length(self, v) -> Tensor:
        """The lengths of the slices along `dim`, or of the whole."""
        if self.dim is None:
            return v.norm()
        return v.norm(2, [d for d in range(v.ndim) if d != self.dim % v.ndim], True)

    def computed(self, module, training) -> Tensor:
        g, v = (getattr(module, f"{self.name}_{part}") for part in self.parts)
        return v * (g / self.length(v))


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None) -> Module:
    """Let `module` divide its weight by its largest singular value, estimated by power iterations while it trains.

    The parameter becomes `weight_orig`, with buffers `weight_u` and `weight_v`; `dim`: which dimension is the matrix's rows (of
    transposed convolutions 1, else 0). Raises RuntimeError where that was done before.
    T. Miyato et al., Spectral Normalization for GANs, 2018.

    >>> from labkit.torch import nn
    >>> sorted(n for n, _ in spectral_norm(nn.Linear(2, 2)).named_parameters())
    ['bias', 'weight_orig']
    """
    if dim is None:
        dim = int("Transpose" in type(module).__name__)
    hook = _SpectralNorm(name, n_power_iterations, dim, eps)
    weight = hook.taken(module)
    height, width = hook.matrix(weight.detach()).shape
    u, v = (normalize(weight.detach().new_empty(n).normal_(), dim=0, eps=eps) for n in (height, width))
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.detach())
    module.register_buffer(f"{name}_u", u)
    module.register_buffer(f"{name}_v", v)
    module.register_forward_pre_hook(hook)
    return module


def weight_norm(module, name="weight", dim=0) -> Module:
    """Let `module` compute its weight as g * v / |v|, of the parameters `weight_g` and `weight_v`.

    `dim`: each slice along it has a length of its own; None: the whole has one. Raises RuntimeError where that was done
    before. T. Salimans and D. Kingma, Weight Normalization, 2016.

    >>> from labkit.torch import nn
    >>> layer = weight_norm(nn.Linear(2, 3))
    >>> layer.weight_g.shape, layer.weight_v.shape
    (torch.Size([3, 1]), torch.Size([3, 2]))
    """
    hook = _WeightNorm(name, None if dim == -1 else dim)
    weight = hook.taken(module).detach()
    module.register_parameter(f"{name}_g", Parameter(hook.length(weight)))
    module.register_parameter(f"{name}_v", Parameter(weight))
    setattr(module, name, hook.computed(module, True))
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module, name="weight") -> Module:
    """Make the weight as it is now a parameter again. Raises ValueError where no `spectral_norm` is."""
    return _without(module, name, _SpectralNorm)


def remove_weight_norm(module, name="weight") -> Module:
    """Make the weight as it is now a parameter again. Raises ValueError where no `weight_norm` is."""
    return _without(module, name, _WeightNorm)


def _without(module, name, kind):
    for key, hook in _hooks_of(module, kind):
        if hook.name == name:
            hook.removed(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"{kind.kind} of '{name}' not found in {module}")


def _hooks_of(module, kind) -> Iterator[tuple[Any, _Recomputed]]:
    return ((key, hook) for key, hook in list(module._forward_pre_hooks.items()) if type(hook) is kind)


__getattr__ = attributes(__name__)
