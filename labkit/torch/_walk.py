"""The walk back along the tape: which nodes run, in what order, what they send, and what is let go."""

import heapq
from itertools import count

import autograd.numpy as anp
import numpy as np

from ..engine import dense, elsewhere, getval, match_dtype, watch
from ..kinds import as_tuple, of_kind
from . import _modes
from ._node import AccumulateGrad
from ._tape import ANY
from ._tensor import Tensor

LEAF_ASKED = (
    "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is currently not "
    "supported."
)
NESTED = 40  # walks in each other that fit on a thread's stack, with room for what is between them
DEEPEST = 50_000  # beyond, it is taken for a recursion without end


class Walk:
    """One walk back from `roots`, `(edge, gradient value)` pairs.

    `inputs`: edges whose gradients are wanted; only nodes on the way to them run. None: walk to every leaf.
    `capture`: return the gradients of `inputs` rather than accumulate them in `.grad`.
    """

    def __init__(self, roots, inputs=None, keep=False, create=False, capture=False):
        self.keep, self.create = keep, create
        self.captured = {e.key: None for e in inputs} if capture else {}
        self.buffers: dict = {}
        self.needed = None if inputs is None else self._leading_to({e.node for e in inputs}, roots, capture)
        self.ties = count()
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

    def _count(self, roots):
        """How many gradients each node waits for; only roots can wait for none."""
        self.heap: list = []
        self.waiting = waiting = dict.fromkeys(roots, 0)
        stack = list(waiting)
        while stack:
            node = stack.pop()
            if self.needed is None or node in self.needed:
                for edge in node.edges:
                    if edge is not None:
                        after = edge.node
                        if after not in waiting:
                            waiting[after] = 0
                            stack.append(after)
                        waiting[after] += 1
        for node in dict.fromkeys(roots):
            if not waiting[node]:
                self._push(node)

    def _push(self, node):
        heapq.heappush(self.heap, (-node.sequence, next(self.ties), node))

    def _send(self, edge, g):
        node = edge.node
        slots = self.buffers.get(node)
        if slots is None:
            slots = self.buffers[node] = [None] * node.outputs
        if g is not None:
            total = slots[edge.nr]
            slots[edge.nr] = g if total is None else anp.add(total, g)

    def run(self):
        """Run the nodes, newest first, each after all that feed it. Returns `{edge key: gradient}` of the captured.

        A hook or a custom function may start a walk inside this one; every so many, one gets a stack of its own.
        """
        watch.walks += 1
        inside = _modes.state.walks
        if inside >= DEEPEST:
            raise RecursionError(
                f"backward() inside backward(), {inside} times over: expected a hook or function to end"
            )
        return elsewhere(self._run) if inside and inside % NESTED == 0 else self._run()

    def _run(self):
        inside = _modes.state.walks
        around, saving = _modes.state.walk, (_modes.state.saving, _modes.state.saving_before)
        _modes.state.walks, _modes.state.walk = inside + 1, self
        try:
            with _modes.set_grad_enabled(self.create), np.errstate(all="ignore"):
                while self.heap:
                    self._step(heapq.heappop(self.heap)[2])
        finally:
            _modes.state.walks, _modes.state.walk = inside, around
            _modes.state.saving, _modes.state.saving_before = saving  # what hooks of this walk opened ends with it
        return self.captured

    def will_run(self, node):
        """Whether this walk comes to `node`, and runs it or takes the gradient that is wanted there.

        Raises RuntimeError, as the real one does, where a walk of `grad` is asked of a leaf.
        """
        if self.captured and isinstance(node, AccumulateGrad):
            raise RuntimeError(LEAF_ASKED)
        if node not in self.waiting:
            return False
        return self.needed is None or node in self.needed or any(node is key[0] for key in self.captured)

    def _step(self, node):
        gradients, runs = self.buffers.pop(node), self.needed is None or node in self.needed
        if not runs:
            gradients = _after_tensor_hooks(node, gradients)
        if self.captured:
            for nr, g in enumerate(gradients):  # of a node that runs as well: before its hooks, as the real walk does
                if (node, nr) in self.captured:
                    self.captured[node, nr] = g
        if not runs:
            return
        if node.tensor_hooks or node.retained or node.prehooks:
            gradients = _after_prehooks(node, _after_tensor_hooks(node, gradients))
        edges = node.edges if None not in node.edges else [e for e in node.edges if e is not None]
        arrived = gradients[0] is not None or any(g is not None for g in gradients)
        sent = self._pull(node, gradients, edges) if arrived else [None] * len(edges)
        if not self.keep:
            node.release()
        waiting = self.waiting
        for edge, g in zip(edges, sent, strict=True):
            self._send(edge, g)
            waiting[edge.node] -= 1
            if not waiting[edge.node]:
                self._push(edge.node)

    def _pull(self, node, gradients, edges):
        needed, captured = self.needed, self.captured
        wanted = [True] * len(edges) if needed is None else [e.node in needed or e.key in captured for e in edges]
        sent = node.pull(gradients, wanted, self.create)
        for i, (g, edge) in enumerate(zip(sent, edges, strict=True)):
            if g is not None and (type(g) is not np.ndarray or g.dtype != edge.dtype):
                sent[i] = _fitting(g, edge.dtype)
        if _modes.state.anomaly and _modes.state.check_nan:
            _no_nan(node, sent)
        return _call_hooks(node, sent, gradients) if node.hooks else sent


def _after_tensor_hooks(node, gradients):
    """The gradients that the outputs of `node` are left with: hooks first, then what `retain_grad` keeps."""
    for nr, hooks in node.tensor_hooks.items():
        for hook in list(hooks.values()):
            if gradients[nr] is not None:
                gradients[nr] = hooked(hook, gradients[nr])
    for nr, ref in node.retained.items():
        if ref() is not None and gradients[nr] is not None:
            _retain(ref(), gradients[nr])
    return gradients


def _after_prehooks(node, gradients):
    for hook in list(node.prehooks.values()):
        answer = hook(tuple(None if g is None else wrapped(g) for g in gradients))
        if answer is not None:
            answer = (answer,) if hasattr(answer, "_value") else answer
            gradients = [None if t is None else t._value for t in answer]
    return gradients


def _retain(tensor, g):
    """Add to the `.grad` of a tensor that is not a leaf: always a new tensor, so that one seen earlier stays."""
    arrived = wrapped(g)
    tensor._grad = arrived.clone() if tensor._grad is None else tensor._grad + arrived


def _fitting(g, dtype):
    """What a rule answered, as a gradient of something of this dtype: dense, and with a shape."""
    g = dense(g)
    g = g if getattr(g, "shape", None) is not None else np.asarray(g)
    return g if dtype is ANY else match_dtype(g, dtype)


def _no_nan(node, sent):
    for i, g in enumerate(sent):
        if g is not None and np.isnan(np.asarray(getval(g), dtype=float)).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def _call_hooks(node, sent, gradients):
    for hook in list(node.hooks.values()):
        found = iter(sent)
        inputs = [None if e is None else next(found) for e in node.edges]
        answer = hook(
            tuple(None if g is None else wrapped(g) for g in inputs),
            tuple(None if g is None else wrapped(g) for g in gradients),
        )
        if answer is not None:
            answer = as_tuple(answer, (tuple, list))
            sent = [None if t is None else t._value for t, e in zip(answer, node.edges, strict=True) if e is not None]
    return sent


def wrapped(g):
    return Tensor._wrap(g)


def hooked(hook, g):
    """The gradient after one tensor hook, which may return a new one."""
    answer = hook(wrapped(g))
    if answer is None:
        return g
    of_kind(answer, Tensor, "hook: expected a Tensor or None, but got {kind}", RuntimeError)
    if tuple(answer.shape) != np.shape(getval(g)):
        raise RuntimeError(f"hook '{getattr(hook, '__name__', hook)}' has changed the size of value")
    return answer._value
