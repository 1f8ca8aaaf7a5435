"""The lab shows what the engine and both dialects give for an upstream gradient."""

from itertools import product

import autograd.numpy as anp
import numpy as np
import pytest
from javascript import in_page

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.data.guide import network
from labkit.widgets import UpstreamGradientLab

X = np.array([2.0, 3.0, 0.5])


def two(x):
    return anp.array([x[0] * x[1], anp.sin(x[2]) + x[0]])


def three(x):
    return x**2 * x[0]


def upstream(*weights):
    return {f"v{i}": float(weight) for i, weight in enumerate(weights)}


@pytest.mark.needs("node")
@pytest.mark.parametrize("fn", [two, three])
def test_the_gradient_is_one_vjp_with_these_seeds_in_python_and_in_the_page(fn):
    lab, (_, pull) = UpstreamGradientLab(fn, X), labkit.vjp(fn, X)
    for weights in product((-2.0, -0.7, 0.6, 1.9), repeat=len(lab.matrix)):
        pulled = pull(np.array(weights))[0]
        np.testing.assert_allclose(lab.gradient(*weights), pulled, atol=1e-12)
        found = in_page(lab, "gradientOf", upstream(*weights))
        assert found["sum"] == (lab.gradient(*weights) + 0.0).tolist()
        np.testing.assert_allclose(np.sum(found["parts"], 0), pulled, atol=1e-12)


def test_it_is_what_both_dialects_give_for_a_cotangent():
    lab = UpstreamGradientLab(three, ms.Tensor(X, ms.float32))
    with_sens = ms.grad(three, sens_param=True)(ms.Tensor(X, ms.float32), ms.Tensor([1.0, -2.0, 2.0], ms.float32))
    x = torch.tensor(X, requires_grad=True)
    three(x).backward(torch.tensor([1.0, -2.0, 2.0], dtype=torch.float64))
    np.testing.assert_allclose(lab.gradient(1, -2, 2), with_sens.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(lab.gradient(1, -2, 2), x.grad.numpy(), rtol=1e-6)


def test_all_ones_are_grad_and_one_alone_is_has_aux():
    net, x, y = network(ms)
    lab = UpstreamGradientLab(net, x, y, outputs=("loss", "logits"))
    np.testing.assert_allclose(lab.gradient(1, 1), ms.grad(net)(x, y).asnumpy().ravel())
    np.testing.assert_allclose(lab.gradient(1, 0), ms.grad(net, has_aux=True)(x, y)[0].asnumpy().ravel())
    assert "All ones: the gradient of the sum of the outputs." in lab.describe()
    assert "Only loss contributes." in lab.describe(v1=0.0)
    assert "The sum is 0, although not every upstream gradient is." in lab.describe(v0=1.0, v1=-2.0)


SAID = [
    ((0, 0), "0 × [3, 2, 0] + 0 × [1, 0, 1] = [0, 0, 0]. Every upstream gradient is 0."),
    ((-2, 1), "−2 × [3, 2, 0] + 1 × [1, 0, 1] = [−5, −4, 1]."),
    ((1, -1.7), "1 × [3, 2, 0] + (−1.7) × [1, 0, 1] = [1.3, 2, −1.7]."),
    ((0, -0.7), "= [−0.7, 0, −0.7]. Only y[1] contributes."),
    ((1, 1), "= [4, 2, 1]. All ones: the gradient of the sum of the outputs."),
]


@pytest.mark.needs("node")
@pytest.mark.parametrize("weights, words", SAID)
def test_what_is_said_about_the_seeds(weights, words):
    lab = UpstreamGradientLab(two, np.array([2.0, 3.0, 0.0]))
    assert lab.describe(**upstream(*weights)).splitlines()[-1].endswith(words)
    assert in_page(lab, "sentenceOf", upstream(*weights)) == lab.describe(**upstream(*weights)).splitlines()[-1]


def test_the_function_is_named_as_it_is_written():
    written = {two: "y = two(x), x = [2, 3, 0.5]", three: "y = x ** 2 * x[0], x = [2, 3, 0.5]"}
    written |= {anp.tanh: "y = tanh(arg0), arg0 = [2, 3, 0.5]", eval("lambda x: x**2"): "y = f(x), x = [2, 3, 0.5]"}
    assert [UpstreamGradientLab(fn, X).data["written"] for fn in written] == list(written.values())


@pytest.mark.needs("node")
def test_each_question_has_the_right_answer():
    lab = UpstreamGradientLab(two, X)
    for weights in ((-1, 2), (2, -1), (-2, 1), (1, -2)):
        asked = in_page(lab, "questionAt", upstream(*weights))
        assert asked["answer"] == lab.gradient(*weights)[int(asked["question"].split("x[")[1][0])]


@pytest.mark.needs("node")
def test_one_output_and_many_inputs_and_what_is_not_finite():
    lab = UpstreamGradientLab(lambda x: anp.sum(x**2), X)
    assert lab.state == {"v0": 1.0} and "−2 × [4, 6, 1] = [−8, −12, −2]." in lab.describe(v0=-2.0)
    wide, broken = (
        UpstreamGradientLab(lambda x: anp.sum(x), np.ones(8)),
        UpstreamGradientLab(lambda x: anp.sqrt(x), np.array([0.0, 4.0])),
    )
    assert "2 × row of y = [2, 2, 2, 2, 2, 2, 2, 2]." in wide.describe(v0=2.0)
    assert "no arrow" in broken.describe() and "0.25]" in broken.describe()
    for one in (wide, broken):
        assert in_page(one, "sentenceOf", one.state) == one.describe().splitlines()[-1] and one.html()
    with pytest.raises(KeyError, match="expected some of v0"):
        lab.state = {"v1": 1.0}


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: UpstreamGradientLab(two),
            TypeError,
            "UpstreamGradientLab: expected a function and its arguments, as in UpstreamGradientLab",
        ),
        (
            lambda: UpstreamGradientLab(lambda x: (x, "a"), X),
            TypeError,
            "UpstreamGradientLab: expected <lambda> to return real numbers",
        ),
        (
            lambda: UpstreamGradientLab(anp.tanh, np.ones(4)),
            ValueError,
            "at most 3 output and 8 input elements, but got 4 and 4",
        ),
        (lambda: UpstreamGradientLab(lambda x: anp.sum(x), np.ones(9)), ValueError, "but got 1 and 9"),
        (lambda: UpstreamGradientLab(two, X, outputs=["a"]), ValueError, "outputs: expected 2 names"),
        (lambda: UpstreamGradientLab(two, X, argnum=1), IndexError, "0 or 'x'"),
        (
            lambda: UpstreamGradientLab(anp.sin, np.zeros(0)),
            ValueError,
            "UpstreamGradientLab: expected at least one input",
        ),
    ],
)
def test_bad_input_is_answered_clearly(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
