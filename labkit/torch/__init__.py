# ruff: noqa: F401
"""The PyTorch dialect: tensors with a tape, `backward()`, `torch.autograd`, `torch.func` and the basis of `torch.nn`.

`import labkit.torch as torch` runs code written for PyTorch; on the CPU, with NumPy underneath.
"""

from inspect import isfunction
from math import e, inf, nan, pi
from sys import modules

from ..absent import names
from ..aliases import FILLED, attributes
from ..later import load as _load
from . import (
    _binomial,
    _choosing,
    _comparing,
    _composed,
    _creation,
    _einsum,
    _elementwise,
    _factored,
    _gamma,
    _indexing,
    _joining,
    _linear,
    _out,
    _picking,
    _random,
    _reduce,
    _renamed,
    _settings,
    _shaping,
    _slopes,
    _solving,
    _special,
    _spectral,
    _strided,
    _table,
    autograd,
    random,
)
from ._answers import answers
from ._autocast import autocast, get_autocast_dtype, is_autocast_enabled
from ._device import device, get_default_device, set_default_device
from ._dispatch import common_dtype as result_type
from ._dtype import ALIASES as _ALIASES
from ._dtype import DTYPES as _DTYPES
from ._dtype import NAMED as _NAMED
from ._dtype import by_python_types as _by_python_types
from ._dtype import dtype, finfo, get_default_dtype, iinfo, promote_types, set_default_dtype
from ._generator import Generator, default_generator
from ._memory_format import channels_last, channels_last_3d, contiguous_format, memory_format, preserve_format
from ._modes import (
    enable_grad,
    inference_mode,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from ._printing import set_printoptions
from ._size import Size
from ._tensor import Tensor
from ._types import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
    SymBool,
    SymFloat,
    SymInt,
)  # fmt: skip
from .random import get_rng_state, initial_seed, manual_seed, seed, set_rng_state


def _besides(place):
    """What the module `place`, which has no file, has besides what other rooms have."""
    if place == "nn.modules.module":
        from .nn._asked import ASKED

        return ASKED
    if place == "autograd.grad_mode":
        from .utils._contextlib import _DecoratorContextManager

        return {"_DecoratorContextManager": _DecoratorContextManager}
    return answers().get(place, {})


globals().update(_DTYPES | _NAMED)
globals().update({alias: globals()[name] for alias, name in _ALIASES.items()})
globals().update({_name: _by_python_types(_out.with_out(_name, _fun)) for _name, _fun in _table.FUNCTIONS.items()})
for _name, _fun in _table.METHODS.items():
    setattr(Tensor, _name, _by_python_types(_fun))
Tensor.__module__ = dtype.__module__ = Size.__module__ = device.__module__ = memory_format.__module__ = "torch"
FILLED["torch"] = _besides
strided = "torch.strided"
torch = modules[__name__]  # which `torch.torch` is in PyTorch, too
newaxis = None
__version__ = "2.13.0+labkit"


_FROM_NN = """
    adaptive_avg_pool1d adaptive_max_pool1d alpha_dropout avg_pool1d batch_norm bilinear celu channel_shuffle conv1d conv2d
    conv3d conv_transpose1d conv_transpose2d conv_transpose3d cosine_embedding_loss cosine_similarity dropout
    feature_alpha_dropout group_norm hardshrink hinge_embedding_loss kl_div layer_norm margin_ranking_loss max_pool1d max_pool2d
    max_pool3d pairwise_distance pixel_shuffle pixel_unshuffle poisson_nll_loss prelu rms_norm rrelu selu threshold
    triplet_margin_loss
"""
_LATER = {  # name -> the module that has it (or is it), loaded when first wanted
    **dict.fromkeys(("amp", "cuda", "distributions", "func", "linalg", "nn", "optim"), ""),
    **dict.fromkeys(("serialization", "special", "utils", "_C", "_dynamo", "_utils", "_vmap_internals"), ""),
    **dict.fromkeys(_FROM_NN.split(), "nn.functional"),
    **dict.fromkeys(("load", "save"), "serialization"),
    "cholesky": "linalg",
    "matrix_power": "linalg",
    "vmap": "func",
    "from_dlpack": "utils.dlpack",
}


def is_tensor(obj) -> "bool":
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input) -> "bool":
    """Whether the dtype of `input` is floating."""
    return input.is_floating_point()


def numel(input) -> "int":
    """How many elements `input` has."""
    return input.numel()


def can_cast(from_, to) -> "bool":
    """Whether values of dtype `from_` may go into `to` without changing category downwards."""
    return from_.rank <= to.rank


def typename(obj) -> str:
    """The name of the type of `obj`."""
    if isinstance(obj, Tensor):
        return obj.type()
    kind = obj if isinstance(obj, type) else type(obj)
    home = kind.__module__.removeprefix("labkit.")
    return kind.__qualname__ if home in ("builtins", "") else f"{home}.{kind.__qualname__}"


_missing = attributes(__name__)


def _of_tensors(name):
    """The method of tensors that PyTorch has as a function, too, such as `sin_`; None where there is none."""
    fun = getattr(Tensor, name, None)
    return fun if isfunction(fun) and name in names("torch")[""] else None


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _LATER:
        return _load(globals(), _LATER, name)
    if name.startswith("_foreach_"):
        from ._foreach import on_lists

        globals()[name] = found = on_lists(name)
        return found
    return _of_tensors(name) or _missing(name)


def __dir__():
    return sorted({*globals(), *_LATER, *filter(_of_tensors, names("torch")[""])})
