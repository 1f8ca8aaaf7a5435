"""The state of a cell beside its parameters: buffers, all of it by name, and how it is loaded again."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from ...kinds import of_kind
from ...parts import Loaded, dotted, loaded, named_leaves
from .._cell import Cell_
from .._hooking import HookHandle
from ..parameter import Parameter, assigned
from ..tensor import Tensor

__all__ = ["Stateful"]


class Stateful(Cell_):
    """What a cell has of buffers, tensors that belong to its state and are not trained."""

    _buffers: dict[str, Tensor | None]
    _params: dict[str, Parameter]
    _cells: dict[str, Any]
    cells_and_names: Any

    def register_buffer(self, name, tensor, persistent=True) -> None:
        """Add a tensor, or None, as the attribute `name`; unless `persistent` it stays out of `state_dict`.

        Raises TypeError for something else, KeyError for a name that is empty, has a dot, or is taken.

        >>> import labkit.mindspore as ms
        >>> net = ms.nn.Dense(1, 1)
        >>> net.register_buffer("scale", ms.Tensor([2.0]))
        >>> list(net.state_dict()), net.scale
        (['weight', 'bias', 'scale'], Tensor(shape=[1], dtype=Float32, value= [ 2.00000000e+00]))
        """
        of_kind(name, str, "buffer name should be a string.But got this type: {type}")
        if not name or "." in name:
            raise KeyError('buffer name can\'t be empty string ""' if not name else 'buffer name can\'t contain "."')
        if name not in self._buffers and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")
        of_kind(
            tensor,
            (Tensor, type(None)),
            "cannot assign '{type}' object to buffer '{name}' (mindspore Tensor or None required)",
            name=name,
        )
        self._buffers[name] = self.__dict__[name] = tensor
        self.__dict__.setdefault("_transient", set()).discard(name)
        if not persistent:
            self.__dict__["_transient"].add(name)

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their dotted names."""
        return named_leaves(self.cells_and_names(prefix) if recurse else [(prefix, self)], lambda cell: cell._buffers)

    def buffers(self, recurse=True) -> Iterator[Tensor]:
        """The buffers, one after the other."""
        return (tensor for _, tensor in self.named_buffers(recurse=recurse))

    def update_cell_prefix(self) -> None:
        """Note the dotted name of each cell in this one, as its `param_prefix`."""
        for name, cell in self.cells_and_names():
            cell.param_prefix = name

    def get_sub_cell(self, target) -> Any:
        """The cell of this dotted name; the cell itself for an empty one. Raises AttributeError where there is none."""
        found: Any = self
        for name in target.split(".") if target else ():
            if name not in found._cells:
                raise AttributeError(f"`{type(found).__name__}` has no attribute `{name}`")
            found = found._cells[name]
        return found

    def get_buffer(self, target) -> Tensor | None:
        """The buffer of this dotted name. Raises AttributeError where there is none."""
        place, _, name = target.rpartition(".")
        owner = self.get_sub_cell(place)
        if name not in owner._buffers:
            raise AttributeError(f"`{type(owner).__name__}` has no buffer `{name}`")
        return owner._buffers[name]

    def state_dict(self, *, destination=None, prefix="", keep_vars=False) -> dict[str, Tensor]:
        """`{dotted name: parameter or buffer}`, the cell's own ones; those that are not persistent are left out."""
        for hook in [*self.__dict__.get("_before_state", {}).values()]:
            hook(self, prefix, keep_vars)
        found: dict[str, Tensor] = OrderedDict() if destination is None else destination
        transient = self.__dict__.get("_transient", ())
        own = {**self._params, **{name: t for name, t in self._buffers.items() if name not in transient}}
        found.update((prefix + name, t) for name, t in own.items() if t is not None)
        for name, cell in self._cells.items():
            cell.state_dict(destination=found, prefix=dotted(prefix.rstrip("."), name) + ".")
        return found

    def register_state_dict_pre_hook(self, hook) -> HookHandle:
        """Call `hook(cell, prefix, keep_vars)` before `state_dict` is made; the handle's `remove()` ends it.

        >>> import labkit.mindspore as ms
        >>> net = ms.nn.Dense(1, 1)
        >>> handle = net.register_state_dict_pre_hook(lambda cell, prefix, keep_vars: print("asked"))
        >>> list(net.state_dict())
        asked
        ['weight', 'bias']
        """
        hooks = self.__dict__.setdefault("_before_state", {})
        handle = HookHandle(hooks)
        hooks[handle.handle_id] = hook
        return handle

    def load_state_dict(self, state_dict, strict=True) -> Loaded:
        """Copy the tensors of `state_dict` into the parameters and buffers of these names, in their types.

        Returns the names that are missing and those that are unexpected; raises RuntimeError for these, if `strict`, and
        for other shapes.
        """
        own = self.state_dict()
        answer = loaded(type(self).__name__, own, state_dict, strict)
        for name in own.keys() & state_dict.keys():
            assigned(own[name], state_dict[name], "Assign")
        return answer
