"""Cutting an edge in the picture is what `stop_gradient` at that use does to the gradient, and to nothing else."""

import re
from functools import cache

import autograd.numpy as anp
import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit import grad, stop_gradient
from labkit.widgets import CutEdge
from labkit.widgets.kit.motion import point_on
from labkit.widgets.kit.scene import to_json
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.labs.cut.names import slopes, ways
from labkit.widgets.labs.cut.paths import product
from labkit.widgets.labs.cut.run import cuts
from labkit.widgets.labs.cut.walk import Walk


def loss(x, y):
    a = x * y
    b = anp.sin(x)
    z = a * b + x
    return z


def cut_by_hand(where):
    """`loss` with `stop_gradient` written at the use of that name."""

    def stopped(name, value):
        return stop_gradient(value) if name == where else value

    def function(x, y):
        a = stopped("x → a", x) * stopped("y → a", y)
        b = anp.sin(stopped("x → b", x))
        product = stopped("a → ×", a) * stopped("b → ×", b)
        return stopped("× → z", product) + stopped("x → z", x)

    return function


@cache
def usual():
    """The widget as it comes, made when it is first asked for."""
    return CutEdge(loss, 3.0, 2.0)


def texts(picture, panel, **dials):
    """The words of a panel's marks that are seen."""
    state = picture.scene.state(**dials)
    (found,) = [p for p in picture.scene.panels if p.name == panel]
    return [words for mark, _, words, _ in visible_marks(found, state) if mark.tag == "text"]


@pytest.mark.parametrize("where", usual().cuts)
def test_each_cut_gives_the_gradient_of_the_function_with_stop_gradient_there(where):
    expected = grad(cut_by_hand(where), (0, 1))(3.0, 2.0)
    assert [float(usual().gradients[where][name]) for name in "xy"] == pytest.approx([float(g) for g in expected])


def test_every_use_is_offered_and_those_of_one_name_are_counted():
    assert usual().cuts == ["nothing", "x → a", "y → a", "x → b", "a → ×", "b → ×", "× → z", "x → z"]
    assert CutEdge(lambda x: x * x, 3.0).cuts == ["nothing", "x → × (1 of 2)", "x → × (2 of 2)"]


@pytest.mark.parametrize("where", usual().cuts)
def test_the_products_along_the_open_paths_add_up_to_the_gradient(where):
    found, run = usual().found, usual().found.runs[usual().cuts.index(where)]
    for leaf in found.story.leaves:
        parts = [product(found, slopes(found), way) for way in found.paths[leaf.index] if run.use not in way]
        assert sum(parts) == pytest.approx(float(usual().gradients[where][leaf.title]))


def test_a_cut_changes_no_value():
    values = [n.value for n in usual().found.story.nodes]
    assert float(values[-1]) == loss(3.0, 2.0)
    assert all("z = 3.85" in usual().describe(cut=where) for where in usual().cuts)


def test_what_no_path_leads_to_is_said_to_have_none():
    assert texts(usual(), "graph", cut="y → a").count("no path") == 1
    assert texts(usual(), "graph", cut="× → z").count("no path") == 4  # y, a, b and their product
    assert "No path is left to y: 0 instead of 0.423." in usual().describe(cut="y → a")
    assert float(usual().gradients["y → a"]["y"]) == 0.0


def test_a_cut_use_counts_with_the_slope_zero():
    picture = CutEdge(lambda x: x * x, 3.0)
    assert "×(3 + 3)" in texts(picture, "graph")
    assert "×(0 + 3)" in texts(picture, "graph", cut=1) and "stop" in texts(picture, "graph", cut=1)
    assert "×(3 + 0)" in texts(picture, "graph", cut=2)


def test_the_paths_are_listed_with_their_products():
    assert "−0.99 × 6 × 1 = −5.94" in texts(usual(), "paths")
    assert texts(usual(), "paths", cut="x → b").count("cut: 0") == 1


def test_a_click_on_a_ring_cuts_there():
    links = usual().scene.links
    cutting = [link for link in links.values() if link.go]
    assert [link.go["cut"] for link in cutting] == list(range(1, len(usual().cuts)))
    assert [link.label for link in cutting] == [f"cut {where}" for where in usual().cuts[1:]]


def test_a_path_that_is_pointed_at_is_drawn_over_its_edges_there_and_back():
    graph, listed = usual().scene.panels
    for link, words, _, way in ways(usual().found):
        (row,) = [mark for mark in listed.marks if mark.link == link]
        (drawn,) = [mark for mark in graph.marks if mark.link == link]
        assert row.text == words and drawn.role == "way" and usual().scene.links[link].label == f"path {words}"
        edges = [m.at["d"] for m in graph.marks if m.role in ("edge", "backedge") and m.at["d"] in drawn.at["d"]]
        assert len(edges) == 2 * len(way)


def test_the_question_is_answered_by_the_gradient_after_the_cut():
    _, dial = usual().scene.dials
    for position, ask in dial.asks.items():
        name = "y" if "gradient of y" in ask.question else "x"
        assert ask.answer == pytest.approx(float(usual().gradients[usual().cuts[position]][name]), rel=1e-4)
        assert ask.answer not in [value for value, _ in ask.slips]


def test_what_has_arrived_at_each_step_of_the_walk_adds_up_to_the_gradient():
    found = usual().found
    walk = Walk(found)
    for run in found.runs:
        for node in found.story.nodes:
            arrived = [walk.arrived(run, node.index, k) for k in range(len(walk.order) + 1)]
            known = [float(a) for a in arrived if a is not None]
            end = run.gradients[node.index]
            assert (end is None and not known) or known[-1] == pytest.approx(float(end))
    assert found.story.nodes[walk.order[0]].name == "z"
    assert texts(usual(), "graph", walk=0).count("no path") == 0


def test_what_a_path_gives_is_told_when_the_walk_has_come_to_its_input():
    walk, uses = Walk(usual().found), usual().cuts
    for at in range(walk.last + 1):
        told = texts(usual(), "paths", walk=at, cut="x → b")
        known = [walk.at[way[0].node] <= at for ways in usual().found.paths.values() for way in ways]
        assert told.count("?") == known.count(False) + (0 if walk.over(at) else 2)
    assert usual().scene.dials[1].resets == {"walk": 0} and "x → b" in uses


def test_the_cards_are_filled_as_high_as_what_has_arrived_and_drain_with_a_cut():
    (panel,) = [panel for panel in usual().scene.panels if panel.name == "graph"]
    heights = {}
    for cut in ("nothing", "y → a", "x → b", "x → z"):
        seen = visible_marks(panel, usual().scene.state(cut=cut))
        filled = [
            [float(y) for y in re.findall(r"[ML]\S+ (\S+?)(?=L|$)", at["d"])] for m, at, *_ in seen if m.role == "turn"
        ]
        heights[cut] = [max(ys) - min(ys) for ys in filled]
    x, y = (node.index for node in usual().found.story.leaves)
    sizes = {cut: {i: abs(float(run[n])) for i, n in ((x, "x"), (y, "y"))} for cut, run in usual().gradients.items()}
    assert heights["y → a"][y] == 0 < heights["nothing"][y]
    for i in (x, y):
        each = [heights[cut][i] / sizes[cut][i] for cut in heights if sizes[cut][i]]
        assert each == pytest.approx([each[0]] * len(each), rel=0.02)


def test_a_token_falls_where_an_edge_is_cut_and_nothing_comes_from_there():
    (panel,) = [panel for panel in usual().scene.panels if panel.name == "graph"]
    for cut in range(1, len(usual().cuts)):
        here = [t for t in panel.tokens if cut in t.when["cut"] and t.tag == "rect"]
        use = usual().found.runs[cut].use
        falling = [t for t in here if t.role == "bad"]
        assert len(falling) == (1 if usual().found.runs[cut].gradients[use.node] is not None else 0)
        assert len(here) - len(falling) == len(usual().found.runs[cut].open)
        for token in falling:
            (y0, y1) = (point_on(token.moves[0].path, share)[1] for share in (0.9, 1.0))
            assert y1 > y0  # down


def test_arrays_have_paths_without_products():
    x, w = np.array([1.0, 2.0]), np.array([0.5, 0.1])
    picture = CutEdge(lambda x, w: anp.sum(anp.tanh(x * w) * x), x, w)
    h = np.tanh(x * w)
    np.testing.assert_allclose(picture.gradients["x → × (1 of 2)"]["x"], h)
    np.testing.assert_allclose(picture.gradients["x → × (2 of 2)"]["x"], x * (1 - h**2) * w)
    assert "open" in texts(picture, "paths")


def test_both_dialects_are_cut_alike():
    by_ms = CutEdge(lambda x: ms.ops.exp(x) * x, ms.Tensor(1.0))
    by_torch = CutEdge(lambda x: torch.exp(x) * x, torch.tensor(1.0))
    for where, expected in {"exp → ×": np.e, "x → ×": np.e, "x → exp": np.e, "nothing": 2 * np.e}.items():
        assert float(by_ms.gradients[where]["x"]) == pytest.approx(expected)
        assert float(by_torch.gradients[where]["x"]) == pytest.approx(expected)


def test_a_derivative_can_be_cut_like_any_function():
    picture = CutEdge(grad(lambda x: x**3), 2.0)
    assert float(picture.gradients["nothing"]["x"]) == 12.0
    assert {float(found["x"]) for found in picture.gradients.values()} == {12.0, 0.0}


def test_more_paths_than_can_be_listed_are_not_listed():
    def doubled(x):
        for _ in range(4):
            x = x + x
        return x

    picture = CutEdge(doubled, 1.0)
    assert [panel.name for panel in picture.scene.panels] == ["graph"]
    assert float(picture.gradients["nothing"]["x"]) == 16.0


@pytest.mark.parametrize(
    "args, kind, words",
    [
        ((3,), TypeError, "expected a function and its arguments"),
        ((lambda x: x,), TypeError, "no arguments"),
        ((lambda x: 3.0, 1.0), ValueError, "there is no use to cut"),
        ((lambda x: x, "a"), TypeError, "expected a real number"),
        ((lambda x: sum(x * x for _ in range(20)), 1.0), ValueError, "at most 24 uses"),
    ],
)
def test_what_cannot_be_shown_is_said(args, kind, words):
    with pytest.raises(kind, match=words):
        CutEdge(*args)


def test_inf_and_nan_are_shown():
    picture = CutEdge(lambda x: anp.log(x) * x, 0.0)
    assert "nan" in picture.describe()
    assert set(picture.gradients) == set(picture.cuts)


def test_the_runs_share_nothing():
    first, again = cuts(loss, [3.0, 2.0]), cuts(loss, [3.0, 2.0])
    assert [[None if g is None else float(g) for g in run.gradients] for run in first.runs] == [
        [None if g is None else float(g) for g in run.gradients] for run in again.runs
    ]


def product_cut(x, y):
    return x * y + x


def bars(picture, **state):
    """The bars of a sum in the panel of paths, `(x, width)` each."""
    (panel,) = [panel for panel in picture.scene.panels if panel.name == "paths"]
    seen = visible_marks(panel, picture.scene.state(**state))
    return [(float(at["x"]), float(at["width"])) for mark, at, *_ in seen if mark.role == "backbar"]


def test_the_parts_of_a_sum_stand_end_to_end_and_a_cut_takes_one_out():
    picture = CutEdge(product_cut, 3.0, 2.0)
    (first, second), whole = bars(picture)[:2], bars(picture)[2]
    assert first[0] + first[1] == pytest.approx(second[0], abs=2) and first[0] == whole[0]
    assert first[1] / second[1] == pytest.approx(2, rel=0.1) and first[1] + second[1] == pytest.approx(whole[1], abs=2)
    left = bars(picture, cut="x → ×")
    assert len(left) == 2 and left[0] == pytest.approx((whole[0], whole[1] / 3), abs=1.5)


def test_where_one_path_takes_away_from_another_the_sum_is_one_bar():
    picture = CutEdge(lambda x, y: x * y - x, 3.0, 2.0)
    assert len(bars(picture)) == 2 and bars(picture)[0][1] > 0


def test_a_gradient_is_told_once_its_bar_is_as_long():
    (panel,) = [panel for panel in usual().scene.panels if panel.name == "paths"]
    ends = {
        (mark.tag, move.property): move.start + move.length
        for mark in panel.marks
        for move in mark.moves
        if move.dial == "walk"
    }
    assert ends["text", "text"] == ends["rect", "width"]


def test_plain_numbers_are_dragged_and_all_follows():
    picture = CutEdge(product_cut, 3.0, 2.0)
    assert picture.inputs == {"x": 3.0, "y": 2.0}
    names = [grip.label for grip in picture.scene.grips if grip.stays]
    assert names == ["x", "y"]
    scene = picture.scene_at({"x": 5.0, "y": -1.0})
    other = CutEdge(product_cut, 5.0, -1.0).scene
    assert to_json(scene) == to_json(other) and picture.inputs == {"x": 3.0, "y": 2.0}
    picture.fill({"x": 5.0, "y": -1.0})
    assert to_json(picture.scene) == to_json(other) and picture.gradients["nothing"] == {"x": 0.0, "y": 5.0}


def test_arrays_are_not_dragged():
    picture = CutEdge(lambda x: (x * x).sum(), np.array([1.0, 2.0]))
    assert picture.inputs == {} and [grip.name for grip in picture.scene.grips] == ["cut"]
