"""Nested tuples, lists and dicts of values: their leaves in order, and the same structure with other leaves."""

from typing import Any


def leaves(tree) -> list:
    """The values in nested tuples, lists and dicts, in order."""
    if isinstance(tree, (tuple, list, dict)):
        return [leaf for branch in (tree.values() if isinstance(tree, dict) else tree) for leaf in leaves(branch)]
    return [tree]


def map_leaves(fun, tree) -> Any:
    """The same nested structure with `fun` applied to every leaf.

    A named tuple stays one, and so does a user's subclass of tuple or list that can be made of its items; any other becomes
    a plain one, as does a dict.

    >>> map_leaves(lambda leaf: 2 * leaf, {"w": [1, 2], "b": (3,)})
    {'w': [2, 4], 'b': (6,)}
    """
    if isinstance(tree, dict):
        return {key: map_leaves(fun, branch) for key, branch in tree.items()}
    if isinstance(tree, (tuple, list)):
        branches = [map_leaves(fun, branch) for branch in tree]
        return _of_kind(tree, branches)
    return fun(tree)


def _of_kind(tree, branches):
    if type(tree) in (tuple, list):
        return type(tree)(branches)
    if hasattr(tree, "_make"):
        return tree._make(branches)
    try:
        return type(tree)(branches)
    except TypeError:
        return tuple(branches) if isinstance(tree, tuple) else branches
