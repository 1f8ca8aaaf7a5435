"""`torch.nn.init`: first values of parameters, in place and off the tape; from one seed the same as PyTorch's."""

import math
import warnings

from ...dialects.argument_types import of_kind
from ...dialects.unsupported import attributes
from .._tape.grad_mode import no_grad
from .._tensor.tensor import Tensor

__all__ = ["calculate_gain", "constant_", "kaiming_normal_", "kaiming_uniform_", "normal_", "ones_", "uniform_",
    "xavier_normal_", "xavier_uniform_", "zeros_"]  # fmt: skip

_GAINS = {"sigmoid": 1, "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4, "linear": 1} | {
    f"conv{transposed}{n}d": 1 for transposed in ("", "_transpose") for n in (1, 2, 3)
}


def calculate_gain(nonlinearity, param=None) -> float:
    """The factor by which weights before `nonlinearity` are wider; `param` is the negative slope of a leaky ReLU."""
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        of_kind(slope, (int, float), "negative_slope {param} not a valid number", ValueError, param=param)
        return math.sqrt(2 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _GAINS[nonlinearity]


@no_grad()
def uniform_(tensor, a=0.0, b=1.0, generator=None) -> Tensor:
    """Fill with uniform numbers in [a, b)."""
    return tensor.uniform_(a, b, generator=generator)


@no_grad()
def normal_(tensor, mean=0.0, std=1.0, generator=None) -> Tensor:
    """Fill with normal numbers of mean `mean` and deviation `std`."""
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
def constant_(tensor, val) -> Tensor:
    """Fill with `val`."""
    return tensor.fill_(val)


def ones_(tensor) -> Tensor:
    """Fill with 1."""
    return constant_(tensor, 1.0)


@no_grad()
def zeros_(tensor) -> Tensor:
    """Fill with 0."""
    return tensor.zero_()


def xavier_uniform_(tensor, gain=1.0, generator=None) -> Tensor:
    """Fill uniformly, with deviation gain sqrt(2 / (inputs + outputs)) (X. Glorot and Y. Bengio, 2010)."""
    bound = math.sqrt(3) * (gain * math.sqrt(2 / sum(_calculate_fan_in_and_fan_out(tensor))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None) -> Tensor:
    """Fill with normal numbers of deviation gain sqrt(2 / (inputs + outputs)) (X. Glorot and Y. Bengio, 2010)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2 / sum(_calculate_fan_in_and_fan_out(tensor))), generator)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None) -> Tensor:
    """Fill uniformly, with deviation gain / sqrt(fan) (K. He et al., 2015); `a` is the slope of a leaky ReLU."""
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3) * _kaiming_deviation(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None) -> Tensor:
    """Fill with normal numbers of deviation gain / sqrt(fan) (K. He et al., 2015); `a`: the slope of a leaky ReLU."""
    if _is_empty(tensor):
        return tensor
    return normal_(tensor, 0.0, _kaiming_deviation(tensor, a, mode, nonlinearity), generator)


def _is_empty(tensor):
    if not tensor.numel():
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return not tensor.numel()


def _kaiming_deviation(tensor, a, mode, nonlinearity):
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _calculate_correct_fan(tensor, mode):
    """The number of inputs ("fan_in") or of outputs ("fan_out")."""
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def _calculate_fan_in_and_fan_out(tensor):
    """The numbers of inputs of an output and of outputs of an input, of a weight (outputs, inputs, ...)."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    area = math.prod(tensor.shape[2:])
    return tensor.shape[1] * area, tensor.shape[0] * area


def as_layer(weight, bias):
    """Draw the weight and the bias of a linear or convolutional layer, both uniform within 1 / sqrt(inputs)."""
    kaiming_uniform_(weight, math.sqrt(5))
    if bias is not None:
        inputs = _calculate_fan_in_and_fan_out(weight)[0]
        bound = 1 / math.sqrt(inputs) if inputs else 0
        uniform_(bias, -bound, bound)


__getattr__ = attributes(__name__)
