"""From tensors to primitives: promotion, errors in the framework's words, views and in-place changes."""

import weakref

import numpy as np
from autograd.tracer import box_types

from ...dialects.provenance import INTEGER, place
from ...dialects.provenance import UNTRACED as NO_DERIVATIVE
from ...engine import cast, isbox, quietly
from ...ops import two_bytes
from .. import _rules
from .._error_texts import error
from .._tape import grad_mode, tensor_provenance
from .._tape.op_node import UNTRACED, CopySlices, Edge
from .._tensor import dtype as _dtype
from .._tensor.dtype import DIMENSIONED, NUMBER, ZERO_D, of_number
from .._tensor.tape_position import refuse_view
from .._tensor.tensor import Tensor

byte_bounds = getattr(np.lib, "array_utils", np).byte_bounds  # in NumPy 1 elsewhere
NUMBERS = (bool, int, float, np.number, np.bool_)
OPERANDS = (Tensor, *NUMBERS)
LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
LEAF_VIEW = "a view of a leaf Variable that requires grad is being used in an in-place operation."
REPEATING = ("masked_fill_", "index_put_")  # may write the same element several times


def tensor_of(x, name):
    """`x`, which has to be a tensor. Raises TypeError, in the words of the real framework, for anything else."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {_kind_of(x)}")
    return x


def _kind_of(x):
    kind = type(x)
    return f"{kind.__module__}.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def apply(fun, *args, **kwargs):
    """Apply a primitive to tensors (and anything else) and wrap the result.

    Where a transform or a recorder has a box among the arguments, autograd's dispatcher finds what is to be recorded, and
    on which level. Where all are plain arrays there is the tape alone, and its node is made here.
    """
    argnums: tuple[int, ...] = ()
    parents: tuple[Edge, ...] = ()
    asides: tuple = ()
    values, recording = list(args), grad_mode.state.frozen < 0
    for i, a in enumerate(args):
        tensor = isinstance(a, Tensor)
        value = values[i] = a._data if tensor else a
        if type(value) in box_types:
            values = [a._recorded() if isinstance(a, Tensor) else a for a in args]
            made = Tensor._wrap(quietly(fun, *values, **kwargs), args)
            return made if grad_mode.state.drawing is None else noted(made, _name(fun), *args)
        edge = a._gradient_edge() if tensor and recording else None
        if edge is not None:
            argnums, parents = (*argnums, i), (*parents, edge)
        elif tensor and (a._trail is not None or (not recording and a.requires_grad)):
            asides = (*asides, a)
    value = quietly(getattr(fun, "fun", fun), *values, **kwargs)
    if not parents or fun in UNTRACED:
        made = Tensor._wrap(value)
        return tensor_provenance.aside(made, _name(fun), args, NO_DERIVATIVE, recording) if parents or asides else made
    if type(value) is not np.ndarray:
        value = np.asarray(value)  # an op may answer with a NumPy scalar
    edge = Edge(value, fun, values, kwargs, argnums, parents)
    if asides:
        edge.node.asides = tuple([a._trail for a in asides])
    return Tensor._at(edge, value, args)


def off_tape(data, op, *sources):
    """A tensor around `data`, integers or truth values that were found from `sources`."""
    return noted(Tensor._of(data), op, *sources)


def noted(made, op, *sources):
    """`made`, integers or truth values, with a note that they were found from `sources`."""
    return tensor_provenance.aside(made, op, sources, INTEGER, grad_mode.state.frozen < 0)


def placed(made, *indices):
    """`made`, with a note that these integers and truth values selected its elements."""
    notes = tuple([i._trail for i in indices if isinstance(i, Tensor) and i._trail is not None])
    if notes:
        edge = made._gradient_edge()
        if edge is None:
            return noted(made, "index", *indices)
        edge.node.asides = (*edge.node.asides, *notes)
    return made


def _name(fun):
    return getattr(fun, "__name__", "op").strip("_")


def converted(tensor, dtype):
    """`tensor` as `dtype` for one op. On the tape this is not a node: the gradient is cast back when it arrives."""
    if tensor.dtype is dtype:
        return tensor
    if isbox(tensor._data) or (not tensor.dtype.is_floating_point and tensor.requires_grad):
        return apply(cast, tensor, dtype.np)
    made = Tensor._of(tensor._data.astype(dtype.np))
    made._node_edge, made._trail = tensor._gradient_edge(), tensor._trail
    return made


def common_dtype(*operands):
    """The dtype in which tensors and numbers meet."""
    kinds = []
    for a in operands:
        if isinstance(a, Tensor):
            array = a._array
            kinds.append((array.dtype, DIMENSIONED if array.ndim else ZERO_D))
        else:
            kinds.append((of_number(a), NUMBER))
    return _dtype.result_dtype(*kinds)


def number_for(value, dtype):
    """A Python number as NumPy takes it with an array of `dtype`, without widening it."""
    if dtype.is_floating_point:
        return float(value)
    return int(value) if dtype.rank == 1 else bool(value)


def together(*operands, dtype=None):
    """The operands in their common dtype; numbers become Python numbers of its category."""
    dtype = dtype or common_dtype(*operands)
    found = []
    for a in operands:
        if not isinstance(a, Tensor):
            a = number_for(a, dtype)
        elif a._array.dtype != dtype.np:
            a = converted(a, dtype)
        found.append(a)
    return found


def binary(fun, a, b, dtype=None, more=(), by_number=None):
    """Apply an elementwise primitive of two operands, after promotion; shapes broadcast.

    `by_number`: the primitive for a number and two-byte floats, which takes part as it is.
    """
    second = b
    if not isinstance(a, Tensor) and not isinstance(b, Tensor) and isinstance(a, NUMBERS):
        a = Tensor._of(np.asarray(a, of_number(a).np))
    a, b = together(a, b, dtype=dtype)
    if not isinstance(a, Tensor):
        if by_number is _rules.by_number and two_bytes(b._array.dtype):
            return apply(by_number, b, np.asarray(a, np.float64))
        a = np.asarray(a, b._array.dtype)
    elif not isinstance(b, Tensor):
        kind = a._array.dtype
        if by_number is not None and kind.itemsize == 2 and two_bytes(kind):
            return apply(by_number, a, np.asarray(b, np.float64))
        b = np.asarray(b, kind)
    elif by_number is not None and b is not second and two_bytes(b._array.dtype) and _is_number(a, second):
        return apply(by_number, a, second._array.astype(np.float64))
    else:
        check_broadcast(a, b)
    return apply(fun, a, b, *more)


def _is_number(a, second):
    """Whether a second operand of another dtype is a number in a tensor: 0-d, floating, and off the tape."""
    return a.ndim and not second.ndim and second.dtype.is_floating_point and not second.requires_grad


def check_broadcast(*operands):
    """Raise torch's RuntimeError if the shapes do not broadcast."""
    shapes = [a._array.shape for a in operands if isinstance(a, Tensor)]
    if len(shapes) < 2 or shapes[0] == shapes[1]:
        return
    a, b = shapes[:2]
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            place = max(len(a), len(b)) - back
            raise error("check_broadcast", a=a[-back], b=b[-back], place=place)


def floating(tensor):
    """`tensor`, or, where it holds integers, its values in the default floating dtype."""
    return tensor if tensor.dtype.is_floating_point else converted(tensor, _dtype.get_default_dtype())


def for_kernel(kernel, tensor, kinds="iub"):
    """`tensor`, whose dtype is of none of the `kinds` that PyTorch's `kernel` is not written for. Raises NotImplementedError."""
    if tensor._array.dtype.kind in kinds:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{tensor.dtype.legacy}'")
    return tensor


def whole_dim(dim, ndim):
    """A dimension in range, counted from the front; torch's IndexError otherwise."""
    room = max(ndim, 1)
    if not -room <= dim < room:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-room}, {room - 1}], but got {dim})")
    return int(dim) % room


# ---- views ----


def view(tensor, fun, *how):
    """Apply a primitive that looks at the same memory; the result knows its base.

    `fun` may copy instead (as `reshape` does where it must); then the result is not a view.
    """
    made = apply(fun, tensor, *how)
    if type(tensor._data) in box_types or _looks_at(made._data, tensor._data):
        attach(made, tensor, lambda value: fun(value, *how))
    return made


def _looks_at(new, old):
    """Whether `new`, which was made of `old` alone, is a look at its memory; of nothing there is no telling."""
    owner = new.base
    if owner is not None and (owner is old or owner is old.base):
        return True
    return np.shares_memory(new, old) or not new.size


def attach(made, tensor, look):
    """Make `made` a view of `tensor`'s base, `look` being the way from `tensor` to it."""
    earlier, base = tensor._view, tensor if tensor._base is None else tensor._base
    made._base = base
    made._view = look if earlier is None else lambda value: look(earlier(value))
    made._version_counter = tensor._version_counter
    made._seen, made._inference = made._version_counter.number, tensor._inference
    made._origin = tensor._origin or (
        None if grad_mode.state.grad else "inference" if grad_mode.state.inference else "no_grad"
    )
    if made._level:
        made._level = tensor._level
    if base._level or type(base._data) in box_types:
        base._traced_views = (*base._traced_views, weakref.ref(made))


# ---- in-place ----


def check_inplace(name, tensor, *operands):
    """Raise if the in-place op `name` on `tensor`, with these operands, is an error in the current mode."""
    if tensor._level < grad_mode.transform_level():
        raise error("in_place_on_captured", op=name)
    behind = tensor if tensor._base is None else tensor._base
    if behind._primal is not None:
        with grad_mode.outside_transform(behind._level):
            check_inplace(name, behind._primal, *operands)
    if tensor.is_inference() and not grad_mode.is_inference_mode_enabled():
        raise error("inference_in_place")
    tensors = [t for t in operands if isinstance(t, Tensor)]
    if grad_mode.grad_enabled() and any(t.requires_grad for t in (tensor, *tensors)):
        if tensor._base is not None:
            check_view(tensor)
        if tensor._requires and tensor.is_leaf:
            raise RuntimeError(LEAF)
    if not name.startswith(REPEATING) and not _apart(tensor._array) and not any(t is tensor for t in tensors):
        raise error("in_place_on_repeated")
    for t in tensors:
        if t._version_counter is tensor._version_counter and t is not tensor and _partly_same(tensor._array, t._array):
            raise error("in_place_overlap")


def check_view(tensor):
    """Raise if `tensor`, a view, may not be changed in place where that is recorded."""
    if tensor._origin:
        refuse_view(tensor, "is being")
    if tensor.requires_grad and tensor._base.is_leaf:
        raise RuntimeError(LEAF_VIEW)


def inplace(tensor, new):
    """Give `tensor` the content and the history of `new`, in its own memory; returns `tensor`."""
    if new.shape != tensor.shape:
        raise error("broadcast_in_place", shape=list(tensor.shape), broadcast=list(new.shape))
    if new.dtype.rank > tensor.dtype.rank:
        raise error("cast_in_place", result=new.dtype.legacy, kind=tensor.dtype.legacy)
    return overwrite(tensor, converted(new, tensor.dtype))


def overwrite(tensor, new):
    """The second half of every in-place op: write the memory, advance the counter, move the history."""
    if isbox(tensor._data) or isbox(new._data):
        _overwrite_traced(tensor, new)
        return tensor
    base, recording, before = tensor._base, grad_mode.grad_enabled(), tensor._edge
    if recording and base is not None and base.requires_grad and new._edge is None:
        new = apply(_rules.copy, tensor, new)
    _rules.write(tensor._data, new._data)
    tensor._version_counter.number += 1
    tensor._version_counter.place = place()
    if new._trail is not None and base is None:
        tensor._trail = new._trail
    if recording and (base is None or new._edge is not None):
        move_history(tensor, new._edge, before)
    write_through(tensor if base is None else base)
    return tensor


def _apart(array):
    """Whether no two elements are one in memory; only what was expanded can have such, and NumPy locks it."""
    return array.flags.writeable or all(s or n < 2 for s, n in zip(array.strides, array.shape, strict=True))


def _partly_same(a, b):
    """Whether two dense arrays share some memory but are not the same elements."""
    if not (_dense(a) and _dense(b)):
        return False
    (begin, end), (start, stop) = byte_bounds(a), byte_bounds(b)
    if (begin, end) == (start, stop):
        return a.shape == b.shape and a.strides != b.strides
    return begin < stop and start < end


def _dense(array):
    low, high = byte_bounds(array)
    return high - low == array.nbytes


def move_history(tensor, edge, before):
    """After an in-place op: `tensor`, which was at `before` on the tape, is now at `edge`, and its base around it."""
    base = tensor._base
    if base is None:
        tensor._move_to(edge)
        tensor._requires = False
    else:
        node = CopySlices(base, before, edge.node, tensor._view)
        base._move_to(Edge.of(node, 0, base._data.dtype, base._data.shape))
        base._requires = False
        tensor._look_again(indirect=False)
    if edge is not None and hasattr(edge.node, "now_in"):
        edge.node.now_in(tensor)


def _overwrite_traced(tensor, new):
    """In-place on values that a transform traces: the base takes a copy with the new value inside, its views look
    again, and the caller's tensor, where this is the argument of a transform that writes through, changes likewise."""
    base = tensor if tensor._base is None else tensor._base
    base._data = new._data if base is tensor else apply(_rules.copy_slices, base, new, tensor._view)._data
    base._requires = False
    base._version_counter.number += 1
    if grad_mode.state.dual is not None:
        grad_mode.state.dual.holding(base)
    views = [v for v in (ref() for ref in base._traced_views) if v is not None]
    for v in views:
        v._data = v._view(base._data)
    base._traced_views = tuple(map(weakref.ref, views))
    if tensor is not base:
        tensor._data = new._data
    write_through(base)


def write_through(tensor):
    """The caller's tensor behind a transform's argument takes what the argument is now, a level below."""
    caller, value = tensor._primal, tensor._value
    if caller is None:
        return
    if isbox(value) and value._trace == tensor._level:
        value = value._value
    with grad_mode.outside_transform(tensor._level):
        overwrite(caller, Tensor._wrap(value))
