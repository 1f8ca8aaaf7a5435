"""`torch.nn.init`: first values of parameters, in place and off the tape; from one seed the same as PyTorch's."""

import math
import warnings

import numpy as np

from ...aliases import attributes
from ...kinds import of_kind
from .. import _modes
from .._table import FUNCTIONS
from .._tensor import Tensor

__all__ = ["calculate_gain", "constant_", "dirac_", "eye_", "kaiming_normal_", "kaiming_uniform_", "normal_", "ones_",
           "orthogonal_",
           "sparse_", "trunc_normal_", "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_"]  # fmt: skip

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


def uniform_(tensor, a=0.0, b=1.0, generator=None) -> Tensor:
    """Fill with uniform numbers in [a, b)."""
    with _modes.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None) -> Tensor:
    """Fill with normal numbers of mean `mean` and deviation `std`."""
    with _modes.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor, val) -> Tensor:
    """Fill with `val`."""
    with _modes.no_grad():
        return tensor.fill_(val)


def ones_(tensor) -> Tensor:
    """Fill with 1."""
    return constant_(tensor, 1.0)


def zeros_(tensor) -> Tensor:
    """Fill with 0."""
    with _modes.no_grad():
        return tensor.zero_()


def eye_(tensor) -> Tensor:
    """Make a matrix the identity. Raises ValueError for other than two dimensions."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with _modes.no_grad():
        return tensor.copy_(FUNCTIONS["eye"](*tensor.shape))


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None) -> Tensor:
    """Fill with normal numbers, those outside [a, b] drawn again (or, where few fall inside, by rejection)."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    inside = (math.erf((b - mean) / std / math.sqrt(2)) - math.erf((a - mean) / std / math.sqrt(2))) / 2
    with _modes.no_grad():
        (_drawn_again if inside > 0.3 else _rejected)(tensor, mean, std, a, b, generator)
    return tensor


def _drawn_again(tensor, mean, std, a, b, generator):
    low, high = (tensor.new_tensor(bound).item() for bound in (a, b))
    tensor.normal_(mean, std, generator=generator)
    while (outside := (tensor < low) | (tensor > high)).any():
        again = tensor.new_empty(tensor.shape).normal_(mean, std, generator=generator)
        tensor.copy_(FUNCTIONS["where"](outside, again, tensor))


def _rejected(tensor, mean, std, a, b, generator):
    """Uniform numbers, each kept with the probability that its density is of the greatest one."""
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    pending = None
    while pending is None or pending.any():
        drawn = tensor.new_empty(tensor.shape).uniform_(a, b, generator=generator)
        tensor.copy_(drawn if pending is None else FUNCTIONS["where"](pending, drawn, tensor))
        density = drawn.sub(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        refused = tensor.new_empty(tensor.shape).uniform_(generator=generator).log_().gt(density)
        pending = refused if pending is None else pending & refused


def orthogonal_(tensor, gain=1, generator=None) -> Tensor:
    """Fill with rows (or columns, if there are fewer) that are orthogonal and of length `gain` (A. Saxe et al., 2013)."""
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if not tensor.numel():
        return tensor
    rows = tensor.shape[0]
    with _modes.no_grad():
        drawn = tensor.new_empty(rows, tensor.numel() // rows).normal_(0, 1, generator=generator)._array
        q, r = np.linalg.qr(drawn.T if drawn.shape[0] < drawn.shape[1] else drawn)
        q = q * np.sign(np.diagonal(r))
        found = q.T if drawn.shape[0] < drawn.shape[1] else q
        return tensor.copy_(Tensor._of(np.ascontiguousarray(found)).view(tensor.shape)).mul_(gain)


def sparse_(tensor, sparsity, std=0.01, generator=None) -> Tensor:
    """Fill a matrix with normal numbers, and with 0 at a share `sparsity` of the places of each column (J. Martens, 2010)."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    with _modes.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[FUNCTIONS["randperm"](rows)[: math.ceil(sparsity * rows)], column] = 0
    return tensor


def dirac_(tensor, groups=1) -> Tensor:
    """Make the weight of a convolution one that keeps its channels as they are."""
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    out = tensor.shape[0] // groups
    middle = tuple(n // 2 for n in tensor.shape[2:])
    with _modes.no_grad():
        tensor.zero_()
        for group in range(groups):
            for k in range(min(out, tensor.shape[1])):
                tensor._array[(group * out + k, k, *middle)] = 1
    return tensor


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


def _before(name):
    """The function under the name that it had before, with a warning."""

    def deprecated(*args, **kwargs):
        text = f"`nn.init.{name[:-1]}` is now deprecated in favor of `nn.init.{name}`."
        warnings.warn(text, FutureWarning, stacklevel=2)
        return globals()[name](*args, **kwargs)

    deprecated.__name__, deprecated.__doc__ = name[:-1], f"`{name}` under its old name."
    return deprecated


_OLD = [n for n in __all__ if n[-1] == "_" and n not in ("ones_", "zeros_", "trunc_normal_", "sparse_")]
globals().update({name[:-1]: _before(name) for name in _OLD})
_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_
_no_grad_fill_, _no_grad_zero_ = constant_, zeros_
__getattr__ = attributes(__name__)
