"""The Jacobian map shows the engine's Jacobian, and what each pass takes and gives."""

import json

import autograd.numpy as anp
import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.data.guide import network
from labkit.widgets.kit.page import script
from labkit.widgets.kit.scene import holds, to_json
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.kit.words import number
from labkit.widgets.labs.jacobian.directions import Directions
from labkit.widgets.labs.jacobian.scene import JacobianMap

X = np.array([1.5, -2.0, 0.7, 3.0, 1.0])


def three_of_five(x):
    return anp.array([x[0] * x[1], anp.sin(x[2]) * x[0], x[3] ** 2 - x[1]])


def words(picture, role=None, **dials):
    """The texts of the map that are to be seen, by place; a cover hides none."""
    scene = picture.scene
    seen = visible_marks(the_map(picture, **dials), scene.state(**dials))
    return {(at["x"], at["y"]): said for mark, at, said, _ in seen if mark.tag == "text" and role in (None, mark.role)}


def the_map(picture, **dials):
    """The panel of the matrix that is seen."""
    return next(p for p in picture.scene.panels if holds(p.when, picture.scene.state(**dials)))


def cell(picture, i, j):
    (mark,) = [m for m in picture.scene.panels[0].marks if m.link == f"cell {i} {j}" and m.tag == "text"]
    return mark.text


def covered(picture, **dials):
    """How many rows or columns are still covered."""
    seen = visible_marks(the_map(picture, **dials), picture.scene.state(**dials))
    return sum(mark.role == "area" for mark, *_ in seen)


def line_of(picture, label, dial, across, **dials):
    """The numbers that a pass shows beside the word `label`: in a row on its height, or in a column below it."""
    seen = words(picture, **dials)
    ((x, y),) = [place for place, said in seen.items() if said == label]
    found = {
        place: said
        for place, said in seen.items()
        if (across and abs(place[1] - y) < 1 and place[0] > x)
        or (not across and abs(place[0] - x) < 1 and place[1] > y)
    }
    return [found[place] for place in sorted(found)]


def test_the_cells_are_the_jacobian_of_both_modes():
    picture = JacobianMap(three_of_five, X)
    for jacobian in (labkit.jacrev(three_of_five)(X), labkit.jacfwd(three_of_five)(X)):
        np.testing.assert_allclose(picture.matrix, jacobian, rtol=1e-12)
        for i, j in np.ndindex(3, 5):
            assert cell(picture, i, j) == number(jacobian[i, j])


def test_it_begins_empty_and_a_still_picture_shows_the_whole_matrix():
    picture = JacobianMap(three_of_five, X)
    assert covered(picture) == 3 and covered(picture, mode=1) == 5
    assert picture.plays_at_once and picture.scene.resting()["pulls"] == 3 and picture.scene.resting()["pushes"] == 5


def test_what_goes_in_lights_up_what_it_belongs_to_and_no_cell():
    picture = JacobianMap(three_of_five, X)
    for mode, dial, count in ((0, "pulls", 3), (1, "pushes", 5)):
        for k in range(1, count + 1):
            state = picture.scene.state(mode=mode, **{dial: k})
            panel = the_map(picture, mode=mode)
            (band,) = [at for _, at, _, name in visible_marks(panel, state) if name == "lit"]
            right, bottom = band["x"] + band["width"], band["y"] + band["height"]
            inside = {
                mark.link
                for mark, at, _, _ in visible_marks(panel, state)
                if mark.tag == "rect" and mark.link and band["x"] <= at["x"] < right and band["y"] <= at["y"] < bottom
            }
            assert inside == {f"row {k - 1}" if mode == 0 else f"column {k - 1}"}


def test_a_pull_gives_the_row_of_its_cotangent():
    picture, jacobian = JacobianMap(three_of_five, X), labkit.jacrev(three_of_five)(X)
    _, pull = labkit.vjp(three_of_five, X)
    for i, unit in enumerate(np.eye(3)):
        assert line_of(picture, "v", "pulls", False, pulls=i + 1)[:3] == [number(v) for v in unit]
        assert line_of(picture, "vᵀJ", "pulls", True, pulls=i + 1) == [number(v) for v in pull([unit])[0]]
        assert covered(picture, pulls=i + 1) == 3 - (i + 1)
    assert number(jacobian[2, 3]) == "6"


def test_a_push_gives_the_column_of_its_tangent():
    picture = JacobianMap(three_of_five, X)
    for j, unit in enumerate(np.eye(5)):
        _, column = labkit.jvp(three_of_five, (X,), (unit,))
        state = {"mode": 1, "pushes": j + 1}
        assert line_of(picture, "tangent t", "pushes", True, **state) == [number(v) for v in unit]
        assert line_of(picture, "J t", "pushes", False, **state)[:3] == [number(v) for v in column]
        assert covered(picture, **state) == 5 - (j + 1)


def test_all_ones_give_what_mindspore_returns_and_torch_refuses():
    def f(x):
        return x**2 * x.sum()

    picture = JacobianMap(f, ms.Tensor(X[:3], ms.float32))
    total = ms.grad(f)(ms.Tensor(X[:3], ms.float32)).asnumpy()
    assert line_of(picture, "vᵀJ", "pulls", True, pulls="all ones") == [number(v) for v in total]
    x = torch.tensor(X[:3], requires_grad=True)
    with pytest.raises(RuntimeError) as refused:
        f(x).backward()
    assert (
        "PyTorch refuses." in picture.describe(pulls="all ones")
        and str(refused.value) in picture.scene.links["ones"].tip[1]
    )


def test_one_output_needs_one_pull_and_no_position_for_a_sum():
    picture = JacobianMap(lambda x: anp.sum(x**2), X)
    assert picture.scene.dials[1].values == ["none yet", "y"]
    assert "1 pull, where forward mode needs 5 pushes" in picture.describe()


def test_the_map_is_as_large_whichever_way_the_matrix_is_built():
    scene = JacobianMap(lambda x: np.array([[2.0, 1.0, 0.0], [0.0, 1.0, -1.0]]) @ x**2, np.ones(3)).scene
    seen = [[p for p in scene.panels if holds(p.when, scene.state(mode=mode))] for mode in range(4)]
    assert len({(found[0].width, found[0].height) for found in seen}) == 1 and [len(found) for found in seen] == [
        1,
        1,
        2,
        2,
    ]
    (mode,) = [dial for dial in scene.dials if dial.name == "mode"]
    assert mode.shows == {"pulls": 2, "pushes": 3}  # a matrix that is full, not an empty one
    said = {words for mark, _, words, _ in visible_marks(seen[2][1], scene.state(mode=2)) if mark.role == "note"}
    assert any(words.endswith("stays at 0") for words in said)


@pytest.mark.parametrize(
    ("fn", "x", "words"),
    [
        (anp.sin, X, "Diagonal, as of an elementwise function"),
        (lambda x: 3 * x, X, "Diagonal: 3 times the identity"),
        (lambda x: x[:-2] - 2 * x[1:-1] + x[2:] ** 2, np.arange(1, 9.0), "outside columns i to i + 2"),
        (lambda x: anp.cumsum(x), X, "Lower triangular"),
        (lambda x: anp.array([1.0, 2.0, 3.0]) * anp.sum(x**2), X, "Rank one"),
        (three_of_five, X, "No output moves with x[4] here."),
        (lambda x: anp.exp(x) / anp.sum(anp.exp(x)), X, "Symmetric. Rank 4, where 5 is possible"),
        (lambda x: anp.tanh(x @ np.ones((3, 2))), np.arange(6.0).reshape(2, 3), "Block diagonal: 2 examples"),
        (lambda x: anp.array([x[0], 1.0 * 2]), X, "y[1] moves with no input here."),
        (lambda x: np.ones(2), X, "All zero"),
    ],
)
def test_structure_is_recognised(fn, x, words):
    assert words in JacobianMap(fn, x).scene.description


def test_a_structure_that_is_not_there_is_not_claimed():
    rng = np.random.default_rng(0)
    weight = rng.normal(size=(4, 4))
    description = JacobianMap(lambda x: anp.tanh(weight @ x), rng.normal(size=4)).scene.description
    for claim in ("Diagonal", "Banded", "triangular", "Rank", "Symmetric", "No output", "no input here"):
        assert claim not in description


def test_nan_and_inf_are_shown_as_such():
    picture = JacobianMap(lambda x: anp.sqrt(x), np.array([0.0, 4.0, -1.0]))
    assert [cell(picture, k, k) for k in range(3)] == ["inf", "0.25", "nan"]
    bad = [m.link for m in picture.scene.panels[0].marks if m.role == "bad" and m.link]
    assert "cell 0 0" in bad and "cell 2 2" in bad and "cell 1 1" not in bad
    assert "are not finite" in picture.describe()


def test_a_large_jacobian_is_pooled_by_its_largest_entries_and_says_so():
    weight = np.random.default_rng(1).normal(size=(60, 90))
    picture = JacobianMap(lambda x: weight @ x, np.zeros(90))
    np.testing.assert_allclose(picture.matrix, weight)
    assert "It is drawn as 40 by 40 tiles" in picture.describe()
    rows, columns = np.array_split(np.arange(60), 40), np.array_split(np.arange(90), 40)
    tiles = {m.at["x"]: m.role for m in picture.scene.panels[0].marks if m.link == "row 3" and "opacity" in m.at}
    largest = [max(weight[np.ix_(rows[3], c)].flat, key=abs) for c in columns]
    assert [tiles[x] for x in sorted(tiles)] == ["bar" if v > 0 else "backbar" for v in largest]
    assert picture.passes.pushed is None  # 60 pulls are cheaper than 90 pushes


def test_a_parameter_can_be_named_and_several_outputs_are_stacked():
    net, x, y = network(ms)
    picture = JacobianMap(net, x, y, argnum="fc.weight")
    assert picture.passes.columns == ["fc.weight[0,0]", "fc.weight[0,1]", "fc.weight[0,2]"]
    np.testing.assert_allclose(picture.matrix, [[2, 4, 6], [1, 2, 3]])
    assert picture.passes.rows == ["y0", "y1"]
    assert JacobianMap(net, x, y, argnum=1).passes.rows == ["out0", "out1"]


def test_questions_have_the_answers_of_the_engine():
    picture, jacobian = JacobianMap(three_of_five, X), labkit.jacrev(three_of_five)(X)
    asks = picture.scene.dials[1].asks
    assert asks[1].answer == 3 and {value for value, _ in asks[1].slips} == {5, 15}
    assert asks[3].answer == jacobian[2, 3] and asks[4].answer == jacobian.sum(0)[3]
    for ask in [*asks.values(), *picture.scene.dials[2].asks.values()]:
        for value, _ in ask.slips:
            assert abs(value - ask.answer) > ask.tolerance * abs(ask.answer)


def test_a_tangent_in_any_direction_comes_out_as_a_push_says():
    picture = JacobianMap(three_of_five, X)
    count = 25
    found = Directions.of(picture.passes)
    assert [picture.passes.columns[c] for c in found.columns] == ["x[0]", "x[3]"]
    for position in range(0, count, 4):
        angle, t = 2 * np.pi * position / (count - 1), np.zeros(5)
        t[list(found.columns)] = np.cos(angle), np.sin(angle)
        _, out = labkit.jvp(three_of_five, (X,), (t,))
        assert np.linalg.norm(found.images[position]) == pytest.approx(np.linalg.norm(out), abs=1e-11)
        shown = line_of(picture, "J t", "direction", False, mode=2, direction=position)[:3]
        assert shown == [number(v) for v in out.round(12) + 0.0]
    assert len(JacobianMap(lambda x: anp.sum(x**2), X).scene.dials[0].values) == 2  # an ellipse needs two outputs


def test_a_cotangent_in_any_direction_comes_out_as_a_pull_says():
    picture, (_, pull) = JacobianMap(three_of_five, X), labkit.vjp(three_of_five, X)
    found = Directions.of(picture.passes, back=True)
    for position in range(0, 25, 4):
        angle, v = 2 * np.pi * position / 24, np.zeros(3)
        v[list(found.columns)] = np.cos(angle), np.sin(angle)
        out = pull(v)[0]
        assert np.linalg.norm(found.images[position]) == pytest.approx(np.linalg.norm(out), abs=1e-11)
        shown = line_of(picture, "vᵀJ", "weights", True, mode=3, weights=position)
        assert shown == [number(value) for value in out.round(12) + 0.0]
        frames = [
            at["opacity"]
            for mark, at, _, _ in visible_marks(the_map(picture, mode=3), picture.scene.state(mode=3, weights=position))
            if mark.role == "backedge"
        ]
        assert frames == pytest.approx(np.abs(v[list(found.columns)]), abs=1e-3)
    assert "vᵀJ = 0.5 × row of y[0] + 0.866 × row of y[2]." in picture.describe(mode=3, weights="60°")
    assert "J t = −0.5 × column of x[0] + 0.866 × column of x[3]." in picture.describe(mode=2, direction="120°")


def test_the_ellipse_is_longest_by_the_largest_singular_value():
    found = Directions.of(JacobianMap(lambda x: np.array([[3.0, 1.0], [1.0, 2.0]]) @ x, X[:2]).passes)
    sizes = np.linalg.norm(found.images, axis=1)
    assert sizes.max() == pytest.approx(np.linalg.svd(found.part)[1][0], rel=0.01)
    assert "The longest of these." in found.captions()[int(np.argmax(sizes))]


def test_where_more_than_two_outputs_move_the_ellipse_lies_in_their_plane_and_no_length_is_lost():
    matrix = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, -1.0]])
    found = Directions.of(JacobianMap(lambda x: matrix @ x**2, np.array([1.0, 2.0, 3.0])).passes, back=True)
    assert found.spanned and found.captions()[0].startswith("vᵀJ = 1 × row of y[0]. 5.66 times as long as v.")
    np.testing.assert_allclose(np.linalg.svd(found.part)[1], np.linalg.svd(matrix * 2 * np.array([1.0, 2.0, 3.0]))[1])


def test_an_element_of_the_input_is_dragged_to_any_number():
    picture = JacobianMap(three_of_five, X)
    x = np.array([*X[:1], 0.25, *X[2:]])
    for message in ({"set": {"x[1]": 0.25}, "at": picture.state}, {"set": {"x[1]": 0.25}}):
        picture.respond(message)
        np.testing.assert_allclose(picture.matrix, labkit.jacrev(three_of_five)(x))
    assert picture.inputs["x[1]"] == 0.25 and cell(picture, 0, 0) == "0.25"
    assert JacobianMap(anp.tanh, np.zeros(30)).inputs == {}


def test_handles_stand_where_their_pass_goes_in():
    picture = JacobianMap(three_of_five, X)
    v, t = (next(g for g in picture.scene.grips if g.name == name) for name in "vt")
    for i in range(3):
        ones = [p for p, said in words(picture, "value", pulls=i + 1).items() if said == "1" and p[0] < 75]
        assert any(abs(v.spots[i + 1][1] + 4 - y) < 1 for _, y in ones)
    for j in range(5):
        ones = [p for p, said in words(picture, "value", mode=1, pushes=j + 1).items() if said == "1" and p[1] < 45]
        assert any(abs(t.spots[j + 1][0] - x) < 1 for x, _ in ones)


def test_every_position_has_a_sentence_and_can_be_drawn():
    picture = JacobianMap(three_of_five, X)
    said = {picture.scene.caption(picture.scene.state(pulls=k)) for k in range(5)}
    said |= {picture.scene.caption(picture.scene.state(mode=1, pushes=k)) for k in range(6)}
    assert len(said) == 11 and "" not in said
    json.dumps(to_json(picture.scene), allow_nan=False)
    assert picture.svg(mode=1, pushes=0).startswith("<svg")


def test_a_random_function_is_noticed():
    rng = np.random.default_rng(2)
    assert "random" in JacobianMap(lambda x: x * rng.normal(), X).scene.notice
    assert JacobianMap(three_of_five, X).scene.notice == ""


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: JacobianMap(three_of_five), TypeError, "expected a function and its arguments"),
        (lambda: JacobianMap(3, X), TypeError, "got int"),
        (lambda: JacobianMap(anp.sin, "abc"), TypeError, "got str"),
        (lambda: JacobianMap(lambda x: (x, "a"), X), TypeError, "to return real numbers"),
        (lambda: JacobianMap(lambda x: None, X), TypeError, "returned None"),
        (lambda: JacobianMap(three_of_five, X, argnum=1), IndexError, "0 or 'x'"),
        (lambda: JacobianMap(anp.sin, np.zeros(0)), ValueError, "0 output and 0 input elements"),
        (lambda: JacobianMap(lambda x: anp.outer(x, x), np.zeros(300)), ValueError, "27,000,000 entries"),
        (lambda: JacobianMap(lambda x: 1 / 0, X), ZeroDivisionError, "division"),
    ],
)
def test_bad_input_is_answered_clearly(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_what_goes_in_is_dragged_along_a_rail_with_a_stop_for_each_position():
    scene = JacobianMap(lambda x: np.array([[2.0, 1.0, 0.0], [0.0, 1.0, -1.0]]) @ x**2, np.ones(3)).scene
    for name, panel, mode in (("v", "map", 0), ("t", "pushed", 1)):
        (grip,) = [g for g in scene.grips if g.name == name]
        marks = [m for p in scene.panels if p.name == panel for m in p.marks if m.when == {"mode": [mode]}]
        dots = [(m.at["cx"], m.at["cy"]) for m in marks if m.tag == "circle"]
        assert dots == [pytest.approx(spot, abs=0.1) for spot in grip.spots]
    (named,) = [m for p in scene.panels for m in p.marks if m.text == "all ones" and m.role == "note"]
    assert named.at["y"] - 4 == pytest.approx(next(g.spots[-1][1] for g in scene.grips if g.name == "v"), abs=0.1)


def test_the_function_is_named_as_it_is_written_and_the_last_words_are_short():
    picture = JacobianMap(lambda x: x**2, np.array([1.0, 3.0]))
    assert picture.scene.title == "Jacobian of x ** 2: 2 outputs, 2 inputs"
    long = JacobianMap(lambda x: np.array([[1.0, 2.0], [3.0, 4.0]]) @ anp.tanh(x) + np.array([0.5, 0.25]), np.ones(2))
    assert long.scene.title == "Jacobian: 2 outputs, 2 inputs"  # a title is no program
    said = picture.scene.said(picture.scene.state(pulls="all ones"))
    assert said == "All ones: the sum of all rows, [2, 6]. MindSpore's grad returns it; PyTorch refuses."
    assert "only for scalar outputs" in picture.scene.links["ones"].tip[1] and picture.scene.links["ones"].go == {
        "pulls": 3
    }


def test_a_pass_is_played_so_long_that_what_travels_can_be_read():
    paces = [
        dial.pace for dial in JacobianMap(lambda x: x**2, np.ones(2)).scene.dials if dial.name in ("pulls", "pushes")
    ]
    assert min(paces) >= 2000 and "dial.pace" in script("playing.js")
