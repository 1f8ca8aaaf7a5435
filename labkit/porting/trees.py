"""Nested tuples, lists and dictionaries: their leaves, in order, and the same tree with others."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Numbers:
    """A tensor of either framework in the arguments of a call: only its numbers."""

    array: np.ndarray

    @property
    def floating(self) -> bool:
        return self.array.dtype.kind == "f"


def mapped(change: Callable, tree: Any, kinds: Any) -> Any:
    """The tree with `change(leaf)` in place of each leaf that is one of `kinds`; all else as it is.

    >>> mapped(lambda n: n + 1, {"a": [1, (2, "b")]}, int)
    {'a': [2, (3, 'b')]}
    """
    if isinstance(tree, kinds):
        return change(tree)
    if isinstance(tree, dict):
        return type(tree)((key, mapped(change, value, kinds)) for key, value in tree.items())
    if isinstance(tree, (tuple, list)):
        parts = [mapped(change, value, kinds) for value in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return tree


def leaves_of(tree: Any, kinds: Any) -> list:
    """The leaves of these kinds, in order."""
    found: list = []
    mapped(found.append, tree, kinds)
    return found
