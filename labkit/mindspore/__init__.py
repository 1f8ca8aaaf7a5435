"""The MindSpore dialect: tensors, networks, and derivatives as functions of functions.

A script for MindSpore runs here by changing its import lines:

>>> import labkit.mindspore as ms
>>> ms.grad(lambda x: x**2)(ms.Tensor(3.0))
Tensor(shape=[], dtype=Float32, value= 6)
"""

from ..aliases import attributes
from ..later import load as _load
from ..ported import noted
from . import _shown, context, dtype, ops  # noqa: F401 - ops gives Tensor its operators
from ._seed import get_seed, set_seed
from .autodiff import get_grad, grad, value_and_grad
from .context import *  # noqa: F403
from .context import __all__ as _context
from .dtype import *  # noqa: F403
from .dtype import __all__ as _dtypes
from .parameter import Parameter, ParameterTuple
from .tensor import Tensor, tensor
from .transforms import jacfwd, jacrev, jvp, mutable, vjp, vmap

__version__ = "2.10.0"

_LATER = {  # name -> the module that has it (or is it), loaded when first wanted
    **dict.fromkeys(("amp", "common", "communication", "dataset", "experimental", "nn", "numpy", "parallel", "train"), ""),
    **dict.fromkeys(("jit", "jit_class", "lazy_inline"), "graph_mode"),
    "JitConfig": "_jit_config",
    "from_numpy": "tensor",
    **dict.fromkeys(("constexpr", "is_tensor"), "ops"),
    "recompute": "nn",
    **dict.fromkeys(
        ("Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"), "_generator"
    ),
    "frombuffer": "tensor",
    **dict.fromkeys(("from_dlpack", "to_dlpack"), "_exchange"),
    "get_py_obj_dtype": "dtype",
    **dict.fromkeys(
        (
            "Accuracy", "Callback", "CheckpointConfig", "ConfusionMatrix", "CosineSimilarity", "DatasetHelper", "Dice",
            "EarlyStopping", "F1", "Fbeta", "History", "LambdaCallback", "LearningRateScheduler", "Loss", "LossMonitor", "MAE",
            "MSE", "Metric", "Model", "ModelCheckpoint", "Perplexity", "Precision", "ROC", "Recall", "ReduceLROnPlateau",
            "RunContext", "TimeMonitor", "Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy",
            "auc", "connect_network_with_dataset", "data_sink", "get_metric_fn", "load_checkpoint", "load_param_into_net",
            "names", "rearrange_inputs", "save_checkpoint",
        ),
        "train",
    ),
    **dict.fromkeys(
        ("DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager", "build_train_network"), "amp"
    ),
    **dict.fromkeys(
        (
            "Constant", "HeNormal", "HeUniform", "Initializer", "Normal", "One", "TruncatedNormal", "Uniform",
            "XavierNormal", "XavierUniform", "Zero", "initializer",
        ),
        "common.initializer",
    ),
}  # fmt: skip

__all__ = [
    "Parameter", "ParameterTuple", "Tensor", "context", "dtype", "get_grad", "get_seed", "grad",
    "jacfwd", "jacrev", "jvp", "mutable", "ops", "set_seed", "tensor", "value_and_grad", "vjp", "vmap",
    *_context, *_dtypes, *_LATER,
]  # fmt: skip

_SAME = {"bool": "bool_", "int": "int32", "float": "float32"}  # names that would hide Python's own here
_ELSEWHERE = {
    "mint": "it is not part of the dialect; `ops` and `nn` have the same functions and layers",
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
