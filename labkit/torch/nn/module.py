"""`Module`: parameters, buffers and other modules by attribute, and a `forward`."""

import warnings
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from itertools import chain
from operator import attrgetter
from typing import Any, Self

from ...absent import member
from ...engine import current
from ...kinds import of_kind
from ...layout import Placed
from ...parts import Loaded, dotted, named_leaves, tree_text
from .._device import check_device
from .._dtype import dtype
from .._gradient import forget_gradients
from .._node import Handle
from .._tensor import Tensor
from . import _state
from ._hooks import called, hooked, registered, without_hooks
from .parameter import Buffer, Parameter

KEPT_NUMBERS = (
    "labkit has no meta tensors: the parameters keep their numbers, and torch.func.functional_call puts others in their "
    "place"
)
_TABLES = (("_parameters", "parameter", "Parameter"), ("_modules", "child module", "Module"), ("_buffers", "", ""))


def _where_checked(init):
    """`init` of a layer, after a look whether the device that it is to be made on is there."""

    @wraps(init)
    def __init__(self, *args, **kwargs):
        if kwargs.get("device") is not None:
            _check_where(kwargs["device"])
        init(self, *args, **kwargs)

    return __init__


def _check_where(device):
    if str(device) == "meta":
        warnings.warn(KEPT_NUMBERS, UserWarning, stacklevel=3)
    else:
        check_device(device)


class Module(metaclass=Placed):
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
        """Call `hook(module, grad_input, grad_output)` when the walk back has passed the module, with tuples of gradients.

        What it returns replaces `grad_input`, whose items are None for arguments that get none. Raises RuntimeError beside
        `register_backward_hook`, and in `backward` for another number of gradients.

        >>> import labkit.torch as torch
        >>> layer = torch.nn.ReLU()
        >>> handle = layer.register_full_backward_hook(lambda module, grad_input, grad_output: (grad_input[0] * 10,))
        >>> x = torch.tensor([-1.0, 2.0], requires_grad=True)
        >>> layer(x).sum().backward()
        >>> x.grad
        tensor([ 0., 10.])
        """
        return registered(self, "_backward_hooks", hook, prepend, full=True)

    def register_full_backward_pre_hook(self, hook, prepend=False) -> Handle:
        """Call `hook(module, grad_output)` before the walk back passes the module; what it returns replaces `grad_output`."""
        return registered(self, "_backward_pre_hooks", hook, prepend)

    def register_backward_hook(self, hook) -> Handle:
        """The old way: `hook(module, grad_input, grad_output)` with the gradients of the last op in the module alone."""
        return registered(self, "_backward_hooks", hook, full=False)

    # ---- attributes ----

    def __setattr__(self, name, value):
        own = self.__dict__
        if isinstance(value, (Parameter, Module)):
            kind = "parameters" if isinstance(value, Parameter) else "module"
            if "_parameters" not in own:
                raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
            table = own["_parameters" if kind == "parameters" else "_modules"]
            self._forget(name, table)
            table[name] = value
            return
        if isinstance(value, Buffer) and "_buffers" in own:
            self._forget(name, self._buffers)
            self.register_buffer(name, value, value.persistent)
            return
        for table, what, expected in _TABLES:
            if name in own.get(table, ()):
                if what and value is not None:
                    raise TypeError(
                        f"cannot assign '{_kind(value)}' as {what} '{name}' (torch.nn.{expected} or None expected)"
                    )
                own[table][name] = value
                return
        object.__setattr__(self, name, value)

    def _forget(self, name, place):
        """Make room for an attribute that goes into the table `place`, where it keeps the place that it has."""
        self.__dict__.pop(name, None)
        for table in (self._parameters, self._modules, self._buffers):
            if table is not place:
                table.pop(name, None)

    def __getattr__(self, name):
        for table in ("_parameters", "_buffers", "_modules"):
            found = self.__dict__.get(table)
            if found is not None and name in found:
                return found[name]
        raise member("torch", "nn.Module", f"'{type(self).__name__}' object has no attribute '{name}'", name, self)

    def __delattr__(self, name):
        for table in (self._parameters, self._buffers, self._modules):
            if name in table:
                del table[name]
                return
        object.__delattr__(self, name)

    def register_parameter(self, name, param) -> None:
        """Add a parameter by name; None reserves the name. Raises KeyError for a name that is taken or has a dot."""
        self._check_name("_parameters", "parameter", name)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{_kind(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        self._parameters[name] = param

    def register_module(self, name, module) -> None:
        """Add a module by name. Raises KeyError for a name that is taken or has a dot."""
        of_kind(module, (Module, type(None)), "{kind} is not a Module subclass")
        self._check_name("_modules", "module", name)
        self._modules[name] = module

    add_module = register_module

    def register_buffer(self, name, tensor, persistent=True) -> None:
        """Add a tensor that belongs to the state but is not trained. Raises KeyError for a name that is taken or has a dot."""
        self._check_name("_buffers", "buffer", name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_kind(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        (self._transient.discard if persistent else self._transient.add)(name)

    def _check_name(self, table, what, name):
        if table not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        of_kind(name, str, f"{what} name should be a string. Got {{kind}}")
        if hasattr(self, name) and name not in getattr(self, table):
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."')
        if not name:
            raise KeyError(f'{what} name can\'t be empty string ""')

    # ---- looking through ----

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        """The modules assigned to this one, each once, with their names."""
        return named_leaves([("", self)], attrgetter("_modules"))

    def children(self) -> Iterator["Module"]:
        """The modules assigned to this one."""
        return (m for _, m in self.named_children())

    def named_modules(self, memo=None, prefix="", remove_duplicate=True) -> Iterator[tuple[str, "Module"]]:
        """This module and all below it, with dotted names."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, dotted(prefix, name), remove_duplicate)

    def modules(self, remove_duplicate=True) -> Iterator["Module"]:
        """This module and all below it."""
        return (m for _, m in self.named_modules(remove_duplicate=remove_duplicate))

    def _named(self, table, prefix, recurse, once=True):
        parts = self.named_modules(prefix=prefix, remove_duplicate=once) if recurse else [(prefix, self)]
        return named_leaves(parts, attrgetter(table), once)

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True) -> Iterator[tuple[str, Parameter]]:
        """All parameters with dotted names, each once unless `remove_duplicate=False`."""
        return self._named("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True) -> Iterator[Parameter]:
        """All parameters, each once."""
        return (p for _, p in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True) -> Iterator[tuple[str, Tensor]]:
        """All buffers with dotted names."""
        return self._named("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True) -> Iterator[Tensor]:
        return (b for _, b in self.named_buffers(recurse=recurse))

    def get_parameter(self, target) -> Parameter:
        """The parameter with this dotted name. Raises AttributeError where there is none."""
        return self._found(target, "_parameters", "parameter", "an nn.Parameter")

    def get_buffer(self, target) -> Tensor:
        """The buffer with this dotted name. Raises AttributeError where there is none."""
        return self._found(target, "_buffers", "buffer", "a buffer")

    def _found(self, target, table, what, kind):
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if name not in getattr(module, table):
            raise AttributeError(f"`{name}` is not {kind}")
        return getattr(module, name)

    def get_submodule(self, target) -> "Module":
        """The module with this dotted name."""
        module = self
        for part in target.split(".") if target else ():
            if not hasattr(module, part):
                raise AttributeError(f"{module._get_name()} has no attribute `{part}`")
            module = getattr(module, part)
            if not isinstance(module, Module):
                raise AttributeError(f"`{part}` is not an nn.Module")
        return module

    def set_submodule(self, target, module) -> None:
        """Put `module` in the place of the one with this dotted name."""
        path, _, name = target.rpartition(".")
        setattr(self.get_submodule(path), name, module)

    # ---- state ----

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False) -> OrderedDict[str, Tensor]:
        """`{dotted name: tensor}` of parameters and buffers; the tensors share memory with the module's.

        `keep_vars`: they are the module's own, on the tape; `destination`: a dict to put them in.

        >>> import labkit.torch as torch
        >>> list(torch.nn.Linear(2, 1).state_dict(prefix="head."))
        ['head.weight', 'head.bias']
        """
        given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
        destination = given.get("destination", destination)
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()  # type: ignore[attr-defined]
        return _state.collected(self, destination, given.get("prefix", prefix), given.get("keep_vars", keep_vars))

    def load_state_dict(self, state_dict, strict=True, assign=False) -> Loaded:
        """Copy the tensors of `state_dict` into the parameters and buffers of the same names; with `assign`, put them there."""
        return _state.load(self, state_dict, strict, assign)

    def get_extra_state(self) -> Any:
        """What `state_dict` is to hold besides; defined by a subclass, with `set_extra_state`."""
        raise RuntimeError(_state.BARE)

    get_extra_state.bare = True  # type: ignore[attr-defined]

    def set_extra_state(self, state) -> None:
        """Take over what `get_extra_state` gave."""
        raise RuntimeError(_state.BARE.replace("get_extra", "set_extra"))

    def register_state_dict_pre_hook(self, hook) -> Handle:
        """Call `hook(module, prefix, keep_vars)` before `state_dict` looks at this module."""
        return _state.registered(self, _state.BEFORE, hook)

    def register_state_dict_post_hook(self, hook) -> Handle:
        """Call `hook(module, state_dict, prefix, local_metadata)` after that; it may change `state_dict`."""
        return _state.registered(self, _state.AFTER, hook)

    def register_load_state_dict_pre_hook(self, hook) -> Handle:
        """Call `hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)` before
        a state is loaded; it may change `state_dict`, which is a copy."""
        return _state.registered(self, _state.FIRST, hook)

    def register_load_state_dict_post_hook(self, hook) -> Handle:
        """Call `hook(module, incompatible_keys)` after a state was loaded."""
        return _state.registered(self, _state.LAST, hook)

    def zero_grad(self, set_to_none=True) -> None:
        """Forget the gradients of all parameters, or set them to zero."""
        forget_gradients(self.parameters(), set_to_none)

    def requires_grad_(self, requires_grad=True) -> Self:
        """Make all parameters require gradients, or none."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def train(self, mode=True) -> Self:
        """Set training mode here and below."""
        of_kind(mode, bool, "training mode is expected to be boolean", ValueError)
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Set evaluation mode here and below."""
        return self.train(False)

    def apply(self, fn) -> Self:
        """Call `fn` on every module below, then on this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(self, *args, **kwargs) -> Self:
        """Cast all floating parameters and buffers. To "meta", where tensors have no numbers, nothing goes, with a warning."""
        where = kwargs.get("device", args[0] if args else None)
        if where is not None and not isinstance(where, (Tensor, dtype)):
            _check_where(where)
        if str(where) == "meta":
            return self
        wanted = kwargs.get("dtype", next((a for a in args if isinstance(a, dtype)), None))
        if wanted is not None and not wanted.is_floating_point:
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={wanted}"
            )
        for t in chain(self.parameters(), self.buffers()):
            if t.dtype.is_floating_point:
                how = {k: v for k, v in kwargs.items() if k != "memory_format" or len(v.axes) == t.ndim}
                t.data = t.data.to(*args, **how)
                if t._grad is not None:
                    t._grad = t._grad.detach().to(*args, **how)
        return self

    def float(self) -> Self:
        return self.to(_dtype("float32"))

    def double(self) -> Self:
        return self.to(_dtype("float64"))

    def half(self) -> Self:
        return self.to(_dtype("float16"))

    def bfloat16(self) -> Self:
        return self.to(_dtype("bfloat16"))

    def cpu(self) -> Self:
        return self

    def cuda(self, device=None) -> Self:
        """On a GPU, of which there is none: raises AssertionError, as PyTorch does."""
        return self.to("cuda" if device is None else device)

    # ---- the engine's protocol ----

    def __engine_parameters__(self):
        return list(self.named_parameters())

    def __engine_parts__(self):
        return chain(self.named_children(), self.named_modules())

    def _called_with(self, tensors, args, kwargs):
        """What the module returns with the tensors named in place of its own."""
        with ExitStack() as stack:
            for name, tensor in tensors.items():
                path, _, last = name.rpartition(".")
                stack.enter_context(_replaced(self.get_submodule(path), last, tensor))
            return self(*args, **kwargs)

    # ---- text ----

    def extra_repr(self) -> str:
        """What stands between the brackets when the module is printed."""
        return ""

    def _get_name(self):
        return type(self).__name__

    def __repr__(self):
        extra = self.extra_repr()
        return tree_text(self._get_name(), extra.split("\n") if extra else [], self._modules.items())


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


def _dtype(name):
    from .._dtype import lookup

    return lookup(name)


def _kind(value):
    return f"torch.{value.dtype.legacy}Tensor" if isinstance(value, Tensor) else type(value).__name__
