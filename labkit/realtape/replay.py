"""Runs the ops of a real tape again, on copies of its saved tensors."""

from collections.abc import Callable, Mapping
from typing import Any

from .kinds import installed
from .saved import Slot, settings
from .tape import KEPT
from .values import readable

_WRAPPED = 2**63  # PyTorch shows a negative dimension as a number without a sign
_SHAPED = ("view", "unsafe_view", "reshape", "reshape_alias", "expand")
_LEFT_ALONE = ("batch_norm", "instance_norm", "rnn", "lstm", "gru", "dropout")  # what writes to buffers, or draws


def given_again(op: str, node: Any, kept: Mapping[str, Any], value_of: Callable[[Any, int], Any]) -> Any:
    """What the `op` of a `node` gives of what it has `kept`, by name, and of `value_of(node, nr)`, the results that it was given;
    None where that cannot be known. To be called where `kinds.unseen` is in force."""
    made: Any = getattr(node, "_input_metadata", ())
    if len(made) != 1 or any(word in op for word in _LEFT_ALONE):
        return None
    before: list[Any] = [None if parent is None else value_of(parent, nr) for parent, nr in node.next_functions]
    if any(value is None and way[0] is not None for value, way in zip(before, node.next_functions, strict=True)):
        return None
    shape = tuple(made[0].shape)
    if op in _SHAPED:
        return before[0].expand(shape) if op == "expand" else before[0].reshape(shape)
    known = {name: _signed(value) for name, value in settings(node).items()}
    result = _called(op, {**known, **{n: t.detach() for n, t in kept.items() if n != "result"}}, before)
    return result if result is not None and tuple(result.shape) == shape else None


def _signed(value):
    if isinstance(value, list):
        return [_signed(one) for one in value]
    return value - 2 * _WRAPPED if type(value) is int and value >= _WRAPPED else value


def _called(op: str, given: Mapping[str, Any], before: list[Any]) -> Any:
    """The result of PyTorch's op of this name, with those of the arguments `given` that it takes; None where it cannot be called
    so, or draws random numbers. `before`: the results that it was given, in the order of its tensors; all have to be known."""
    torch = installed()
    packet = getattr(torch.ops.aten, op, None)
    ways = [] if packet is None else [getattr(packet, name) for name in packet.overloads()]
    ways = [
        way for way in ways if way._schema.is_mutable is False and torch.Tag.nondeterministic_seeded not in way.tags
    ]
    for way in sorted(ways, key=lambda way: -sum(arg.name in given for arg in way._schema.arguments)):
        tensors = [arg.name for arg in way._schema.arguments if "Tensor" in str(arg.type)]
        taken = {**given, **{n: value for n, value in zip(tensors, before, strict=False) if value is not None}}
        if len(before) > len(tensors) or any(name not in taken for name in tensors):
            continue
        taken = {arg.name: taken[arg.name] for arg in way._schema.arguments if arg.name in taken}
        try:
            result = way(**taken)
        except (RuntimeError, TypeError, NotImplementedError):
            continue
        if isinstance(result, torch.Tensor) and readable(result):
            return result
    return None


def is_kept(slot: Slot) -> bool:
    """Whether the numbers of a saved tensor can be read."""
    return slot.state == KEPT and slot.tensor is not None and readable(slot.tensor)
