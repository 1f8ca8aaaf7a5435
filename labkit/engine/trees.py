"""Nested tuples, lists and dicts of values."""

from typing import Any


def leaves(tree) -> list:
    """The values in nested tuples, lists and dicts, in order."""
    if isinstance(tree, (tuple, list, dict)):
        return [leaf for branch in (tree.values() if isinstance(tree, dict) else tree) for leaf in leaves(branch)]
    return [tree]


def map_leaves(fun, tree) -> Any:
    """The same nested structure with `fun` applied to every leaf."""
    if isinstance(tree, dict):
        return {key: map_leaves(fun, branch) for key, branch in tree.items()}
    if isinstance(tree, (tuple, list)):
        branches = [map_leaves(fun, branch) for branch in tree]
        return tree._make(branches) if hasattr(tree, "_make") else type(tree)(branches)
    return fun(tree)
