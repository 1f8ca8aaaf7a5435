"""The step-size lab computes difference quotients as each float format does, in Python and in the page."""

import re
from functools import cache

import autograd.numpy as anp
import numpy as np
import pytest
from javascript import in_page

from labkit.widgets.labs.step_size import NAMES, RULES, Function, StepSize

EPS = {name: float(np.finfo(name).eps) for name in NAMES}
STEPS = [10.0**-k for k in range(17)]


@cache
def sine():
    return Function(np.sin, 1.0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rule", RULES)
def test_every_quotient_is_computed_in_its_format(name, rule):
    dtype = np.dtype(name).type
    for h in STEPS:
        x, step, found = dtype(1.0), dtype(h), sine().quotient(h, name, rule)
        if not step:
            assert np.isnan(found.value)
            continue
        low, width = (x, step) if rule == "forward" else (x - step, dtype(2) * step)
        assert found.value == float((np.sin(x + step) - np.sin(low)) / width)
        assert found.error == pytest.approx(abs(found.value / np.cos(1.0) - 1))
        assert found.error <= 1.2 * found.truncation + 2 * found.roundoff


def test_truncation_is_first_order_forward_and_second_order_central():
    for rule, factor in (("forward", 10), ("central", 100)):
        errors = [sine().quotient(h, "float64", rule).error for h in (0.1, 0.01)]
        assert errors[0] / errors[1] == pytest.approx(factor, rel=0.05)


@pytest.mark.parametrize(
    "more, words",
    [
        ({"h": 0.001}, "Mostly truncation"),
        ({"h": 1e-12}, "Mostly round-off"),
        ({"h": 0.001, "format": "float16"}, "Mostly round-off"),
        ({"h": 2e-8}, "about equal"),
        ({"h": 1e-16}, "quotient 0, derivative 0.5403023059, relative error 1. x + h is stored as x"),
        ({"h": 1e-8, "format": "float16"}, "This h is stored as 0 in float16"),
    ],
)
def test_the_sentence_says_which_error_rules(more, words):
    assert words in StepSize(np.sin, 1.0, **more).describe()


def test_a_function_without_a_value_next_to_x_has_no_quotient_there():
    assert "The function has no value there" in StepSize(anp.log, 0.5, h=1.0, rule="central").describe()
    assert "none that float16 can hold" in StepSize(lambda x: x**8, 50.0, h=0.01, format="float16").describe()


def test_state_is_observed_and_set():
    lab, seen = StepSize(np.sin, 1.0), []
    lab.observe(lambda change: seen.append(change["new"]), "h")
    lab.state = {"h": 0.01, "format": "float16"}
    assert seen == [0.01] and lab.state == {"x": 1.0, "h": 0.01, "format": "float16", "rule": "forward", "zoom": False}
    assert lab.describe() == StepSize(np.sin, 1.0, **{k: v for k, v in lab.state.items() if k != "x"}).describe()
    with pytest.raises(KeyError, match="expected some of x, h, format"):
        lab.state = {"step": 1}


@pytest.mark.parametrize(
    "fn, x, error, words",
    [
        (3, 1.0, TypeError, "expected a function of one number, but got int"),
        (np.sin, "1", TypeError, "expected one number for x, but got '1'"),
        (np.sin, [1.0, 2.0], TypeError, "expected one number for x"),
        (np.sin, np.inf, ValueError, "expected a finite number for x"),
        (np.sin, 1e6, ValueError, "expected an x within ±65504, the largest float16"),
        (anp.log, 0.0, ValueError, "expected a finite value and slope at x = 0"),
        (lambda x: np.array([1.0, 2.0]), 1.0, TypeError, "returns one number, but got ndarray"),
        (lambda x: float(x) ** 2, 1.0, TypeError, "write it with NumPy functions such as np.sin"),
        (lambda x: x if x > 1.2 else x * x, 1.0, ValueError, "without if and loops that depend on x"),
        (lambda x: {}[x], 1.0, KeyError, "1.0"),
    ],
)
def test_bad_input_is_named(fn, x, error, words):
    with pytest.raises(error, match=re.escape(words)):
        StepSize(fn, x)


@pytest.mark.parametrize("more, words", [({"h": 2.0}, "h: expected"), ({"format": "float8"}, "format: expected")])
def test_a_state_that_there_is_not_is_named(more, words):
    with pytest.raises(ValueError, match=words):
        StepSize(np.sin, 1.0, **more)


@pytest.mark.needs("node")
def test_the_page_rounds_as_numpy_does():
    random = np.random.default_rng(1)
    numbers = random.normal(size=400) * 10.0 ** random.integers(-9, 6, 400)
    for name in NAMES:
        with np.errstate(over="ignore"):
            wanted = numbers.astype(name).astype(float)
        found = in_page(StepSize(np.sin, 1.0), f"(_, all) => all.map((v) => String(ROUND.{name}(v)))", numbers.tolist())
        assert [float(v.replace("Infinity", "inf")) for v in found] == wanted.tolist()


@pytest.mark.needs("node")
@pytest.mark.parametrize(
    "fn, exact", [(lambda x: x * x * x, True), (lambda x: 1 / (x + 4) - x, True), (anp.sin, False)]
)
def test_the_page_computes_the_quotients_and_sentences_of_python(fn, exact):
    random, lab = np.random.default_rng(2), StepSize(fn, 1.0)
    asked = [
        (10.0 ** -random.uniform(0, 16), name, rule, random.uniform(-0.4, 2.4))
        for name in NAMES for rule in RULES for _ in range(30)
    ]  # fmt: skip
    code = """(data, asked) => asked.map(([h, format, rule, x]) => {
      const q = quotientAt(data, h, format, rule, x);
      return [String(q.value), sentenceOf(data, {x, h, format, rule}, q)];
    })"""
    for (h, name, rule, x), (value, sentence) in zip(asked, in_page(lab, code, asked), strict=True):
        wanted = lab.function.quotient(h, name, rule, x)
        if exact or np.isnan(wanted.value):
            lab.state = {"x": x, "h": h, "format": name, "rule": rule}
            assert float(value) == pytest.approx(wanted.value, rel=0, abs=0, nan_ok=True)
            assert sentence == lab.describe().splitlines()[-1]
        else:  # the last bit of sine is the browser's
            assert abs(float(value) - wanted.value) <= 4 * EPS[name] / h + 1e-12


@pytest.mark.needs("node")
def test_questions_have_the_numbers_of_the_run():
    lab = StepSize(np.sin, 1.0)
    for rule in RULES:
        asked = in_page(lab, "questionAt", {"x": 1.0, "format": "float64", "rule": rule})
        assert asked["answer"] == pytest.approx(sine().quotient(0.01, "float64", rule).error, rel=1e-9)
    assert in_page(lab, "questionAt", {"x": 1.0, "format": "float16", "rule": "forward"})["answer"] == 0
