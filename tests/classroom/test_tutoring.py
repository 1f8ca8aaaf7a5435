"""The tutor under the exercises' own lists: what it says is true of the answer, and does not tell the right one."""

import re
from types import ModuleType

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.classroom import EXERCISES, check, judge
from labkit.classroom.compare import brief
from labkit.classroom.tutor import meant

pytestmark = pytest.mark.usefixtures("right_answers_found_once")
PREDICTIONS = [e for e in EXERCISES.values() if e.is_prediction]


def defined(source):
    """The `answer` that a source defines, with the names a notebook imports."""
    names = {"np": np, "ms": ms, "torch": torch}
    exec(source, names)
    return names["answer"]


def changed(name, change):
    """The report on the right answer of an exercise, whose result is changed at the end."""
    right = defined(EXERCISES[name].solution)
    return check(name, lambda *inputs: change(right(*inputs), *inputs))


# ---- relations of results ----

WAYS = [
    ("vector-pull-cumsum", lambda r, v: -r, "sign", "Your result has the wrong sign"),
    ("fd-gradient", lambda r, x, h: 3 * r, "factor", "Your result is three times the right one"),
    ("fd-gradient", lambda r, x, h: r * x, "factor-of-argument", "times x"),
    ("fd-gradient", lambda r, x, h: r / len(x), "factor-of-size", "divided by the number of elements of x"),
    ("fd-gradient", lambda r, x, h: r + x, "term", "too large by x"),
    ("fd-gradient", lambda r, x, h: r[::-1], "reversed", "opposite order"),
    ("fd-gradient", lambda r, x, h: x, "argument", "is the argument x itself"),
    ("fd-gradient", lambda r, x, h: r.sum(), "reduced", "one number"),
    ("fd-gradient", lambda r, x, h: r[None], "axis", "axis of length 1"),
    ("fd-gradient", lambda r, x, h: (r,), "wrapped", "Return the value itself"),
    ("fd-gradient", lambda r, x, h: [r, x], "too-many", "Return only this item"),
    ("fd-gradient", lambda r, x, h: lambda: r, "not-called", "Call it"),
    ("vector-matmul", lambda r, x, w, g: r[0], "left-out", "1 of 2 parts"),
    ("fp-limits", lambda r, E, F: (r[0], r[2], r[1], r[3]), "results-exchanged", "parts [1] and [2]"),
    ("fp-limits", lambda r, E, F: (r[0], r[1] + 0.5 * E * r[3], *r[2:]), "value", "Not right: result[1]"),
    ("start-fix", lambda r, values: r if len(values) > 1 else 5 * r, "value", "wherever values has one item"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "change", "kind", "words"), WAYS, ids=[f"{w[0]} {w[2]} {i}" for i, w in enumerate(WAYS)]
)
def test_how_a_result_follows_from_the_right_one_is_told(name, change, kind, words):
    report = changed(name, change)
    assert report.kind == kind and words in report.text, report.text


def test_a_relation_that_other_inputs_contradict_is_told_with_its_branch_or_not_at_all():
    report = changed("graph-local", lambda r, op, a, b: r if op != "divide" else (r[0], r[1] * a))
    assert "Wherever op is 'divide': result[1] is the right one times a." in report.text
    report = changed("scale-dynamic", lambda r, s, c, f, factor, w: r if c < 2 else (r[0], w))
    assert "window itself" not in report.text


def test_nothing_is_told_where_nothing_is_sure():
    report = changed("fd-gradient", lambda r, x, h: np.exp(r) - 3 * np.roll(x, 1) * np.tanh(r * h))
    assert report.kind == "value" and "should be" in report.text and "Right so far" not in report.text


def test_an_error_does_not_count_inputs_that_were_not_compared():
    text = check("start-fix", lambda values: sum(values) / (len(values) - 1) + 100).text
    assert "ZeroDivisionError" in text and "Right so far" not in text


# ---- slips of the exercise ----


def test_two_slips_at_once_are_told():
    def adjust(scale, counter, finite, factor, window):
        if not finite:
            return scale / factor, 0
        return (scale * factor, 0) if counter + 1 > window else (scale, counter + 1)

    text = check("scale-dynamic", adjust).text
    assert "below 1" in text and "first add one" in text


def test_a_slip_that_right_inputs_contradict_is_not_told():
    exercise = EXERCISES["scale-dynamic"]
    planted = {wrong.expected: defined(wrong.source) for wrong in exercise.wrong_answers}
    below, right = planted["below-one"], defined(exercise.solution)
    report = check("scale-dynamic", lambda s, c, f, k, w: below(s, c, f, k, w) if k == 2 else right(s, c, f, k, w))
    assert report.kind != "below-one" and not report


# ---- predictions ----


SAID = [
    ("start-shapes", [(2, 3), 3, (2, 3), ()], "item-rule", "a one-element tuple needs a comma"),
    ("tape-errors", {1: KeyError}, "item-rule", "but of a different type"),
    ("sens-choose", {1: [0.3, 0.3, 0.4]}, "item-rule", "Item 1: you said [0.3, 0.3, 0.4]."),
    ("graph-count", {3: 7}, "item-rule", "(paths from x)"),
    ("vector-shapes", {0: (2,), 1: (3, 2)}, "items-exchanged", "You exchanged items 0 and 1."),
    ("tape-errors", {0: RuntimeError, 6: "fine"}, "sum-saves-too", "Item 6:"),  # not exchanged: two reasons
]


@pytest.mark.parametrize(("name", "items", "kind", "words"), SAID)
def test_what_is_said_of_a_prediction_is_so(name, items, kind, words):
    answer = items if isinstance(items, list) else [items.get(i, r) for i, r in enumerate(EXERCISES[name].expected())]
    report = check(name, answer)
    assert report.kind == kind and words in report.text, report.text


def test_what_is_wrong_beside_a_named_item_is_said():
    answer = list(EXERCISES["vector-shapes"].expected())
    answer[1] = (4, 2)
    assert "Item" not in check("vector-shapes", answer).text
    answer[7] = (4, 3, 1)
    report = check("vector-shapes", answer)
    assert report.kind == "bias-per-example" and "Right so far: 6 of 8 items." in report.text
    assert "Item 7: you have one entry too many; the others are right." in report.text


@pytest.mark.parametrize("exercise", PREDICTIONS, ids=lambda e: e.name)
def test_what_a_prediction_is_told_does_not_hold_the_right_value(exercise):
    right = exercise.expected()
    items = right if isinstance(right, (list, tuple)) else [right]
    assert len(exercise.rules) <= len(items)
    for i, item in enumerate(items):
        if isinstance(item, bool) or not (len(brief(item)) > 1 or isinstance(item, str)):
            continue  # such as 1: it may be the number of an item
        for rule in exercise.rules[min(i, len(exercise.rules) - 1) :][:1]:
            assert not re.search(rf"(?<![\w.*]){re.escape(brief(item))}(?![\w*])", rule), (i, item, rule)


# ---- errors, and the manners of the tutor ----


def test_errors_have_meanings_that_exercises_share():
    needs = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
    assert "create_graph" in meant("torch", needs)
    assert "ms.grad" in meant("mindspore", "AttributeError: 'Tensor' object has no attribute 'backward'")
    assert "no .grad" in meant("mindspore", "AttributeError: 'Tensor' object has no attribute 'grad'")
    assert "round brackets" in meant("mindspore", "TypeError: For 'F.grad', the 'grad_position' must be int or tuple.")
    assert "structure" in meant(None, "ValueError: not enough values to unpack (expected 3, got 2)")
    assert meant(None, "RuntimeError: of the learner") == ""
    assert "Only tensors have this attribute" in meant(
        None, "AttributeError: 'numpy.ndarray' object has no attribute 'detach'"
    )
    assert "Check the spelling" in meant("torch", "AttributeError: module 'numpy' has no attribute 'cumsumm'")
    assert "from labkit import torch" in meant("torch", "ModuleNotFoundError: No module named 'torch'")
    assert "round brackets" in check("port-two-outputs", lambda x, y: ms.grad(lambda x, y: x * y, [0, 1])(x, y)).text


def test_the_real_framework_is_explained_at_once():
    names = {"torch": ModuleType("torch")}
    exec("def port(v):\n    return torch.ones(3)", names)
    assert "from labkit import torch" in check("port-to-torch", names["port"]).text
    exec("def port(v):\n    import mindspore.ops\n    return 1", names)
    assert "from labkit import mindspore as ms" in check("port-to-torch", names["port"]).text


def test_a_right_answer_does_not_wait_for_the_tutor(monkeypatch):
    monkeypatch.setattr(judge, "sure", lambda *evidence: pytest.fail("the tutor was asked"))
    for name in ("fd-gradient", "fd-cost", "vector-matmul"):
        assert check(name, defined(EXERCISES[name].solution))
