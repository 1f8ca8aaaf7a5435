"""`torch.nn.utils`: clip gradients before the optimiser sees them."""

from ....aliases import attributes
from .clip_grad import clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm

__all__ = ["clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]


__getattr__ = attributes(__name__)
