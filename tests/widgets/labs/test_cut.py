"""Cutting an edge in the picture is what `stop_gradient` at that use does to the gradient, and to nothing else."""

from functools import cache

import autograd.numpy as anp
import numpy as np
import pytest
from javascript import in_page

import labkit.mindspore as ms
import labkit.torch as torch
from labkit import grad, stop_gradient
from labkit.widgets import CutEdge


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


@pytest.mark.parametrize("where", usual().cuts)
def test_each_cut_gives_the_gradient_of_the_function_with_stop_gradient_there(where):
    expected = grad(cut_by_hand(where), (0, 1))(3.0, 2.0)
    assert [float(usual().gradients[where][name]) for name in "xy"] == pytest.approx([float(g) for g in expected])


def test_every_use_is_offered_and_those_of_one_name_are_counted():
    assert usual().cuts == ["nothing", "x → a", "y → a", "x → b", "a → ×", "b → ×", "× → z", "x → z"]
    assert CutEdge(lambda x: x * x, 3.0).cuts == ["nothing", "x → × (1 of 2)", "x → × (2 of 2)"]


@pytest.mark.needs("node")
@pytest.mark.parametrize("where", usual().cuts)
def test_the_page_computes_values_and_gradients_of_other_inputs_as_the_engine_does(where):
    lab = usual()
    for x, y in np.random.default_rng(0).normal(size=(5, 2)):
        state = {"cut": where, "inputs": {"x": x, "y": y}}
        run = in_page(lab, "(data, state) => runOf(data, state)", state)
        other = CutEdge(loss, x, y)
        real = other.found.runs[other.cuts.index(where)]
        assert run["cards"][-1] == "1" and run["values"][-1] == f"{loss(x, y):.3g}".replace("-", "−")
        for found, gradient in zip(run["sums"], real.gradients, strict=True):
            assert (found is None) == (gradient is None)
            assert found is None or found == pytest.approx(float(gradient), rel=1e-12)
        said = in_page(lab, "sentenceOf", state)
        assert lab.describe(**state).replace("\n", " ").endswith(said) and said in other.describe(cut=where)[:].replace(
            "\n", " "
        )


@pytest.mark.needs("node")
@pytest.mark.parametrize("where", usual().cuts)
def test_the_products_along_the_open_paths_add_up_to_the_gradient(where):
    sums = in_page(usual(), "(data, cut) => sumsOf(data, cut, runOf(data, { cut, inputs: {} }))", where)
    leaves = [node.title for node in usual().found.story.nodes]
    assert {leaves[group["leaf"]]: pytest.approx(group["sum"]) for group in sums} == {
        name: float(value) for name, value in usual().gradients[where].items()
    }
    parts = [part for group in sums for part in group["parts"]]
    assert "2 × 0.141 × 1 = 0.282" in [part["said"] for part in sums[0]["parts"]] or where != "nothing"
    assert all(part["value"] == 0 and part["said"] == "detached: 0" for part in parts if not part["open"])


def test_a_cut_changes_no_value_and_says_which_paths_are_left():
    assert all("z = 3.85" in usual().describe(cut=where) for where in usual().cuts)
    assert "No path is left to y: its gradient is 0 instead of" in usual().describe(cut="y → a")
    assert "x.grad is 1.28 instead of −4.66. Open paths to x: 2 of 3." in usual().describe(cut="x → b")[:].replace(
        "\n", " "
    )
    assert float(usual().gradients["y → a"]["y"]) == 0.0
    with pytest.raises(ValueError, match=r"cut: expected one of nothing, x → a, .* but got 'x → y'"):
        usual().describe(cut="x → y")


@pytest.mark.needs("node")
def test_the_question_is_answered_by_the_gradient_after_the_cut():
    for where in usual().cuts[1:]:
        ask = in_page(usual(), "questionAt", {"cut": where, "inputs": {}})
        name = "y" if "gradient of y" in ask["question"] else "x"
        assert ask["answer"] == pytest.approx(float(usual().gradients[where][name]))
        assert ask["answer"] not in [value for value, _ in ask["slips"]]


@pytest.mark.needs("node")
def test_arrays_have_the_texts_of_every_run_and_paths_without_products():
    x, w = np.array([1.0, 2.0]), np.array([0.5, 0.1])
    picture = CutEdge(lambda x, w: anp.sum(anp.tanh(x * w) * x), x, w)
    h = np.tanh(x * w)
    np.testing.assert_allclose(picture.gradients["x → × (1 of 2)"]["x"], h)
    np.testing.assert_allclose(picture.gradients["x → × (2 of 2)"]["x"], x * (1 - h**2) * w)
    for where in picture.cuts:
        said = in_page(picture, "sentenceOf", {"cut": where, "inputs": {}})
        assert picture.describe(cut=where).replace("\n", " ").endswith(said)
    assert {path["said"] for path in picture.data["paths"]} == {"open"} and picture.data["program"]["inputs"] == []


def test_a_function_that_decides_by_its_numbers_is_cut_but_not_dragged():
    picture = CutEdge(lambda x: x * x if x > 0 else -x, 3.0)
    assert picture.data["program"]["inputs"] == []
    assert [float(found["x"]) for found in picture.gradients.values()] == [6.0, 3.0, 3.0]


def test_the_inputs_that_were_dragged_are_those_of_the_gradients():
    picture = CutEdge(lambda x, y: x * y + x, 3.0, 2.0)
    picture.inputs = {"x": 5.0, "y": -1.0}
    assert picture.gradients == CutEdge(lambda x, y: x * y + x, 5.0, -1.0).gradients
    assert picture.gradients["nothing"] == {"x": 0.0, "y": 5.0}


def test_no_two_pairs_of_scissors_are_closer_than_a_finger_needs():
    for upright in (0, 1):
        spots = [wire["spot"] for wire in usual().data["flows"][upright]["wires"]]
        assert all(np.hypot(a - c, b - d) >= 26 for i, (a, b) in enumerate(spots) for c, d in spots[:i])


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
    assert picture.data["paths"] == [] and float(picture.gradients["nothing"]["x"]) == 16.0


@pytest.mark.parametrize(
    "args, kind, words",
    [
        ((3,), TypeError, "expected a function and its arguments"),
        ((lambda x: x,), TypeError, "no arguments"),
        ((lambda x: 3.0, 1.0), ValueError, "it has no edge to cut"),
        ((lambda x: x, "a"), TypeError, "expected a real number"),
        ((lambda x: sum(x * x for _ in range(20)), 1.0), ValueError, "at most 24 edges"),
    ],
)
def test_what_cannot_be_shown_is_said(args, kind, words):
    with pytest.raises(kind, match=words):
        CutEdge(*args)


def test_inf_and_nan_are_shown():
    picture = CutEdge(lambda x: anp.log(x) * x, 0.0)
    assert "nan" in picture.describe()
    assert set(picture.gradients) == set(picture.cuts)
