"""`torch.nn.utils.stateless`: `torch.func.functional_call` under the name that it had first."""

from typing import Any
from warnings import warn

from ....aliases import attributes
from ...func import functional_call as _functional_call

__all__ = ["functional_call"]


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False) -> Any:
    """`torch.func.functional_call`, with a warning that it stands there now."""
    text = (
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future version "
        "of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement."
    )
    warn(text, FutureWarning, stacklevel=2)
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


__getattr__ = attributes(__name__)
