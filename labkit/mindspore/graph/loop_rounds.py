"""A `while` whose number of rounds is known only when the program runs: one round is recorded."""

from ...engine import map_leaves, user_site
from ...program import Loop, TraceError
from ..common.tensor import Tensor, wrap
from .branch_join import ABSENT, MORE, RULE, Missing, part
from .operators import Number, as_number, number, numbered
from .recorder import current
from .side_effects import World

_NOT_OUTSIDE = (
    "The local variable '{}' defined in the 'while' loop body cannot be used outside of the loop body. Please define variable "
    "'{}' before 'while'."
)


def rounds(test, body, state, names, space):
    """`[(whether the function returns, what), *values of names]` after the loop.

    `test(state, left)` gives the value that decides, `body(*state)` what a round gives; `left` is None where nothing leaves the
    loop but its test.
    """
    recording = current.recorder.recording
    loop, world = Loop(recording.log, recording.level), World(space)
    begun = [_begun(value) for value in state]
    (left, _), value, changes = _tried(loop, world, test, body, begun)
    leaves_early = not (isinstance(left, bool) and not left)
    entries: list = [*zip(names, begun, strict=True)]
    entries += [(None, get()) for _, get, _ in changes]
    if leaves_early:
        entries += [("left", as_number(False)), ("returned", as_number(False))]
    carried = _Carried(entries)
    count = len(names)

    def step(values):
        held = carried.filled(values)
        for (put, _, _), content in zip(changes, held[count:], strict=False):
            put(content)
        flags = held[count + len(changes) :]
        loop.test(test(held[:count], flags[0] if flags else None))
        (left, returned), value, following = body(*held[:count])
        after = [*following, *[get() for _, get, _ in changes]]
        ends = carried.ends([*after, *([numbered(left), numbered(returned)] if flags else [])])
        return [*ends, *given.flat(value, values[carried.size :])]

    given = _Given(value)
    found = loop.run([*carried.values, *given.entries], step, carried.called)
    held = carried.filled(found)
    world.taken_back()
    for (put, _, _), content in zip(changes, held[count:], strict=False):
        put(content)
    outcome = (False, ABSENT)
    if leaves_early and value is not ABSENT:
        outcome = held[-1], given.filled(found[carried.size :])
    return [outcome, *map(_after, names, held[:count])]


def _begun(value):
    """A value as the rounds have it: a number is one of the program."""
    return map_leaves(numbered, value) if not isinstance(value, Tensor) else value


def _tried(loop, world, test, body, state):
    """What a round gives, and what it changes besides; nothing of it is kept."""
    recording = current.recorder.recording
    before = len(recording.log)
    unknown = [map_leaves(lambda leaf: _stand_in(loop, leaf), value) for value in state]
    test(unknown, None)
    how, value, _ = body(*unknown)
    changes = world.changes(world.taken_back())
    recording.log[before:] = [node for node in recording.log[before:] if node.fun is None]
    return how, value, changes


def _stand_in(loop, leaf):
    if not isinstance(leaf, Tensor):
        return leaf
    return (number if isinstance(leaf, Number) else wrap)(loop.header(leaf._value))


def _after(name, value):
    """What a name is after the loop."""
    if isinstance(value, Missing) and value.words is None:
        return Missing(_NOT_OUTSIDE.format(name, name))
    return value


class _Carried:
    """Nested values that go from round to round, and their leaves in a row: `values`, and how they are `called`."""

    def __init__(self, entries):
        self.trees: list = [tree for _, tree in entries]
        self.values: list = []
        self.called: list = []
        for name, tree in entries:
            self._note(tree, name)
        self.size = len(self.values)

    def _note(self, tree, name):
        if isinstance(tree, Tensor):
            self.values.append(tree._value)
            self.called.append(name)
        elif isinstance(tree, (list, tuple)):
            for k, branch in enumerate(tree):
                self._note(branch, part(name, k))
        elif isinstance(tree, dict):
            for key, branch in tree.items():
                self._note(branch, part(name, key))

    def filled(self, values):
        """The nested values with others for their leaves."""
        given = iter(values)
        make = lambda leaf: (
            (number if isinstance(leaf, Number) else wrap)(next(given)) if isinstance(leaf, Tensor) else leaf
        )
        return [map_leaves(make, tree) for tree in self.trees]

    def ends(self, after):
        """The leaves after a round. Raises TypeError where something has become another thing."""
        found: list = []
        for entry, end in zip(self.trees, after, strict=True):
            self._match(entry, end, found)
        return found

    def _match(self, entry, end, found):
        end = numbered(end)
        if isinstance(entry, Tensor) and isinstance(end, Tensor):
            _check(entry, end)
            found.append(end._value)
        elif isinstance(entry, (list, tuple)) and type(end) is type(entry) and len(end) == len(entry):
            for one, other in zip(entry, end, strict=True):
                self._match(one, other, found)
        elif isinstance(entry, dict) and isinstance(end, dict) and entry.keys() == end.keys():
            for key in entry:
                self._match(entry[key], end[key], found)
        elif not (entry is end or isinstance(entry, Missing) or _equal(entry, end)):
            raise _changed("something that is no tensor or number, or a list to which a round adds")


def _equal(one, other):
    return type(one) is type(other) and not isinstance(one, (Tensor, list, tuple, dict)) and one == other


def _check(entry, end):
    """Raise TypeError unless a round ends with the type that it begins with."""
    kinds = isinstance(end, Number), isinstance(entry, Number)
    if kinds[0] != kinds[1]:
        names = ["AbstractScalar" if kind else "AbstractTensor" for kind in kinds]
        raise TypeError(f"{RULE}Abstract type {names[0]} cannot join with {names[1]}{MORE}")
    if entry._value.dtype != end._value.dtype:
        raise TypeError(f"{RULE}dtype1 = {end.dtype}, dtype2 = {entry.dtype}{MORE}")
    if entry.shape != end.shape:
        raise _changed(f"a tensor whose shape is {entry.shape} before a round and {end.shape} after it")


def _changed(what):
    file, line = user_site()
    return TraceError(
        f"{file}:{line}: a compiled function cannot carry {what} through a loop whose number of rounds is known only when the "
        "program runs: it is made for fixed shapes and types. Keep both as they are, or do not compile this function."
    )


class _Given:
    """What a function returns from inside of a loop: zeros as long as it has not."""

    def __init__(self, value):
        self.tree = value
        self.entries = [] if value is ABSENT else [None for leaf in _tensors(value)]

    def flat(self, value, before):
        """The leaves after a round; those of before where it gives nothing."""
        if self.tree is ABSENT:
            return []
        if value is ABSENT:
            value = self.tree
        return [leaf._value for leaf in _tensors(value)]

    def filled(self, values):
        given = iter(values)
        return map_leaves(lambda leaf: wrap(next(given)) if isinstance(leaf, Tensor) else leaf, self.tree)


def _tensors(tree):
    found: list = []
    map_leaves(lambda leaf: found.append(leaf) if isinstance(leaf, Tensor) else None, tree)
    return found
