"""The order and the heights of boxes and lanes in a layout.

In the columns few crossings, by barycentre and transposition (K. Sugiyama et al., "Methods for visual understanding of
hierarchical system structures", 1981). Chains become straight lines, the longest one for certain.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

Near = list[list[int]]  # for each item, other items


@dataclass
class Items:
    """Boxes, then lanes, as one graph whose links all join neighbouring columns."""

    rank: list[int]
    history: list[int]  # of a box, the longest path to it; of a lane, its source's
    parents: Near
    children: Near
    lanes: dict[int, range]  # of each source, from left to right


def connected_parts(items: Items) -> list[list[list[int]]]:
    """The connected parts, the longest first: each its columns, in the order of a backward walk from the ends."""
    past = items.history.__getitem__
    around = [parents + children for parents, children in zip(items.parents, items.children, strict=True)]
    back = [sorted(parents, key=past, reverse=True) for parents in items.parents]
    ends = sorted((v for v, children in enumerate(items.children) if not children), key=past, reverse=True)
    part = {v: end for end, group in _walks(ends, around) for v in group}
    parts: dict[int, dict[int, list[int]]] = {part[end]: {} for end in ends}
    for end, group in _walks(ends, back):
        for v in group:
            parts[part[end]].setdefault(items.rank[v], []).append(v)
    return [[columns[rank] for rank in sorted(columns)] for columns in parts.values()]


def _walks(starts: Iterable[int], near: Near) -> Iterator[tuple[int, list[int]]]:
    """From each start in turn, depth first, what was not met before."""
    met = [False] * len(near)
    for start in starts:
        group, ahead = [], [start]
        while ahead:
            v = ahead.pop()
            if not met[v]:
                met[v] = True
                group.append(v)
                ahead += near[v][::-1]
        yield start, group


def reorder(columns: list[list[int]], items: Items, position: list[int]) -> int:
    """Reorder the columns; returns the crossings that are left. A walk from the left gives another order to start from."""
    fewest, best = _sweep(columns, items, position)
    if fewest:
        walked: list[list[int]] = [[] for _ in columns]
        for _, group in _walks((v for column in columns for v in column), items.children):
            for v in group:
                walked[items.rank[v] - items.rank[columns[0][0]]].append(v)
        fewest, best = min((fewest, best), _sweep(walked, items, position), key=lambda found: found[0])
    columns[:] = best
    return fewest


def _sweep(columns: list[list[int]], items: Items, position: list[int]) -> tuple[int, list[list[int]]]:
    """The fewest crossings found in sweeps to the right and to the left in turn, and the columns that have them."""
    for column in columns:
        _number(column, position)
    size = sum(map(len, columns))
    fewest, best, since = _crossings(columns, items, position), columns, 0
    columns = [column.copy() for column in columns]
    for turn in range(min(24, 4 + 100_000 // size)):
        if not fewest or since > 2 + 2000 // size:
            break
        rightward, swap_equals = turn % 2 == 0, turn % 4 > 1
        for column in columns if rightward else reversed(columns):
            if len(column) > 1:
                _by_barycentre(column, items.parents if rightward else items.children, position, swap_equals)
        for column in columns:
            if len(column) > 1:
                _transpose(column, items, position, swap_equals)
        count, since = _crossings(columns, items, position), since + 1
        if count < fewest:
            fewest, best, since = count, [column.copy() for column in columns], 0
    return fewest, best


def _number(column: list[int], position: list[int]) -> None:
    for i, v in enumerate(column):
        position[v] = i


def _by_barycentre(column: list[int], near: Near, position: list[int], swap_equals: bool) -> None:
    """Sort by the mean position of the neighbours on one side; items without any stay where they are."""
    moving = [v for v in column if near[v]]
    if swap_equals:
        moving.reverse()
    moving.sort(key=lambda v: sum([position[u] for u in near[v]]) / len(near[v]))
    following = iter(moving)
    column[:] = [next(following) if near[v] else v for v in column]
    _number(column, position)


def _transpose(column: list[int], items: Items, position: list[int], swap_equals: bool) -> None:
    """Swap items next to each other where that saves crossings; if `swap_equals`, at first also where it costs none."""
    left = {v: sorted([position[u] for u in items.parents[v]]) for v in column}
    right = {v: sorted([position[u] for u in items.children[v]]) for v in column}
    for least in (0 if swap_equals else 1, 1, 1, 1):
        swapped = False
        for i in range(len(column) - 1):
            a, b = column[i : i + 2]
            if _crossings_saved(left[a], left[b]) + _crossings_saved(right[a], right[b]) >= least:
                column[i : i + 2] = b, a
                swapped = True
        if not swapped:
            break
    _number(column, position)


def _crossings_saved(of_a: list[int], of_b: list[int]) -> int:
    """The crossings saved on one side if b, right below a, stood above it; where their links end there, sorted."""
    saved = 0
    for end in of_a:
        saved += bisect_left(of_b, end) + bisect_right(of_b, end) - len(of_b)
    return saved


def _crossings(columns: list[list[int]], items: Items, position: list[int]) -> int:
    total = 0
    for column in columns:
        passed: list[int] = []  # where the links of the items above end
        for v in column if len(column) > 1 else ():
            ends = [position[u] for u in items.children[v]]
            total += sum([len(passed) - bisect_right(passed, end) for end in ends])
            for end in ends:
                insort(passed, end)
    return total


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
