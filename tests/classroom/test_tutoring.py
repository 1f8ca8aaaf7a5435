"""The tutor under the exercises' own lists: what it says is true of the answer, and does not tell the right one."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.classroom import EXERCISES, check, judge
from labkit.classroom.checking import judge_answer
from labkit.classroom.compare import brief, same
from labkit.classroom.tutor import explain_calls, explain_value, meant
from labkit.classroom.tutor.slipped import Tries
from labkit.classroom.tutor.slips import slips

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
    ("fd-gradient", lambda r, x, h: -r, "sign", "Your result has the other sign"),
    ("fd-gradient", lambda r, x, h: 3 * r, "factor", "Your result is three times the right one"),
    ("engine-tanh", lambda r, g, ans, x: r * x, "factor-of-argument", "times x"),
    ("fd-gradient", lambda r, x, h: r / len(x), "factor-of-size", "divided by the number of elements of x"),
    ("fd-gradient", lambda r, x, h: r + x, "term", "too large by x"),
    ("fd-gradient", lambda r, x, h: 1.7 * r, "same-factor", "one and the same factor"),
    ("fd-gradient", lambda r, x, h: r * (1 + h * x[0]), "right-direction", "the direction is right"),
    ("fd-gradient", lambda r, x, h: r[::-1], "reversed", "opposite order"),
    ("fd-gradient", lambda r, x, h: x, "argument", "is the argument x itself"),
    ("fd-gradient", lambda r, x, h: np.append(r[:-1], 7.7), "some-elements", "but for the last element"),
    ("fd-gradient", lambda r, x, h: r.sum(), "reduced", "one number"),
    ("fd-gradient", lambda r, x, h: r[None], "axis", "axis of length 1"),
    ("fd-gradient", lambda r, x, h: (r,), "wrapped", "Take it out"),
    ("fd-gradient", lambda r, x, h: [r, x], "too-many", "Give it alone"),
    ("fd-gradient", lambda r, x, h: lambda: r, "not-called", "Call it"),
    ("fd-gradient", lambda r, x, h: r.astype(np.float32), "another-dtype", "another dtype"),
    ("vector-matmul", lambda r, x, w, g: r[0], "left-out", "part [1] is left out"),
    ("vector-matmul", lambda r, x, w, g: list(r), "another-collection", "a tuple"),
    ("fp-limits", lambda r, E, F: (r[0], r[2], r[1], r[3]), "results-exchanged", "parts [1] and [2]"),
    ("fp-limits", lambda r, E, F: (r[0], r[1] + 0.5 * E * r[3], *r[2:]), "one-part", "result[1] is not"),
    ("start-mend", lambda r, values: r if len(values) > 1 else 5 * r, "some-inputs", "wherever values has one item only"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "change", "kind", "words"), WAYS, ids=[f"{w[0]} {w[2]} {i}" for i, w in enumerate(WAYS)]
)
def test_how_a_result_follows_from_the_right_one_is_told(name, change, kind, words):
    report = changed(name, change)
    assert report.kind == kind and words in report.text, report


def test_what_the_failing_inputs_share_is_told():
    report = changed(
        "graph-local", lambda r, op, a, b: r if op != "divide" else (r[0] + a * b * b + 1, r[1] - 1.7 * a * a)
    )
    assert report.kind == "some-inputs" and "wherever op is 'divide'" in report.text and "9 of 12" in report.text


def test_nothing_is_told_where_nothing_is_sure():
    report = changed("fd-gradient", lambda r, x, h: np.exp(r) - 3 * np.roll(x, 1) * np.tanh(r * h))
    assert report.kind == "value" and "should be" in report.text


# ---- slips of the solution ----

SLIPPED = ["fd-step", "vector-matmul", "run-accuracy", "engine-tanh", "scale-largest"]


def test_a_slip_is_a_source_of_its_own_and_is_told_in_words_without_code():
    for name in SLIPPED:
        exercise = EXERCISES[name]
        found = list(slips(exercise.solution, exercise.arguments))
        assert len({slip.kind for slip in found}) > 3 and not any("answer" in slip.says for slip in found), name
        code = {line.strip() for line in exercise.solution.splitlines() if len(line.strip()) > 12}
        assert not any(line in slip.says for slip in found for line in code), name


def test_an_answer_with_one_slip_is_told_it():
    """Where it is told at all: the hand-written list and plainer relations come first."""
    said = {"plus-minus": "plus", "brackets": "brackets", "another-function": "in the place of"}
    sources = {
        "plus-minus": "answer = lambda g, ans, x: g * (1 + ans * ans)",
        "brackets": "answer = lambda g, ans, x: g * 1 - ans * ans",
    }
    for kind, source in sources.items():
        report = check("engine-tanh", defined(source))
        assert report.kind == kind and said[kind] in report.text, report
    source = EXERCISES["fd-step"].solution.replace("max(", "min(")
    report = check("fd-step", defined(source))
    assert report.kind == "another-function" and "the smallest is taken in the place of the largest" in report.text


def test_slips_run_once_for_each_input():
    exercise = EXERCISES["engine-tanh"]
    tries, inputs = Tries(exercise), next(exercise.inputs())
    assert all(tries.gives(i, inputs) is tries.gives(i, inputs) for i in range(len(tries.slips)))


# ---- predictions ----


SAID = [
    ("start-shapes", ["(2, 3)", "(3,)", "(2, 3)", "()"], "quoted", "without quotes"),
    ("start-shapes", [(2, 3), 3, (2, 3), ()], "no-comma", "brackets around it or without"),
    ("vector-shapes", ["3x2"] * 8, "one-text", "is one text, where a tuple is asked for"),
    ("vector-structures", list("dbigahfc"), "spelling", "capital letters and spaces count"),
    ("tape-errors", {1: "Runtime Error"}, "spelling", "in another spelling"),
    ("tape-errors", {1: "error"}, "no-error-type", "such as KeyError"),
    ("sens-choose", {1: [0.33, 0.33, 0.33]}, "few-digits", "right to the digits that you wrote"),
    ("sens-choose", {1: [0.3, 0.3, 0.4]}, "item-rule", "not what running it gives"),
    ("cut-predict", {0: 6, 2: 7}, "nothing-cut", "so in items [0] and [2]; the others are right"),
    ("cut-predict", {0: 6, 2: 8}, "item-rule", "Item [0]"),  # a small number is nobody's
    ("graph-count", {3: 4}, "item-rule", "(paths from x)"),
    ("vector-structures", {2: "C", 7: "I"}, "items-exchanged", "items [2] and [7]"),
    (
        "tape-errors",
        {0: RuntimeError, 6: "fine"},
        "sum-saves-too",
        "item [6] is wrong, too",
    ),  # not exchanged: two reasons
]


@pytest.mark.parametrize(("name", "items", "kind", "words"), SAID)
def test_what_is_said_of_a_prediction_is_so(name, items, kind, words):
    answer = items if isinstance(items, list) else [items.get(i, r) for i, r in enumerate(EXERCISES[name].expected())]
    report = check(name, answer)
    assert report.kind == kind and words in report.text, report.text


def test_what_is_wrong_beside_a_named_item_is_said():
    answer = list(EXERCISES["vector-shapes"].expected())
    answer[1] = (4, 2)
    assert "Besides" not in check("vector-shapes", answer).text
    answer[7] = (3, 4)
    report = check("vector-shapes", answer)
    assert report.kind == "bias-per-example" and "Right so far: 6 of 8 items." in report.text
    assert "Besides, item [7] is wrong, too." in report.text


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


def test_planted_answers_keep_the_names_that_their_exercises_give_them():
    for exercise in PREDICTIONS:
        names = {m.name for m in exercise.misconceptions}
        for wrong in exercise.wrong_answers:
            if wrong.expected in names:
                assert check(exercise.name, defined(wrong.source)).kind == wrong.expected, (exercise.name, wrong.name)


# ---- errors, and the manners of the tutor ----


def test_errors_have_meanings_that_exercises_share():
    needs = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
    assert "create_graph" in meant("torch", needs)
    assert "ms.grad" in meant("mindspore", "AttributeError: 'Tensor' object has no attribute 'backward'")
    assert "no .grad" in meant("mindspore", "AttributeError: 'Tensor' object has no attribute 'grad'")
    assert "round brackets" in meant("mindspore", "TypeError: For 'F.grad', the 'grad_position' must be int or tuple.")
    assert "structure" in meant(None, "ValueError: not enough values to unpack (expected 3, got 2)")
    assert meant(None, "RuntimeError: of the learner") == ""
    assert "a word of tensors" in meant(None, "AttributeError: 'numpy.ndarray' object has no attribute 'detach'")
    assert "spelled right" in meant("torch", "AttributeError: module 'numpy' has no attribute 'cumsumm'")
    assert "round brackets" in check("port-two-outputs", lambda x, y: ms.grad(lambda x, y: x * y, [0, 1])(x, y)).text


def test_a_right_answer_does_not_wait_for_the_tutor(monkeypatch):
    monkeypatch.setattr(judge, "sure", lambda *evidence: pytest.fail("the tutor was asked"))
    for name in ("fd-gradient", "fd-cost", "vector-matmul"):
        assert check(name, defined(EXERCISES[name].solution))


def test_the_tutor_fails_at_no_answer():
    odd = [None, "text", {}, [], (), object(), ..., float("nan"), np.array(["a"]), 10**400, [[1], 2], np.zeros((2, 0))]
    for name in ("vector-matmul", "graph-local"):
        exercise = EXERCISES[name]
        cases = [(inputs, exercise.expected(inputs)) for inputs in exercise.inputs()]
        for value in [*odd, *((one, one) for one in odd)]:
            compared = [(inputs, right, value) for inputs, right in cases]
            explain_calls(exercise, compared, compared)
    exercise = EXERCISES["vector-shapes"]
    for value in [*odd, *([one] * 8 for one in odd)]:
        explain_value(exercise, exercise.expected(), value, lambda answer: None)


def test_what_is_told_of_hidden_inputs_holds_none_of_them():
    exercise = EXERCISES["fd-gradient"]
    inputs = list(exercise.inputs(seed=1))
    tried = [SimpleNamespace(outcome=value(2 * exercise.expected(i)), after=i, unfit="") for i in inputs]
    verdict = judge.judge_calls(exercise, inputs, tried)
    assert verdict.kind == "factor" and verdict.feedback == verdict.text and not re.search(r"\d\.\d", verdict.feedback)


def value(result):
    return SimpleNamespace(kind="value", value=result, error="", printed="")


# ---- no message tells the answer ----


def unlike(right):
    """A wrong item that nobody plants."""
    if isinstance(right, bool):
        return not right
    if isinstance(right, (str, type)):
        return "OSError" if isinstance(right, type) or right == "fine" else "something"
    return (9,) * (len(right) + 1) if isinstance(right, (tuple, list)) else 1.37 * float(right) + 11


def told_away(exercise, answer, right, text):
    """The right items that a text holds, of those that are wrong, and stand neither in the statement nor in the answer."""
    items = right if isinstance(right, (list, tuple)) else [right]
    whole = isinstance(answer, (list, tuple)) and len(answer) == len(items)
    got = answer if whole else [answer] * len(items)
    said = {brief(item) for item in got}
    text = re.sub(r"You said .*?\.(?= |$|\n)|\[\d+\] \([^)]*\)|\[\d+\]|Right so far: .*", "", text)
    for value, mine in zip(items, got, strict=True):
        word = brief(value)
        plain = isinstance(value, bool) or word in ("fine", *said) or word in exercise.statement or len(word) < 2
        if not plain and not same(value, mine) and re.search(rf"(?<![\w.*]){re.escape(word)}(?![\w*])", text):
            yield word


@pytest.mark.parametrize("exercise", PREDICTIONS, ids=lambda e: e.name)
def test_no_message_gives_the_answer_away(exercise):
    right = exercise.expected()
    answers = [defined(wrong.source) for wrong in exercise.wrong_answers]
    if isinstance(right, (list, tuple)):
        answers += [[unlike(v) if k == i else v for k, v in enumerate(right)] for i in range(len(right))]
        answers += [[v if k == i else unlike(v) for k, v in enumerate(right)] for i in range(len(right))]
    for answer in answers:
        verdict = judge_answer(exercise, answer)
        for text in (verdict.text, verdict.feedback):
            assert not list(told_away(exercise, answer, right, text)), (answer, text)
