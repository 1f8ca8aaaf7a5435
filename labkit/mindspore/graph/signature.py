"""The signature of a program: the structure of the arguments, shapes and dtypes of tensors, and all other values."""

import numpy as np

from ...engine import argument_names, isbox
from ..common.parameter import Parameter
from ..common.tensor import Tensor, wrap
from ..gradient.reverse_run import Mutable
from .operators import as_number, number
from .surroundings import Cell_, state_of


def _isplaced(leaf):
    """Whether an argument is an input of the program. (A parameter is read, and written, as what it is.)"""
    return isinstance(leaf, Tensor) and not isinstance(leaf, Parameter)


def _is_varying(leaf):
    """Whether an argument is a number marked by `mutable`: an input, too."""
    return isinstance(leaf, Mutable) and isinstance(leaf, (int, float))


def placed(leaf, given):
    """What stands for a leaf of the arguments while the function is recorded."""
    if _is_varying(leaf):
        return number(next(given))
    return wrap(next(given)) if _isplaced(leaf) else leaf


def flattened(tree):
    """The tensors in nested arguments, in order, and the signature: what the program is made for."""
    tensors: list = []
    return tensors, _signature(tree, tensors)


def _signature(tree, tensors):
    if _is_varying(tree):
        tensors.append(as_number(tree + 0))
        return "Number", type(tree + 0)
    if _isplaced(tree):
        tensors.append(tree)
        value = tree._value
        return "Tensor", np.shape(value), value.dtype.str if not isbox(value) else None
    if isinstance(tree, (tuple, list)):
        return type(tree), *[_signature(branch, tensors) for branch in tree]
    if isinstance(tree, dict):
        return dict, *[(key, _signature(branch, tensors)) for key, branch in tree.items()]
    if isinstance(tree, slice):
        return slice, *[_signature(part, tensors) for part in (tree.start, tree.stop, tree.step)]
    state = state_of(tree)
    return state if isinstance(state, tuple) and _hashable(state) else ("object", id(tree))


def _hashable(state):
    try:
        return hash(state) is not None
    except TypeError:
        return False


def named(compiled, args):
    """The names of the positional arguments."""
    body = compiled.__wrapped__
    return argument_names(body.construct if isinstance(body, Cell_) else body, len(args))


def difference(one, other, names=()):
    """Where two signatures differ, in words; `names` are those of the positional arguments, if it is a whole call."""
    if one is None or type(one) is not type(other) or not isinstance(one, tuple) or len(one) != len(other):
        return "the structure of the arguments"
    if one[:1] == ("Tensor",) == other[:1]:
        return f"a tensor's shape or dtype, {one[1:]} and {other[1:]}"
    for k, (a, b) in enumerate(zip(one, other, strict=True)):
        if a != b and names and len(a) == len(b):
            place = next(i for i in range(1, len(a)) if a[i] != b[i])
            name = names[place - 1] if k == 1 else a[place][0]
            return f"{name}: {difference(a[place], b[place])}"
        if a != b:
            inner = isinstance(a, tuple) and isinstance(b, tuple)
            return difference(a, b) if inner else f"a plain value, {_value_text(one)} and {_value_text(other)}"
    return "nothing in the arguments"


def _value_text(state):
    """A plain value in words, from its state."""
    return float.fromhex(state[1]) if state[0] is float else repr(state[-1])


def names_of(compiled, args, kwargs):
    """A name for every tensor of the arguments: the parameter's, numbered inside a tuple."""
    found: list[str] = []
    for name, argument in [*zip(named(compiled, args), args, strict=True), *kwargs.items()]:
        count = len(flattened(argument)[0])
        found += (
            [name] if count and not isinstance(argument, (tuple, list, dict)) else [f"{name}_{k}" for k in range(count)]
        )
    return found
