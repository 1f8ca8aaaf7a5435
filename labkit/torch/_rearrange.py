"""`torch.func.rearrange`: dimensions of a tensor split, joined and put in order, by their names."""

import re
from math import prod

from ._joining import stack
from ._shaping import permute, reshape


def _groups(side):
    """The names of each dimension: one, or those in brackets; none where there is a 1. `...` outside of brackets stays."""
    found: list[list[str] | str] = []
    inside = False
    for token in re.findall(r"\.\.\.|\w+|[()]", side):
        if token in "()":
            inside = token == "("
            if inside:
                found.append([])
        elif inside:
            found[-1].append(token)  # type: ignore[union-attr]
        else:
            found.append("..." if token == "..." else [] if token == "1" else [token])
    return found


def _spread(groups, more):
    """The same, with names for the dimensions that `...` stands for."""
    found = []
    for group in groups:
        if group == "...":
            found += [[name] for name in more]
        else:
            found.append([n for name in group for n in (more if name == "..." else [name])])
    return found


def _checked(left, right, sizes):
    ours, theirs = ([name for group in side for name in group] for side in (left, right))
    for names in (ours, theirs):
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"Indexing expression contains duplicate dimension '{twice}'")
    if set(ours) != set(theirs):
        raise ValueError(
            f"Identifiers only on one side of rearrange expression (should be on both): {set(ours) ^ set(theirs)}"
        )
    if set(sizes) - set(ours):
        raise ValueError(f"Identifiers not found in rearrange expression: {set(sizes) - set(ours)}")


def _sizes(groups, shape, known):
    """The size of each name: those that are `known`, and one more in each group."""
    sizes = dict(known)
    for group, size in zip(groups, shape, strict=True):
        unknown = [name for name in group if name not in known]
        given = prod(known[name] for name in group if name in known)
        if len(unknown) > 1:
            raise ValueError(f"cannot infer the sizes of two dimensions at once {' and '.join(unknown)}")
        if size % given or (not unknown and size != given):
            raise ValueError(f"inferred dimension does not evenly fit into larger dimension: {size} vs {given}")
        sizes.update(dict.fromkeys(unknown, size // given))
    return sizes


def rearrange(tensor, pattern, **axes_lengths):
    """`tensor` with its dimensions as the right side of `pattern` has them, named on its left side.

    Names in brackets are one dimension, split or joined; `...` stands for those that have no name. `axes_lengths`: sizes that
    cannot be told from the tensor's. A list of tensors is stacked first. Raises ValueError for a pattern that does not fit.

    >>> import labkit.torch as torch
    >>> torch.func.rearrange(torch.zeros(2, 3, 8), "b c (h w) -> b h (w c)", h=2).shape
    torch.Size([2, 2, 12])
    """
    tensor = stack(tensor) if isinstance(tensor, (list, tuple)) else tensor
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = map(_groups, sides)
    rest = tensor.ndim - len(left) + 1 if "..." in left else 0
    left, right = (_spread(side, [f"... {k}" for k in range(rest)]) for side in (left, right))
    if len(left) != tensor.ndim:
        raise ValueError(
            f"Number of dimensions in pattern ({len(left)}) must be equal to the number of dimensions in the tensor "
            f"({tensor.ndim})"
        )
    _checked(left, right, axes_lengths)
    sizes = _sizes(left, tensor.shape, axes_lengths)
    names = [name for group in left for name in group]
    split = reshape(tensor, [sizes[name] for name in names])
    turned = permute(split, [names.index(name) for group in right for name in group])
    return reshape(turned, [prod(sizes[name] for name in group) for group in right])
