"""Attributes that a compiled function assigns, such as `self.steps = self.steps + 1`: their values are inputs of every run.

While the function is recorded, the tensors and numbers in them are inputs of the program; what is in them at its end is given
to the objects after every run. Inside a derivative, what an attribute holds is a constant.
"""

import types
from contextlib import contextmanager
from functools import partial

from ...engine import leaves, map_leaves
from ..common.parameter import Parameter
from ..common.tensor import Tensor, wrap
from .call_writer import form, made
from .operators import Number, as_number, number
from .recorder import bare_recorded, current
from .surroundings import Watched, assigned_attributes, state_of

MISSING = object()  # what an object holds under a name that it has not
_NOT_KEPT = (type, types.ModuleType, types.FunctionType, types.MethodType)


class Attribute:
    """One attribute of an object; `get` gives `MISSING` where it has none."""

    def __init__(self, owner, name):
        self.owner, self.name = owner, name

    def get(self):
        return vars(self.owner).get(self.name, MISSING)

    def put(self, value):
        if value is MISSING:
            vars(self.owner).pop(self.name, None)
        else:
            object.__setattr__(self.owner, self.name, value)

    def inputs(self):
        """The tensors and numbers in it, in order."""
        return [made for leaf in leaves(self.get()) if (made := _varying(leaf)) is not None]

    def input(self, place):
        """The value of one of them."""
        return self.inputs()[place]._value

    def kind(self):
        """What a program assumes of it."""
        return state_of(map_leaves(_kind, self.get()))

    def watched(self):
        """Its kind, watched."""
        return Watched(
            f"{type(self.owner).__name__}.{self.name}", partial(Attribute.kind, self), self.kind(), plain=True
        )


def _varying(leaf):
    """A leaf as an input of the program; None for what is a constant of it."""
    return leaf if isinstance(leaf, Tensor) and not isinstance(leaf, Parameter) else as_number(leaf)


def _kind(leaf):
    made = _varying(leaf)
    return leaf if made is None else (type(leaf).__name__, made.shape, made.dtype)


class Attributes:
    """The attributes that code on a walk through the surroundings of a function may assign."""

    def __init__(self, walk):
        self.all = [Attribute(*pair) for pair in assigned_attributes(walk) if _is_kept(*pair)]
        self.known = {(id(kept.owner), kept.name) for kept in self.all}

    def instead(self, watched):
        """The list of what is watched, their kinds instead of what they hold."""
        places = {(id(place), kept.name) for kept in self.all for place in (kept.owner, vars(kept.owner))}
        others = [w for w in watched if len(w.get.args) != 2 or (id(w.get.args[0]), w.get.args[1]) not in places]
        return others + [kept.watched() for kept in self.all]

    @contextmanager
    def open(self, recorder):
        """While open, inputs of the program are in them; at the end they are as before, and `recorder` has what was assigned."""
        self._begin(recorder)
        try:
            yield
            recorder.assigned = self._assigned()
        finally:
            for kept, before in zip(self.all, self.before, strict=True):
                kept.put(before)

    def _begin(self, recorder):
        self.before = [kept.get() for kept in self.all]
        for kept, before in zip(self.all, self.before, strict=True):
            if before is not MISSING:
                sources = [(partial(kept.input, place), leaf._value) for place, leaf in enumerate(kept.inputs())]
                boxes = iter([recorder.input(source, kept.name, value) for source, value in sources])
                kept.put(map_leaves(partial(_filled, given=boxes), before))
        self.begun = [kept.get() for kept in self.all]

    def _assigned(self):
        found = [(kept, kept.get(), begun) for kept, begun in zip(self.all, self.begun, strict=True)]
        return [Assigned(kept, settled(now)) for kept, now, begun in found if now is not begun and now is not MISSING]


class Assigned:
    """What an attribute holds after a run: `values`, those of the program, and their places in it."""

    def __init__(self, attribute, tree):
        self.attribute = attribute
        self.values = [leaf._value for leaf in leaves(tree) if isinstance(leaf, Tensor)]
        self.form = map_leaves(form, tree)

    def give(self, results):
        """Give the attribute the next of the results of a run."""
        self.attribute.put(map_leaves(lambda leaf: made(leaf, results), self.form))


def _is_kept(owner, name):
    """Whether it is a plain attribute of an object's own."""
    held = getattr(owner, "__dict__", None)
    if not isinstance(held, dict) or isinstance(owner, _NOT_KEPT):
        return False
    return not any(name in held.get(part, ()) for part in ("_params", "_cells", "_buffers"))


def _filled(leaf, given):
    if _varying(leaf) is None:
        return leaf
    return wrap(next(given)) if isinstance(leaf, Tensor) else number(next(given))


def settled(value):
    """What is assigned, constant in derivatives; a parameter's value, too, is a tensor."""
    make = lambda leaf: (number if isinstance(leaf, Number) else wrap)(bare_recorded(leaf._value))
    return map_leaves(lambda leaf: make(leaf) if isinstance(leaf, Tensor) else leaf, value)


def may_assign(cell, name):
    """Whether a cell's attribute is one that the function being recorded may assign."""
    return current.recorder is not None and (id(cell), name) in current.recorder.attributes.known
