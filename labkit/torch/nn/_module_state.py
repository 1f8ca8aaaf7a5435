"""A module's attributes (parameters, buffers, other modules) and its state: saved, loaded, cast, trained."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any, Self

from ...dialects.argument_types import of_kind
from ...dialects.module_tree import dotted, named_leaves
from ...dialects.unsupported import member
from .._error_texts import error
from .._tape import grad_mode
from .._tensor.dtype import dtype, lookup
from .._tensor.grad_attribute import forget_gradients
from .._tensor.tensor import Tensor
from .parameter import Parameter, is_lazy

_TABLES = (("_parameters", "parameter", "Parameter"), ("_modules", "child module", "Module"), ("_buffers", "", ""))


class Loaded(tuple):
    """What loading a state answers: `missing_keys, unexpected_keys`."""

    def __new__(cls, missing, unexpected):
        return super().__new__(cls, (missing, unexpected))

    missing_keys = property(lambda self: self[0])
    unexpected_keys = property(lambda self: self[1])

    def __repr__(self):
        if not self[0] and not self[1]:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self[0]}, unexpected_keys={self[1]})"


def loaded(title, own, given, strict, shapeless=lambda tensor: False) -> Loaded:
    """The names that the tensors `own` and those `given` do not share.

    Raises RuntimeError for tensors of other shapes, unless one is `shapeless`, and, if `strict`, for such names; `title` is
    the network's.
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(given)}.")
    missing, unexpected = [k for k in own if k not in given], [k for k in given if k not in own]
    named = (("Missing", missing), ("Unexpected", unexpected)) if strict else ()
    listed = lambda keys: ", ".join(f'"{k}"' for k in keys)
    problems = [f"{what} key(s) in state_dict: {listed(keys)}. " for what, keys in named if keys]
    for name in own:
        if name in given and not shapeless(own[name]) and given[name].shape != own[name].shape:
            problems.append(
                f"size mismatch for {name}: copying a param with shape {given[name].shape} from checkpoint, "
                f"the shape in current model is {own[name].shape}."
            )
    if problems:
        raise RuntimeError(f"Error(s) in loading state_dict for {title}:\n\t" + "\n\t".join(problems))
    return Loaded(missing, unexpected)


class Members:
    """Tables of parameters, buffers and modules, which are attributes; each module is one of these."""

    def __setattr__(self, name, value):
        own = self.__dict__
        if isinstance(value, (Parameter, Members)):
            kind = "parameters" if isinstance(value, Parameter) else "module"
            if "_parameters" not in own:
                raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
            table = own["_parameters" if kind == "parameters" else "_modules"]
            self._forget(name, table)
            table[name] = value
            return
        for table, what, expected in _TABLES:
            if name in own.get(table, ()):
                if what and value is not None:
                    raise error("member_type", kind=_kind(value), what=what, op=name, expected=expected)
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
            raise error("parameter_type", kind=_kind(param), op=name)
        self._parameters[name] = param

    def register_module(self, name, module) -> None:
        """Add a module by name. Raises KeyError for a name that is taken or has a dot."""
        of_kind(module, (Members, type(None)), "{kind} is not a Module subclass")
        self._check_name("_modules", "module", name)
        self._modules[name] = module

    add_module = register_module

    def register_buffer(self, name, tensor, persistent=True) -> None:
        """Add a tensor that belongs to the state but is not trained. Raises KeyError for a name that is taken or has a dot."""
        self._check_name("_buffers", "buffer", name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise error("buffer_type", kind=_kind(tensor), op=name)
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

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """The modules assigned to this one, each once, with their names."""
        return named_leaves([("", self)], attrgetter("_modules"))

    def children(self) -> Iterator[Any]:
        """The modules assigned to this one."""
        return (m for _, m in self.named_children())

    def named_modules(self, memo=None, prefix="", remove_duplicate=True) -> Iterator[tuple[str, Any]]:
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

    def modules(self, remove_duplicate=True) -> Iterator[Any]:
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

    def get_submodule(self, target) -> Any:
        """The module with this dotted name."""
        module = self
        for part in target.split(".") if target else ():
            module = getattr(module, part)
        return module


def _kind(value):
    return f"torch.{value.dtype.legacy}Tensor" if isinstance(value, Tensor) else type(value).__name__


class Stated(Members):
    """Members with a state."""

    training: Any

    def state_dict(self, *, destination=None, prefix="", keep_vars=False) -> OrderedDict[str, Tensor]:
        """`{dotted name: tensor}` of parameters and buffers; the tensors share memory with the module's.

        `keep_vars`: they are the module's own, on the tape; `destination`: a dict to put them in.

        >>> import labkit.torch as torch
        >>> list(torch.nn.Linear(2, 1).state_dict(prefix="head."))
        ['head.weight', 'head.bias']
        """
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()  # type: ignore[attr-defined]
        for path, module in self.named_modules(remove_duplicate=False):
            inner = prefix + dotted(path, "")
            if hasattr(destination, "_metadata"):
                destination._metadata[inner[:-1]] = {"version": module._version}
            for name, value in _own_tensors(module).items():
                destination[inner + name] = value if keep_vars or is_lazy(value) else value.detach()
        return destination

    def load_state_dict(self, state_dict, strict=True, assign=False) -> Loaded:
        """Copy the tensors of `state_dict` into the parameters and buffers of the same names; with `assign`, put them there."""
        own, given = self.state_dict(keep_vars=True), state_dict
        if isinstance(given, Mapping):
            about, given = getattr(given, "_metadata", {}), dict(given)
            for name, tensor in own.items():
                path, _, last = name.rpartition(".")
                if last == "num_batches_tracked" and (about.get(path, {}).get("version") or 1) < 2:
                    given.setdefault(name, tensor)  # of a version before batches were counted
                if is_lazy(tensor) and name in given and not is_lazy(given[name]):
                    tensor.materialize(given[name].shape)
        answer = loaded(type(self).__name__, own, given, strict, is_lazy)
        for name in own.keys() & given.keys():
            path, _, last = name.rpartition(".")
            if assign:
                setattr(self.get_submodule(path), last, _assigned(own[name], given[name]))
            elif not is_lazy(own[name]):
                with grad_mode.no_grad():
                    own[name].copy_(given[name])
        return answer

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
        wanted = kwargs.get("dtype", next((a for a in args if isinstance(a, dtype)), None))
        if wanted is not None and not wanted.is_floating_point:
            raise error("module_dtype", wanted=wanted)

        return self._apply(lambda t: t.to(*args, **kwargs) if t.dtype.is_floating_point else t)

    def _apply(self, fn, recurse=True):
        """Put `fn(tensor)` in place of each parameter, with its gradient, and of each buffer; here and below."""
        for child in self.children() if recurse else ():
            child._apply(fn)
        for p in self._parameters.values():
            if p is not None:
                p.data = fn(p.data)
                if p._grad is not None:
                    p._grad = fn(p._grad.detach())
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def type(self, dst_type) -> Self:
        """Cast all parameters and buffers."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        return self.to(lookup("float32"))

    def double(self) -> Self:
        return self.to(lookup("float64"))

    def half(self) -> Self:
        return self.to(lookup("float16"))

    def bfloat16(self) -> Self:
        return self.to(lookup("bfloat16"))

    def cpu(self) -> Self:
        return self

    def cuda(self, device=None) -> Self:
        """On a GPU, of which there is none: raises AssertionError, as PyTorch does."""
        return self.to("cuda" if device is None else device)


# ---- what `state_dict` gives and `load_state_dict` takes ----


def _own_tensors(module) -> dict[str, Any]:
    """The parameters and the persistent buffers of this module alone."""
    kept = {n: b for n, b in module._buffers.items() if n not in module._transient}
    return {n: t for n, t in (module._parameters | kept).items() if t is not None}


def _assigned(own, given):
    """The tensor that takes the place of a parameter or buffer."""
    if not isinstance(own, Parameter):
        return given
    return (
        given.requires_grad_(own.requires_grad) if isinstance(given, Parameter) else Parameter(given, own.requires_grad)
    )
