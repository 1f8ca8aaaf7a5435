"""Clipping: by value, by the norm of some tensors, by the global norm of a gradient."""

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...engine import cast
from ...program import recorded
from ..common.tensor import Tensor, wrap
from ..context import in_graph_mode
from .arithmetic import maximum, minimum
from .arrays import select
from .op_table import register, value_of
from .reductions import vector_norm

_NOT_TENSORS = "For 'clip_by_value', the type of argument 'x' must be Tensor or tuple[Tensor] or list[Tensor]"


def clip_by_value(x, clip_value_min=None, clip_value_max=None):
    """`x`, a tensor or a tuple or list of them, limited to [min, max]; at a bound half of the gradient passes.

    A bound is a number, a tensor or None. Raises ValueError where both are None, TypeError for bounds of another type, and for
    anything but tensors.

    >>> import labkit.mindspore as ms
    >>> ms.grad(lambda x: ms.ops.clip_by_value(x, -1.0, 1.0))(ms.Tensor([0.5, 1.0, 3.0])).asnumpy()
    array([1. , 0.5, 0. ], dtype=float32)
    """
    if clip_value_min is None and clip_value_max is None:
        raise ValueError("For 'clip_by_value', at least one of 'clip_value_min' or 'clip_value_max' must not be None")
    for name, bound in (("clip_value_min", clip_value_min), ("clip_value_max", clip_value_max)):
        if not isinstance(bound, (type(None), Tensor, float, int)):
            raise TypeError(
                f"For 'clip_by_value', the type of argument '{name}' must be not one of None, Tensor, float, int"
            )
    if isinstance(x, Tensor):
        return _limited(x, clip_value_min, clip_value_max)
    if not isinstance(x, (tuple, list)) or not all(isinstance(t, Tensor) for t in x):
        raise TypeError(_NOT_TENSORS)
    return tuple(_limited(t, clip_value_min, clip_value_max) for t in x)


def _limited(x, low, high):
    dtype = x._value.dtype

    def typed(bound):
        return wrap(cast(bound._value if isinstance(bound, Tensor) else bound, dtype))

    x = x if low is None else maximum(x, typed(low))
    return x if high is None else minimum(x, typed(high))


def clip_by_norm(x, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """`x`, a tensor or a tuple or list of them, scaled so that the norm of all together is at most `max_norm`.

    The factor is max_norm / (norm + 1e-6), used where it is below 1. Raises RuntimeError for an infinite or nan norm
    if `error_if_nonfinite`.

    Shapes and dtypes stay; a tensor gives a tensor, several give a tuple.

    >>> import labkit.mindspore as ms
    >>> ms.ops.clip_by_norm(ms.Tensor([3.0, 4.0]), 1.0).asnumpy().round(4)
    array([0.6, 0.8], dtype=float32)
    """
    tensors = [x] if isinstance(x, Tensor) else x
    with np.errstate(all="ignore"):
        norms = [vector_norm(value_of(t, "Norm"), norm_type) for t in tensors]
        total = wrap(vector_norm(anp.stack(norms), norm_type))
    if error_if_nonfinite and not np.isfinite(total.asnumpy()):
        raise RuntimeError(f"For clip_by_norm, the total norm of order {norm_type} from input is non-finite.")
    factor = max_norm / (total + 1e-6)
    if recorded(total._value) is not None:
        factor = select(factor < 1, factor, 1.0)  # which of the two is known only when the program runs
        clipped = [t * factor for t in tensors]
    else:
        clipped = [t * factor for t in tensors] if factor < 1 else list(tensors)
    return clipped[0] if isinstance(x, Tensor) else tuple(clipped)


def clip_by_global_norm(x, clip_norm=1.0, use_norm=None):
    """A gradient, a tuple or list of tensors, scaled to a global norm of at most `clip_norm`.

    Each tensor becomes g * clip_norm / max(global norm, clip_norm), so a short gradient stays as it is. Squares are
    summed in each tensor's own type: in Float16, 300 squared is infinite. A 0-d tensor comes back with shape [1].
    Raises ValueError unless `clip_norm` is positive and `use_norm` None.

    >>> clip_by_global_norm((Tensor([3.0, 4.0]),))
    (Tensor(shape=[2], dtype=Float32, value= [ 6.00000024e-01,  8.00000012e-01]),)
    """
    if not clip_norm > 0.0:
        raise ValueError(f"For 'clip_by_global_norm', the argument 'clip_norm' must > 0.0, but got {clip_norm}.")
    if use_norm is not None:
        raise ValueError(
            f"For '_ClipByGlobalNorm', input 'use_norm' only supports None currently, but got 'use_norm': {use_norm}"
        )
    limit = np.float32(clip_norm.item() if isinstance(clip_norm, Tensor) else clip_norm)
    values = _gradients([x] if isinstance(x, Tensor) else x)
    with np.errstate(all="ignore"):
        squares = [cast(primitives.sum_(v * v), np.float32) for v in values]
        global_norm = anp.fmax(anp.sqrt(sum(squares)), limit)
        scaled = [anp.reshape(_scaled(v, limit, global_norm), np.shape(v) or (1,)) for v in values]
    if isinstance(x, Tensor):
        return wrap(scaled[0])
    return (list if in_graph_mode() and isinstance(x, list) else tuple)(map(wrap, scaled))


def _gradients(x):
    if isinstance(x, (tuple, list)) and not x:
        raise ValueError("For primitive[AddN], the input num must be greater than or equal to 1, but got 0.\n")
    nested = isinstance(x, (tuple, list)) and any(isinstance(t, (tuple, list)) for t in x)
    if nested:
        kinds = ", ".join("Tuple<Tensor>" if isinstance(t, (tuple, list)) else type(t).__name__ for t in x)
        raise TypeError(
            f'Failed calling AddN with "AddN()(x=Tuple<{kinds}>)".\n'
            'The valid calling should be: \n"AddN()(x=<list of tensor, tuple of Tensor>)".\n'
        )
    return [value_of(t, "Square") for t in (x if isinstance(x, (tuple, list)) else [x])]


def _scaled(value, limit, global_norm):
    return cast(cast(value, np.float32) * limit / global_norm, value.dtype)


for _fun in (clip_by_value, clip_by_norm, clip_by_global_norm):
    register(_fun, method=False)
