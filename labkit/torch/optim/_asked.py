"""What code of one's own takes from `torch.optim.optimizer` beside `Optimizer`."""

import functools
from collections.abc import Iterable
from typing import Any, TypeAlias

from .. import _modes
from .._tensor import Tensor

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
StateDict: TypeAlias = dict[str, Any]


class _RequiredParameter:
    """The type of `required`."""

    def __repr__(self):
        return "<required parameter>"


required = _RequiredParameter()


def _use_grad_for_differentiable(func):
    """A `step` that is recorded if the optimizer's default `differentiable` says so, and not otherwise."""

    @functools.wraps(func)
    def step(self, *args, **kwargs):
        with _modes.set_grad_enabled(self.defaults["differentiable"]):
            return func(self, *args, **kwargs)

    return step


def _get_value(x):
    """A number from a tensor with one element, or the number."""
    return x.item() if isinstance(x, Tensor) else x


def _default_to_fused_or_foreach(params, differentiable, use_fused=False) -> tuple[bool, bool]:
    """Whether to use fused kernels, or those on lists, unless told: on a CPU fused ones if asked for."""
    fused = use_fused and not differentiable and all(p is None or p.is_floating_point() for p in params)
    return bool(fused), False


def _get_capturable_supported_devices(supports_xla=True) -> list[str]:
    return ["cuda", "xpu", "hpu", *(["xla"] if supports_xla else [])]


def _view_as_real(params, *state_and_grads) -> None:
    """Let complex tensors be real ones; there are none."""


ASKED = (
    "ParamsT", "StateDict", "_default_to_fused_or_foreach", "_get_capturable_supported_devices", "_get_value",
    "_use_grad_for_differentiable", "_view_as_real", "required",
)  # fmt: skip
