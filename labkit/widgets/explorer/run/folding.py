"""Folding a large run into blocks: the calls of cells, repeated stretches, and plain chunks of what is left.

A block is a stretch of ops that ran one after the other, so folding never makes a cycle. At first few boxes
of about one size are seen, or as much as fits.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import ceil

import numpy as np

from .moves import groups
from .story import Layer, Node

FEW = 12  # parts that one block holds at most
PIECES = 5  # a longer stretch is cut into so many
WHOLE = 20  # boxes that are seen at once, each op one of them; of a longer run an overview is seen
SHORT = 18  # letters of the names of parts
LONGEST = 400  # ops in a repeated stretch that is looked for


@dataclass(eq=False)
class Block:
    """A stretch of the run that can be shown as one box. `key`: its place, such as `conv1/dense`; `parts`: indices of ops,
    and blocks, in the order they ran. `kind`: what blocks that do the same have in common, such as the class of a module."""

    key: str
    title: str
    parts: list["Part"]
    kind: str = ""
    sample: bool = False  # the first of many rounds, which stands for what each does
    piece: bool = False  # one of equal rounds
    chunk: bool = False  # no more than a part of a long stretch
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
    """The run as parts, none of them with more than `FEW` of its own: cells first, then repeats, then chunks. In networks, and
    on a `tape`, ops that only arrange numbers anew are parts of others."""
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


def told(block: Block, nodes: Sequence[Node], most: int = 26) -> str:
    """What a block holds, by the names of its parts, as far as there is room; "" where its title says that."""
    names = [_name(part, nodes) for part in block.parts]
    if _told(names, _count(block.parts)) in block.title:
        return ""
    found = next((", ".join(names[:n]) for n in range(len(names), 0, -1) if len(", ".join(names[:n])) <= most - 2), "")
    return found if len(found) == len(", ".join(names)) else f"{found} …" if found else ""


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
    """The parts, each op with those that belong to it, in the place of the last one."""
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
    return _stretch(parts, prefix, nodes)


def _without_lone_block(parts):
    """A block of one block is that block."""
    return _without_lone_block(parts[0].parts) if len(parts) == 1 and _called(parts[0]) else parts


def _stretch(parts, prefix, nodes):
    if len(parts) <= FEW:
        return parts
    between = _between(parts, prefix, nodes) if sum(map(_called, parts)) > 1 else []
    return between if 0 < len(between) <= WHOLE else _in_chunks(_repeats(parts, prefix, nodes), prefix, nodes)


def _between(parts, prefix, nodes):
    """The parts with what ran between the calls of modules folded."""
    found: list[Part] = []
    for called, run in groupby(enumerate(parts, 1), key=lambda pair: _called(pair[1])):
        (first, *_), inside = zip(*(members := list(run)), strict=True)
        if called or len(members) < 3:
            found += inside
        else:
            title = _told([_name(part, nodes) for part in inside], len(inside))
            key = f"{prefix}between, from {first}"
            found.append(Block(key, title, _in_chunks(list(inside), f"{key}/", nodes)))
    return found


def _called(part):
    return isinstance(part, Block) and not part.moves


def _in_chunks(parts, prefix, nodes, of=None, first=1):
    """Parts in chunks of about the same length; of `of` equal ones, counted from `first`, a chunk says which it holds."""
    if len(parts) <= FEW:
        return parts
    size = ceil(len(parts) / PIECES)
    chunks: list[Part] = []
    for start in range(0, len(parts), size):
        inside = parts[start : start + size]
        key, begin = f"{prefix}{start + 1} to {start + len(inside)}", first + start
        last = begin + len(inside) - 1
        title = f"{begin} to {last} of {of}" if of else _told([_name(p, nodes) for p in inside], _count(inside))
        chunks.append(
            Block(key, title, _in_chunks(inside, f"{key}/", nodes, of, begin), chunk=True)
            if len(inside) > 1
            else inside[0]
        )
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


def _repeats(parts, prefix, nodes):
    """Fold the stretch that repeats the most, then what is left and right of it."""
    found = _longest_repeat([_token(p, nodes) for p in parts]) if len(parts) > FEW else None
    if found is None:
        return parts
    start, period, count = found
    stop = start + period * count
    key = f"{prefix}repeat from {start + 1}"
    pieces = [parts[i : i + period] for i in range(start, stop, period)]
    inside = [
        p[0]
        if period == 1
        else Block(f"{key}/{k}", f"{k} of {count}", _without_lone_block(_stretch(p, f"{key}/{k}/", nodes)), piece=True)
        for k, p in enumerate(pieces, 1)
    ]
    what = _told([_alike(among, nodes) for among in zip(*pieces, strict=True)], _count(pieces[0]))
    block = Block(key, f"{count} times {what}", _rounds(inside, key, nodes, count))
    left, right = parts[:start], parts[stop:]
    return [*_repeats(left, f"{key} before/", nodes), block, *_repeats(right, f"{key} after/", nodes)]


def _rounds(inside, key, nodes, count):
    """Equal pieces; of many the first alone, as one to look at, and the others together."""
    first, *others = inside
    if count <= FEW:
        return inside
    if isinstance(first, Block):
        first.sample = True
    rest = f"{key}/2 to {count}"
    return [first, Block(rest, f"2 to {count} of {count}", _in_chunks(others, f"{rest}/", nodes, count, 2))]


def _name(part, nodes):
    return part.title.partition(": ")[0] if isinstance(part, Block) else nodes[part].title


def _alike(parts, nodes):
    """What parts of one kind are called together."""
    if isinstance(parts[0], Block):
        return parts[0].kind or parts[0].title
    titles = {nodes[part].title for part in parts}
    return titles.pop() if len(titles) == 1 else nodes[parts[0]].op


def _token(part, nodes):
    """What makes two parts alike: the op and its shape, or the block's kind and size."""
    if isinstance(part, Block):
        return part.kind or part.title, len(part.ops)
    return nodes[part].op, nodes[part].shape


def _longest_repeat(tokens):
    """`(start, period, count)` of the stretch of at least three equal pieces that covers the most, or None.

    It covers at least a twentieth of all, so that few stretches are looked for.
    """
    known = {token: i for i, token in enumerate(dict.fromkeys(tokens))}
    ids = np.array([known[token] for token in tokens])
    best, most = None, max(FEW // 3, len(tokens) // 20)
    for period in range(1, min(len(ids) // 3, LONGEST) + 1):
        same = np.concatenate([[0], ids[:-period] == ids[period:], [0]])
        edges = np.flatnonzero(np.diff(same))
        starts, lengths = edges[::2], np.diff(edges)[::2]
        if not len(starts):
            continue
        longest = int(np.argmax(lengths))
        count = int(lengths[longest]) // period + 1
        if count >= 3 and count * period > most:
            best, most = (int(starts[longest]), period, count), count * period
    return best


SEEN = FEW + 1  # boxes of an overview at most
SHARE = 3  # in an overview a box of more than this part of the run is unfolded, where there is room
TRIES = 12  # ways of unfolding more that are tried


def overview(parts: list[Part]) -> frozenset[str]:
    """The keys of the blocks to unfold at first: all of a short run; of a long one few, about alike."""
    whole = open_while_few(parts, WHOLE)
    if not closed(parts, whole):
        return whole
    opened: frozenset[str] = frozenset()
    every = sum(len(part.ops) if isinstance(part, Block) else 1 for part in parts)
    while True:
        seen = visible(parts, opened)
        room = SEEN + 1 - len(seen)
        fitting = [block for block in closed(parts, opened) if len(block.parts) <= room]
        largest = max(fitting, key=lambda block: len(block.ops), default=None)
        if largest is None or SHARE * len(largest.ops) <= every:
            return _with_samples(parts, opened, SEEN)
        opened |= {largest.key}


def _with_samples(parts, opened, most):
    """Also the first of many equal rounds unfolded, as far as at most so many boxes are seen."""
    for part in visible(parts, opened):
        if isinstance(part, Block) and part.sample and len(visible(parts, opened | {part.key})) <= most:
            opened |= {part.key}
    return opened


def grown(
    parts: list[Part], opened: frozenset[str], fits: Callable[[frozenset[str]], bool], calls: bool = False
) -> frozenset[str]:
    """Also unfolded what fits: blocks of one kind together, or else the first of them. `calls`: a call of a module in which no
    other is called stays one box."""
    tries = 0
    while tries < TRIES:
        for keys in _next_to_unfold(parts, opened, calls):
            tries += 1
            if fits(opened | keys):
                opened |= keys
                break
            if tries == TRIES:
                return opened
        else:
            return opened
    return opened


def _next_to_unfold(parts, opened, calls):
    """The keys of blocks that are seen, those of one kind together, then the first of each kind alone."""
    kinds: dict[tuple[str, int], list[frozenset[str]]] = {}
    for part in closed(parts, opened):
        if part.chunk:
            continue
        if not (calls and part.kind) or any(isinstance(inner, Block) for inner in part.parts):
            kinds.setdefault((part.kind, len(part.ops)), []).append(_with_chunks(part))
    yield from (frozenset.union(*keys) for keys in kinds.values())
    yield from (keys[0] for keys in kinds.values() if len(keys) > 1)


def _with_chunks(block):
    """The keys to unfold a block and the chunks inside, which alone tell nothing."""
    inner = (_with_chunks(part) for part in block.parts if isinstance(part, Block) and part.chunk)
    return frozenset([block.key]).union(*inner)


def in_pieces(parts: Iterable[Part], opened: frozenset[str]) -> frozenset[str]:
    """With each call and each of equal rounds folded, if that is not all there is."""
    shut = {block.key for block in blocks(parts) if (block.piece and not block.sample) or block.kind}
    return frozenset(key for key in opened if shut.isdisjoint(paths(parts)[key]))


def open_while_few(parts: list[Part], most: int) -> frozenset[str]:
    """The keys of the blocks to unfold, a whole level at a time, so that at most `most` boxes are seen."""
    opened: frozenset[str] = frozenset()
    while True:
        keys = frozenset(block.key for block in closed(parts, opened))
        if not keys or len(visible(parts, opened | keys)) > most:
            return _with_samples(parts, opened, most)
        opened |= keys


def layers(parts: list[Part]) -> frozenset[str]:
    """The keys of the blocks to unfold so that the outermost calls are seen each as one box: the largest is unfolded where
    fewer than three boxes are seen, and where it is most of the run and itself made of calls, as far as there is room."""
    opened: frozenset[str] = frozenset()
    every = sum(len(part.ops) if isinstance(part, Block) else 1 for part in parts)
    while True:
        seen = visible(parts, opened)
        largest = max(closed(parts, opened), key=lambda block: len(block.ops), default=None)
        if largest is None:
            return opened
        boxes, calls = (
            len(seen) - 1 + len(largest.parts),
            sum(isinstance(p, Block) and bool(p.kind) for p in largest.parts),
        )
        most = 2 * len(largest.ops) > every and calls > 1 and boxes <= SEEN
        if not (len(seen) == 1 or (len(seen) < 3 and boxes <= WHOLE) or most):
            return opened
        opened |= {largest.key}
