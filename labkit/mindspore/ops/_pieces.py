"""Functions that move, count or choose elements: blocks, borders, places in an order, rows taken by chance."""

from typing import Any

import numpy as np

from ...engine import stop_gradient as constant
from ..dtype import as_numpy, int32, int64
from ..tensor import Tensor, wrap
from . import _composed, _elementwise, _joining, _padding, _places, _random, _reduction  # noqa: F401  (whose ops it asks for)
from ._linear import matmul
from ._op import METHODS, OPS, PRIMITIVES, register


def _known(x):
    return np.asarray(constant(x._value) if isinstance(x, Tensor) else x)


# ---- blocks and borders ----


def space_to_batch_nd(input_x, block_size, paddings):
    """Images with borders (pairs for the last axes), cut into blocks whose elements become a batch each."""
    sides = [int(n) for pair in reversed(_known(paddings).tolist()) for n in pair]
    x, blocks = OPS["pad"](input_x, sides), _blocks(block_size, input_x)
    count = len(blocks)
    lead = x.ndim - count
    apart = x.reshape(
        (*x.shape[:lead], *(n for length, b in zip(x.shape[lead:], blocks, strict=True) for n in (length // b, b)))
    )
    order = (*range(lead + 1, lead + 2 * count, 2), *range(lead), *range(lead, lead + 2 * count, 2))
    moved = apart.transpose(order)
    return moved.reshape((-1, *x.shape[1:lead], *moved.shape[-count:]))


def batch_to_space_nd(input_x, block_shape, crops):
    """The inverse of `space_to_batch_nd`: batches put together to blocks, and the borders cut off."""
    blocks = _blocks(block_shape, input_x)
    count, lead = len(blocks), input_x.ndim - len(blocks)
    apart = input_x.reshape((*blocks, -1, *input_x.shape[1:]))
    order = [*range(count, count + lead)]
    for k in range(count):
        order += [count + lead + k, k]
    size = [n * b for n, b in zip(input_x.shape[lead:], blocks, strict=True)]
    whole = apart.transpose(tuple(order)).reshape((-1, *input_x.shape[1:lead], *size))
    inner = (slice(a, n - b) for (a, b), n in zip(_known(crops).tolist(), size, strict=True))
    return whole[(..., *inner)]


def _blocks(size, x):
    return [int(size)] * (x.ndim - 2) if isinstance(size, int) else [int(n) for n in size]


_MIRRORS: dict[str, Any] = {"REFLECT": "reflect", "SYMMETRIC": "symmetric"}


def mirror_pad(input_x, paddings, mode):
    """`input_x` with borders, a pair for each axis, that are its reflection: "SYMMETRIC" with the edge, "REFLECT" without."""
    for axis, sides in enumerate(_known(paddings).tolist()):
        places = np.pad(np.arange(input_x.shape[axis]), sides, _MIRRORS[mode])
        input_x = OPS["gather"](input_x, wrap(places), axis)
    return input_x


def padding(x, pad_dim_size=8):
    """The last axis, of length 1, made `pad_dim_size` long, with zeros."""
    return OPS["pad"](x, (0, pad_dim_size - 1))


def col2im(input_x, output_size, kernel_size, dilation, padding_value, stride):
    """What a kernel saw at each place, (batch, channels, seen, places), added to where it came from in images of a size."""
    columns = input_x.reshape((input_x.shape[0], -1, input_x.shape[-1]))
    return OPS["fold"](columns, output_size, *map(tuple, (kernel_size, dilation, padding_value, stride)))


def im2col(input_x, ksizes, strides=1, dilations=1, pads=0):
    """What a kernel sees of images at each place: (batch, channels, seen, places)."""
    found = OPS["unfold"](input_x, ksizes, dilations, pads, strides)
    return found.reshape((*input_x.shape[:2], -1, found.shape[-1]))


# ---- grids ----


def affine_grid(theta, size, align_corners=False):
    """Where each pixel, or voxel, of `size` (n, c, *lengths) comes from, from -1 to 1 along each axis, by the maps `theta`."""
    along = [np.linspace(-1, 1, n) * (1 if align_corners else (n - 1) / n) if n > 1 else np.zeros(1) for n in size[2:]]
    at = np.stack([*reversed(np.meshgrid(*along, indexing="ij")), np.ones(size[2:])], -1).astype(theta._value.dtype)
    moved = matmul(wrap(at.reshape(-1, at.shape[-1])), theta.swapaxes(-1, -2))
    return moved.reshape((size[0], *size[2:], len(size) - 2))


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=False):
    """The elements of images or volumes at the places `grid`, as `affine_grid` has them: "bilinear" or "nearest"; beyond the edge
    "zeros", or what stands at the "border"."""
    lengths, dims = input.shape[2:], input.ndim - 2
    at = [grid[..., dims - 1 - k] for k in range(dims)]
    at = [(x + 1) / 2 * (n - 1) if align_corners else ((x + 1) * n - 1) / 2 for x, n in zip(at, lengths, strict=True)]
    if padding_mode == "reflection":
        raise NotImplementedError("grid_sample: labkit has the padding modes 'zeros' and 'border'")
    if padding_mode == "border":
        at = [OPS["clamp"](x, 0, n - 1) for x, n in zip(at, lengths, strict=True)]
    if mode == "nearest":
        return _read(input, [np.rint(_known(x)).astype(int) for x in at])
    low = [np.floor(_known(x)).astype(int) for x in at]
    found: Any = None
    for corner in np.ndindex(*(2,) * dims):
        weight: Any = 1.0
        for x, base, side in zip(at, low, corner, strict=True):
            apart = x - wrap(base.astype(x._value.dtype))
            weight = weight * (apart if side else 1 - apart)
        part = _read(input, [base + side for base, side in zip(low, corner, strict=True)]) * weight.expand_dims(1)
        found = part if found is None else found + part
    return found


def _read(x, places):
    """The elements at these places of each of the images; 0 beyond the edge."""
    lengths = x.shape[2:]
    inside = np.all([(p >= 0) & (p < n) for p, n in zip(places, lengths, strict=True)], 0)
    flat = np.ravel_multi_index([np.clip(p, 0, n - 1) for p, n in zip(places, lengths, strict=True)], lengths)
    wide = np.broadcast_to(flat.reshape(len(flat), 1, -1), (*x.shape[:2], flat[0].size))
    found = OPS["gather_elements"](x.reshape((*x.shape[:2], -1)), 2, Tensor(wide.copy())).reshape(
        (*x.shape[:2], *flat.shape[1:])
    )
    return OPS["masked_fill"](found, Tensor(~inside[:, None]), 0.0)


# ---- in an order ----


def searchsorted(sorted_sequence, values, *, out_int32=False, side=None, right=False, sorter=None):
    """Where `values` would stand in the order of the last axis of `sorted_sequence`; `right`: behind those that are equal."""
    rows, wanted = _known(sorted_sequence), _known(values)
    side = side or ("right" if right else "left")
    order = None if sorter is None else _known(sorter)
    if rows.ndim == 1:
        found = np.searchsorted(rows, wanted, side, order)
    else:
        lead = rows.reshape(-1, rows.shape[-1]), wanted.reshape(-1, wanted.shape[-1])
        each = [np.searchsorted(a if order is None else a[order.reshape(lead[0].shape)[k]], v, side)
                for k, (a, v) in enumerate(zip(*lead, strict=True))]  # fmt: skip
        found = np.stack(each).reshape(wanted.shape)
    return Tensor(np.asarray(found), int32 if out_int32 else int64)


def intopk(x1, x2, k):
    """Whether x1[i, x2[i]] is one of the `k` largest of its row."""
    scores, wanted = _known(x1), _known(x2)
    own = np.take_along_axis(scores, wanted[:, None].astype(int), 1)
    return Tensor((scores > own).sum(1) < k)


def nanmedian(input, axis=-1, keepdims=False):
    """`(the lower median of those that are not nan along an axis, its place)`; nan, at 0, where there are none."""
    values = _known(input)
    order, count = np.argsort(values, axis, kind="stable"), (~np.isnan(values)).sum(axis, keepdims=True)
    place = np.take_along_axis(order, np.maximum(count - 1, 0) // 2, axis)
    found = OPS["gather_elements"](input, axis % input.ndim, Tensor(place))
    where = Tensor(place)
    return (found, where) if keepdims else (found.squeeze(axis), where.squeeze(axis))


def unique_with_pad(x, pad_num):
    """`(the elements, each once, filled up with `pad_num`; which of these each is)`."""
    values, places = OPS["unique"](x)
    more = OPS["full"]((x.size - values.size,), pad_num, dtype=x.dtype)
    return OPS["concat"]((values, more), 0), places


def scatter(input, axis, index, src):
    """`input` with each of `src` at the place that `index` has for it along `axis`."""
    return OPS["tensor_scatter_elements"](input, index, src, axis)


def inplace_index_add(var, indices, updates, axis):
    """Add the slices of `updates` to the parameter `var` along `axis` at the places `indices`. Returns the new value."""
    var.set_data(METHODS["index_add"](var, axis, indices, updates))
    return var.value()


# ---- of each element, and of what a tensor is ----


def population_count(input_x):
    """How many bits of integers are set, as UInt8."""
    bits = np.unpackbits(np.ascontiguousarray(_known(input_x)[..., None]).view(np.uint8), axis=-1)
    return Tensor(bits.sum(-1).astype(np.uint8))


def approximate_equal(x, y, tolerance=1e-5):
    """Where two tensors are nearer than `tolerance`."""
    return OPS["less"](OPS["abs"](x - y), tolerance)


def deepcopy(input_x):
    """A tensor of its own with the same elements."""
    return input_x.copy()


def dyn_shape(input_x):
    """The shape as a tensor, Int64."""
    return Tensor(np.array(input_x.shape, np.int64))


def scalar_cast(input_x, input_y):
    """A number of the type `input_y`."""
    return as_numpy(input_y).type(input_x).item()


def print_(*input_x):
    """Print tensors and strings, one below the other."""
    print(*(repr(x) if isinstance(x, Tensor) else x for x in input_x), sep="\n")


# ---- by chance ----


def bernoulli(input, p=0.5, seed=None):
    """1 with the probability `p`, a number or one for each element, else 0; in the shape and type of `input`."""
    chance = OPS["rand"](tuple(input.shape), seed=seed)
    return OPS["less"](chance, p).astype(input.dtype)


def _counted(name, fun):
    def drawn(shape, parameter, seed=None, dtype=None):
        from ._random import sampled

        each = _known(parameter)
        size = (*(int(n) for n in _known(shape)), *each.shape)
        generator = lambda engine: np.random.default_rng(int(engine.integers(2**31 - 1, 1)[0]))
        return sampled(name, size, seed, lambda engine, count: fun(generator(engine), each, size).ravel()).astype(
            dtype or parameter.dtype
        )

    return drawn


def random_gamma(shape, alpha, seed=None):
    """Samples of gamma distributions, `shape` of them for each of `alpha`."""
    return _counted("random_gamma", lambda of, a, size: of.gamma(a, size=size).astype(np.float64))(shape, alpha, seed)


def random_poisson(shape, rate, seed=None, dtype=None):
    """Samples of Poisson distributions, `shape` of them for each of `rate`; Float32 by default."""
    from ..dtype import float32

    return _counted("random_poisson", lambda of, a, size: of.poisson(a, size).astype(np.float64))(
        shape, rate, seed, dtype or float32
    )


def standard_laplace(shape, seed=None):
    """Samples of the Laplace distribution around 0 whose mean distance from it is 1."""
    u = OPS["rand"](tuple(int(n) for n in _known(shape)), seed=seed) - 0.5
    return -OPS["sign"](u) * OPS["log1p"](OPS["clamp"](-2 * OPS["abs"](u), -1 + 1e-7, 0))


def laplace(shape, mean, lambda_param, seed=None):
    """Samples of the Laplace distribution around `mean`, at the mean distance `lambda_param`; derivatives pass to both."""
    return standard_laplace(shape, seed) * lambda_param + mean


def random_categorical(logits, num_sample, seed=0, dtype=int64):
    """For each row `num_sample` numbers of classes, by the softmax of its elements."""
    below = np.cumsum(_known(OPS["softmax"](logits, -1)), -1)
    chance = _known(OPS["rand"]((logits.shape[0], num_sample), seed=seed or None))
    return Tensor((chance[:, :, None] > below[:, None, :-1]).sum(-1), dtype)


def choice_with_mask(input_x, count=256, seed=None):
    """`(the places of `count` of the elements that are True, by chance; whether each is one)`, zeros where there are no more."""
    places = np.argwhere(_known(input_x))
    order = np.argsort(_known(OPS["rand"]((len(places),), seed=seed)))[:count]
    found = np.zeros((count, input_x.ndim), np.int32)
    found[: len(order)] = places[order]
    return Tensor(found), Tensor(np.arange(count) < len(order))


def multinomial(input, num_samples, replacement=True, seed=None):
    """For each row `num_samples` places, each with the probability that its element has of the sum; Int32. Without `replacement`
    no place twice."""
    rows = _known(input).astype(np.float64)
    if not replacement:
        chance = -np.log(_known(OPS["rand"](input.shape, seed=seed)) + 1e-30)
        return Tensor(np.argsort(chance / np.maximum(rows, 1e-30), -1, kind="stable")[..., :num_samples], int32)
    below = np.cumsum(rows / rows.sum(-1, keepdims=True), -1)
    chance = _known(OPS["rand"]((*input.shape[:-1], num_samples), seed=seed))
    return Tensor((chance[..., None] > below[..., None, :-1]).sum(-1), int32)


def multinomial_with_replacement(x, seed, offset, numsamples, replacement=False):
    """`multinomial` from a seed of its own, Int64."""
    return multinomial(x, int(numsamples), True, int(seed) or None).astype(int64)


def shuffle(x, seed=None):
    """The slices along the first axis in an order by chance."""
    order = np.argsort(_known(OPS["rand"]((x.shape[0],), seed=seed)))
    return OPS["gather"](x, Tensor(order), 0)


def randperm(n, seed=0, offset=0, dtype=int64):
    """The numbers below `n` in an order by chance."""
    return Tensor(np.argsort(_known(OPS["rand"]((int(n),), seed=seed or None))), dtype)


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3):
    """x where positive, elsewhere x times a number between `lower` and `upper`, by chance for each element."""
    slopes = OPS["rand"](tuple(input.shape)) * (upper - lower) + lower
    return OPS["where"](input >= 0, input, input * slopes.astype(input.dtype))


def random_(self, from_=0, to=None, *, generator=None):
    """Fill the tensor with integers from `from_` up to, not including, `to`, by chance. Returns it."""
    low, high = (0, from_) if to is None and from_ else (from_, to or 2**24)
    self[...] = OPS["randint"](int(low), int(high), tuple(self.shape)).astype(self.dtype)
    return self


def uniform_(self, from_=0, to=1, *, generator=None):
    """Fill the tensor with numbers from `from_` up to `to`, by chance. Returns it."""
    self[...] = (OPS["rand"](tuple(self.shape)) * (to - from_) + from_).astype(self.dtype)
    return self


METHODS |= {"random_": random_, "uniform_": uniform_}
for _fun in (
    multinomial, multinomial_with_replacement, shuffle, randperm, rrelu,
    space_to_batch_nd, batch_to_space_nd, mirror_pad, padding, col2im, affine_grid, grid_sample, searchsorted, intopk,
    nanmedian, unique_with_pad, scatter, inplace_index_add, population_count, approximate_equal, deepcopy, dyn_shape, scalar_cast,
    print_, bernoulli, random_gamma, random_poisson, standard_laplace, laplace, random_categorical, choice_with_mask,
):  # fmt: skip
    register(_fun, method=_fun in (searchsorted, nanmedian, bernoulli))
PRIMITIVES["Im2Col"] = im2col
