"""The heights of boxes and lanes in a layout: chains become straight lines, the longest one for certain."""

from itertools import accumulate, pairwise
from typing import NamedTuple

from .order import Items, Near, connected_parts, reorder


def find_tops(items: Items, heights: list[float], row_gap: float, lane: float) -> tuple[list[float], float, int]:
    """The top of each item, the height of all together, and the crossings."""
    boxes, lanes = len(heights), len(items.rank) - len(heights)
    heights = heights + [lane] * lanes
    anchors = [min(heights[:boxes], default=0.0) / 2] * boxes + [lane / 2] * lanes  # below the tops; aligned in a row
    margins = [row_gap / 2] * boxes + [0.0] * lanes
    above = [anchor + margin for anchor, margin in zip(anchors, margins, strict=True)]
    below = [h - anchor + margin for h, anchor, margin in zip(heights, anchors, margins, strict=True)]
    y, crossings = _stacked_parts(items, above, below)
    tops = [middle - anchor for middle, anchor in zip(y, anchors, strict=True)]
    first = min(tops, default=0.0)
    height = max((top + h - first for top, h in zip(tops, heights, strict=True)), default=0.0)
    return [top - first for top in tops], height, crossings


def _stacked_parts(items: Items, above: list[float], below: list[float]) -> tuple[list[float], int]:
    """The height of each item, and the crossings: the connected parts one below the other."""
    y, position, bottom, crossings = [0.0] * len(above), [0] * len(above), 0.0, 0
    chains = _chains(items)
    sweeps = _sweeps(items, chains)
    for columns in connected_parts(items):
        crossings += reorder(columns, items, position)
        _spine_on_top(columns, chains)
        packed = [[*accumulate((below[a] + above[b] for a, b in pairwise(column)), initial=0.0)] for column in columns]
        _settle(columns, packed, sweeps, chains.length, y)
        inside = [v for column in columns for v in column]
        shift = bottom - min([y[v] - above[v] for v in inside])
        for v in inside:
            y[v] += shift
        bottom = max([y[v] + below[v] for v in inside])
    return y, crossings


class _Chains(NamedTuple):
    """Every item is in one chain, behind its main parent if that goes on with it; -1 stands for none."""

    main: list[int]  # the parent with the longest history
    before: list[int]
    after: list[int]
    length: list[int]  # of the whole chain


def _chains(items: Items) -> _Chains:
    """Of the children whose main parent an item is, the chain goes on with the one that has most to follow."""
    n = len(items.rank)
    main = [max(near, key=items.history.__getitem__, default=-1) for near in items.parents]
    before, after, length = [-1] * n, [-1] * n, [1] * n
    by_rank = sorted(range(n), key=items.rank.__getitem__)
    for u in reversed(by_rank):
        after[u] = max((v for v in items.children[u] if main[v] == u), key=length.__getitem__, default=-1)
        if after[u] >= 0:
            before[after[u]], length[u] = u, length[after[u]] + 1
    for v in by_rank:
        if before[v] >= 0:
            length[v] = length[before[v]]
    return _Chains(main, before, after, length)


def _spine_on_top(columns: list[list[int]], chains: _Chains) -> None:
    """Turn the columns upside down if more items stand above the longest chain than below; let none be as long."""
    v = max((v for column in columns for v in column if chains.before[v] < 0), key=chains.length.__getitem__)
    rank, lower = next(i for i, column in enumerate(columns) if v in column), 0
    for column in columns[rank:]:
        lower += len(column) - 1 - 2 * column.index(v)
        chains.length[v] += 1
        v = chains.after[v]
        if v < 0:
            break
    if lower < 0:
        for column in columns:
            column.reverse()


def _sweeps(items: Items, chains: _Chains) -> list[Near]:
    """For each sweep, to the right and to the left in turn: the items at whose height each item wants to stand.

    On the way right that is its main parent, on the way left the next in its chain, and where there is none its
    children. Two last sweeps straighten the chains; their ends stay where they are.
    """
    right, left = [], []
    for v, children in enumerate(items.children):
        main, after = chains.main[v], chains.after[v]
        right.append([main] if main >= 0 else children or [v])
        left.append([after] if after >= 0 else children or right[v])
    straight = [
        [[u] if u >= 0 else [v] if chains.length[v] > 1 else guides[v] for v, u in enumerate(near)]
        for near, guides in ((chains.before, right), (chains.after, left))
    ]
    return [right, left, *straight]


def _settle(
    columns: list[list[int]], packed: list[list[float]], sweeps: list[Near], length: list[int], y: list[float]
) -> None:
    """Sweep by sweep, set each item where it wants to stand, as far as the others in its column leave room.

    `packed`: how far below the first of its column each item stands if nothing is left free.
    """
    rightward = [
        (column, offsets, [length[v] for v in column]) for column, offsets in zip(columns, packed, strict=True)
    ]
    for turn, guides in enumerate(sweeps):
        for column, offsets, lengths in rightward[:: -1 if turn % 2 else 1]:
            wanted = [_median([y[u] for u in guides[v]]) for v in column]
            if len(column) > 1:
                free = _isotonic([w - offset for w, offset in zip(wanted, offsets, strict=True)], lengths)
                wanted = [f + offset for f, offset in zip(free, offsets, strict=True)]
            for v, height in zip(column, wanted, strict=True):
                y[v] = height


def _median(values: list[float]) -> float:
    if len(values) == 1:
        return values[0]
    values.sort()
    half = len(values) // 2
    return (values[half] + values[~half]) / 2


def _isotonic(wanted: list[float], weights: list[int]) -> list[float]:
    """Numbers that never decrease, near those wanted, by pooling adjacent violators.

    In a pool the largest weight has its way, whatever the others weigh together; several equal ones take their mean.

    >>> _isotonic([0.0, 30.0, 10.0, 40.0, 20.0], [1, 1, 1, 2, 1])
    [0.0, 20.0, 20.0, 40.0, 40.0]
    """
    pools: list[tuple[float, int, int, int]] = []  # the number; its weight, how many have it, and how many are pooled
    for number, weight in zip(wanted, weights, strict=True):
        count = size = 1
        while pools and pools[-1][0] > number:
            other, heavy, several, many = pools.pop()
            if heavy > weight:
                number, weight, count = other, heavy, several
            elif heavy == weight:
                number, count = (number * count + other * several) / (count + several), count + several
            size += many
        pools.append((number, weight, count, size))
    return [number for number, _, _, size in pools for _ in range(size)]
