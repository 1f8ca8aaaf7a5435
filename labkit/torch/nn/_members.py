"""What a module holds by attribute: parameters, buffers and other modules, and the ways through them."""

from collections.abc import Iterator
from operator import attrgetter
from typing import Any

from ...absent import member
from ...kinds import of_kind
from ...parts import dotted, named_leaves
from .._tensor import Tensor
from .parameter import Buffer, Parameter

_TABLES = (("_parameters", "parameter", "Parameter"), ("_modules", "child module", "Module"), ("_buffers", "", ""))


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
        of_kind(module, (Members, type(None)), "{kind} is not a Module subclass")
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

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        """What `get_members_fn` gives of each module, under dotted names."""
        parts = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        seen: set = set()
        for path, part in parts:
            for name, thing in get_members_fn(part):
                if thing is not None and thing not in seen:
                    seen.update([thing] if remove_duplicate else [])
                    yield dotted(path, name), thing

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

    def get_submodule(self, target) -> Any:
        """The module with this dotted name."""
        module = self
        for part in target.split(".") if target else ():
            if not hasattr(module, part):
                raise AttributeError(f"{module._get_name()} has no attribute `{part}`")
            module = getattr(module, part)
            if not isinstance(module, Members):
                raise AttributeError(f"`{part}` is not an nn.Module")
        return module

    def set_submodule(self, target, module) -> None:
        """Put `module` in the place of the one with this dotted name."""
        path, _, name = target.rpartition(".")
        setattr(self.get_submodule(path), name, module)


def _kind(value):
    return f"torch.{value.dtype.legacy}Tensor" if isinstance(value, Tensor) else type(value).__name__
