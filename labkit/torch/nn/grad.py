"""`torch.nn.grad`: the gradients of a convolution by its input and by its weight, from that of its output."""

from collections.abc import Callable

from ...aliases import attributes
from .. import _creation, autograd
from . import functional as F

__all__ = [f"conv{n}d_{by}" for n in (1, 2, 3) for by in ("input", "weight")]


def _by_input(conv) -> Callable:
    def gradient(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
        x = _creation.zeros(*input_size, dtype=weight.dtype, requires_grad=True)
        return autograd.grad(conv(x, weight, None, stride, padding, dilation, groups), x, grad_output)[0]

    return gradient


def _by_weight(conv) -> Callable:
    def gradient(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
        w = _creation.zeros(*weight_size, dtype=input.dtype, requires_grad=True)
        return autograd.grad(conv(input, w, None, stride, padding, dilation, groups), w, grad_output)[0]

    return gradient


def _named(name, gradient):
    gradient.__name__ = gradient.__qualname__ = name
    gradient.__doc__ = f"The gradient of `{name[:6]}` by its {name[7:]}, whose size is given, from `grad_output`."
    return gradient


conv1d_input, conv2d_input, conv3d_input = (
    _named(f"conv{n}d_input", _by_input(conv)) for n, conv in enumerate((F.conv1d, F.conv2d, F.conv3d), 1)
)
conv1d_weight, conv2d_weight, conv3d_weight = (
    _named(f"conv{n}d_weight", _by_weight(conv)) for n, conv in enumerate((F.conv1d, F.conv2d, F.conv3d), 1)
)

__getattr__ = attributes(__name__)
