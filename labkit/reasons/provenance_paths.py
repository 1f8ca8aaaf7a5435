"""Where a path from the loss back to a tensor is cut: searched among the notes of `labkit.dialects.provenance`."""

from ..dialects.provenance import AFTER, OPEN, Trail


def between(end: Trail, target: Trail) -> list[Trail]:
    """The notes on all paths from `end` back to `target`, both included; none if there is no path.

    >>> leaf = Trail("leaf", None, "leaf"); square = Trail("square", None, "recorded", [leaf])
    >>> [note.op for note in between(square, leaf)]
    ['leaf', 'square']
    """
    after: dict[int, list[Trail]] = {}
    for note in all_before(end):
        for earlier in note.before:
            after.setdefault(id(earlier), []).append(note)
    if id(target) not in after and target is not end:
        return []
    found, stack = {id(target): target}, [target]
    while stack:
        for later in after.get(id(stack.pop()), ()):
            if id(later) not in found:
                found[id(later)] = later
                stack.append(later)
    return list(found.values())


def cuts(end: Trail, target: Trail) -> list[Trail]:
    """The notes between the two where the gradient does not flow, the first to happen first."""
    found = [note for note in between(end, target) if note.kind not in OPEN and note.kind != AFTER]
    return sorted(found, key=lambda note: note.number)


def all_before(end: Trail) -> list[Trail]:
    """Everything that `end` was computed from, itself included."""
    seen, stack = {id(end): end}, [end]
    while stack:
        for earlier in stack.pop().before:
            if id(earlier) not in seen:
                seen[id(earlier)] = earlier
                stack.append(earlier)
    return list(seen.values())
