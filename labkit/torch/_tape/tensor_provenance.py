"""Notes of where tensors came from, also off the tape (see `labkit.dialects.provenance`).

The tape forgets what it does not record: a detached tensor has no history. Notes of what is on the tape are made of its nodes
when one is needed; notes of what left it are made at once. These hold what they were made of weakly, and only the latest
are kept, so that nothing grows with the length of a training.
"""

from collections import deque
from typing import Any, NamedTuple

from ...dialects.provenance import AFTER, LEAF, NO_GRAD, NUMBERS, OPEN, RECORDED, Exit, Trail, is_same, place
from ...engine import watch
from . import grad_mode

REMEMBERED = 64  # elements: the content of a larger tensor is not kept
_latest: deque = deque(maxlen=2048)  # notes off the tape
_sources: deque = deque(maxlen=64)  # notes on the tape that these were made of
_exits: deque = deque(maxlen=64)


class Notes(NamedTuple):
    """What is known of a tensor in addition to its numbers: its `trail`; the values that have `left`, of any tensor; the
    latest tensors that are `off_tape`; where its `.grad` was `forgotten`; where its memory was `changed` last."""

    trail: Trail | None
    left: tuple
    off_tape: deque
    forgotten: Any
    changed: Any


def notes_of(tensor) -> Notes:
    """What is known of this tensor."""
    return Notes(of_tensor(tensor), tuple(_exits), _latest, tensor._forgotten, tensor._version_counter.place)


def of_node(node) -> Trail:
    """The note of a node on the tape; those of what feeds it are made first."""
    stack = [node]
    while stack:
        top = stack[-1]
        missing = [] if top.trail is not None else [e.node for e in top.edges if e is not None and e.node.trail is None]
        stack += missing
        if not missing:
            if top.trail is None:
                fed = [e.node.trail for e in top.edges if e is not None]
                top.trail = Trail(top.op_name(), top.where, RECORDED, [*fed, *top.asides])
            stack.pop()
    return node.trail


def of_leaf(tensor) -> Trail:
    """The note of a tensor that gradients are accumulated in; it is made once."""
    found = tensor._leaf_trail
    if found is None:
        made_of = () if tensor._trail is None else (tensor._trail,)
        found = tensor._leaf_trail = Trail("leaf", None, LEAF, made_of)
    return found


def of_tensor(tensor) -> Trail | None:
    """The note of a tensor, or None where it was made of plain numbers."""
    edge = (
        tensor._node_edge if tensor._origin else tensor._edge
    )  # a view that may not be looked at again has its old note
    if edge is not None:
        return of_node(edge.node)
    return of_leaf(tensor) if tensor._requires else tensor._trail


def aside(made, op, sources, kind, recording=True) -> Any:
    """`made`, a tensor off the tape, with a note of the tensors among `sources` that it was made of, where these have one."""
    if watch.left:
        watch.left(op)
    tape, found = False, []
    for source in sources:
        trail = of_tensor(source) if hasattr(source, "_leaf_trail") else None
        if trail is not None:
            found.append(trail)
            tape = tape or source.requires_grad
    if found:
        _note(made, op, AFTER if not tape else kind if recording else NO_GRAD, found)
    return made


def _note(made, op, kind, found):
    made._trail = Trail(op, place(), kind, weak=found, off=grad_mode.state.off if kind == NO_GRAD else None)
    _latest.append(made._trail)
    _latest.extend(trail for trail in found if trail.kind not in OPEN)
    _sources.extend(trail for trail in found if trail.kind in OPEN)


def left(tensor, op, value) -> Any:
    """`value`, after a note that it is the content of `tensor`, which left by `op`."""
    if watch.left:
        watch.left(op)
    trail = of_tensor(tensor)
    if trail is not None:
        _exits.append(
            Exit(trail, op, value if hasattr(value, "base") or tensor._array.size <= REMEMBERED else None, place())
        )
    return value


def entered(made, data, op) -> Any:
    """`made`, a tensor of plain `data`, with a note of it if numbers have left tensors before."""
    if _exits:
        _note(made, op, NUMBERS, [exit.trail for exit in list(_exits) if is_same(exit.value(), data)])
    return made
