"""`torch.autograd`: run the tape backward, write derivatives by hand, check them."""

from typing import Any

import numpy as np

from ...dialects.class_paths import Placed
from ...dialects.provenance import GRADIENT
from ...dialects.unsupported import attributes
from ...engine import isbox
from ...imports.lazy import load as _load
from .._error_texts import error
from .._tape import tensor_provenance
from .._tape.backward_pass import BackwardPass, accumulate, input_edge, keeps, roots_of, tuple_of
from .._tape.grad_mode import detect_anomaly, enable_grad, inference_mode, no_grad, set_detect_anomaly, set_grad_enabled
from .._tensor.tensor import Tensor
from . import graph


def backward(
    tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None
) -> None:
    """Add the gradient of the sum of `tensors` to the `.grad` of every leaf (or of `inputs` alone).

    `grad_tensors`: the upstream gradient of each tensor, needed where it is not a scalar. The saved values of the nodes that ran
    are let go, unless `retain_graph`; with `create_graph` the gradients themselves can be differentiated.

    Raises RuntimeError where nothing requires a gradient, or saved values are gone.

    >>> import labkit.torch as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.autograd.backward(x**2, torch.tensor([1.0, 10.0]))
    >>> x.grad
    tensor([ 2., 40.])
    """
    accumulate(tuple_of(tensors), grad_tensors, retain_graph, create_graph, inputs)


def grad(
    outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None,
    is_grads_batched=False, materialize_grads=False,
) -> Any:  # fmt: skip
    """The gradients of the sum of `outputs` with respect to `inputs`, as a tuple; `.grad` is left alone.

    Only the nodes on the way to `inputs` run, and only their saved values are let go. An input that was not used is an
    error, unless `allow_unused` (its gradient is None) or `materialize_grads` (it is zeros).

    >>> import labkit.torch as torch
    >>> x = torch.tensor(1.0, requires_grad=True)
    >>> torch.autograd.grad(x**2, x)
    (tensor(2.),)
    """
    if materialize_grads and allow_unused is False:
        raise error("materialize_grads")
    outputs, inputs = tuple_of(outputs), tuple_of(inputs)
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    keep = keeps(retain_graph, create_graph)
    allow = bool(allow_unused) or materialize_grads
    if is_grads_batched:
        raise NotImplementedError("labkit does not implement is_grads_batched: use torch.func.vmap")
    roots = roots_of(outputs, grad_outputs, create_graph)
    edges = [input_edge(t) for t in inputs]
    found = BackwardPass(roots, edges, keep, create_graph, capture=True).run()
    answers = (
        _answer(i, t, found[e.key], allow, materialize_grads, create_graph)
        for i, (t, e) in enumerate(zip(inputs, edges, strict=True))
    )
    return tuple(
        g if create_graph or g is None else tensor_provenance.aside(g, "grad", outputs, GRADIENT) for g in answers
    )


def _answer(i, tensor, g, allow_unused, zeros, create):
    if g is not None:
        return Tensor._wrap(g if isbox(g) else np.array(g))
    if not allow_unused:
        raise error("unused_input", i=i)
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

_LATER = {**dict.fromkeys(("forward_ad", "functional"), ""),
    **dict.fromkeys(("GradcheckError", "gradcheck", "gradgradcheck"), "_gradcheck")}  # fmt: skip


_missing = attributes(__name__)


def __getattr__(name):
    return _load(globals(), _LATER, name) if name in _LATER else _missing(name)


__all__ = ["Function", "Variable", "backward", "detect_anomaly", "enable_grad", "grad", "graph", "inference_mode",
    "no_grad", "once_differentiable", "set_detect_anomaly", "set_grad_enabled", *_LATER]  # fmt: skip
