"""`torch.autograd`: run the tape backward, write derivatives by hand, check them."""

from typing import Any

import numpy as np

from ...aliases import attributes
from ...engine import isbox, watch
from ...kinds import of_kind
from ...later import load as _load
from ...layout import Placed
from ...trails import GRADIENT
from .. import _modes, _trail
from .._func_checks import check_shape
from .._joining import stack
from .._modes import (
    detect_anomaly,
    enable_grad,
    enforce_grad_layout_policy,
    inference_mode,
    is_multithreading_enabled,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
    set_multithreading_enabled,
)  # fmt: skip
from .._node import Nowhere
from .._size import Size
from .._table import method
from .._tensor import Tensor
from .._walk import Walk
from . import graph
from .graph import GradientEdge, edge_of

NOT_BATCHED = (
    "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The sizes of "
    "the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was detected: "
    "grad_output[{i}] has a shape of {g} and output[{i}] has a shape of {out}. If you only want some tensors in "
    "`grad_output` to be considered batched, consider using vmap."
)
NO_TANGENTS = (
    "labkit gives no tangents of gradients that are taken of a dual tensor: take them of `unpack_dual(output).tangent`, or "
    "use torch.func.jvp(torch.func.grad(f), (x,), (tangent,))"
)


def _tuple(x):
    return (x,) if isinstance(x, (Tensor, GradientEdge)) else tuple(x)


def _seeds(outputs, given):
    """What arrives at each output: the gradient given, or 1 for a scalar."""
    given = [None] * len(outputs) if given is None else _tuple(given)
    if len(outputs) != len(given):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    return [_seed(i, out, g) for i, (out, g) in enumerate(zip(outputs, given, strict=True))]


def _seed(i, out, g):
    edge = edge_of(out) if isinstance(out, GradientEdge) else None
    shape, dtype = (out._array.shape, out._array.dtype) if edge is None else (edge.shape, edge.dtype)
    if g is None:
        if (edge is not None or out.requires_grad) and (shape is None or np.prod(shape) != 1):
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        return np.ones(shape, dtype)
    of_kind(g, Tensor, "gradients can be either Tensors or None, but got {kind}")
    if edge is None or shape is not None:
        check_shape(i, g.shape, out.shape if edge is None else Size(shape))
    return g


def _roots(outputs, given, create):
    """Where a walk begins: the edges of `outputs`, and what arrives there."""
    if outputs:
        watch.asks(outputs[0], ())
    roots = []
    for i, (out, seed) in enumerate(zip(outputs, _seeds(outputs, given), strict=True)):
        edge = edge_of(out)
        if edge is None or isinstance(edge.node, Nowhere):
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        if isinstance(out, Tensor) and _modes.state.dual is not None and _modes.state.dual.has(out):
            raise NotImplementedError(NO_TANGENTS)
        if isinstance(seed, Tensor):
            seed = seed._value if create else seed.detach()._data
        roots.append((edge, seed))
    return roots


def backward(
    tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None
) -> None:
    """Add the gradient of the sum of `tensors` to the `.grad` of every leaf (or of `inputs` alone).

    `grad_tensors`: what arrives at each tensor, needed where it is not a scalar. The saved values of the nodes that ran
    are let go, unless `retain_graph`; with `create_graph` the gradients themselves can be differentiated.

    Raises RuntimeError where nothing requires a gradient, or saved values are gone.

    >>> import labkit.torch as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.autograd.backward(x**2, torch.tensor([1.0, 10.0]))
    >>> x.grad
    tensor([ 2., 40.])
    """
    tensors = _tuple(tensors)
    keep = (create_graph if retain_graph is None else retain_graph) or getattr(_modes.state.drawing, "more", False)
    if inputs is not None:
        inputs = _tuple(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots = _roots(tensors, grad_tensors, create_graph)
    for t in inputs or ():
        if isinstance(t, Tensor):
            t.retain_grad()
    edges = None if inputs is None else [_input_edge(t) for t in inputs]
    Walk(roots, edges, keep, create_graph).run()


@method("backward")
def _tensor_backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Computes the gradient of current tensor wrt graph leaves.

    Adds to the `.grad` of every leaf the tensor depends on (or of `inputs` alone). `gradient` is what arrives at
    this tensor: 1 where it is a scalar, and to be given, in its shape, where it is not. The saved values are let go
    unless `retain_graph` or `create_graph`.

    >>> import labkit.torch as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> (x**2).backward()
    >>> x.grad
    tensor(6.)
    """
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def _input_edge(tensor):
    kinds = (Tensor, GradientEdge)
    of_kind(tensor, kinds, "all inputs have to be Tensors or GradientEdges, but got {kind}", RuntimeError)
    edge = edge_of(tensor)
    if edge is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edge


def grad(
    outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None,
    is_grads_batched=False, materialize_grads=False,
) -> Any:  # fmt: skip
    """The gradients of the sum of `outputs` with respect to `inputs`, as a tuple; `.grad` is left alone.

    Only the nodes on the way to `inputs` run, and only their saved values are let go. An input that was not used is an
    error, unless `allow_unused` (its gradient is None) or `materialize_grads` (it is zeros). `is_grads_batched`: each of
    `grad_outputs` has one dimension more, the first, and so have the gradients. A dict of inputs gives one of gradients.

    >>> import labkit.torch as torch
    >>> x = torch.tensor(1.0, requires_grad=True)
    >>> torch.autograd.grad(x**2, x)
    (tensor(2.),)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if type(inputs) is dict:
        given = (
            grad_outputs,
            retain_graph,
            create_graph,
            only_inputs,
            allow_unused,
            is_grads_batched,
            materialize_grads,
        )
        return dict(zip(inputs, grad(outputs, tuple(inputs.values()), *given), strict=True))
    outputs, inputs = _tuple(outputs), _tuple(inputs)
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    keep = (create_graph if retain_graph is None else retain_graph) or getattr(_modes.state.drawing, "more", False)
    allow = bool(allow_unused) or materialize_grads
    if is_grads_batched:
        return _batched(outputs, inputs, _tuple(grad_outputs), keep, create_graph, allow, materialize_grads)
    roots = _roots(outputs, grad_outputs, create_graph)
    edges = [_input_edge(t) for t in inputs]
    found = Walk(roots, edges, keep, create_graph, capture=True).run()
    answers = (
        _answer(i, t, found[e.key], allow, materialize_grads, create_graph)
        for i, (t, e) in enumerate(zip(inputs, edges, strict=True))
    )
    return tuple(g if create_graph or g is None else _trail.aside(g, "grad", outputs, GRADIENT) for g in answers)


def _batched(outputs, inputs, given, keep, create, allow, zeros):
    """The gradients for each entry of the given ones in turn, stacked."""
    for i, (out, g) in enumerate(zip(outputs, given, strict=True)):
        if g is not None and g.shape[1:] != out.shape:
            raise RuntimeError(NOT_BATCHED.format(i=i, g=g.shape[1:], out=out.shape))
    sizes = {len(g) for g in given if g is not None}
    count = sizes.pop()
    entries = []
    for n in range(count):
        seeds = [None if g is None else g[n].to(out.dtype) for g, out in zip(given, outputs, strict=True)]
        entries.append(grad(outputs, inputs, seeds, keep or n + 1 < count, create, True, allow, False, zeros))
    return tuple(None if found[0] is None else stack(found) for found in zip(*entries, strict=True))


def _answer(i, tensor, g, allow_unused, zeros, create):
    if g is not None:
        return Tensor._wrap(g if isbox(g) else np.array(g))
    if zeros and isinstance(tensor, GradientEdge):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    if not allow_unused:
        raise RuntimeError(
            f"The differentiated Tensor at index {i} appears to not have been used in the graph. Set "
            "allow_unused=True if this is the desired behavior."
        )
    return Tensor._of(np.zeros(tensor._array.shape, tensor._array.dtype), create) if zeros else None


class _VariableType(Placed):
    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableType):
    """The old name of a tensor: `Variable(data, requires_grad=True)` gives a `Tensor`."""

    def __new__(cls, data, requires_grad=False, volatile=None):
        made = Tensor._of(data._array)
        made.requires_grad = requires_grad
        return made


from .function import Function, once_differentiable  # noqa: E402

_LATER = {
    **dict.fromkeys(("forward_ad", "functional"), ""),
    **dict.fromkeys(("GradcheckError", "gradcheck", "gradgradcheck"), "_gradcheck"),
}


_missing = attributes(__name__)


def __getattr__(name):
    return _load(globals(), _LATER, name) if name in _LATER else _missing(name)


__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "enforce_grad_layout_policy", "grad", "graph",
    "inference_mode", "is_multithreading_enabled", "no_grad", "once_differentiable", "set_detect_anomaly", "set_grad_enabled",
    "set_multithreading_enabled", *_LATER,
]  # fmt: skip
