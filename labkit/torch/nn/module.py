"""`Module`: parameters, buffers and other modules by attribute, and a `forward`."""

from collections import OrderedDict
from contextlib import ExitStack, contextmanager
from functools import wraps
from itertools import chain
from typing import Any

from ...dialects.class_paths import Placed
from ...dialects.module_tree import tree_text
from ...engine import current
from .._tape.node import Handle
from .._tensor.device import check_device
from ..random import get_rng_state, set_rng_state
from ._module_hooks import called, hooked, registered, registered_backward, without_hooks
from ._module_state import Stated


def _where_checked(init):
    """`init` of a layer, after a look whether the device that it is to be made on is there."""

    @wraps(init)
    def __init__(self, *args, **kwargs):
        if kwargs.get("device") is not None:
            check_device(kwargs["device"])
        init(self, *args, **kwargs)

    return __init__


class Module(Stated):
    """The base of all layers and networks.

    Assign parameters and modules as attributes in `__init__` (after `super().__init__()`), write `forward`, and call
    the module like a function.

    >>> import labkit.torch as torch
    >>> class Scale(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = torch.nn.Parameter(torch.tensor(2.0))
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> net = Scale()
    >>> net(torch.ones(2)), [name for name, _ in net.named_parameters()]
    (tensor([2., 2.], grad_fn=<MulBackward0>), ['factor'])
    """

    training, _version = True, 1
    __module__ = "torch.nn.modules.module"

    def __init__(self):
        for table in ("_parameters", "_buffers", "_modules"):
            object.__setattr__(self, table, OrderedDict())
        object.__setattr__(self, "_transient", set())
        without_hooks(self)
        self.training = True

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        init = vars(cls).get("__init__")
        if init is not None and cls.__module__.startswith("labkit.") and "device" in init.__code__.co_varnames:
            type.__setattr__(cls, "__init__", _where_checked(init))

    def forward(self, *args, **kwargs) -> Any:
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        if current.scopes is not None and current.scopes.part is not self:
            return current.scopes.call(self, self, args, kwargs)
        return called(self, args, kwargs) if hooked(self) else self.forward(*args, **kwargs)

    _call_impl = __call__

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False) -> Handle:
        """Call `hook(module, args, output)` after each forward; what it returns replaces the output.

        `with_kwargs`: `hook(module, args, kwargs, output)`; `prepend`: before the hooks that are there.
        """
        return registered(self, "_forward_hooks", hook, prepend, with_kwargs)

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False) -> Handle:
        """Call `hook(module, args)` before each forward; what it returns replaces the arguments.

        `with_kwargs`: `hook(module, args, kwargs)`, which returns both; `prepend`: before the hooks that are there.
        """
        return registered(self, "_forward_pre_hooks", hook, prepend, with_kwargs)

    def register_full_backward_hook(self, hook, prepend=False) -> Handle:
        """Call `hook(module, grad_input, grad_output)` when the backward pass has passed the module, with tuples of gradients.

        What it returns replaces `grad_input`, whose items are None for arguments that get none. Raises RuntimeError
        in `backward` for another number of gradients.

        >>> import labkit.torch as torch
        >>> layer = torch.nn.ReLU()
        >>> handle = layer.register_full_backward_hook(lambda module, grad_input, grad_output: (grad_input[0] * 10,))
        >>> x = torch.tensor([-1.0, 2.0], requires_grad=True)
        >>> layer(x).sum().backward()
        >>> x.grad
        tensor([ 0., 10.])
        """
        return registered_backward(self, hook, True, prepend)

    def register_backward_hook(self, hook) -> Handle:
        """Call `hook(module, grad_input, grad_output)` with the gradients of the op that made the output.

        It is deprecated: `grad_input` has the gradients of all arguments of the module only if it runs one op.
        """
        return registered_backward(self, hook, False)

    def register_full_backward_pre_hook(self, hook, prepend=False) -> Handle:
        """Call `hook(module, grad_output)` before the backward pass passes the module; what it returns replaces `grad_output`."""
        return registered(self, "_backward_pre_hooks", hook, prepend)

    # ---- the engine's protocol ----

    def __engine_parameters__(self):
        return list(self.named_parameters())

    def __engine_parts__(self):
        return chain(self.named_children(), self.named_modules())

    @contextmanager
    def __engine_unmoved__(self):
        """A context after which buffers and random numbers are as before, such as the running means of a BatchNorm."""
        tables = [(module._buffers, dict(module._buffers)) for module in self.modules()]
        before, state = [(buffer, buffer.data) for buffer in self.buffers()], get_rng_state()
        for buffer, data in before:
            buffer.data = data.clone()
        try:
            yield
        finally:
            for table, entries in tables:
                table.clear()
                table.update(entries)
            for buffer, data in before:
                buffer.data = data
            set_rng_state(state)

    def _called_with(self, tensors, args, kwargs):
        """What the module returns with the tensors named in place of its own."""
        with ExitStack() as stack:
            for name, tensor in tensors.items():
                path, _, last = name.rpartition(".")
                stack.enter_context(_replaced(self.get_submodule(path), last, tensor))
            return self(*args, **kwargs)

    # ---- text ----

    def extra_repr(self) -> str:
        """The text between the brackets when the module is printed."""
        return ""

    def _get_name(self):
        return type(self).__name__

    def __repr__(self):
        extra = self.extra_repr()
        return tree_text(self._get_name(), extra.split("\n") if extra else [], self._modules.items())


class Layer(Module, metaclass=Placed):
    """The base of labkit's own modules. `Module` has no metaclass, so that a class of one's own may have any."""


@contextmanager
def _replaced(module, name, tensor):
    table = module._parameters if name in module._parameters else module._buffers
    if name not in table:
        raise AttributeError(f"'{type(module).__name__}' object has no parameter or buffer '{name}'")
    kept, table[name] = table[name], tensor
    try:
        yield
    finally:
        table[name] = kept
