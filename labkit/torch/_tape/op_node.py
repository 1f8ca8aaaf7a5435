"""The tape: the nodes of ops, and the edges between them.

An op applied to boxes of the level `TAPE` makes autograd's dispatcher build an `Edge`, "output number `nr` of `node`", the thing
that `next_functions` lists. The node keeps only what its derivative needs (`saved_values`). With `create_graph` the same
derivative rules run on boxes again, so they land on the tape too.
"""

import re
from functools import cache
from typing import Self

import numpy as np
from autograd import tracer
from autograd.core import VJPNode

from ...dialects.provenance import place as here
from ...engine import TAPE, Own, dense, dtype_of, new_box, vjp_of
from ...ops import row_of
from .. import _rules
from .._error_texts import error
from .node import Node, sequence
from .saved_values import Kept, SavedTensor, stand_in, unpacked


class Plan:
    """What the nodes of a primitive have in common where the arguments at `argnums` need a gradient.

    `saved` names what they save, with the position of each among the arguments (None: the result); `kept` is the set of
    these positions (None: everything). `edges`: the positions that have an edge (None: the arguments decide).
    `unsaved` names what they would save if other arguments needed a gradient: PyTorch shows None there.
    """

    __slots__ = ("argnums", "edges", "info", "kept", "kind", "rule", "saved", "unsaved")

    def __init__(self, info, argnums):
        for place in argnums if info.kinds is not None else ():
            _check_place(info, place)
        self.info, self.argnums, self.rule = info, argnums, None
        self.kind = node_class(info.node) if isinstance(info.node, str) else None
        names, saved = info.names, sorted(info.saved(argnums), key=_as_packed)
        self.saved = {name: names.index(name) if name in names else None for name in saved}
        self.unsaved = {name for name, _ in info.saves} - {*saved}
        self.kept = None if "everything" in saved else {i for i, name in enumerate(names) if name in saved}
        self.edges = None if info.kinds is None else tuple(info.places((), argnums))

    def find_rule(self, fun):
        """The derivative's rule, found when it is first needed."""
        self.rule = vjp_of(fun)
        return self.rule


def _check_place(info, place):
    """Raise PyTorch's error where a tensor that needs a gradient is an argument that has none, or stands for a number."""
    tensors, names = len(info.kinds), info.names
    if tensors <= place < len(names):
        words = f"argument '{names[place]}' (position {place + 1}) must be Number, not Tensor"
        raise TypeError(f"{_plain_name(info)}(): {words}")
    if place < tensors and info.kinds[place] == "!":
        raise error("not_differentiable", op=_plain_name(info), argument=names[place])


def _plain_name(info):
    """What PyTorch's errors call an op: `binary_cross_entropy` of BinaryCrossEntropyBackward0."""
    node = info.node.split("Backward")[0] if isinstance(info.node, str) else info.name
    return re.sub(r"(?<!^)([A-Z])", r"_\1", node).lower()


def _as_packed(name):
    """The order in which PyTorch packs what is saved: by name, and the result last."""
    return name == "result", name


PLANS: dict = {}  # by primitive and argnums


@cache
def node_class(name):
    return type(name, (TapeNode,), {"__module__": "builtins"})


class Edge(Own):
    """Output number `nr` of `node`. `dtype` and `shape` are those of that output, and of its gradient."""

    __slots__ = ("__weakref__", "dtype", "node", "nr", "shape")

    def __init__(self, value, fun, args, kwargs, argnums, parents):
        plan = PLANS.get((fun, argnums))
        if plan is None:
            plan = PLANS[fun, argnums] = Plan(row_of(fun), argnums)
        kind = plan.kind or node_class(plan.info.node(args, kwargs))
        self.node, self.nr = kind(plan, value, fun, args, kwargs, parents), 0
        plain = type(value) is np.ndarray
        self.dtype, self.shape = (value.dtype, value.shape) if plain else (dtype_of(value), np.shape(value))

    @classmethod
    def of(cls, node, nr, dtype, shape) -> Self:
        edge = cls.__new__(cls)
        edge.node, edge.nr, edge.dtype, edge.shape = node, nr, dtype, shape
        return edge

    @property
    def key(self):
        return self.node, self.nr


UNTRACED = tracer.notrace_primitives[Edge] = tracer.notrace_primitives[VJPNode]  # what has no derivative


class TapeNode(Kept):
    """The node of one op: its derivative, and what is saved for it as `grad_fn._saved_self` shows it."""

    def __init__(self, plan, value, fun, args, kwargs, parents):
        self.sequence, self.where = next(sequence), here(4)
        self.plan, self.fun, self.kwargs, self.parents, self.edges = plan, fun, kwargs, parents, parents
        places = plan.edges
        if places is None:
            places = tuple(plan.info.places(args, plan.argnums))
        if places != plan.argnums:
            by_argnum = dict(zip(plan.argnums, parents, strict=True))
            self.edges = tuple([by_argnum.get(i) for i in places])
        self.keep(args, value)

    def pull(self, gradients, wanted, create, result=None):
        """One gradient per edge in `parents` for which `wanted` holds, None elsewhere. `result`: the edge of what the
        op made, where that is not this node."""
        if self.released or self.versions:
            self.check()
        argnums, args, value = self.plan.argnums, self.args, self.value
        if self.packed:
            args, value = self.with_unpacked()
        if create:
            boxed = list(args)
            for place, parent in zip(argnums, self.parents, strict=True):
                boxed[place] = new_box(args[place], TAPE, parent)
            args, value = tuple(boxed), new_box(value, TAPE, result or self._end())
        rule = self.plan.rule or self.plan.find_rule(self.fun)
        if all(wanted):
            return list(rule(argnums, value, args, self.kwargs)(gradients[0]))
        places = tuple([i for i, w in zip(argnums, wanted, strict=True) if w])
        pulled = iter(rule(places, value, args, self.kwargs)(gradients[0]))
        return [next(pulled) if w else None for w in wanted]

    def _end(self):
        return Edge.of(self, 0, dtype_of(self.value), np.shape(self.value))

    def __getattr__(self, attribute):
        raw = attribute.removeprefix("_raw_saved_")
        if raw != attribute and (raw in self.plan.saved or raw in self.plan.unsaved):
            return SavedTensor(self, raw)
        if not attribute.startswith("_saved_"):
            raise AttributeError(f"'{self.name()}' object has no attribute '{attribute}'")
        return self._of_saved(attribute.removeprefix("_saved_"), attribute)

    def __dir__(self):
        given = self.info.names[len(self.info.kinds or ()) : len(self.args or ())]
        named = dict.fromkeys((*self.plan.saved, *sorted(self.plan.unsaved), *given))
        return [*super().__dir__(), *(f"_saved_{name}" for name in named if name != "everything")]

    def _of_saved(self, name, attribute):
        names = self.info.names
        if name in self.plan.saved:
            self.check()
            kept = None if name == "result" else self.versions.get(name, (lambda: None,))[0]()
            return self._unpacked(name) if kept is None else kept
        if name in self.plan.unsaved:
            return None
        if name in names[len(self.info.kinds or ()) :] and self.args is not None:
            return next(iter(self.args[names.index(name) :]), None)
        if name in self.kwargs:
            return self.kwargs[name]
        raise AttributeError(f"'{self.name()}' object has no attribute '{attribute}'")

    def _unpacked(self, name):
        """What was saved, as a new tensor at its old place on the tape."""
        place = None if name == "result" else self.info.names.index(name)
        value = self.value if place is None else self.args[place]
        if name in self.packed:
            value = unpacked(self.packed[name])._array
        if isinstance(value, (tuple, list)):
            return value
        edge = self._end() if place is None else dict(zip(self.argnums, self.parents)).get(place)
        return self.tensor_of(np.asarray(value))._placed_at(edge)


class CopySlices(Node):
    """The node of a tensor after an op changed, in place, the part of it that `look` shows.

    `fn` is that op's node, no longer reached otherwise: the gradient of the part goes through it, and what it sends to
    the part as it was before takes the part's place; the rest of the gradient passes.
    """

    def __init__(self, base, before, fn, look):
        super().__init__()
        self.base, self.fn, self.look = base._gradient_edge(), fn, look
        self.like, self.releases, self.asides = stand_in(base._data), fn.releases, fn.asides
        reached = [e for e in fn.edges if e is not None]
        self.place = next((i for i, e in enumerate(reached) if before is not None and e.key == before.key), None)
        own = fn.edges.index(reached[self.place]) if self.place is not None else 0 if fn.edges[:1] == (None,) else None
        self.edges = (self.base, *(e for i, e in enumerate(fn.edges) if i != own))

    def name(self):
        return "torch::autograd::CopySlices"

    def pull(self, gradients, wanted, create):
        (g,), asked = gradients, list(wanted[self.base is not None :])
        if self.place is not None:
            asked.insert(self.place, wanted[0])
        sent = list(self.fn.pull([_rules.viewed(g, self.look)], asked, create, self._part() if create else None))
        part = dense(sent.pop(self.place)) if self.place is not None else None
        rest = [] if self.base is None else [_rules.copy_slices(g, 0 if part is None else part, self.look)]
        return rest + sent

    def _part(self):
        """The edge of the part as it is now: a look at this node's output."""
        whole = new_box(self.like, TAPE, Edge.of(self, 0, self.like.dtype, self.like.shape))
        return _rules.viewed(whole, self.look)._node

    def release(self):
        self.fn.release()


CopySlices.__module__ = "builtins"
