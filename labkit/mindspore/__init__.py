"""The MindSpore dialect: tensors, networks, and derivatives as functions of functions.

A script for MindSpore runs here by changing its import lines:

>>> import labkit.mindspore as ms
>>> ms.grad(lambda x: x**2)(ms.Tensor(3.0))
Tensor(shape=[], dtype=Float32, value= 6)
"""

from ..dialects.framework_hints import noted
from ..dialects.unsupported import attributes
from ..imports.lazy import load as _load
from . import context, ops
from .common import dtype
from .common.dtype import *  # noqa: F403
from .common.parameter import Parameter, ParameterTuple
from .common.seed import get_seed, set_seed
from .common.tensor import Tensor, tensor
from .context import *  # noqa: F403
from .gradient.grad import get_grad, grad, value_and_grad

__version__ = "2.10.0"

_LATER = {  # name -> the module that has it (or is it), loaded when first wanted
    name: module
    for module, names in {
        "": "amp common communication dataset experimental mint nn numpy parallel train",
        "graph.jit": "jit jit_class",
        "common.tensor": "from_numpy",
        "gradient.transforms": "jacfwd jacrev jvp mutable vjp vmap",
        "nn": "recompute",
        "train": "Accuracy Callback CheckpointConfig DatasetHelper History Loss LossMonitor Metric Model ModelCheckpoint "
        "RunContext TimeMonitor connect_network_with_dataset data_sink load_checkpoint load_param_into_net save_checkpoint",
        "amp": "DynamicLossScaleManager FixedLossScaleManager LossScaleManager build_train_network",
        "common.initializer": "Constant HeNormal HeUniform Initializer Normal One TruncatedNormal Uniform Zero initializer",
    }.items()
    for name in names.split()
}

__all__ = [
    "Parameter", "ParameterTuple", "Tensor", "context", "dtype", "get_grad", "get_seed", "grad", "ops", "set_seed", "tensor",
    "value_and_grad", *context.__all__, *dtype.__all__, *_LATER,
]  # fmt: skip

_SAME = {"bool": "bool_", "int": "int32", "float": "float32"}  # names that would hide Python's own here
_ELSEWHERE = {
    "backward": "there is no backward pass to call: ms.grad(fn) gives the gradient function of fn",
    "no_grad": "derivatives are functions here: nothing is recorded outside ms.grad; see also ops.stop_gradient",
    "stop_gradient": "it is ops.stop_gradient",
    "hessian": "compose it: ms.jacfwd(ms.grad(fn))",
}


_missing = attributes(__name__)


def __getattr__(name):
    if name in _LATER:
        return _load(globals(), _LATER, name)
    if name in _SAME:
        return globals()[_SAME[name]]
    if name in _ELSEWHERE:
        error = AttributeError(f"module 'mindspore' has no attribute '{name}' ({_ELSEWHERE[name]})")
        raise noted(error, name, "mindspore")
    return _missing(name)
