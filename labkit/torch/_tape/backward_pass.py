"""The backward pass: where it begins, which nodes run in what order, which gradients they return, and what is freed."""

import heapq
import linecache
import traceback
from itertools import count

import autograd.numpy as anp
import numpy as np

from ...dialects.argument_types import as_tuple, of_kind
from ...dialects.new_stack import on_new_stack
from ...dialects.user_warnings import warn_user
from ...engine import dense, getval, match_dtype, watch
from .._error_texts import said
from .._ops.function_table import method
from .._tensor.tensor import Tensor
from .._transforms.function_call import check_shape
from . import grad_mode
from .node import Nowhere

NO_TANGENTS = (
    "labkit does not differentiate gradients of a dual tensor in forward mode: use `unpack_dual(output).tangent`, or "
    "use torch.func.jvp(torch.func.grad(f), (x,), (tangent,))"
)
NESTED = 40  # passes in each other that fit on a thread's stack, with room for what is between them
DEEPEST = 50_000  # beyond, it is taken for a recursion without end


@method("backward")
def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Computes the gradient of current tensor wrt graph leaves.

    Adds to the `.grad` of every leaf the tensor depends on (or of `inputs` alone). `gradient` is the upstream gradient of
    this tensor: 1 where it is a scalar, and to be given, in its shape, where it is not. The saved values are let go
    unless `retain_graph` or `create_graph`.

    >>> import labkit.torch as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> (x**2).backward()
    >>> x.grad
    tensor(6.)
    """
    accumulate((self,), gradient, retain_graph, create_graph, inputs)


def accumulate(tensors, gradients, retain_graph, create_graph, inputs):
    """Add the gradient of the sum of `tensors` to the `.grad` of every leaf, or of `inputs` alone."""
    edges = None
    if create_graph:
        warn_user(said("create_graph_cycle"))
    if inputs is not None:
        inputs = tuple_of(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots = roots_of(tensors, gradients, create_graph)
    if inputs is not None:
        for t in inputs:
            t.retain_grad()
        edges = [input_edge(t) for t in inputs]
    BackwardPass(roots, edges, keeps(retain_graph, create_graph), create_graph).run()


def keeps(retain_graph, create_graph):
    """Whether saved values stay."""
    return (create_graph if retain_graph is None else retain_graph) or getattr(grad_mode.state.drawing, "more", False)


def tuple_of(x):
    return (x,) if isinstance(x, Tensor) else tuple(x)


def roots_of(outputs, given, create):
    """Where a pass begins: the edges of `outputs`, and their upstream gradients."""
    given = [None] * len(outputs) if given is None else tuple_of(given)
    if outputs and watch.asked:
        watch.asks(outputs[0], ())
    if len(outputs) != len(given):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    for i, (out, g) in enumerate(zip(outputs, given, strict=True)):
        if g is not None or getattr(out._data, "size", 0) != 1:
            _check_seed(i, out, g)
    roots = []
    for i, (out, g) in enumerate(zip(outputs, given, strict=True)):
        edge = out._gradient_edge()
        if edge is None or isinstance(edge.node, Nowhere):
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        if grad_mode.state.dual is not None and grad_mode.state.dual.has(out):
            raise NotImplementedError(NO_TANGENTS)
        if g is None:
            seed = np.empty(edge.shape, edge.dtype)
            seed.fill(1)
        else:
            seed = g._value if create else g.detach()._data
        roots.append((edge, seed))
    return roots


def _check_seed(i, out, g):
    if g is not None:
        of_kind(g, Tensor, "gradients can be either Tensors or None, but got {kind}")
        check_shape(i, g.shape, out.shape)
    elif out.numel() != 1 and out.requires_grad:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")


def input_edge(tensor):
    of_kind(tensor, Tensor, "all inputs have to be Tensors or GradientEdges, but got {kind}", RuntimeError)
    edge = tensor._gradient_edge()
    if edge is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edge


class BackwardPass:
    """One pass back from `roots`, `(edge, gradient value)` pairs.

    `inputs`: edges whose gradients are wanted; only nodes on the way to them run. None: go to every leaf.
    `capture`: return the gradients of `inputs` rather than accumulate them in `.grad`.
    """

    def __init__(self, roots, inputs=None, keep=False, create=False, capture=False):
        self.keep, self.create = keep, create
        self.captured = {e.key: None for e in inputs} if capture else {}
        self.needed = None if inputs is None else self._leading_to({e.node for e in inputs}, roots, capture)
        self.buffers: dict = {}  # by node: the sum of what has arrived at each output
        self.waiting: dict = {}  # by node: how many gradients are still to arrive
        self.heap: list = []  # of nodes at which all has arrived, newest first
        self.ties = count()
        self._count(roots)

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
        waiting, needed = self.waiting, self.needed
        for edge, _ in roots:
            waiting[edge.node] = 0
        stack = list(waiting)
        while stack:
            node = stack.pop()
            if needed is None or node in needed:
                for edge in node.edges:
                    if edge is not None:
                        after = edge.node
                        if after not in waiting:
                            waiting[after] = 0
                            stack.append(after)
                        waiting[after] += 1
        for edge, g in roots:
            node = edge.node
            if not waiting[node] and node not in self.buffers:
                heapq.heappush(self.heap, (-node.sequence, next(self.ties), node))
            self._add(edge, g)

    def _add(self, edge, g):
        slots = self.buffers.get(edge.node)
        if slots is None:
            slots = self.buffers[edge.node] = [None] * edge.node.outputs
        if g is not None:
            total = slots[edge.nr]
            slots[edge.nr] = g if total is None else anp.add(total, g)

    def run(self):
        """Run the nodes, newest first, each after all that feed it. Returns `{edge key: gradient}` of the captured.

        A hook or a custom function may start a pass inside this one; every so many, one gets a stack of its own.
        """
        inside = grad_mode.state.walks
        if inside >= DEEPEST:
            text = f"backward() is nested {inside} times: a hook or function calls it without end"
            raise RecursionError(text)
        return on_new_stack(self._run) if inside and inside % NESTED == 0 else self._run()

    def _run(self):
        state = grad_mode.state
        around = state.walk, state.saving, state.saving_before
        mode = state.grad, state.inference, state.frozen
        state.walks, state.walk = state.walks + 1, self
        grad_mode.switch(self.create)
        try:
            with np.errstate(all="ignore"):
                heap, step = self.heap, self._step
                while heap:
                    node = heapq.heappop(heap)[2]
                    step(node)
        except Exception:
            if state.anomaly:
                _warn_of_forward_line(node)
            raise
        finally:
            state.walks -= 1
            state.grad, state.inference, state.frozen = mode
            state.walk, state.saving, state.saving_before = around  # what hooks of this pass opened ends with it
        return self.captured

    def _step(self, node):
        gradients, runs = self.buffers.pop(node), self.needed is None or node in self.needed
        if not runs:
            gradients = _after_tensor_hooks(node, gradients)
        if self.captured:
            for nr, g in enumerate(gradients):  # of a node that runs as well: before its hooks, as the real pass does
                if (node, nr) in self.captured:
                    self.captured[node, nr] = g
        if not runs:
            return
        if node.tensor_hooks or node.retained or node.prehooks:
            gradients = _after_prehooks(node, _after_tensor_hooks(node, gradients))
        edges = node.edges
        if None in edges:
            edges = [e for e in edges if e is not None]
        arrived = gradients[0] is not None or any(g is not None for g in gradients)
        if not edges and not node.hooks:  # a leaf
            sent = node.pull(gradients, [], self.create) if arrived else []
        else:
            sent = self._pull(node, gradients, edges) if arrived else [None] * len(edges)
        if not self.keep:
            node.release()
        if edges:
            self._send(edges, sent)

    def _pull(self, node, gradients, edges):
        needed, captured = self.needed, self.captured
        wanted = [True] * len(edges)
        if needed is not None:
            wanted = [e.node in needed or e.key in captured for e in edges]
        sent = node.pull(gradients, wanted, self.create)
        for i, edge in enumerate(edges):
            g = sent[i]
            if g is not None and (type(g) is not np.ndarray or g.dtype != edge.dtype):
                sent[i] = _fitting(g, edge.dtype)
        if grad_mode.state.anomaly and grad_mode.state.check_nan:
            _no_nan(node, sent)
        return _call_hooks(node, sent, gradients) if node.hooks else sent

    def _send(self, edges, sent):
        """Add what a node sent to what has arrived; a node at which all has arrived is next."""
        waiting, buffers = self.waiting, self.buffers
        for edge, g in zip(edges, sent, strict=True):
            node = edge.node
            if node.outputs == 1 and node not in buffers:
                buffers[node] = [g]
            else:
                self._add(edge, g)
            waiting[node] -= 1
            if not waiting[node]:
                heapq.heappush(self.heap, (-node.sequence, next(self.ties), node))


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
    if isinstance(g, np.generic) and g.dtype == dtype:
        return np.asarray(g)
    g = dense(g)
    g = g if getattr(g, "shape", None) is not None else np.asarray(g)
    return match_dtype(g, dtype)


def _warn_of_forward_line(node):
    """Name the line of the forward pass that recorded the node whose derivative raised an error, as anomaly mode does."""
    lines = []
    if node.where is not None:
        code, instruction = node.where
        line = list(code.co_positions())[instruction // 2][0]
        file = "this cell" if "ipykernel" in code.co_filename else code.co_filename
        text = linecache.getline(code.co_filename, line).strip()
        lines = traceback.format_list([traceback.FrameSummary(file, line, code.co_name, line=text)])
    warn_user(f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n{''.join(lines)}")


def _no_nan(node, sent):
    for i, g in enumerate(sent):
        if g is not None and np.isnan(np.asarray(getval(g), dtype=float)).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def _call_hooks(node, sent, gradients):
    for hook in list(node.hooks.values()):
        found = iter(sent)
        inputs = [None if e is None else next(found) for e in node.edges]
        answer = hook(tuple(None if g is None else wrapped(g) for g in inputs),
            tuple(None if g is None else wrapped(g) for g in gradients))  # fmt: skip
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
