"""`torch.vmap`: a function of one example as a function of a batch, by one run for each example."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any

from ...dialects.provenance import AFTER, Trail
from .._error_texts import error
from .._ops import creation as _creation
from .._ops import shape as _shape
from .._tape import grad_mode, tensor_provenance
from .._tensor.tensor import Tensor
from ..random import default_generator
from .function_call import flatten

ENTRY = AFTER  # the kind of the note on an entry: not what a gradient goes on from


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None) -> Callable:
    """`func` of one example as a function of a batch: it runs once per entry, and the results are stacked.

    `in_dims`: the batch dimension of each positional argument (None: the same for all), one for all or nested as they are;
    `out_dims` likewise. `randomness`: random numbers are refused ("error"), the same for each entry, or "different", drawn
    for all entries at once as PyTorch draws them. `chunk_size` changes nothing.

    Raises ValueError for dimensions that do not fit the arguments or the results, and for results that are not tensors;
    RuntimeError where `func` branches on values of its entry or asks for them, which one run for the batch could not do.

    >>> import labkit.torch as torch
    >>> torch.vmap(torch.dot)(torch.ones(2, 3), torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    tensor([ 6., 15.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @wraps(func) if hasattr(func, "__name__") else lambda fun: fun
    def batched(*args, **kwargs):
        name = _name(func)
        _check_out_dims(name, out_dims)
        leaves, rebuild = flatten(args)
        dims = _dims_of(f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): ", name, in_dims, args)
        count = _count(leaves, dims)
        results, draws = [], Draws(randomness, count)
        for i in range(count):
            entries = [
                a if d is None else draws.marked(_shape.select(a, d, i)) for a, d in zip(leaves, dims, strict=True)
            ]
            draws.entries.append(entries)
            with draws.of_entry(i):
                results.append(func(*rebuild(entries), **kwargs))
        draws.batches = leaves, dims
        return _stacked(name, results, out_dims, draws) if results else _of_none(func, leaves, dims, rebuild, kwargs)

    return batched


def _name(func):
    if hasattr(func, "__name__"):
        return func.__name__
    return f"functools.partial({_name(func.func)}, ...)" if isinstance(func, partial) else repr(func)


# ---- dimensions ----


def _dims_of(said, name, in_dims, args):
    """The batch dimension of each leaf of `args`, counted from the front."""
    dims = _spread(in_dims, args)
    if dims is None:
        raise error("in_dims_structure", said=said, spec=_spec(in_dims), spec2=_spec(args))
    return [_checked(said, dim, leaf) for dim, leaf in zip(dims, flatten(args)[0], strict=True)]


def _checked(said, dim, leaf):
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(f"{said}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None.")
    if not isinstance(leaf, Tensor):
        raise error("in_dim_type", said=said, dim=dim, type=type(leaf))
    if not -leaf.ndim <= dim < leaf.ndim:
        raise error("in_dim_range", said=said, dim=dim, ndim=leaf.ndim)
    return dim % leaf.ndim


def _count(leaves, dims):
    """How many entries the batch has."""
    sizes = [leaf.shape[dim] for leaf, dim in zip(leaves, dims, strict=True) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != sizes[0] for size in sizes):
        raise error("mapped_sizes", sizes=sizes)
    return sizes[0]


def _spread(dims, tree: Any) -> list | None:
    """One entry of `dims` for each leaf of `tree`, of which `dims` has the outer structure; None where it has another."""
    if not isinstance(dims, (tuple, list, dict)):
        return [dims] * len(flatten(tree)[0])
    if type(dims) is not type(tree) or len(dims) != len(tree):
        return None
    if isinstance(dims, dict):
        if set(dims) != set(tree):
            return None
        parts = [_spread(dims[key], tree[key]) for key in list(tree)]
    else:
        parts = [_spread(dim, branch) for dim, branch in zip(dims, tree, strict=True)]
    return None if None in parts else [dim for part in parts for dim in part or ()]


def _spec(tree):
    """A structure as PyTorch writes it."""
    if not isinstance(tree, (tuple, list, dict)):
        return "*"
    inner = ",\n  ".join(map(_spec, tree.values() if isinstance(tree, dict) else tree))
    return f"TreeSpec({type(tree).__name__}, {list(tree) if isinstance(tree, dict) else None}, [{inner}])"


def _check_out_dims(name, out_dims):
    for dim in flatten(out_dims)[0]:
        if dim is not None and not isinstance(dim, int):
            raise error("out_dims_type", op=name, out_dims=out_dims)


# ---- results ----


def _stacked(name, results, out_dims, draws):
    rebuild = flatten(results[0])[1]
    single = isinstance(results[0], Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1
    dims = list(out_dims) if single else _spread(out_dims, results[0])
    if dims is None:
        raise error("out_dims_structure", op=name, out_dims=out_dims, spec=_spec(out_dims), spec2=_spec(results[0]))
    columns = zip(*(flatten(result)[0] for result in results), strict=True)
    return rebuild([_put_together(name, column, dim, draws) for column, dim in zip(columns, dims, strict=True)])


def _put_together(name, column, dim, draws):
    if dim is None:
        if isinstance(column[0], Tensor) and draws.holds(column[0]):
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return column[0]
    if not isinstance(column[0], Tensor):
        raise error("vmap_output_type", op=name, type=type(column[0]))
    whole = draws.whole(column, dim)
    return _shape.stack(column, dim) if whole is None else whole


def _of_none(func, leaves, dims, rebuild, kwargs) -> Any:
    """The results for a batch without entries, in the shapes that one entry of zeros has."""
    zeros = lambda like, shape: _creation.zeros(shape, dtype=like.dtype)
    entries = [a if d is None else zeros(a, (*a.shape[:d], *a.shape[d + 1 :])) for a, d in zip(leaves, dims)]
    found, like = flatten(func(*rebuild(entries), **kwargs))
    return like([zeros(t, (0, *t.shape)) for t in found])


# ---- random numbers ----


class Draws:
    """The entries of one batch: their random numbers, and what is made of them."""

    def __init__(self, mode, count):
        self.mode, self.count, self.drawn = mode, count, []
        self.entries: list[
            list
        ] = []  # the arguments of each run, made of `batches`: the arguments and their dimensions
        self.batches: tuple[list, list] = [], []
        self.state = default_generator.get_state() if mode == "same" else None
        self.level, self.mark = grad_mode.transform_level(), Trail("vmap", None, ENTRY)

    @property
    def more(self) -> bool:
        """Whether entries are to come: what the tape keeps is kept for them."""
        return self.number < self.count - 1

    def marked(self, entry) -> Tensor:
        """An entry, with a note that it is one: what is made of it has notes that lead here."""
        edge = entry._node_edge
        if edge is None:
            entry._trail = self.mark
        else:
            edge.node.asides = (*edge.node.asides, self.mark)
        return entry

    def whole(self, column, dim) -> Tensor | None:
        """The argument whose entries came back as they are, with the dimension of the batch in its new place."""
        for k, (batch, place) in enumerate(zip(*self.batches, strict=True)):
            if place is not None and all(out is entries[k] for out, entries in zip(column, self.entries, strict=True)):
                if not -batch.ndim <= dim < batch.ndim:
                    return None
                return batch.movedim(place, dim)
        return None

    def holds(self, tensor) -> bool:
        """Whether `tensor` was made of entries of this batch, or of one around it."""
        if tensor._level > self.level or (self.outer is not None and self.outer.holds(tensor)):
            return True
        notes, seen = [tensor_provenance.of_tensor(tensor)], set()
        while notes:
            note = notes.pop()
            if note is self.mark:
                return True
            if note is not None and note.number not in seen:
                seen.add(note.number)
                notes += note.before
        return False

    @contextmanager
    def of_entry(self, number) -> Iterator[None]:
        self.outer, self.number, self.call = grad_mode.state.drawing, number, 0
        if self.state is not None:
            default_generator.set_state(self.state)
        grad_mode.state.drawing = self
        try:
            yield
        finally:
            grad_mode.state.drawing = self.outer

    def share(self, draw, count):
        """The part of this entry of `draw(count)`; the first entry draws for all of them."""
        if self.mode == "error":
            raise error("no_random")
        if self.mode == "same":
            return draw(count)
        if self.number == 0:
            grad_mode.state.drawing = self.outer
            self.drawn.append(draw(count * self.count))
            grad_mode.state.drawing = self
        self.call += 1
        return self.drawn[self.call - 1][self.number * count :][:count]
