"""One run of a function of tensors and its backward pass, from which all derivatives are made; and hooks."""

from contextlib import nullcontext
from itertools import count
from typing import Any

import numpy as np

from ...dialects.class_paths import Placed
from ...dialects.packed_arrays import forms, pack, unpack
from ...engine import custom_vjp, isbox, leaves, map_leaves, vjp, watch
from ..common.parameter import Parameter, bound
from ..common.tensor import Tensor, hooked, under_hooks, wrap
from ..context import in_graph_mode

_numbers = count()


class _Asked:
    """Whether some cell has had a backward hook: a hook gets the gradient of every input, asked for or not."""

    backward = False


asked = _Asked()


class HookHandle(metaclass=Placed):
    """What the `register_..._hook` methods of a cell return: `remove()` ends the hook."""

    _shown = "mindspore.common.hook_handle.HookHandle"

    def __init__(self, hooks=None):
        self._hooks, self.handle_id = hooks, next(_numbers)

    def remove(self) -> None:
        """From now on the cell runs without this hook. Again, it does nothing."""
        if self._hooks is not None:
            self._hooks.pop(self.handle_id, None)


def hooked_together(args, hook) -> tuple:
    """`args` unchanged, but the gradients of the tensors among them go through `hook`, together.

    `hook` gets a tuple with the gradient of each tensor, None for one that has none; the gradients in the tuple that it
    returns take their places.
    """
    places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
    boxed = [i for i in places if isbox(args[i]._value)]
    if not boxed:
        return tuple(args)
    values = [args[i]._value for i in boxed]
    arrived: set[int] = set()
    shapes = forms(values)

    def changed(packed):
        parts = [packed._value] if len(boxed) == 1 else unpack(packed._value, shapes)
        came = {i: wrap(p) for i, p in zip(boxed, parts, strict=True) if i in arrived or len(boxed) == 1}
        arrived.clear()
        answers = dict(zip(places, hook(tuple(came.get(i) for i in places)), strict=True))
        given = [part if answers[i] is None else answers[i]._value for i, part in zip(boxed, parts, strict=True)]
        return wrap(given[0] if len(boxed) == 1 else pack(given))

    if len(boxed) == 1:
        return _replaced(args, boxed, [hooked(values[0], changed)])
    parts = unpack(hooked(pack(values), changed), shapes)
    return _replaced(args, boxed, [marked(p, i, arrived) for i, p in zip(boxed, parts, strict=True)])


def marked(value, place, arrived):
    """`value` unchanged; `place` is among the `arrived` as soon as a gradient comes back to it."""

    def rule(ans, g, x):
        arrived.add(place)
        return (g,)

    return custom_vjp(lambda x: x, rule, made_of_ops=True, any_shape=True)(value)


def _replaced(args, places, values):
    found = list(args)
    for place, value in zip(places, values, strict=True):
        found[place] = wrap(value)
    return tuple(found)


def tensors_in(tree):
    """The tensors in nested tuples, lists and dicts, in order."""
    return [leaf for leaf in leaves(tree) if isinstance(leaf, Tensor)]


def lowered(tree, level):
    """The same structure with the boxes of `level` taken off its tensors."""

    def plain(leaf):
        value: Any = leaf._value if isinstance(leaf, Tensor) and not isinstance(leaf, Parameter) else None
        return wrap(value._value) if isbox(value) and value._trace == level else leaf

    return map_leaves(plain, tree)


class Run:
    """One forward pass of `fn` under boxes, of which the reverse pass can be asked for more than once.

    `places` are the positions differentiated, `weights` the parameters, and `head` picks what to differentiate out of
    the output. Afterwards `output` is what `fn` returned, and `ends` the tensors that `pull` takes cotangents for.
    """

    def __init__(self, fn, args, places, weights, head=None):
        watch.asks(fn, args)
        self.args = separated(args) if in_graph_mode() else args
        self.places, self.weights = places, weights
        sources = {id(t): t for p in places for t in _inputs_in(self.args[p])} | {id(w): w for w in weights}
        if places and asked.backward:
            sources |= {id(t): t for t in self.args if _differentiable(t)}
        self._index = {key: i for i, key in enumerate(sources)}

        def run(*boxes):
            self.level = boxes[0]._trace if boxes else None
            return self._forward(fn, sources, boxes, head)

        _, self._pull = vjp(run, *[t._value for t in sources.values()])
        self.output = lowered(self.raw, self.level)

    def _forward(self, fn, sources, boxes, head):
        of = dict(zip(sources, boxes, strict=True))
        parameters = [t for t in sources.values() if isinstance(t, Parameter)]
        args = [_with_boxes(a, of) for a in self.args]
        with bound(parameters, [p.under_hooks(of[id(p)]) for p in parameters]) if parameters else nullcontext():
            self.raw = fn(*args)
            if isinstance(self.raw, tuple) and not self.raw:
                raise RuntimeError("Get empty value seq\n")
            self.ends = tensors_in(self.raw if head is None else head(self.raw))
            return [t._value for t in self.ends]  # here, where a weight that is returned as it is has its box

    def pull(self, sens=None):
        """`([(place, gradient) ...], [gradient of each weight])`."""
        found = self._pull(None if sens is None else [s._value for s in tensors_in(sens)])
        by_place = [(p, self._of_input(self.args[p], found)) for p in self.places if _inputs_in(self.args[p])]
        return by_place, [self._of_weight(w, found) for w in self.weights]

    def _of_input(self, argument, found):
        if isinstance(argument, Tensor):
            return wrap(found[self._index[id(argument)]])
        parts = [self._of_input(part, found) for part in argument]
        return parts if isinstance(argument, list) else tuple(parts)

    def _of_weight(self, weight, found):
        if isinstance(weight, Parameter) and not weight.requires_grad and not in_graph_mode():
            return wrap(np.zeros(weight.shape, weight._value.dtype))
        return wrap(found[self._index[id(weight)]])


class Mutable:
    """What `mutable` makes of its data: in graph mode, the tensors of a tuple or list are inputs of their own."""


_mutable = lambda base: type(
    f"_{base.__name__.capitalize()}", (Mutable, base), {"__module__": "mindspore.graph.mutable"}
)
MUTABLE = {base: _mutable(base) for base in (tuple, list, dict, int, float)}


def _is_mutable(argument):
    return isinstance(argument, Mutable) and isinstance(argument, (tuple, list))


def _inputs_in(argument):
    """The tensors of an argument that get a gradient."""
    if isinstance(argument, Tensor):
        return [argument]
    return tensors_in(argument) if _is_mutable(argument) and in_graph_mode() else []


def _differentiable(argument):
    plain = isinstance(argument, Tensor) and not isinstance(argument, Parameter)
    return plain and argument._value.dtype.kind not in "biu"


def separated(args):
    """The arguments, a new tensor for one that is passed again. (Otherwise each of its places gets the total.)"""
    again = [isinstance(a, Tensor) and any(a is b for b in args[:i]) for i, a in enumerate(args)]
    return [wrap(a._value) if twice else a for a, twice in zip(args, again, strict=True)]


def _with_boxes(argument, of):
    if _is_mutable(argument):
        return type(argument)(_with_boxes(part, of) for part in argument)
    box = of.get(id(argument))
    return argument if box is None or isinstance(argument, Parameter) else wrap(under_hooks(box, argument))
