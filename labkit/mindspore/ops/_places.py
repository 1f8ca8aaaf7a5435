"""Elements by their places: the last axis of `indices` names one. Taken, added to, written, and reduced by segments."""

from collections.abc import Callable

import numpy as np

from ... import ops as primitives
from ...engine import stop_gradient as constant
from ..parameter import Parameter
from ..tensor import Tensor, wrap
from . import _create, _joining, _reduction, _shape  # noqa: F401  (whose ops it asks for)
from ._op import METHODS, OPS, register


def _places(indices):
    return tuple([indices[..., i] for i in range(indices.shape[-1])])


def gather_nd(input_x, indices):
    """The elements, or slices, of `input_x` at the places along the last axis of `indices`."""
    return input_x[_places(indices)]


def scatter_nd(indices, updates, shape):
    """Zeros of a shape, with `updates` added at the places along the last axis of `indices`."""
    return tensor_scatter_add(wrap(np.zeros(tuple(shape), updates._value.dtype)), indices, updates)


def _writing(write, kept):
    """What writes `updates` into a copy of `x`: the gradient of `x` is `kept`, that of the updates where they went."""

    @primitives.rule(
        lambda ans, x, updates, *places: lambda g: kept(g, places),
        lambda ans, x, updates, *places: lambda g: g[places],
        rounds=False,
    )
    def written(x, updates, *places):
        out = np.array(x)
        write(out, places, updates)
        return out

    return written


def _with(written):
    """The op of tensors."""
    return lambda x, indices, updates: wrap(
        written(x._value, updates._value, *[constant(p._value) for p in _places(indices)])
    )


_add_at = _writing(np.add.at, lambda g, places: g)
_put = _with(_writing(np.ndarray.__setitem__, lambda g, places: primitives.set_item(g, places, 0)))
_added = _with(_add_at)


def tensor_scatter_add(input_x, indices, updates):
    """`input_x` with `updates` added at the places along the last axis of `indices`."""
    return _added(input_x, indices, updates)


def tensor_scatter_sub(input_x, indices, updates):
    """`input_x` less `updates` at the places along the last axis of `indices`."""
    return _added(input_x, indices, -updates)


def tensor_scatter_update(input_x, indices, updates):
    """`input_x` with `updates` at the places along the last axis of `indices`."""
    return _put(input_x, indices, updates)


def unsorted_segment_sum(input_x, segment_ids, num_segments):
    """The sums of the slices of `input_x` that have the same number in `segment_ids`, one for each number."""
    shape = (int(num_segments), *input_x.shape[segment_ids.ndim :])
    zeros = wrap(np.zeros(shape, input_x._value.dtype))
    return tensor_scatter_add(zeros, segment_ids.reshape((*segment_ids.shape, 1)), input_x)


def _segments(name, over, empty, what):
    """An op that reduces the slices of `input_x` that have the same number in `segment_ids`."""

    def reduced(input_x, segment_ids, num_segments):
        rows = input_x.reshape((segment_ids.size, *input_x.shape[segment_ids.ndim :]))
        numbers = Tensor(np.arange(int(num_segments))).reshape((-1, 1))
        member = (numbers == segment_ids.reshape((1, -1))).reshape((num_segments, -1, *(1,) * (rows.ndim - 1)))
        none = Tensor(np.array(empty(np.dtype(input_x._value.dtype)), input_x._value.dtype))
        return OPS[over](OPS["where"](member, rows, none), 1)

    reduced.__name__ = name
    reduced.__doc__ = (
        f"{what} of the slices of `input_x` that have the same number in `segment_ids`, one for each number."
    )
    return reduced


def _limit(which):
    return lambda dtype: getattr(np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype), which)


unsorted_segment_max = _segments("unsorted_segment_max", "amax", _limit("min"), "The largest")
unsorted_segment_min = _segments("unsorted_segment_min", "amin", _limit("max"), "The smallest")
unsorted_segment_prod = _segments("unsorted_segment_prod", "prod", lambda dtype: 1, "The products")


def index_add(input, dim, index, source, *, alpha=1):
    """`input` with `alpha` times the slices of `source` added along `dim` at the places `index`."""
    if isinstance(dim, Tensor):  # the method's other words: indices, y, axis
        dim, index, source = source, dim, index
    moved, rows = (OPS["moveaxis"](t, dim, 0) for t in (input, source * alpha))
    return OPS["moveaxis"](tensor_scatter_add(moved, index.reshape((-1, 1)), rows), 0, dim)


def _index_add_into(x, indices, y, axis, use_lock=True, check_index_bound=True):
    """Add the slices of `y` to the parameter `x` along `axis` at the places `indices`. Returns the new value."""
    found = index_add(x, axis, indices, y)
    x.set_data(found)
    return found


# ---- with what stands there already ----


@primitives.rule(
    lambda ans, x, updates, *places: lambda g: _multiplied(g, updates, *places),
    lambda ans, x, updates, *places: lambda g: (g * x)[places],
)
def _multiplied(x, updates, *places):
    found = np.array(x)
    np.multiply.at(found, places, updates)
    return found


def _extreme(ufunc):
    """The larger, or the smaller, of what stands there and of all that comes; equal ones share the gradient."""

    def shares(ans, x, updates, places):
        one, none = np.ones((), x.dtype), np.zeros((), x.dtype)
        mine = primitives.select(x == ans, one, none)
        theirs = primitives.select(updates == ans[places], one, none)
        count = _add_at(mine, theirs, *places)
        return mine / primitives.select(count == 0, one, count), theirs / count[places]

    @primitives.rule(
        lambda ans, x, updates, *places: lambda g: g * shares(ans, x, updates, places)[0],
        lambda ans, x, updates, *places: lambda g: g[places] * shares(ans, x, updates, places)[1],
        rounds=False,
    )
    def written(x, updates, *places):
        found = np.array(x)
        ufunc.at(found, places, updates)
        return found

    return written


tensor_scatter_mul = _with(_multiplied)
tensor_scatter_max, tensor_scatter_min = _with(_extreme(np.maximum)), _with(_extreme(np.minimum))


def tensor_scatter_div(input_x, indices, updates):
    """`input_x` divided by `updates` at the places along the last axis of `indices`."""
    return tensor_scatter_mul(input_x, indices, 1 / updates)


_HOW = {
    "add": tensor_scatter_add, "sub": tensor_scatter_sub, "update": tensor_scatter_update, "mul": tensor_scatter_mul,
    "div": tensor_scatter_div, "max": tensor_scatter_max, "min": tensor_scatter_min,
}  # fmt: skip
_WORDS = {
    "mul": "times `updates`", "max": "or `updates` where they are larger", "min": "or `updates` where they are smaller",
}  # fmt: skip
for _name, _said in _WORDS.items():
    _HOW[_name].__name__ = f"tensor_scatter_{_name}"
    _HOW[_name].__doc__ = f"`input_x` {_said}, at the places along the last axis of `indices`."


def tensor_scatter_elements(input_x, indices, updates, axis=0, reduction="none"):
    """`input_x` with each of `updates` at the place that `indices` has for it along `axis`; "add" adds them."""
    if reduction not in ("none", "add"):
        raise ValueError(f"For 'TensorScatterElements', the 'reduction' must be 'none' or 'add', but got {reduction}.")
    places = list(np.indices(indices.shape))
    places[axis] = constant(indices._value)
    rule = _added if reduction == "add" else _put
    return rule(input_x, Tensor(np.stack(places, -1)), updates)


# ---- into a parameter ----


def _into(how, named):
    """An op that changes a parameter, and returns its value."""

    def changed(input_x, indices, updates, use_locking=False):
        if not isinstance(input_x, Parameter):
            raise TypeError(f"For '{named.title().replace('_', '')}', the type of 'input_x' must be 'Parameter'.")
        input_x.set_data(how(input_x, indices, updates))
        return input_x.value()

    changed.__name__ = named
    changed.__doc__ = (
        f"`tensor_scatter_{named.rpartition('_')[2]}` written into the parameter `input_x`; its new value."
    )
    return changed


def _of_rows(how):
    return lambda x, indices, updates: how(x, indices.reshape((*indices.shape, 1)), updates)


_CLASSES: dict[Callable, str] = {
    unsorted_segment_max: "UnsortedSegmentMax", unsorted_segment_min: "UnsortedSegmentMin",
    unsorted_segment_prod: "UnsortedSegmentProd", unsorted_segment_sum: "UnsortedSegmentSum",
    gather_nd: "GatherNd", scatter_nd: "ScatterNd", tensor_scatter_elements: "TensorScatterElements",
}  # fmt: skip
for _fun, _class in _CLASSES.items():
    register(_fun, method=_fun is gather_nd, primitive=_class)
for _name, _fun in _HOW.items():
    register(_fun, f"tensor_scatter_{_name}", method=False, primitive=f"TensorScatter{_name.title()}")
    for _kind, _made in (("scatter", _of_rows(_fun)), ("scatter_nd", _fun)):
        _class = f"{_kind}_{_name}".title().replace("_", "")
        register(_into(_made, f"{_kind}_{_name}"), method=False, primitive=_class)
METHODS["index_add"], OPS["index_add"] = index_add, _index_add_into
