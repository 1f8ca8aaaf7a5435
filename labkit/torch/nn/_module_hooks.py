"""Hooks on modules: called around each forward, and with the gradients of a module's inputs and outputs."""

import warnings
from collections import OrderedDict

from ...dialects.argument_types import as_tuple
from .._error_texts import error, said
from .._tape import grad_mode
from .._tape.node import Handle
from .._tensor.tensor import Tensor
from ..autograd.function import Function

TABLES = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")


def without_hooks(module) -> None:
    """Give a module empty tables of hooks."""
    for table in TABLES:
        object.__setattr__(module, table, OrderedDict())
    object.__setattr__(module, "_hooks_with_kwargs", set())


def registered(module, table, hook, prepend=False, with_kwargs=False) -> Handle:
    """Enter a hook in a table of a module."""
    hooks = getattr(module, table)
    handle = Handle(hooks, hook)
    if with_kwargs:
        module._hooks_with_kwargs.add(handle.id)
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def hooked(module) -> bool:
    """Whether there is any hook for this module."""
    return any(map(module.__dict__.get, TABLES))


def _of(module, table):
    """The hooks of one table, each with whether it gets keyword arguments."""
    return [(hook, key in module._hooks_with_kwargs) for key, hook in getattr(module, table).items()]


def called(module, args, kwargs):
    """What `module.forward` returns, with the hooks around it."""
    for hook, with_kwargs in _of(module, "_forward_pre_hooks"):
        if with_kwargs:
            changed = hook(module, args, kwargs)
            args, kwargs = (args, kwargs) if changed is None else changed
        elif (changed := hook(module, args)) is not None:
            args = as_tuple(changed)
    before = [hook for hook, _ in _of(module, "_backward_pre_hooks")]
    after = list(module._backward_hooks.values())
    passing = _Passing(module, before, after) if before or after else None
    args = passing.entering(args) if passing else args
    output = module.forward(*args, **kwargs)
    for hook, with_kwargs in _of(module, "_forward_hooks"):
        changed = hook(module, args, kwargs, output) if with_kwargs else hook(module, args, output)
        output = output if changed is None else changed
    output = passing.leaving(output) if passing else output
    return output


class BackwardHookFunction(Function):
    """Passes its tensors on: its node is where a module's gradients arrive or leave."""

    @staticmethod
    def forward(ctx, *tensors) -> tuple:
        ctx.mark_non_differentiable(*[t for t in tensors if not t.requires_grad])
        return tensors

    @staticmethod
    def backward(ctx, *gradients) -> tuple:
        return gradients


class _Passing:
    """One call of a module with hooks on gradients: those of the outputs wait for those of the inputs."""

    grad_output = None

    def __init__(self, module, before, after):
        self.module, self.before, self.after = module, before, after

    def entering(self, args):
        args, self.inputs = _through_node(args, self.left)
        self.count = len(args)
        return args

    def leaving(self, output):
        outputs, self.outputs = _through_node(as_tuple(output), self.arrived)
        self.width = len(outputs)
        return outputs if isinstance(output, tuple) else outputs[0]

    def arrived(self, _, gradients):
        """The gradients of the outputs, as the hooks that come before the module's backward pass leave them."""
        found = _among_none(self.outputs, gradients, self.width)
        for hook in self.before:
            found = _replaced(hook(self.module, found), found, "Backward pre hook", "grad_output")
        self.grad_output = found
        if self.inputs is None:
            warnings.warn(said("backward_hook_without_input"), UserWarning, stacklevel=5)
            for hook in self.after:
                answer = hook(self.module, (None,) * self.count, found)
                if answer is not None and not (isinstance(answer, tuple) and all(a is None for a in answer)):
                    raise error("backward_hook_answer")
            self.grad_output = None
        return tuple(found[i] for i in self.outputs)

    def left(self, gradients, _):
        """The gradients of the inputs, once those of the outputs have been here."""
        if self.grad_output is None:
            return None
        found = _among_none(self.inputs, gradients, self.count)
        for hook in self.after:
            found = _replaced(hook(self.module, found, self.grad_output), found, "Backward hook", "grad_input")
        self.grad_output = None
        return tuple(found[i] for i in self.inputs)


def _through_node(args, hook):
    """`args` with their tensors passed through a node with this hook, and where these are; None where none needs it."""
    places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
    if not (grad_mode.grad_enabled() and any(args[i].requires_grad for i in places)):
        return args, None
    passed = dict(zip(places, BackwardHookFunction.apply(*(args[i] for i in places)), strict=True))
    node = next((t.grad_fn for t in passed.values() if t.grad_fn is not None), None)
    if node is None:
        raise error("no_context")
    node.register_hook(hook)
    filled = [passed.get(i, a) for i, a in enumerate(args)]
    return tuple(filled) if type(args) is tuple else type(args)(*filled), places


def _among_none(places, gradients, count):
    found = dict(zip(places, gradients, strict=True))
    return tuple(found.get(i) for i in range(count))


def _replaced(answer, gradients, kind, whose):
    if answer is not None and len(answer) != len(gradients):
        raise error("hook_count", kind=kind, whose=whose, answer=len(answer), gradients=len(gradients))
    return gradients if answer is None else answer
