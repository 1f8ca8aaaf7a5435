"""The Jacobian map shows the engine's Jacobian, and what each pass takes and gives."""

import autograd.numpy as anp
import numpy as np
import pytest
from javascript import in_page

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.data.guide import network
from labkit.widgets import JacobianMap

X = np.array([1.5, -2.0, 0.7, 3.0, 1.0])
MATRIX = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, -1.0]])
PASS = "(data, state) => { const { weights, result, image } = passOf(data, state); return { weights, result, image }; }"


def three_of_five(x):
    return anp.array([x[0] * x[1], anp.sin(x[2]) * x[0], x[3] ** 2 - x[1]])


def passed(lab, **state):
    """What the page computes for a state: what goes in, and what comes out."""
    found = in_page(lab, PASS, lab.state_with(**state))
    return found["weights"], found["result"]


def test_the_matrix_is_that_of_the_engine():
    for jacobian in (labkit.jacrev(three_of_five)(X), labkit.jacfwd(three_of_five)(X)):
        np.testing.assert_allclose(JacobianMap(three_of_five, X).matrix, jacobian, rtol=1e-12)


@pytest.mark.needs("node")
@pytest.mark.parametrize("way", ["VJP", "JVP"])
def test_every_pass_gives_what_the_engine_gives_also_between_two_lines_and_in_any_direction(way):
    lab, (_, pull) = JacobianMap(three_of_five, X), labkit.vjp(three_of_five, X)
    for at in np.arange(0, (3 if way == "VJP" else 5) + 0.1, 0.25):
        for state in ({"rows" if way == "VJP" else "columns": at}, {"turn": True, "angle": 60 * at}):
            weights, result = passed(lab, way=way, **state)
            given = np.array(weights, float)
            expected = pull(given)[0] if way == "VJP" else labkit.jvp(three_of_five, (X,), (given,))[1]
            np.testing.assert_allclose(result, expected, atol=1e-12)
            assert at % 1 or "turn" in state or weights == [float(k == at - 1) for k in range(len(weights))]


@pytest.mark.needs("node")
def test_all_ones_give_what_mindspore_returns_and_torch_refuses():
    def f(x):
        return x**2 * x.sum()

    lab = JacobianMap(f, ms.Tensor(X[:3], ms.float32))
    weights, result = passed(lab, rows=4.0)
    assert weights == [1, 1, 1] and result == ms.grad(f)(ms.Tensor(X[:3], ms.float32)).asnumpy().tolist()
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        f(torch.tensor(X[:3], requires_grad=True)).backward()
    assert "PyTorch's backward() raises an error." in lab.describe(rows=4.0)
    assert "the rows add up to 0" in JacobianMap(lambda x: anp.exp(x) / anp.sum(anp.exp(x)), X).describe(rows=6.0)


def test_one_output_takes_one_vjp():
    assert "The whole matrix takes 1 VJP or 5 JVPs." in JacobianMap(lambda x: anp.sum(x**2), X).describe()


@pytest.mark.parametrize(
    ("fn", "x", "words"),
    [
        (anp.sin, X, "Diagonal, as of an elementwise function"),
        (lambda x: 3 * x, X, "Diagonal: 3 times the identity"),
        (lambda x: x[:-2] - 2 * x[1:-1] + x[2:] ** 2, np.arange(1, 9.0), "outside columns i to i + 2"),
        (lambda x: anp.cumsum(x), X, "Lower triangular"),
        (lambda x: anp.array([1.0, 2.0, 3.0]) * anp.sum(x**2), X, "Rank one"),
        (three_of_five, X, "No output depends on x[4] here."),
        (lambda x: anp.exp(x) / anp.sum(anp.exp(x)), X, "Symmetric. Rank 4, where 5 is possible"),
        (lambda x: anp.tanh(x @ np.ones((3, 2))), np.arange(6.0).reshape(2, 3), "Block diagonal: 2 examples"),
        (lambda x: anp.array([x[0], 1.0 * 2]), X, "y[1] depends on no input here."),
        (lambda x: np.ones(2), X, "All zero"),
    ],
)
def test_structure_is_recognised(fn, x, words):
    assert words in JacobianMap(fn, x).describe()


def test_a_structure_that_is_not_there_is_not_claimed():
    rng = np.random.default_rng(0)
    weight = rng.normal(size=(4, 4))
    description = JacobianMap(lambda x: anp.tanh(weight @ x), rng.normal(size=4)).describe()
    for claim in ("Diagonal", "Banded", "triangular", "Rank", "Symmetric", "No output", "no input here"):
        assert claim not in description


def test_nan_and_inf_are_shown_as_such():
    lab = JacobianMap(lambda x: anp.sqrt(x), np.array([0.0, 4.0, -1.0]))
    assert lab.data["tiles"] == [["inf", 0, "nan"], ["nan", 0.25, "nan"], ["nan", 0, "nan"]]
    assert "are not finite" in lab.describe() and "[nan, 0, nan]" in lab.describe() and lab.html()


@pytest.mark.needs("node")
def test_a_large_jacobian_is_pooled_by_its_largest_entries_and_says_so():
    weight = np.random.default_rng(1).normal(size=(60, 90))
    lab = JacobianMap(lambda x: weight @ x, np.zeros(90))
    np.testing.assert_allclose(lab.matrix, weight)
    assert "It is drawn as 40 by 40 tiles" in lab.describe() and "takes 60 VJPs or 90 JVPs" in lab.describe()
    rows, columns = np.array_split(np.arange(60), 40), np.array_split(np.arange(90), 40)
    largest = [max(weight[np.ix_(rows[3], c)].flat, key=abs) for c in columns]
    assert passed(lab, rows=4.0)[1] == largest and lab.data["turns"] == {"VJP": None, "JVP": None}
    assert in_page(lab, "questionAt", lab.state, 0)["answer"] == 60
    assert lab.passes.pushed is None  # 60 VJPs are cheaper than 90 JVPs


def test_a_parameter_can_be_named_and_several_outputs_are_stacked():
    net, x, y = network(ms)
    lab = JacobianMap(net, x, y, argnum="fc.weight")
    assert lab.data["names"] == {"VJP": ["y0", "y1"], "JVP": ["fc.weight[0,0]", "fc.weight[0,1]", "fc.weight[0,2]"]}
    np.testing.assert_allclose(lab.matrix, [[2, 4, 6], [1, 2, 3]])
    assert JacobianMap(net, x, y, argnum=1).passes.rows == ["out0", "out1"]


@pytest.mark.needs("node")
def test_questions_have_the_answers_of_the_engine():
    lab, jacobian = JacobianMap(three_of_five, X), labkit.jacrev(three_of_five)(X)
    asked = [in_page(lab, "questionAt", lab.state, k) for k in range(4)]
    assert asked[0]["answer"] == 3 and {value for value, _ in asked[0]["slips"]} == {5, 15}
    assert [one["answer"] for one in asked[2:]] == [jacobian[2, 3], jacobian.sum(0)[3]]
    forward = in_page(lab, "questionAt", lab.state_with(way="JVP"), 1)
    assert forward["answer"] == jacobian[0, 1] and "x[1]" in forward["question"]


@pytest.mark.needs("node")
@pytest.mark.parametrize("way", ["VJP", "JVP"])
def test_the_ellipse_has_the_norms_of_what_comes_out_between_both_singular_values(way):
    lab = JacobianMap(lambda x: MATRIX @ x**2, np.array([1.0, 2.0, 3.0]))
    plane = lab.data["turns"][way]
    assert plane["spanned"] == (way == "VJP")  # a VJP moves all three inputs
    for angle in range(0, 360, 30):
        found = in_page(lab, PASS, lab.state_with(way=way, turn=True, angle=float(angle)))
        assert np.hypot(*found["image"]) == pytest.approx(np.linalg.norm(found["result"]))
        assert plane["sizes"][1] - 1e-9 <= np.hypot(*found["image"]) <= plane["sizes"][0] + 1e-9
    said = JacobianMap(three_of_five, X).describe(way="VJP", turn=True, angle=60.0)
    assert "vᵀJ = 0.5 × row of y[0] + 0.866 × row of y[2]" in said


@pytest.mark.needs("node")
def test_the_page_says_the_sentences_of_python():
    lab = JacobianMap(three_of_five, X)
    states = [lab.state_with(way=way, rows=at, columns=at, turn=turn, angle=47 * at)
              for way in ("VJP", "JVP") for at in (0.0, 1.0, 2.5, 3.0, 3.25, 4.0) for turn in (False, True)]  # fmt: skip
    found = in_page(lab, "(data, states) => states.map((state) => sentenceOf(data, state))", states)
    assert found == [lab.describe(**state).splitlines()[-1] for state in states] and len(set(found)) > 20


def test_a_random_function_is_noticed_and_a_function_without_a_forward_rule():
    rng = np.random.default_rng(2)
    assert "random" in JacobianMap(lambda x: x * rng.normal(), X).describe()
    assert "random" not in JacobianMap(three_of_five, X).describe()


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


def test_the_function_is_named_as_it_is_written():
    assert JacobianMap(lambda x: x**2, np.array([1.0, 3.0])).title == "Jacobian of x ** 2: 2 outputs, 2 inputs"
    long = JacobianMap(lambda x: np.array([[1.0, 2.0], [3.0, 4.0]]) @ anp.tanh(x) + np.array([0.5, 0.25]), np.ones(2))
    assert long.title == "Jacobian: 2 outputs, 2 inputs"  # a title is not a program
