"""Hooks on modules: called around each forward, and with the gradients of a module's inputs and outputs."""

import warnings
from collections import OrderedDict
from functools import partial
from types import SimpleNamespace

from ...kinds import as_tuple
from .. import _modes
from .._node import Handle
from .._tensor import Tensor
from ..autograd.function import Function

TABLES = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
MIXED = "Cannot use both regular backward hooks and full backward hooks on a {owner}. Please use only one of them."
NO_INPUT = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
    "register_full_backward_hook for more details."
)
ONLY_NONE = (
    "Backward hook for Modules where no input requires gradient should always return None or None for all gradients."
)
NOT_TENSORS = (
    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received {type}"
)
TRANSFORMED = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override the "
    "setup_context staticmethod. For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
)


def without_hooks(owner):
    """`owner`, given empty tables of hooks."""
    for table in TABLES:
        object.__setattr__(owner, table, OrderedDict())
    object.__setattr__(owner, "_hooks_with_kwargs", set())
    object.__setattr__(owner, "_is_full_backward_hook", None)
    return owner


EVERYWHERE = without_hooks(SimpleNamespace())  # hooks on all modules


def registered(owner, table, hook, prepend=False, with_kwargs=False, full=None) -> Handle:
    """Enter a hook in a table of a module, or of `EVERYWHERE`; `full` says of which kind one on gradients is."""
    if full is not None:
        if owner._is_full_backward_hook is (not full):
            raise RuntimeError(MIXED.format(owner="global Module hook" if owner is EVERYWHERE else "single Module"))
        object.__setattr__(owner, "_is_full_backward_hook", full)
    hooks = getattr(owner, table)
    handle = Handle(hooks, hook)
    if with_kwargs:
        owner._hooks_with_kwargs.add(handle.id)
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def hooked(module) -> bool:
    """Whether there is any hook for this module."""
    return any(map(module.__dict__.get, TABLES)) or any(map(EVERYWHERE.__dict__.get, TABLES))


def _of(module, table):
    """The hooks of one table, those for all modules first, each with whether it gets keyword arguments."""
    for owner in (EVERYWHERE, module):
        for key, hook in list(getattr(owner, table).items()):
            yield hook, key in owner._hooks_with_kwargs


def _on_gradients(module, full):
    owners = [owner for owner in (EVERYWHERE, module) if owner._is_full_backward_hook is full]
    return [hook for owner in owners for hook in owner._backward_hooks.values()]


def called(module, args, kwargs):
    """What `module.forward` returns, with the hooks around it."""
    for hook, with_kwargs in _of(module, "_forward_pre_hooks"):
        if with_kwargs:
            changed = hook(module, args, kwargs)
            args, kwargs = (args, kwargs) if changed is None else changed
        elif (changed := hook(module, args)) is not None:
            args = as_tuple(changed)
    before = [hook for hook, _ in _of(module, "_backward_pre_hooks")]
    after = _on_gradients(module, True)
    passing = _Passing(module, before, after) if before or after else None
    args = passing.entering(args) if passing else args
    output = module.forward(*args, **kwargs)
    for hook, with_kwargs in _of(module, "_forward_hooks"):
        changed = hook(module, args, kwargs, output) if with_kwargs else hook(module, args, output)
        output = output if changed is None else changed
    output = passing.leaving(output) if passing else output
    for hook in _on_gradients(module, False):
        if (node := _first_tensor(output).grad_fn) is not None:
            node.register_hook(partial(hook, module))
    return output


def _first_tensor(output):
    while not isinstance(output, Tensor):
        output = next(v for v in output.values() if isinstance(v, Tensor)) if isinstance(output, dict) else output[0]
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
        if not isinstance(output, (Tensor, tuple)):
            warnings.warn(NOT_TENSORS.format(type=type(output)), UserWarning, stacklevel=4)
        outputs, self.outputs = _through_node(as_tuple(output), self.arrived)
        self.width = len(outputs)
        return outputs if isinstance(output, tuple) else outputs[0]

    def arrived(self, _, gradients):
        """The gradients of the outputs, as the hooks that come before the module's walk back leave them."""
        found = _among_none(self.outputs, gradients, self.width)
        for hook in self.before:
            found = _replaced(hook(self.module, found), found, "Backward pre hook", "grad_output")
        self.grad_output = found
        if self.inputs is None:
            warnings.warn(NO_INPUT, UserWarning, stacklevel=5)
            for hook in self.after:
                answer = hook(self.module, (None,) * self.count, found)
                if answer is not None and not (isinstance(answer, tuple) and all(a is None for a in answer)):
                    raise RuntimeError(ONLY_NONE)
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
    if not (_modes.grad_enabled() and any(args[i].requires_grad for i in places)):
        return args, None
    passed = dict(zip(places, BackwardHookFunction.apply(*(args[i] for i in places)), strict=True))
    node = next((t.grad_fn for t in passed.values() if t.grad_fn is not None), None)
    if node is None:
        raise RuntimeError(TRANSFORMED)
    node.register_hook(hook)
    filled = [passed.get(i, a) for i, a in enumerate(args)]
    return tuple(filled) if type(args) is tuple else type(args)(*filled), places


def _among_none(places, gradients, count):
    found = dict(zip(places, gradients, strict=True))
    return tuple(found.get(i) for i in range(count))


def _replaced(answer, gradients, kind, whose):
    if answer is not None and len(answer) != len(gradients):
        raise RuntimeError(
            f"{kind} returned an invalid number of {whose}, got {len(answer)}, but expected {len(gradients)}"
        )
    return gradients if answer is None else answer


def _for_all(table, full=None):
    def register(hook, *, with_kwargs=False) -> Handle:
        return registered(EVERYWHERE, table, hook, with_kwargs=with_kwargs, full=full)

    return register


FOR_ALL = {  # the functions of torch.nn.modules.module
    "register_module_forward_pre_hook": _for_all("_forward_pre_hooks"),
    "register_module_forward_hook": _for_all("_forward_hooks"),
    "register_module_full_backward_pre_hook": _for_all("_backward_pre_hooks"),
    "register_module_full_backward_hook": _for_all("_backward_hooks", True),
    "register_module_backward_hook": _for_all("_backward_hooks", False),
}
