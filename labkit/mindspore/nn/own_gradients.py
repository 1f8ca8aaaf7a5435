"""A cell's influence on its gradients: hooks before and after its `construct`, and its own `bprop`."""

import inspect
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from ...dialects.argument_types import as_tuple, of_kind
from ...dialects.packed_arrays import forms, pack, unpack
from ...engine import custom_vjp, isbox, shape_of, unbroadcast_f
from ..common.printing import shape_text
from ..common.tensor import NOT_CALLABLE, Tensor, wrap
from ..context import in_graph_mode
from ..gradient.reverse_run import HookHandle, asked, hooked_together
from ..graph.surroundings import Cell_
from ..ops import stop_gradient

__all__ = ["Hooked"]


def with_own_derivative(cell, args, kwargs):
    """Run `construct` as one op whose derivative is the cell's `bprop`; unless nothing is being differentiated."""
    if kwargs:
        bound = inspect.signature(cell.construct).bind(*args, **kwargs)
        bound.apply_defaults()
        args = bound.args
    own = _OwnRule(cell, args)
    if not own.boxed:
        return stop_gradient(cell.construct(*args))  # its parameters get no gradient but through `bprop`
    return own.run()


def _checked(cell, found, args):
    """The tuple that `bprop` returned, which has a gradient for each argument."""
    if in_graph_mode():
        of_kind(found, tuple, "For bprop function, output should be a tuple, but got {kind}\n")
        if len(found) != len(args):
            raise RuntimeError(
                "The output size of the 'bprop' must match the number of parameters in its corresponding primal function "
                f"'{cell.cls_name}()' : {len(found)} vs. {len(args)}."
            )
    found = as_tuple(found, (tuple, list))
    if len(found) < len(args):
        raise RuntimeError(f"Grad size should lager than forward inputs, but got {len(found)} vs {len(args)}\n")
    return found


class _OwnRule:
    """One call of a cell's `construct` as one op, whose rule is the cell's `bprop`.

    `bprop` gets the arguments and the output as they are then, for the rule may itself be differentiated; it returns a tuple
    of gradients, one for each argument, None for zero.
    """

    def __init__(self, cell, args):
        self.cell, self.args = cell, args
        self.boxed = [i for i, a in enumerate(args) if isinstance(a, Tensor) and isbox(a._value)]

    def run(self):
        """The output, a tensor or a tuple or list. At least one of the arguments is a box."""
        values = [self.args[i]._value for i in self.boxed]
        self.level = max(value._trace for value in values)
        return self._tensors(custom_vjp(self._packed, self._rule, made_of_ops=True, any_shape=True)(*values))

    def _with_values(self, values):
        filled = list(self.args)
        for place, value in zip(self.boxed, values, strict=True):
            filled[place] = wrap(value)
        return filled

    def _packed(self, *values):
        """The outputs in one array, for an op has one: a single one as it is, several one after the other."""
        self.out = self.cell.construct(*self._with_values(values))
        if isinstance(self.out, Tensor):
            return self._lowered(self.out)
        found = [self._lowered(o) for o in self.out if isinstance(o, Tensor)]
        self.forms = forms(found)
        return pack(found)

    def _tensors(self, packed, others=True):
        """The outputs, or their gradients, as tensors again; what is not a tensor as it is, or None."""
        if isinstance(self.out, Tensor):
            return wrap(packed)
        parts = iter(unpack(packed, self.forms))
        return type(self.out)(wrap(next(parts)) if isinstance(o, Tensor) else o if others else None for o in self.out)

    def _lowered(self, tensor):
        value = tensor._value
        return value._value if isbox(value) and value._trace == self.level else value

    def _rule(self, ans, g, *values):
        args = self._with_values(values)
        found = self.cell.bprop(*args, self._tensors(ans), self._tensors(g, others=False))
        found = _checked(self.cell, found, args)
        gradients = [found[i]._value if isinstance(found[i], Tensor) else None for i in self.boxed]
        return [g if g is None else _summed_to_shape(g, v) for g, v in zip(gradients, values, strict=True)]


def _summed_to_shape(gradient, value):
    """A gradient summed to the shape of its input, where the rule gave one that was broadcast.

    Raises RuntimeError where no input of that shape can have been broadcast to the gradient's.
    """
    given, expected = shape_of(gradient), shape_of(value)
    if len(given) < len(expected) or any(n not in (1, g) for n, g in zip(expected[::-1], given[::-1], strict=False)):
        raise RuntimeError(
            "For grad interface or custom function, grad tensor should be broadcast to expected shape, but got "
            f"{shape_text(given)} vs {shape_text(expected)}\n"
        )
    return gradient if shape_of(gradient) == shape_of(value) else unbroadcast_f(value, lambda g: g)(gradient)


class _Hook(NamedTuple):
    kind: str
    call: Any
    with_kwargs: bool = False
    always: bool = False


class Hooked(Cell_):
    """What registers the hooks of a cell; each method returns a handle, whose `remove()` ends the hook.

    All raise TypeError for a hook that cannot be called. Hooks of one kind are called in the order in which they were
    registered.
    """

    _hooks: dict[int, _Hook]
    bprop: Any

    def register_forward_pre_hook(self, hook_fn, *, prepend=False, with_kwargs=False) -> HookHandle:
        """Call `hook_fn(cell, args)` before `construct`; what it returns, if not None, is the new tuple of arguments.

        `with_kwargs`: call `hook_fn(cell, args, kwargs)`, which returns None or `(args, kwargs)`, else RuntimeError is raised.
        `prepend`: before the hooks that are there.

        >>> import labkit.mindspore as ms
        >>> net = ms.nn.ReLU()
        >>> handle = net.register_forward_pre_hook(lambda cell, args: args[0] * 10)
        >>> net(ms.Tensor(2.0))
        Tensor(shape=[], dtype=Float32, value= 20)
        """
        return self._registered_hook(_Hook("before", hook_fn, with_kwargs), prepend)

    def register_forward_hook(self, hook_fn, *, prepend=False, with_kwargs=False, always_call=False) -> HookHandle:
        """Call `hook_fn(cell, args, output)` after `construct`; what it returns, if not None, is the new output.

        `with_kwargs`: call `hook_fn(cell, args, kwargs, output)`. `prepend`: before the hooks that are there. `always_call`:
        also where an error is raised. A cell with a `bprop` ignores it.
        """
        if self.bprop is not None:
            return HookHandle()
        return self._registered_hook(_Hook("after", hook_fn, with_kwargs, always_call), prepend)

    def register_backward_hook(self, hook_fn) -> HookHandle:
        """Call `hook_fn(cell, grad_input, grad_output)` when a gradient has passed the cell, with tuples of tensors.

        `grad_input` has the gradients of the inputs, None for one that has none, and what `hook_fn` returns, if not None,
        takes their place; `grad_output` those of the outputs. The derivative raises TypeError for another number of them.

        >>> import labkit.mindspore as ms
        >>> net = ms.nn.ReLU()
        >>> handle = net.register_backward_hook(lambda cell, grad_input, grad_output: grad_input[0] * 10)
        >>> ms.grad(net)(ms.Tensor(2.0))
        Tensor(shape=[], dtype=Float32, value= 10)
        """
        return self._registered_hook(_Hook("gradient", hook_fn))

    def register_backward_pre_hook(self, hook_fn) -> HookHandle:
        """Call `hook_fn(cell, grad_output)` before the gradient passes the cell; what it returns, if not None, goes in.

        The derivative raises TypeError for another number of gradients.
        """
        return self._registered_hook(_Hook("cotangent", hook_fn))

    def _registered_hook(self, hook, first=False):
        of_kind(hook.call, Callable, NOT_CALLABLE)
        if hook.kind in ("gradient", "cotangent"):
            asked.backward = True
        handle = HookHandle(self._hooks)
        kept = dict(self._hooks)
        if first:
            self._hooks.clear()
        self._hooks[handle.handle_id] = hook
        self._hooks.update(kept)
        return handle

    def _of_kind(self, kind):
        return [hook for hook in self._hooks.values() if hook.kind == kind]


def through_hooks(cell, compute, args, kwargs) -> Any:
    """`compute(args, kwargs)`, the cell's own computation, with its hooks around."""
    called: list = []
    output = None
    try:
        args, kwargs = _before(cell, args, kwargs)
        passed = _Passing(cell) if cell._of_kind("gradient") else None
        args = passed.inputs(args) if passed else args
        output = compute(args, kwargs)
        for hook in cell._of_kind("after"):
            called.append(hook)
            output = _after(hook, cell, args, kwargs, output)
        output = passed.outputs(output) if passed else output
        return _cotangents_through(cell, output)
    except Exception:
        for hook in cell._of_kind("after"):
            if hook.always and hook not in called:
                _after_error(hook, cell, args, kwargs, output)
        raise


def _before(cell, args, kwargs):
    for hook in cell._of_kind("before"):
        answer = hook.call(cell, args, kwargs) if hook.with_kwargs else hook.call(cell, args)
        if answer is None:
            continue
        if not hook.with_kwargs:
            args = as_tuple(answer)
        elif isinstance(answer, tuple) and len(answer) == 2:
            args, kwargs = answer
        else:
            raise RuntimeError(
                f"forward pre hook with kwargs must return None or a tuple of (new_args, new_kwargs), but got {answer}"
            )
    return args, kwargs


def _after(hook, cell, args, kwargs, output):
    answer = hook.call(cell, args, kwargs, output) if hook.with_kwargs else hook.call(cell, args, output)
    return output if answer is None else answer


def _after_error(hook, cell, args, kwargs, output):
    try:
        _after(hook, cell, args, kwargs, output)
    except Exception as e:
        warnings.warn(
            "cell forward hook with ``always_call=True`` raised an exception that was silenced because another error was "
            f"already raised in forward: {e}",
            stacklevel=2,
        )


class _Passing:
    """One call of a cell with backward hooks: the gradients of its outputs wait for those of its inputs."""

    grad_output = None  # while forward mode asks what the hooks make of the inputs' part

    def __init__(self, cell):
        self.cell = cell

    def inputs(self, args):
        tensors = [a for a in args if isinstance(a, Tensor)]
        self.reached, self.count = any(isbox(a._value) for a in tensors), len(tensors)
        return hooked_together(args, self.arrived)

    def outputs(self, output):
        return _each(output, self.waiting)

    def waiting(self, gradients):
        self.grad_output = gradients
        if self.count and not self.reached:  # only the weights get a gradient
            self.arrived((None,) * self.count)
        return gradients

    def arrived(self, gradients):
        hooks = self.cell._of_kind("gradient")
        return _in_turn(
            hooks, gradients, "backward hook", "grad input", lambda call, g: call(self.cell, g, self.grad_output)
        )


def _cotangents_through(cell, output):
    hooks = cell._of_kind("cotangent")
    call = lambda hook, g: hook(cell, g)
    gate = lambda gradients: _in_turn(cell._of_kind("cotangent"), gradients, "backward pre hook", "output", call)
    return _each(output, gate) if hooks else output


def _in_turn(hooks, gradients, kind, whose, call):
    """What becomes of the gradients as the hooks, one after the other, replace them."""
    for hook in hooks:
        answer = call(hook.call, gradients)
        if answer is None:
            continue
        answer = as_tuple(answer)
        if len(answer) != len(gradients):
            raise TypeError(
                f"The {kind} return value size is {len(answer)} not equal to expect {whose} size {len(gradients)}"
            )
        gradients = answer
    return gradients


def _each(output, gate):
    """A tensor or a tuple, its tensors through a gate of gradients."""
    return hooked_together(output, gate) if isinstance(output, tuple) else hooked_together((output,), gate)[0]
