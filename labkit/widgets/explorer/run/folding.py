"""Folding a large run into blocks: the calls of cells, and plain chunks of what is left.

A block is a stretch of ops that ran one after the other, so folding never makes a cycle. At first few boxes
are seen.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import ceil

from .moves import groups
from .story import Layer, Node

FEW = 12  # parts that one block holds at most
PIECES = 5  # a longer stretch is cut into so many
WHOLE = 20  # boxes that are seen at once, each op one of them; of a longer run an overview is seen
SHORT = 18  # letters of the names of parts


@dataclass(eq=False)
class Block:
    """A stretch of the run that can be shown as one box. `key`: its place, such as `conv1/dense`; `parts`: indices of ops,
    and blocks, in the order they ran. `kind`: what blocks that do the same have in common, such as the class of a module."""

    key: str
    title: str
    parts: list["Part"]
    kind: str = ""
    moves: bool = False  # an op, or a part of attention, with the ops that only arrange its numbers anew

    @cached_property
    def ops(self) -> list[int]:
        """The indices of all ops inside."""
        return [i for part in self.parts for i in (part.ops if isinstance(part, Block) else [part])]


Part = int | Block


class Parts(list[Part]):
    """A whole run as parts, which are not changed any more."""

    @cached_property
    def paths(self) -> dict[str, tuple[str, ...]]:
        """See `paths`."""
        return dict(_paths(self, ()))


def folded(nodes: list[Node], tape: bool = False) -> Parts:
    """The run as parts, none of them with more than `FEW` of its own: cells first, then chunks. In networks, and
    on a `tape`, ops that only rearrange numbers are parts of others."""
    moves = tape or any(node.leaf and "." in node.title for node in nodes)
    users: dict[int, list[int]] = {}
    for node in nodes:
        for parent in node.parents:
            users.setdefault(parent, []).append(node.index)
    parts = _by_scope([n for n in nodes if not n.leaf], 0, "", lambda ops: groups(ops, nodes, users, moves))
    return Parts(_fold_long(parts, "", nodes))


def visible(parts: Iterable[Part], opened: frozenset[str]) -> list[Part]:
    """The parts that are seen when the blocks in `opened` are unfolded."""
    seen: list[Part] = []
    for part in parts:
        if isinstance(part, Block) and part.key in opened:
            seen += visible(part.parts, opened)
        else:
            seen.append(part)
    return seen


def blocks(parts: Iterable[Part]) -> list[Block]:
    """All blocks, outer ones before what is in them."""
    return [b for part in parts if isinstance(part, Block) for b in (part, *blocks(part.parts))]


def paths(parts: Iterable[Part]) -> dict[str, tuple[str, ...]]:
    """For each block's key, the keys of the blocks it is in, from the outside in, and its own."""
    return parts.paths if isinstance(parts, Parts) else dict(_paths(parts, ()))


def _paths(parts, outer):
    for part in parts:
        if isinstance(part, Block):
            path = (*outer, part.key)
            yield part.key, path
            yield from _paths(part.parts, path)


def closed(parts: Iterable[Part], opened: frozenset[str]) -> list[Block]:
    """The blocks that are seen and can be unfolded, but for those of ops with others that only arrange numbers."""
    return [part for part in visible(parts, opened) if isinstance(part, Block) and not part.moves]


def _by_scope(nodes, depth, prefix, grouped):
    """Parts by the cells they ran in, forwards and in a derivative apart; a cell of one op is that op, if it is no `Layer`."""
    parts: list[Part] = []
    seen: Counter[str] = Counter()
    for place, run in groupby(nodes, key=lambda n: (n.scope[depth], bool(n.derives)) if len(n.scope) > depth else None):
        members = list(run)
        if place is None or (len(members) == 1 and not isinstance(place[0], Layer)):
            parts += [n.index for n in members]
            continue
        scope, derived = place
        again = f" ({scope.call})" if scope.call > 1 else ""
        kind = str(scope.kind)
        title = f"{scope.name}{again}: {kind}" if kind not in ("", scope.name) else f"{scope.name}{again}"
        key = f"{prefix}{scope.name}{again}{' derivative' if derived else ''}"
        seen[key] += 1
        key += f" {seen[key]}" if seen[key] > 1 else ""
        inside = _by_scope(members, depth + 1, f"{key}/", grouped)
        parts.append(Block(key, f"derivative of {title}" if derived else title, inside, kind or scope.name))
    return _gathered(parts, prefix, grouped)


def _gathered(parts, prefix, grouped):
    """The parts, each op with those that belong to it, at the position of the last one."""
    found = {ops[-1]: (ops, title) for ops, title in grouped([part for part in parts if isinstance(part, int)])}
    made: list[Part] = []
    for part in parts:
        if isinstance(part, Block):
            made.append(part)
        elif part in found:
            ops, title = found[part]
            named = len(ops) > 1 or ":" in title or title in ("Q", "K", "V")
            made.append(
                Block(f"{prefix}{title.partition(':')[0]}, op {part}", title, list(ops), moves=True) if named else part
            )
    return made


def _fold_long(parts, prefix, nodes):
    """The parts with long stretches folded, inside blocks too."""
    for part in parts:
        if isinstance(part, Block):
            part.parts = _without_lone_block(_fold_long(part.parts, f"{part.key}/", nodes))
    return _in_chunks(parts, prefix, nodes)


def _without_lone_block(parts):
    """A block of one block is that block."""
    return _without_lone_block(parts[0].parts) if len(parts) == 1 and _called(parts[0]) else parts


def _called(part):
    return isinstance(part, Block) and not part.moves


def _in_chunks(parts, prefix, nodes):
    """Parts in chunks of about the same length."""
    if len(parts) <= FEW:
        return parts
    size = ceil(len(parts) / PIECES)
    chunks: list[Part] = []
    for start in range(0, len(parts), size):
        inside = parts[start : start + size]
        key, names = f"{prefix}{start + 1} to {start + len(inside)}", [_name(part, nodes) for part in inside]
        block = Block(key, _told(names, _count(inside)), _in_chunks(inside, f"{key}/", nodes))
        chunks.append(block if len(inside) > 1 else inside[0])
    return chunks


def _told(names, count):
    """What a stretch is, by its parts if they are few and short, else by the first and the last, or the last, and how many ops
    it has."""
    if len(words := ", ".join(names)) <= SHORT:
        return words
    around = next((w for w in (f"{names[0]} … {names[-1]}", f"… {names[-1]}") if len(w) <= SHORT), "")
    return f"{around}, {count} ops" if around else f"{count} ops"


def _count(parts):
    return sum(len(part.ops) if isinstance(part, Block) else 1 for part in parts)


def _name(part, nodes):
    return part.title.partition(": ")[0] if isinstance(part, Block) else nodes[part].title


def open_while_few(parts: list[Part], most: int) -> frozenset[str]:
    """The keys of the blocks to unfold, a whole level at a time, so that at most `most` boxes are seen."""
    opened: frozenset[str] = frozenset()
    while True:
        keys = frozenset(block.key for block in closed(parts, opened))
        if not keys or len(visible(parts, opened | keys)) > most:
            return opened
        opened |= keys
