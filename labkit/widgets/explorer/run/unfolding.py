"""Which blocks of a folded run are unfolded at first: few boxes of about one size, or as much as fits."""

from collections.abc import Callable, Iterable

from .folding import FEW, WHOLE, Block, Part, blocks, closed, paths, visible

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
