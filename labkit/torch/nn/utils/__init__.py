"""`torch.nn.utils`: clip gradients before the optimiser sees them; `rnn`, sequences of different lengths; `prune`."""

from ....aliases import attributes
from ..._generator import default_generator
from ..module import Module
from . import parametrize, prune, rnn
from .clip_grad import clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm
from .convert_parameters import parameters_to_vector, vector_to_parameters
from .fusion import fuse_conv_bn_eval, fuse_conv_bn_weights, fuse_linear_bn_eval, fuse_linear_bn_weights
from .normed import remove_spectral_norm, remove_weight_norm, spectral_norm, weight_norm

__all__ = [
    "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "fuse_conv_bn_eval", "fuse_conv_bn_weights",
    "fuse_linear_bn_eval", "fuse_linear_bn_weights", "get_total_norm", "parameters_to_vector", "parametrize", "prune",
    "remove_spectral_norm", "remove_weight_norm", "rnn", "skip_init", "spectral_norm", "vector_to_parameters", "weight_norm",
]  # fmt: skip


def skip_init(module_cls, *args, **kwargs) -> Module:
    """A module of this class whose parameters hold anything: no random numbers are drawn for them."""
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    state = default_generator.get_state()
    made = module_cls(*args, **kwargs)
    default_generator.set_state(state)
    return made


__getattr__ = attributes(__name__)
