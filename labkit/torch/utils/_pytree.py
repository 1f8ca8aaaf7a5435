"""`torch.utils._pytree`: tuples, lists and dicts in each other as trees; taken apart, put together, mapped.

A tree's leaves are what is no tuple, list, dict, deque or of a registered class; None is a leaf.
"""

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ...aliases import attributes

__all__ = [
    "LeafSpec", "PyTree", "TreeSpec", "register_pytree_node", "tree_all", "tree_any", "tree_flatten", "tree_iter",
    "tree_leaves", "tree_map", "tree_map_", "tree_map_only", "tree_structure", "tree_unflatten",
]  # fmt: skip

PyTree = Any
NODES: dict[Any, tuple[Callable, Callable]] = {  # kind -> (children and what else it takes, from both)
    tuple: (lambda t: (list(t), None), lambda found, _: tuple(found)),
    list: (lambda t: (t, None), lambda found, _: list(found)),
    dict: (lambda t: (list(t.values()), list(t)), lambda found, keys: dict(zip(keys, found, strict=True))),
    OrderedDict: (
        lambda t: (list(t.values()), list(t)),
        lambda found, keys: OrderedDict(zip(keys, found, strict=True)),
    ),
    defaultdict: (
        lambda t: (list(t.values()), [t.default_factory, list(t)]),
        lambda found, of: defaultdict(of[0], zip(of[1], found, strict=True)),
    ),
    deque: (lambda t: (list(t), t.maxlen), lambda found, most: deque(found, most)),
    namedtuple: (lambda t: (list(t), type(t)), lambda found, kind: kind(*found)),
}


@dataclass(frozen=True)
class TreeSpec:
    """What a tree is without its leaves.

    >>> tree_structure((1, [2, 3]))
    TreeSpec(tuple, None, [*,
      TreeSpec(list, None, [*,
        *])])
    """

    type: Any
    context: Any
    _children: list["TreeSpec"] = field(default_factory=list)

    def children(self) -> list["TreeSpec"]:
        """Those of the branches."""
        return list(self._children)

    @property
    def num_leaves(self) -> int:
        """How many leaves there are."""
        return sum(child.num_leaves for child in self._children) if self.type is not None else 1

    @property
    def num_children(self) -> int:
        return len(self._children)

    def is_leaf(self) -> bool:
        return self.type is None

    def unflatten(self, leaves) -> Any:
        """The tree with these leaves."""
        return tree_unflatten(leaves, self)

    def __repr__(self, indent=0):
        if self.is_leaf():
            return "*"
        inner = [child.__repr__(indent + 2) for child in self._children]
        if inner:
            indent += 2
        between = ",\n" + " " * indent
        return f"TreeSpec({self.type.__name__}, {self.context}, [{between.join(inner)}])"


def LeafSpec() -> TreeSpec:
    """What a leaf is."""
    return TreeSpec(None, None)


def register_pytree_node(cls, flatten_fn, unflatten_fn, **names) -> None:
    """Let instances of `cls` be trees: `flatten_fn(x)` gives children and context, `unflatten_fn(children, context)` one."""
    NODES[cls] = (flatten_fn, unflatten_fn)


_register_pytree_node = register_pytree_node


def _kind(tree):
    return namedtuple if isinstance(tree, tuple) and hasattr(tree, "_fields") else type(tree)


def _walk(tree, is_leaf, leaves):
    kind = _kind(tree)
    if kind not in NODES or (is_leaf is not None and is_leaf(tree)):
        leaves.append(tree)
        return LeafSpec()
    children, context = NODES[kind][0](tree)
    return TreeSpec(kind, context, [_walk(child, is_leaf, leaves) for child in children])


def tree_flatten(tree, is_leaf=None) -> tuple[list, TreeSpec]:
    """The leaves in order, and what is left of the tree.

    >>> tree_flatten({"a": 1, "b": (2, None)})[0]
    [1, 2, None]
    """
    leaves: list = []
    return leaves, _walk(tree, is_leaf, leaves)


def tree_unflatten(leaves, treespec) -> Any:
    """The tree of this kind with these leaves. Raises ValueError for another number of them."""
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(
            f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds "
            f"{treespec.num_leaves} items ({treespec})."
        )
    return _filled(treespec, iter(leaves))


def _filled(spec, leaves):
    if spec.is_leaf():
        return next(leaves)
    return NODES[spec.type][1]([_filled(child, leaves) for child in spec._children], spec.context)


def tree_iter(tree, is_leaf=None) -> Iterator:
    """The leaves, one after the other."""
    return iter(tree_flatten(tree, is_leaf)[0])


def tree_leaves(tree, is_leaf=None) -> list:
    """The leaves."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree, is_leaf=None) -> TreeSpec:
    """What the tree is without its leaves."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func, tree, *rests, is_leaf=None) -> Any:
    """A tree of `func(leaf, ...)`, with the leaves at the same place of other trees.

    >>> tree_map(lambda a, b: a + b, {"w": [1, 2]}, {"w": [10, 20]})
    {'w': [11, 22]}
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [_up_to(spec, rest) for rest in rests]
    return tree_unflatten(map(func, leaves, *others), spec)


def _up_to(spec, tree):
    """What stands in `tree` at the places of the leaves of another."""
    if spec.is_leaf():
        return [tree]
    if _kind(tree) is not spec.type and not (isinstance(tree, dict) and issubclass(spec.type, dict)):
        raise ValueError(f"Node type mismatch; expected {spec.type!r}, but got {_kind(tree)!r}.")
    children = NODES[_kind(tree)][0](tree)[0]
    if spec.type in (dict, OrderedDict):
        children = [tree[key] for key in spec.context]
    if len(children) != len(spec._children):
        raise ValueError(f"Node arity mismatch; expected {len(spec._children)}, but got {len(children)}.")
    return [leaf for child, branch in zip(spec._children, children, strict=True) for leaf in _up_to(child, branch)]


def tree_map_(func, tree, *rests, is_leaf=None) -> Any:
    """Call `func` with each leaf, for what it does; the tree itself."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(kind, func, tree=None, is_leaf=None) -> Any:
    """`func` of the leaves of a class, or of several, or for which `kind(leaf)` holds; the others as they are."""
    if isinstance(kind, type) or not callable(kind):
        chosen: Any = lambda leaf: isinstance(leaf, kind)
    else:
        chosen = kind
    return tree_map(lambda leaf: func(leaf) if chosen(leaf) else leaf, tree, is_leaf=is_leaf)


def tree_all(pred, tree, is_leaf=None) -> bool:
    """Whether `pred` holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None) -> bool:
    """Whether `pred` holds for a leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


__getattr__ = attributes(__name__)
