"""The tape: nodes, what they save, and the walk back.

An op applied to boxes of level 0 makes autograd's dispatcher build an `Edge`, "output number `nr` of `node`", the thing
that `next_functions` lists. The node keeps only what its derivative needs; once it has run, that is let go, unless the
graph is retained. With `create_graph` the same derivative rules run on boxes again, so they land on the tape too.
"""

import heapq
import re
import weakref
from collections import OrderedDict
from functools import lru_cache
from itertools import count

import autograd.numpy as anp
import numpy as np
from autograd import tracer
from autograd.core import VJPNode, primitive_vjps

from ..engine.record import dtype_of, getval, match_dtype, new_box
from ..engine.reverse import dense
from . import _modes

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)
INFERENCE = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation "
    "tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or "
    "use `torch.no_grad()` instead of `torch.inference_mode()`."
)
KEEP_BELOW = 64  # elements: smaller arrays are not worth a stand-in

_sequence = count()


class Info:
    """What the tape knows of a primitive: the node's name, its arguments' names, and which of them it saves.

    `tensors` and `others` name the arguments in order; the node has an edge for each of `tensors`, but not for
    "-name", and for "?name" only where it needs a gradient; "*": one for every array. `saves` is a text such as
    `"result other<self"`: the result always, `other` where `self` needs a gradient.
    """

    def __init__(self, name, tensors="self", others="", saves=""):
        self.name, self.names = name, [n.lstrip("-?") for n in tensors.split()] + others.split()
        self.kinds = None if tensors == "*" else [n[0] for n in tensors.split()]
        self.saves = [s.partition("<")[::2] for s in saves.split()]

    def saved(self, argnums):
        """The names saved where the arguments at `argnums` need a gradient."""
        needing = {self.names[i] for i in argnums if i < len(self.names)}
        return [what for what, whose in self.saves if not whose or whose in needing]

    def places(self, args, argnums):
        """The positions of the arguments that the node has an edge for, constants included."""
        if self.kinds is None:
            return [i for i, a in enumerate(args) if i in argnums or isinstance(a, np.ndarray)]
        return [i for i, kind in enumerate(self.kinds) if i in argnums or kind not in "-?"]


INFO = {}


def declare(fun, name, tensors="self", others="", saves=""):
    """Enter a primitive in the tape's table; returns it."""
    INFO[fun] = Info(name, tensors, others, saves)
    return fun


def _info(fun):
    found = INFO.get(fun)
    if found is None:
        words = re.split(r"[_ ]+", getattr(fun, "__name__", "op").strip("_"))
        found = INFO[fun] = Info("".join(w.capitalize() for w in words) + "Backward0", "*", saves="everything")
    return found


@lru_cache(maxsize=None)
def node_class(name):
    return type(name, (TapeNode,), {"__module__": "builtins"})


class Edge:
    """Output number `nr` of `node`. `dtype` and `shape` are those of that output, and of its gradient."""

    __slots__ = ("node", "nr", "dtype", "shape", "__weakref__")

    def __init__(self, value, fun, args, kwargs, argnums, parents):
        info = _info(fun)
        name = info.name if isinstance(info.name, str) else info.name(args, kwargs)
        self.node, self.nr = node_class(name)(info, value, fun, args, kwargs, argnums, parents), 0
        self.dtype, self.shape = dtype_of(value), np.shape(value)

    @classmethod
    def of(cls, node, nr, dtype, shape):
        edge = cls.__new__(cls)
        edge.node, edge.nr, edge.dtype, edge.shape = node, nr, dtype, shape
        return edge

    @property
    def key(self):
        return self.node, self.nr


tracer.notrace_primitives[Edge] = tracer.notrace_primitives[VJPNode]


class Node:
    """A node of the backward graph, as `tensor.grad_fn` shows it."""

    outputs = 1
    releases = False  # whether running it frees saved values

    def __init__(self):
        self.sequence, self.released = next(_sequence), False
        self.tensor_hooks, self.retained = {}, {}
        self.hooks, self.prehooks = OrderedDict(), OrderedDict()
        self._metadata = {}

    def name(self):
        """The node's name, such as `AddBackward0`."""
        return type(self).__name__

    @property
    def metadata(self):
        return self._metadata

    @property
    def edges(self):
        return ()

    @property
    def next_functions(self):
        """The nodes that this one sends gradients to: a tuple of `(node, output number)`, `(None, 0)` for a constant."""
        return tuple((None, 0) if e is None else (e.node, e.nr) for e in self.edges)

    def register_hook(self, hook):
        """Call `hook(grad_inputs, grad_outputs)` whenever this node has run; what it returns replaces `grad_inputs`."""
        return Handle(self.hooks, hook)

    def register_prehook(self, hook):
        """Call `hook(grad_outputs)` before this node runs; what it returns replaces `grad_outputs`."""
        return Handle(self.prehooks, hook)


class Handle:
    """What a `register_...` call returns: `remove()` takes the hook off again; usable under `with`."""

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

    def __init__(self, info, value, fun, args, kwargs, argnums, parents):
        super().__init__()
        self.info, self.fun, self.kwargs, self.argnums, self.parents = info, fun, kwargs, argnums, parents
        self.versions, self.places = {}, info.places(args, argnums)
        names = info.saved(argnums)
        self.releases = bool(names)
        if "everything" in names:
            self.args, self.value = args, value
            return
        self.args = tuple(
            a if i < len(info.names) and info.names[i] in names else stand_in(a) for i, a in enumerate(args)
        )
        self.value = value if "result" in names else stand_in(value)

    @property
    def edges(self):
        by_argnum = dict(zip(self.argnums, self.parents, strict=True))
        return tuple(by_argnum.get(i) for i in self.places)

    def watch(self, tensors, result):
        """Remember the versions of the saved tensors, to notice an in-place change before the walk back."""
        if not self.releases or not tensors:
            return
        for name in self.info.saved(self.argnums):
            place = self.info.names.index(name) if name in self.info.names else None
            tensor = result if name == "result" else tensors[place] if place is not None else None
            if not hasattr(tensor, "_version_counter"):
                continue
            if tensor.is_inference():
                raise RuntimeError(INFERENCE)
            counter = tensor._version_counter
            self.versions[name] = (weakref.ref(tensor), counter, counter.number)

    def settle(self, array):
        """The result as the array that its tensor holds (an op may answer with a NumPy scalar)."""
        if self.releases and self.value is not None and np.ndim(self.value) == 0:
            self.value = array

    def pull(self, gradients, wanted, create):
        """One gradient per edge in `parents` for which `wanted` holds, None elsewhere."""
        self.check()
        args, value = self.args, self.value
        if create:
            args = list(args)
            for place, parent in zip(self.argnums, self.parents, strict=True):
                args[place] = new_box(args[place], 0, parent)
            args, value = tuple(args), new_box(value, 0, Edge.of(self, 0, dtype_of(value), np.shape(value)))
        places = tuple(i for i, w in zip(self.argnums, wanted, strict=True) if w)
        pulled = iter(primitive_vjps[self.fun](places, value, args, self.kwargs)(gradients[0]))
        return [next(pulled) if w else None for w in wanted]

    def check(self):
        if self.released and self.releases:
            raise RuntimeError(FREED)
        for ref, counter, number in self.versions.values():
            if counter.number != number:
                raise RuntimeError(_modified(ref(), counter, number, self))

    def release(self):
        self.released = True
        if self.releases:
            self.args = self.value = None
            self.versions = {}

    def __getattr__(self, attribute):
        if not attribute.startswith("_saved_"):
            raise AttributeError(f"'{self.name()}' object has no attribute '{attribute}'")
        return self._saved(attribute.removeprefix("_saved_"), attribute)

    def _saved(self, name, attribute):
        names = self.info.names
        if name in self.info.saved(self.argnums):
            self.check()
            kept = self.versions.get(name, (lambda: None,))[0]()
            if kept is not None:
                return kept
            from ._tensor import Tensor

            value = self.value if name == "result" else self.args[names.index(name)]
            return Tensor._of(np.asarray(value)) if not isinstance(value, (tuple, list)) else value
        if name in names[len(self.info.kinds or ()) :] and self.args is not None:
            return self.args[names.index(name)]
        if name in self.kwargs:
            return self.kwargs[name]
        raise AttributeError(f"'{self.name()}' object has no attribute '{attribute}'")


def stand_in(value):
    """An array of the same shape and dtype that holds no memory; anything else as it is."""
    if not isinstance(value, np.ndarray) or value.size <= KEEP_BELOW:
        return value
    return np.broadcast_to(np.zeros((), value.dtype), value.shape)


def _modified(tensor, counter, number, node):
    where = ""
    if tensor is not None:
        kind = f"torch.{tensor.dtype.legacy}Tensor"
        where = f"[{kind} {list(tensor.shape)}], "
        if tensor.grad_fn is not None:
            name = re.sub(r"Backward\d*$", "", tensor.grad_fn.name())
            where += f"which is output {tensor._edge.nr} of {name}, "
        where = where if tensor.grad_fn is not None else where.rstrip(", ") + " "
    hint = (
        "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"{where}is at version {counter.number}; expected version {number} instead. {hint}"
    )


class AccumulateGrad(Node):
    """The end of the walk at a leaf: adds what arrives to `variable.grad`."""

    def __init__(self, variable):
        super().__init__()
        self.variable, self.sequence = variable, float("inf")
        self.tensor_hooks = {0: variable._hooks}

    def name(self):
        return "torch::autograd::AccumulateGrad"

    def pull(self, gradients, wanted, create):
        from ._tensor import accumulate_grad

        accumulate_grad(self.variable, gradients[0], create)
        for hook in list(self.variable._accumulate_hooks.values()):
            hook(self.variable)
        return []

    def release(self):
        pass


AccumulateGrad.__module__ = "builtins"


def add(total, g):
    return g if total is None else anp.add(total, g)


class Walk:
    """One walk back from `roots`, `(edge, gradient value)` pairs.

    `inputs`: edges whose gradients are wanted; only nodes on the way to them run. None: walk to every leaf.
    `capture`: return the gradients of `inputs` rather than accumulate them in `.grad`.
    """

    def __init__(self, roots, inputs=None, keep=False, create=False, capture=False):
        self.keep, self.create = keep, create
        self.captured = {e.key: None for e in inputs} if capture else {}
        self.buffers, self.waiting = {}, {}
        self.needed = None if inputs is None else self._leading_to({e.node for e in inputs}, roots, capture)
        self._count([e.node for e, _ in roots])
        for edge, g in roots:
            self._send(edge, g)

    def _leading_to(self, targets, roots, capture):
        """Nodes to run: those with a target ahead (and, where gradients are accumulated, the leaves themselves)."""
        leading, order, seen = set(), [], set()
        stack = [(e.node, False) for e, _ in roots]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((e.node, False) for e in node.edges if e is not None and e.node not in seen)
        for node in order:
            ahead = any(e is not None and (e.node in leading or e.node in targets) for e in node.edges)
            if ahead or (not capture and node in targets):
                leading.add(node)
        return leading

    def _runs(self, node):
        return self.needed is None or node in self.needed

    def _wanted(self, edge):
        return edge is not None and (self._runs(edge.node) or edge.key in self.captured)

    def _count(self, nodes):
        """How many gradients each node waits for."""
        seen, stack = set(nodes), list(dict.fromkeys(nodes))
        while stack:
            node = stack.pop()
            if not self._runs(node):
                continue
            for edge in node.edges:
                if edge is not None:
                    self.waiting[edge.node] = self.waiting.get(edge.node, 0) + 1
                    if edge.node not in seen:
                        seen.add(edge.node)
                        stack.append(edge.node)
        self.heap, self.ties = [], count()
        for node in seen:
            if not self.waiting.get(node):
                self._push(node)

    def _push(self, node):
        heapq.heappush(self.heap, (-node.sequence, next(self.ties), node))

    def _send(self, edge, g):
        slots = self.buffers.setdefault(edge.node, [None] * edge.node.outputs)
        if g is not None:
            slots[edge.nr] = add(slots[edge.nr], g)

    def run(self):
        """Run the nodes, newest first, each after all that feed it. Returns `{edge key: gradient}` of the captured."""
        mode = _modes.set_grad_enabled(self.create)
        with mode, np.errstate(all="ignore"):
            while self.heap:
                self._step(heapq.heappop(self.heap)[2])
        return self.captured

    def _step(self, node):
        gradients = self._after_hooks(node, self.buffers.pop(node, [None] * node.outputs))
        for nr, g in enumerate(gradients):
            if (node, nr) in self.captured:
                self.captured[node, nr] = g
        if not self._runs(node):
            return
        edges = [e for e in node.edges if e is not None]
        if any(g is not None for g in gradients):
            sent = self._pull(node, gradients, edges)
        else:
            sent = [None] * len(edges)
        if not self.keep:
            node.release()
        for edge, g in zip(edges, sent, strict=True):
            self._send(edge, g)
            self.waiting[edge.node] -= 1
            if not self.waiting[edge.node]:
                self._push(edge.node)

    def _pull(self, node, gradients, edges):
        sent = node.pull(gradients, [self._wanted(e) for e in edges], self.create)
        sent = [None if g is None else match_dtype(_reboxed(dense(g)), e.dtype) for g, e in zip(sent, edges, strict=True)]
        if _modes.anomaly_checks_nan():
            _no_nan(node, sent)
        return _call_hooks(node, sent, gradients) if node.hooks else sent

    def _after_hooks(self, node, gradients):
        for nr, hooks in node.tensor_hooks.items():
            for hook in list(hooks.values()):
                if gradients[nr] is not None:
                    gradients[nr] = hooked(hook, gradients[nr])
        for hook in list(node.prehooks.values()):
            answer = hook(tuple(None if g is None else wrapped(g) for g in gradients))
            if answer is not None:
                gradients = [None if t is None else t._value for t in answer]
        for nr, ref in node.retained.items():
            if ref() is not None and gradients[nr] is not None:
                ref()._grad = wrapped(gradients[nr], copy=not self.create)
        return gradients


def _reboxed(g):
    return g if getattr(g, "shape", None) is not None else np.asarray(g)


def _no_nan(node, sent):
    for i, g in enumerate(sent):
        if g is not None and np.isnan(np.asarray(getval(g), dtype=float)).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def _call_hooks(node, sent, gradients):
    for hook in list(node.hooks.values()):
        inputs = tuple(None if g is None else wrapped(g) for g in sent)
        answer = hook(inputs, tuple(None if g is None else wrapped(g) for g in gradients))
        if answer is not None:
            answer = answer if isinstance(answer, (tuple, list)) else (answer,)
            sent = [None if t is None else t._value for t in answer]
    return sent


def wrapped(g, copy=False):
    from ._tensor import Tensor

    made = Tensor._wrap(g)
    if copy:
        made._data = np.array(made._data) if isinstance(made._data, np.ndarray) else made._data
    return made


def hooked(hook, g):
    """The gradient after one tensor hook, which may return a new one."""
    from ._tensor import Tensor

    answer = hook(wrapped(g))
    if answer is None:
        return g
    if not isinstance(answer, Tensor):
        raise RuntimeError(f"hook: expected a Tensor or None, but got {type(answer).__name__}")
    if tuple(answer.shape) != np.shape(getval(g)):
        raise RuntimeError(f"hook '{getattr(hook, '__name__', hook)}' has changed the size of value")
    return answer._value
