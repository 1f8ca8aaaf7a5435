"""The layout: what holds for every graph, drawn at random, and how few crossings it draws."""

import random
from itertools import combinations, pairwise
from unittest import mock

import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st

from labkit.widgets.kit.layout import layout

BOX = (70, 36)

# ---- every graph ----


@st.composite
def graphs(draw, lowest=8, highest=90):
    """Sizes and edges of a graph without cycles, numbered in any order; some of its edges come twice."""
    n = draw(st.integers(1, 12))
    number = draw(st.permutations(range(n)))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] != e[1])
    edges = draw(st.lists(ends, max_size=2 * n)) if n > 1 else []
    sizes = [(draw(st.integers(8, 120)), draw(st.integers(lowest, highest))) for _ in range(n)]
    return sizes, [(number[min(e)], number[max(e)]) for e in edges]


some = drawn(15)
lanes_allowed = st.sampled_from([20_000, 20_000, 4, 0])  # beyond these edges go by bus


def drawn(graph, most_lanes=20_000, **spacing):
    with mock.patch("labkit.widgets.kit.layout.MOST_LANES", most_lanes):
        return layout(*graph, **spacing)


def stretches(d, k, **where):
    """The route in short straight stretches, (x, y, x, y) each: it bends between its points and is level at them."""
    pieces = []
    for (x, y), (u, v) in pairwise(d.route(k, **where)):
        ts = [i / 12 for i in range(13 if y != v else 1)] + [1.0] * (y == v)
        spots = [(x + (u - x) * (1.5 * t * (1 - t) + t**3), y + (v - y) * (3 * t * t - 2 * t**3)) for t in ts]
        pieces += [(*one, *other) for one, other in pairwise(spots)]
    return pieces


def enters(piece, box, slack=0.1):
    """Whether the box around the piece overlaps `box` by more than what rounding explains."""
    x0, y0, x1, y1 = piece
    left, top, width, height = box
    return (
        max(x0, x1) > left + slack
        and min(x0, x1) < left + width - slack
        and max(y0, y1) > top + slack
        and min(y0, y1) < top + height - slack
    )


@some
@given(graphs(), lanes_allowed)
def test_boxes_of_a_column_stand_apart(graph, most_lanes):
    d = drawn(graph, most_lanes)
    for (i, a), (j, b) in combinations(enumerate(d.boxes), 2):
        if d.ranks[i] == d.ranks[j]:
            upper, lower = sorted((a, b), key=lambda box: box[1])
            assert upper[1] + upper[3] + 18 <= lower[1] + 1e-6


@some
@given(graphs(), lanes_allowed)
def test_every_edge_goes_to_the_right_and_boxes_are_centred_in_their_columns(graph, most_lanes):
    d = drawn(graph, most_lanes)
    assert all(right + 56 == pytest.approx(left) for (_, right), (left, _) in pairwise(d.columns))
    assert all(d.ranks[u] < d.ranks[v] for u, v in graph[1])
    for (x, _, width, height), rank, size in zip(d.boxes, d.ranks, graph[0], strict=True):
        left, right = d.columns[rank]
        assert (width, height) == size and x - left == pytest.approx(right - x - width) and x >= left


@some
@given(graphs(), lanes_allowed, st.floats(0, 1), st.floats(0, 1), st.floats(-7, 7))
def test_no_edge_passes_through_a_box(graph, most_lanes, start, end, shift):
    d = drawn(graph, most_lanes)
    for k, (u, v) in enumerate(graph[1]):
        where = {"start": start * d.boxes[u][3], "end": end * d.boxes[v][3], "shift": shift}
        pieces = stretches(d, k, **where)
        others = [box for i, box in enumerate(d.boxes) if i not in (u, v)]
        assert not [(k, piece, box) for piece in pieces for box in others if enters(piece, box)]


@some
@given(graphs(), lanes_allowed)
def test_edges_change_their_height_between_columns_only(graph, most_lanes):
    d = drawn(graph, most_lanes)
    for k, (u, v) in enumerate(graph[1]):
        points = d.route(k)
        assert points[0] == (d.boxes[u][0] + d.boxes[u][2], d.boxes[u][1] + d.boxes[u][3] / 2)
        assert points[-1] == (d.boxes[v][0], d.boxes[v][1] + d.boxes[v][3] / 2)
        gaps = [(right, left) for (_, right), (left, _) in pairwise(d.columns)]
        assert all((x, x_end) in gaps for (x, y), (x_end, y_end) in pairwise(points) if y != y_end)
        assert all(x < x_end for (x, _), (x_end, _) in pairwise(points))


@some
@given(graphs(), lanes_allowed)
def test_everything_lies_inside_width_and_height(graph, most_lanes):
    d = drawn(graph, most_lanes)
    points = [point for k in range(len(graph[1])) for point in d.route(k)]
    points += [corner for x, y, width, height in d.boxes for corner in ((x, y), (x + width, y + height))]
    assert min(y for _, y in points) >= -1e-6 and max(y for _, y in points) <= d.height + 1e-6
    assert min(x for x, _ in points) >= 0 and max(x for x, _ in points) <= d.width + 1e-6


@some
@given(graphs())
def test_crossings_are_those_of_the_drawing(graph):
    """Counted again from the routes; where edges share a lane, they are one line."""
    d, links = drawn(graph), {}
    for k in range(len(graph[1])):
        for (x, y), (x_end, y_end) in pairwise(d.route(k)):
            if any(x == right for _, right in d.columns) and any(x_end == left for left, _ in d.columns):
                links.setdefault(x, set()).add((round(y, 6), round(y_end, 6)))
    pairs = [pair for gap in links.values() for pair in combinations(gap, 2)]
    assert d.crossings == sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in pairs)


@some
@given(graphs(lowest=36, highest=36), lanes_allowed)
def test_a_longest_chain_is_a_straight_line(graph, most_lanes):
    d, edges = drawn(graph, most_lanes), graph[1]
    depth, level = [1] * len(d.boxes), [1] * len(d.boxes)
    for v in sorted(range(len(d.boxes)), key=d.ranks.__getitem__):
        parents = [u for u, child in edges if child == v]
        depth[v] += max((depth[u] for u in parents), default=0)
        level[v] += max((level[u] for u in parents if abs(d.boxes[u][1] - d.boxes[v][1]) < 1e-6), default=0)
    assert max(level) == max(depth)


@some
@given(graphs(), lanes_allowed)
def test_the_same_graph_gets_the_same_layout(graph, most_lanes):
    assert drawn(graph, most_lanes) == drawn(graph, most_lanes)


def test_a_chain_is_one_straight_line_along_the_top_whatever_the_heights():
    d = layout([(70, 36), (90, 60), (40, 20), (70, 48)], [(0, 1), (1, 2), (2, 3)])
    assert [top for _, top, _, _ in d.boxes] == [0, 0, 0, 0] and d.height == 60
    assert d.route(0, start=10, end=10) == [(70, 10), (126, 10)]


def test_a_diamond_has_no_crossings_and_one_straight_side():
    d = layout([BOX] * 4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    assert d.crossings == 0 and d.ranks == [0, 1, 1, 2]
    assert [top for _, top, _, _ in d.boxes] == [0, 0, 54, 0]


def test_crossings_that_no_order_avoids_are_counted():
    assert layout([BOX] * 4, [(0, 2), (0, 3), (1, 2), (1, 3)]).crossings == 1
    assert layout([BOX] * 6, [(i, j) for i in range(3) for j in range(3, 6)]).crossings == 9


def test_nothing_and_a_single_box():
    d = layout([], [])
    assert (d.boxes, d.width, d.height, d.columns, d.ranks, d.crossings) == ([], 0, 0, [], [], 0)
    d = layout([BOX], [])
    assert (d.boxes, d.width, d.height, d.columns, d.ranks) == ([(0, 0, *BOX)], 70, 36, [(0, 70)], [0])


def test_unconnected_parts_stand_one_below_the_other_the_longest_first():
    d = layout([BOX] * 6, [(1, 2), (3, 4), (4, 5)])
    assert [top for _, top, _, _ in d.boxes] == [108, 54, 54, 0, 0, 0]


@pytest.mark.parametrize(
    "edges, message",
    [
        ([(0, 1), (1, 2), (2, 1)], "without cycles, but got [12] -> [12] -> [12]$"),
        ([(1, 1)], "without cycles, but got 1 -> 1"),
        ([(0, 3)], r"between 3 nodes, counted from 0, but got \(0, 3\)"),
        ([(-1, 0)], r"between 3 nodes, counted from 0, but got \(-1, 0\)"),
    ],
)
def test_what_is_no_graph_is_refused(edges, message):
    with pytest.raises(ValueError, match=message):
        layout([BOX] * 3, edges)


def test_leaves_and_what_they_alone_feed_stand_next_to_their_first_use():
    spine = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    d = layout([BOX] * 10, [*spine, (6, 7), (8, 7), (7, 4), (9, 3), (9, 5)])
    assert [d.ranks[v] for v in (6, 8, 7)] == [2, 2, 3]
    assert d.ranks[9] == 2


def test_what_depends_on_the_spine_stays_next_to_it():
    """As the losses of the steps of a recurrent network, summed up along the way."""
    spine = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    d = layout([BOX] * 8, [*spine, (1, 6), (7, 6), (6, 5)])
    assert d.ranks[6] == 2 and d.ranks[7] == 1


def test_only_the_parent_with_the_longest_history_decides_the_height():
    leaves = [(10 + i, v) for i, v in enumerate((1, 2, 2, 3, 4, 4, 5))]
    d = layout([BOX] * 17, [(i, i + 1) for i in range(9)] + leaves)
    assert [top for _, top, _, _ in d.boxes[:10]] == [0] * 10
    assert min(top for _, top, _, _ in d.boxes[10:]) >= 54


def test_of_two_chains_as_long_as_the_graph_one_is_straight():
    d = layout([BOX] * 8, [(0, 1), (1, 2), (3, 4), (4, 5), (1, 6), (0, 7), (0, 5), (1, 5), (4, 2)])
    tops = [top for _, top, _, _ in d.boxes]
    assert len(set(tops[:3])) == 1 or len(set(tops[3:6])) == 1


def test_a_side_chain_is_straight_too_and_passes_below_what_is_in_its_way():
    side, leaves = [(7, 8), (8, 9), (9, 10), (10, 6)], [(11, 2), (12, 4), (13, 4), (14, 9)]
    d = layout([BOX] * 15, [*((i, i + 1) for i in range(6)), *side, *leaves])
    assert [top for _, top, _, _ in d.boxes[7:11]] == [162] * 4 and d.crossings == 0


def test_what_is_beside_the_longest_chain_stands_below_it_rather_than_above():
    d = layout([BOX] * 5, [(0, 1), (2, 1), (0, 3), (0, 4)])
    assert [top for _, top, _, _ in d.boxes] == [54, 54, 0, 162, 108] and d.crossings == 0


# ---- routes ----


def test_edges_from_one_box_share_their_lanes_and_repeated_ones_their_route():
    d = layout([BOX] * 5, [(0, 1), (1, 2), (2, 3), (3, 4), (0, 3), (0, 4), (0, 3)])
    assert d.route(4) == d.route(6) and d.route(4)[:5] == d.route(5)[:5]


def test_a_route_keeps_to_its_lane_and_leaves_a_narrow_box_level():
    d = layout([(40, 20), (60, 20), (40, 20), (80, 20)], [(0, 1), (1, 2), (0, 2), (3, 2)])
    assert d.columns == [(0, 40), (96, 176), (232, 272)] and d.boxes[1] == (106, 0, 60, 20)
    assert d.route(0, end=4) == [(40, 10), (96, 4), (106, 4)]
    (x, y), *lane, (x_end, y_end) = d.route(2, start=5, end=15, shift=2)
    assert (x, y, x_end, y_end) == (40, 5, 232, 15)
    assert [x for x, _ in lane] == [96, 176] and lane[0][1] == lane[1][1] == d.route(2)[1][1] + 2


def test_a_lane_takes_the_height_it_is_given():
    for lane in (6.0, 14.0, 40.0):
        d = layout([BOX] * 3, [(0, 1), (1, 2), (0, 2)], row_gap=10.0, lane=lane)
        assert d.route(2)[1][1] == 36 + 5 + lane / 2 and d.height == 36 + 5 + lane


def test_beyond_the_limit_edges_go_by_bus_below_everything():
    chain = [(i, i + 1) for i in range(200)]
    graph = [BOX] * 201, [*chain, (0, 3), (0, 150), (5, 160), (151, 180)]
    d = drawn(graph, 10)
    bottom = max(top + height for _, top, _, height in d.boxes)
    rows = [d.route(k)[1][1] for k in range(200, 204)]
    assert min(rows) > bottom and max(rows) < d.height
    assert rows[0] == rows[1] == rows[3] != rows[2], "one row for each box, free again behind its last edge"
    assert d.route(200)[-2:] == [(d.columns[2][1], rows[0]), (d.boxes[3][0], 18)]


def test_a_graph_with_many_long_edges_has_a_limited_number_of_lanes():
    n, back = 200, 20
    graph = [BOX] * n, [(i, i + 1) for i in range(n - 1)] + [(i, i + back) for i in range(n - back)]
    assert sum(map(len, drawn(graph)._lanes.values())) == (n - back) * (back - 1)
    d = drawn(graph, 1000)
    assert sum(map(len, d._lanes.values())) <= 1000 and d.height < 40 * 36


# ---- how well it does ----


def test_graphs_at_random_have_as_few_crossings_as_measured():
    """Graphviz draws 160, with a line for each edge: it merges none that leave the same box."""
    rng, total = random.Random(0), 0
    for _ in range(20):
        edges = [(max(0, v - rng.randint(1, 10)), v) for v in range(1, 30)]
        for _ in range(20):
            v = rng.randint(1, 29)
            edges.append((max(0, v - rng.randint(1, 10)), v))
        total += layout([BOX] * 30, edges).crossings
    assert total <= 203
