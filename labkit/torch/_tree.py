"""Nested tuples, lists and dicts of tensors, flattened and put back."""

from ._tensor import Tensor


def flatten(tree):
    """The leaves of `tree` in order, and a function that puts a list of new ones in their places."""
    found: list = []
    _collect(tree, found)

    def rebuild(leaves):
        return _filled(tree, iter(leaves))

    return found, rebuild


def _collect(tree, found):
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, (tuple, list)):
        for branch in tree:
            _collect(branch, found)
    else:
        found.append(tree)


def _filled(tree, leaves):
    if isinstance(tree, dict):
        return type(tree)((key, _filled(branch, leaves)) for key, branch in tree.items())
    if isinstance(tree, (tuple, list)):
        branches = [_filled(branch, leaves) for branch in tree]
        return type(tree)(*branches) if hasattr(tree, "_fields") else type(tree)(branches)
    return next(leaves)


def mapped(fun, tree):
    """`fun` of each tensor in `tree`; other leaves as they are."""
    leaves, rebuild = flatten(tree)
    return rebuild([fun(leaf) if isinstance(leaf, Tensor) else leaf for leaf in leaves])
