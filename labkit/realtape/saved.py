"""What a node of a real tape saves, without running any hook.

`node._saved_self` unpacks: where a hook has packed the tensor it runs the hook's other half, and with a non-reentrant
checkpoint that is the user's forward. `node._raw_saved_self` is the same place as it is; it says whether there is a hook.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from .kinds import is_leaf, is_real_tensor
from .tape import CHANGED, FREED, KEPT, PACKED, UNKNOWN

RAW = "_raw_saved_"
_CLOSED = ("CppFunction", "CopySlices")  # nodes made in C++ alone, and that of an op on a part of a tensor in place
_UNTOLD = "this version of PyTorch does not report whether a hook packed it, and reading it would run the hook"


class Slot(NamedTuple):
    """One place where a node saves a tensor: its `name`, its state, the `tensor` where it can be looked at, and `why` not."""

    name: str
    state: str
    tensor: Any = None
    why: str = ""


def slots(node: Any) -> Iterator[Slot]:
    """The places of a node, except those that hold nothing (an op without that argument)."""
    for attribute in _raw_names(node.__class__):
        name = attribute.removeprefix(RAW)
        try:
            raw = getattr(node, attribute)
        except RuntimeError as error:
            yield Slot(name, *_failure(error))
            continue
        found = _several(node, name, raw) if isinstance(raw, tuple | list) else [_one(node, name, raw)]
        yield from (slot for slot in found if slot.tensor is not None or slot.state != KEPT)
    if type(node).__name__ in _CLOSED and not is_leaf(node):
        yield Slot("what it saves", UNKNOWN, None, "PyTorch does not expose what nodes of this kind save")
    for name, value in sorted(getattr(node, "__dict__", {}).items()):
        if is_real_tensor(value):
            yield Slot(f"ctx.{name}", KEPT, value)


@lru_cache(1024)
def _raw_names(kind: Any) -> list[str]:
    return sorted(name for name in dir(kind) if name.startswith(RAW))


def settings(node: Any) -> dict[str, Any]:
    """What a node saves that is not a tensor, such as `dim`: numbers, booleans, text, and tuples of numbers."""
    found = {}
    attributes = set(dir(type(node)))
    for attribute in sorted(attributes):
        name = attribute.removeprefix("_saved_")
        if attribute.startswith("_saved_") and f"{RAW}{name}" not in attributes and name != "tensors":
            try:
                value = getattr(node, attribute)
            except (RuntimeError, TypeError):  # freed
                continue
            if isinstance(value, bool | int | float | str) or _is_numbers(value):
                found[name] = list(value) if isinstance(value, tuple | list) else value
    return found


def _is_numbers(value):
    return isinstance(value, tuple | list) and all(isinstance(v, bool | int | float) for v in value)


def _one(node, name, raw):
    hidden = _hidden(name, raw)
    if hidden:
        return hidden
    try:
        return Slot(name, KEPT, getattr(node, f"_saved_{name}"))
    except RuntimeError as error:
        return Slot(name, *_failure(error, raw.data))


def _several(node, name, raws):
    """The places of a list: they can only be looked at all together, so as they are where one of them is packed."""
    slots = [_hidden(f"{name}[{i}]", raw) for i, raw in enumerate(raws)]
    if any(slots):
        found = zip(slots, raws, strict=True)
        return [slot or Slot(f"{name}[{i}]", KEPT, raw.data) for i, (slot, raw) in enumerate(found)]
    try:
        tensors = getattr(node, f"_saved_{name}") if hasattr(type(node), f"_saved_{name}") else node.saved_tensors
        return [Slot(f"{name}[{i}]", KEPT, tensor) for i, tensor in enumerate(tensors)]
    except RuntimeError as error:
        state, _, why = _failure(error)
        return [Slot(f"{name}[{i}]", state, raw.data, why) for i, raw in enumerate(raws)]


def _hidden(name, raw):
    """The place as one that must not be looked into, or None."""
    if not hasattr(type(raw), "unpack_hook"):
        return Slot(name, UNKNOWN, None, _UNTOLD)
    hook = raw.unpack_hook
    return None if hook is None else Slot(name, PACKED, None, _called(hook))


def _called(hook):
    """A hook's name, with the module it is from."""
    home = getattr(hook, "__module__", "") or ""
    if home == "torch.utils.checkpoint":
        return "checkpoint: unpacking it would run the forward pass again"
    return f"{home}.{getattr(hook, '__qualname__', type(hook).__qualname__)}".lstrip(".")


def fate_of(error: Exception) -> str:
    """What became of a saved tensor, by what PyTorch says where it is asked for: freed, changed in place, or unknown.

    >>> fate_of(RuntimeError("Trying to backward through the graph a second time (or ..."))
    'freed'
    """
    if "a second time" in str(error):
        return FREED
    return CHANGED if "modified by an inplace operation" in str(error) else UNKNOWN


def _failure(error, tensor=None):
    fate = fate_of(error)
    return (fate, None, "") if fate == FREED else (fate, tensor, str(error).partition(" Hint:")[0])
