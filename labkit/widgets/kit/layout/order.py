"""The order of boxes and lanes within the columns of a layout: few crossings, by barycentre and transposition.

(K. Sugiyama et al., "Methods for visual understanding of hierarchical system structures", 1981.)
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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
