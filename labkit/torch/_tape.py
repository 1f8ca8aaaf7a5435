"""The tape: nodes, what they save, and the walk back.

An op applied to boxes of level 0 makes autograd's dispatcher build an `Edge`, "output number `nr` of `node`", the thing
that `next_functions` lists. The node keeps only what its derivative needs; once it has run, that is let go, unless the
graph is retained. With `create_graph` the same derivative rules run on boxes again, so they land on the tape too.
"""

import re
import weakref
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import count
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from autograd import tracer
from autograd.core import VJPNode

from ..engine import Own, dense, dtype_of, new_box, vjp_of
from ..layout import Placed
from ..ops import op_of_node, row_of
from ..trails import place as here
from . import _modes, _rules, _trail
from ._saved import SavedTensor, packed, unpacked

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)
INFERENCE = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)
KEEP_BELOW = 64  # elements: smaller arrays are not worth a stand-in
KEEP_CONSTANT = (
    4096  # elements: of a constant that a node which has run may hold, so that its values can be computed again
)

NONE: Any = MappingProxyType({})
_IN_AUTOGRAD = ("CopyBackwards", "CopySlices", "NotImplemented")
_sequence = count()


class Plan:
    """What the nodes of a primitive have in common where the arguments at `argnums` need a gradient.

    `saved` names what they save, with the position of each among the arguments (None: the result); `kept` is the set of
    these positions (None: everything). `edges`: the positions that have an edge (None: the arguments decide).
    `unsaved` names what they would save if other arguments needed a gradient: PyTorch shows None there.
    """

    __slots__ = ("argnums", "edges", "info", "kept", "kind", "saved", "unsaved")

    def __init__(self, info, argnums):
        self.info, self.argnums = info, argnums
        self.kind = node_class(info.node) if isinstance(info.node, str) else None
        names, saved = info.names, sorted(info.saved(argnums), key=_as_packed)
        self.saved = {name: names.index(name) if name in names else None for name in saved}
        self.unsaved = {name for name, _ in info.saves} - {*saved}
        self.kept = None if "everything" in saved else {i for i, name in enumerate(names) if name in saved}
        self.edges = None if info.kinds is None else tuple(info.places((), argnums))


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


class Node(metaclass=Placed):
    """A node of the backward graph, as `tensor.grad_fn` shows it."""

    outputs = 1
    shown_nr = 0  # which of its siblings this output is, where an op with several outputs has a node for each
    releases = False  # whether running it frees saved values
    released = False
    tensor_of: Any = None  # makes a tensor of a value; tensors, which stand on the tape, put it here
    tensor_hooks = retained = hooks = prehooks = _metadata = NONE  # until there are any: see `own`
    where: Any = None  # in the user's code
    asides: tuple = ()  # notes of what went in and is off the tape
    trail: Any = None  # the note of what it made, once somebody needed it

    def __init__(self):
        self.sequence: float = next(_sequence)
        self.where = here()

    def op_name(self):
        """The plain name of the op, such as `sum`."""
        return op_of_node(type(self).__name__)

    def __engine_behind__(self):
        """The nodes behind this one and itself: leaves first, as they are met from here, then each op after what feeds it."""
        seen, stack = {self: None}, [self]
        while stack:
            found = [e.node for e in stack.pop().edges if e is not None and e.node not in seen]
            seen.update(dict.fromkeys(found))
            stack += reversed(found)
        leaves = [n for n in seen if not n.edges]
        return leaves + sorted((n for n in seen if n.edges), key=lambda n: n.sequence)

    def own(self, table):
        """The node's own table of this name, made when it is first needed."""
        return self.__dict__.setdefault(table, {})

    def name(self):
        """The node's name, such as `AddBackward0`."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in _IN_AUTOGRAD else name

    @property
    def metadata(self):
        return self.own("_metadata")

    edges: tuple = ()
    pull: Callable[..., list]  # the gradients to send along the edges, given those that arrived

    @property
    def next_functions(self):
        """The nodes that this one sends gradients to: a tuple of `(node, output number)`, `(None, 0)` for a constant."""
        return tuple(
            (None, 0) if e is None or isinstance(e.node, Nowhere) else (e.node, e.nr or e.node.shown_nr)
            for e in self.edges
        )

    def __call__(self, *gradients):
        """What this node alone sends back for these gradients: a tensor, or a tuple with None for each constant."""
        if len(gradients) != self.outputs:
            raise TypeError(f"expected {self.outputs} arguments, got {len(gradients)} instead")
        edges, create = self.edges, _modes.grad_enabled()
        values = [g._value if create else g._array for g in gradients]
        sent = iter(self.pull(values, [True for e in edges if e is not None], create))
        found = tuple(None if e is None else self.tensor_of(next(sent)) for e in edges)
        return found[0] if len(found) == 1 else found

    def register_hook(self, hook):
        """Call `hook(grad_inputs, grad_outputs)` whenever this node has run; what it returns replaces `grad_inputs`."""
        return Handle(self.own("hooks"), hook)

    def register_prehook(self, hook):
        """Call `hook(grad_outputs)` before this node runs; what it returns replaces `grad_outputs`."""
        return Handle(self.own("prehooks"), hook)


class Handle(metaclass=Placed):
    """What a `register_...` call returns: `remove()` takes the hook off again; usable under `with`."""

    _shown = "torch.utils.hooks.RemovableHandle"
    _ids = count()

    def __init__(self, hooks, hook):
        self.id, self._hooks = next(self._ids), hooks
        hooks[self.id] = hook

    def remove(self):
        self._hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


class TapeNode(Node):
    """The node of one op. It keeps the op, and of its arguments and result what the derivative needs."""

    versions = packed = apart = NONE
    args: Any  # a tuple; None once they are let go
    let_go: tuple = ()  # what they were, as long as somebody else holds it

    def __init__(self, plan, value, fun, args, kwargs, parents):
        self.sequence, self.where = next(_sequence), here(4)
        self.plan, self.fun, self.kwargs, self.parents, self.edges = plan, fun, kwargs, parents, parents
        places = plan.edges
        if places is None:
            places = tuple(plan.info.places(args, plan.argnums))
        if places != plan.argnums:
            by_argnum = dict(zip(plan.argnums, parents, strict=True))
            self.edges = tuple([by_argnum.get(i) for i in places])
        kept, self.args, self.value = plan.kept, tuple(args), value
        if kept is not None:
            self.args = tuple([
                a if type(a) is not np.ndarray or a.size <= KEEP_BELOW or i in kept else self._without(i, a)
                for i, a in enumerate(args)
            ])  # fmt: skip
            self.value = value if "result" in plan.saved else stand_in(value)

    info = property(lambda self: self.plan.info)
    argnums = property(lambda self: self.plan.argnums)
    releases = property(lambda self: bool(self.plan.saved))

    def _without(self, place, array):
        """A stand-in for an argument; where it is a constant, one knows where it was."""
        if place not in self.plan.argnums:
            self.own("apart")[place] = weakref.ref(array)
        return stand_in(array)

    def known(self):
        """The arguments and the result, as far as they are still there; None for each that is not."""
        if self.args is None:
            return [_still(a) for a in self.let_go], None
        args = [self.apart[i]() if i in self.apart else a for i, a in enumerate(self.args)]
        return args, self.value if "result" in self.plan.saved else None

    def watch(self, tensors, result):
        """Remember the versions of the saved tensors, to notice an in-place change before the walk back.

        A saved result is from now on the array that its tensor holds (an op may answer with a NumPy scalar).
        """
        if type(self.value) is not np.ndarray and self.value is not None and np.ndim(self.value) == 0:
            self.value = result._data
        for name, place in self.plan.saved.items() if tensors else ():
            tensor: Any = result if name == "result" else tensors[place] if place is not None else None
            counter = getattr(tensor, "_version_counter", None)
            if counter is None:
                continue
            if tensor._inference:
                raise RuntimeError(INFERENCE)
            if _modes.state.saving is not None:
                self.pack(name, tensor, _modes.state.saving)
            else:
                self.own("versions")[name] = (weakref.ref(tensor), counter, counter.number)

    def pack(self, name, tensor, hooks):
        """Keep, in place of a saved tensor, what the first of two hooks makes of it; the second makes it a tensor again."""
        self.own("packed")[name] = packed(tensor, hooks)
        place = self.plan.saved[name]
        if place is None:
            self.value = stand_in(self.value)
        else:
            self.args = (*self.args[:place], stand_in(self.args[place]), *self.args[place + 1 :])

    def _with_unpacked(self):
        """The arguments and the result, what was packed among them unpacked."""
        args, value = list(self.args), self.value
        for name, kept in self.packed.items():
            place, array = self.plan.saved[name], unpacked(kept)._array
            if place is None:
                value = array
            else:
                args[place] = array
        return tuple(args), value

    def keep_original(self, name="self"):
        """Save the present content of the argument `name` apart, for its memory is about to be overwritten."""
        if name in self.versions:
            del self.versions[name]
            place = self.info.names.index(name)
            self.args = (*self.args[:place], np.array(self.args[place]), *self.args[place + 1 :])

    def now_in(self, tensor):
        """The result was written into `tensor`: it is there that a later change would spoil what was saved."""
        if "result" in self.versions:
            counter = tensor._version_counter
            self.versions["result"] = (weakref.ref(tensor), counter, counter.number)

    def pull(self, gradients, wanted, create, result=None):
        """One gradient per edge in `parents` for which `wanted` holds, None elsewhere. `result`: the edge of what the
        op made, where that is not this node."""
        if self.released or self.versions:
            self.check()
        argnums, args, value = self.plan.argnums, self.args, self.value
        if self.packed:
            args, value = self._with_unpacked()
        if create:
            boxed = list(args)
            for place, parent in zip(argnums, self.parents, strict=True):
                boxed[place] = new_box(args[place], 0, parent)
            args, value = tuple(boxed), new_box(value, 0, result or self._end())
        rule = vjp_of(self.fun)
        if all(wanted):
            return list(rule(argnums, value, args, self.kwargs)(gradients[0]))
        places = tuple([i for i, w in zip(argnums, wanted, strict=True) if w])
        pulled = iter(rule(places, value, args, self.kwargs)(gradients[0]))
        return [next(pulled) if w else None for w in wanted]

    def _end(self):
        return Edge.of(self, 0, dtype_of(self.value), np.shape(self.value))

    def check(self):
        if self.released and self.plan.saved:
            raise RuntimeError(FREED)
        for name, (ref, counter, number) in self.versions.items():
            if counter.number != number:
                raise RuntimeError(modified(ref(), counter, number, self if name == "result" else None))

    def release(self):
        self.released = True
        if self.plan.saved and self.args is not None:
            constant = [KEEP_CONSTANT if i not in self.plan.argnums else 1 for i in range(len(self.args))]
            self.let_go = tuple([_loosely(a, size) for a, size in zip(self.args, constant, strict=True)])
            self.args = self.value = None
            self.__dict__.pop("versions", None)
            self.__dict__.pop("packed", None)

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


def _loosely(argument, size=1):
    """An argument that is let go: no array, or one of at most this `size`, stays; of any other one knows where it was."""
    if type(argument) is np.ndarray:
        return argument if argument.size <= size else weakref.ref(argument)
    if isinstance(argument, (tuple, list)):
        return tuple(map(_loosely, argument)) if any(hasattr(a, "dtype") for a in argument) else argument
    return argument if argument is None or isinstance(argument, (bool, int, float, str, slice, np.generic)) else _GONE


_GONE: Any = weakref.ref(set())  # nobody holds it


def _still(thing):
    if isinstance(thing, tuple):
        return tuple(map(_still, thing))
    return thing() if type(thing) is weakref.ref else thing


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
        whole = new_box(self.like, 0, Edge.of(self, 0, self.like.dtype, self.like.shape))
        return _rules.viewed(whole, self.look)._node

    def release(self):
        self.fn.release()


def stand_in(value):
    """An array of the same shape and dtype that holds no memory; anything else as it is."""
    if not isinstance(value, np.ndarray) or value.size <= KEEP_BELOW:
        return value
    return _zeros(value.shape, value.dtype)


@lru_cache(1024)
def _zeros(shape, dtype):
    return np.broadcast_to(np.zeros((), dtype), shape)


def short_name(node):
    """The name of a node as error messages give it: `Exp` for `ExpBackward0`, `Max1` for `MaxBackward1`."""
    return re.sub(r"Backward0?(?=\d*$)", "", node.name())


def modified(tensor, counter, number, maker=None):
    """The message for a saved tensor that was changed; `maker` is the node that made it, if not its present one."""
    where = ""
    if tensor is not None:
        where = f"[torch.{tensor.dtype.legacy}Tensor {list(tensor.shape)}] "
        maker = maker or tensor.grad_fn
        if maker is not None:
            where = f"{where.rstrip()}, which is output {tensor.output_nr} of {short_name(maker)}, "
    hint = (
        "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"{where}is at version {counter.number}; expected version {number} instead. {hint}"
    )


class Nowhere(Node):
    """Where gradients end that nobody asked for: those of views made without recording of tensors that want one."""

    def pull(self, gradients, wanted, create):
        return []

    def release(self):
        pass


class AccumulateGrad(Node):
    """The end of the walk at a leaf: adds what arrives to `variable.grad`."""

    def __init__(self, variable):
        super().__init__()
        self.variable, self.sequence = variable, float("inf")
        self.trail = _trail.of_leaf(variable)

    @property
    def tensor_hooks(self):
        hooks = vars(self.variable).get("_hook_table")
        return {0: hooks} if hooks else NONE

    def name(self):
        return "torch::autograd::AccumulateGrad"

    def pull(self, gradients, wanted, create):
        self.variable._accumulate(gradients[0], create)
        return []

    def release(self):
        pass


AccumulateGrad.__module__ = CopySlices.__module__ = "builtins"
