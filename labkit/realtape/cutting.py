"""The part of a tape behind one node: what would leave the tape if the graph were cut there, as by `detach()`."""

from dataclasses import dataclass

from .tape import Tape, in_bytes

MOST_NAMED = 4


@dataclass
class Behind:
    """What no other way leads to: how many `nodes` (the first one among them), the names of the first few `leaves`, how many
    `more` there are, and `bytes`, what only these nodes keep alive."""

    nodes: int = 0
    leaves: tuple[str, ...] = ()
    bytes: int = 0
    more: int = 0

    def take(self, other: "Behind") -> None:
        """What is behind another node is behind this one, too."""
        leaves = (*self.leaves, *other.leaves)
        self.nodes, self.bytes = self.nodes + other.nodes, self.bytes + other.bytes
        self.leaves, self.more = leaves[:MOST_NAMED], self.more + other.more + len(leaves[MOST_NAMED:])

    def told(self) -> str:
        """In words.

        >>> Behind(3, ("w", "b"), 24).told()
        'With its result detached, 3 nodes with 24 bytes would leave this tape, and no gradient would reach w and b.'
        >>> Behind(1).told()
        'With its result detached, this node would leave the tape.'
        """
        nodes = "this node" if self.nodes == 1 else f"{self.nodes} nodes"
        kept = f" with {in_bytes(self.bytes)}" if self.bytes else ""
        where = "this tape" if self.nodes > 1 else "the tape"
        return f"With its result detached, {nodes}{kept} would leave {where}{self._unreached()}."

    def _unreached(self):
        *names, last = [*self.leaves, *([f"{self.more} more"] if self.more else [])] or [""]
        words = " and ".join(filter(None, [", ".join(names), last]))
        return f", and no gradient would reach {words}" if words else ""


def behind(tape: Tape) -> list[Behind]:
    """For each node of a tape, by its index."""
    first = _gates(tape)
    found = [Behind(0 if node.leaf else 1, (node.label,) if node.leaf else ()) for node in tape.nodes]
    for gate, size in _held(tape, first):
        if gate >= 0:
            found[gate].bytes += size
    for i, gate in enumerate(first):  # each node stands after what is behind it
        if gate >= 0:
            found[gate].take(found[i])
    return found


def _gates(tape):
    """For each node the next one that every way from the end to it goes through; -1 where there is none."""
    count = len(tape.nodes)
    users: list[list[int]] = [[] for _ in range(count)]
    for node in tape.nodes:
        for parent in node.parents:
            if parent is not None:
                users[parent[0]].append(node.index)
    gates = [-1] * count
    roots = {i for i, _ in tape.roots}
    for i in reversed(range(count)):
        gate = -1 if i in roots or not users[i] else users[i][0]
        for user in users[i][1:]:
            gate = _common(gates, gate, user)
        gates[i] = gate
    return gates


def _common(gates, a, b):
    """The first that is on the way from both to the end; what is nearer to the end has the larger index."""
    while a != b:
        if a < 0 or b < 0:
            return -1
        if a < b:
            a = gates[a]
        else:
            b = gates[b]
    return a


def _held(tape, gates):
    """`(node, bytes)` for each memory that is kept: the first node that every way to its keepers goes through."""
    keepers: dict = {}
    for node in tape.nodes:
        for memory, size in tape.held(node):
            gate, largest = keepers.get(memory, (node.index, 0))
            keepers[memory] = _common(gates, gate, node.index), max(largest, size)
    return keepers.values()
