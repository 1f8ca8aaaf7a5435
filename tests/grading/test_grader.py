"""One submission: what each answer earns, what the student is told, and what stays hidden."""

import json
import os
import re
import signal
from dataclasses import replace

import numpy as np
import pytest
from patience import HANGS, PATIENT, graded_by

from labkit.classroom import EXERCISES
from labkit.classroom.compare import plain_data
from labkit.grading.findings import Pace
from labkit.grading.grader import Grader, Settings
from labkit.grading.judging import DrawnInputs
from labkit.grading.overview import summarise
from labkit.grading.results import UNREAD
from labkit.grading.workers import Work, Worker

pytestmark = pytest.mark.needs("bubblewrap")

SETTINGS = Settings(seed=3, pace=PATIENT)
IMPATIENT = replace(SETTINGS, pace=Pace(cell=0.5, call=0.5, submission=60.0))
ODD = "def port(v): return v.detach().exp() * 3 + (v.detach() ** 2).sin()"  # of which nothing is sure
FULL = {"grad-slip": 1.0, "backprop-write": 3.0, "port-to-torch": 1.0, "q": 2.5}


@pytest.fixture(scope="module")
def grader(handout):
    with Grader(handout.assignment, SETTINGS) as grader:
        yield grader


@pytest.fixture
def result_of(grader, handout):
    """`result_of(question, source)`: the result of that answer among right ones."""

    def graded(question, source, **others):
        result = grader.grade("ann", handout.notebook({question: source, **others}))
        return next(q for q in result.questions if q.question == question)

    return graded


def earned(result):
    return {q.question: q.points for q in result.questions}


def test_the_solutions_earn_everything(grader, handout):
    result = grader.grade("ann", handout.notebook(), file="ann.ipynb", notes=("late",))
    assert earned(result) == FULL and result.score == result.max_score == 7.5
    assert (result.student, result.assignment, result.file) == ("ann", "a1", "ann.ipynb")
    assert result.notes == ("late",) and len(result.digest) == 64


def test_what_is_handed_out_earns_nothing(grader, handout):
    result = grader.grade("ann", handout.notebook(solved=False))
    assert {(q.kind, q.points) for q in result.questions} == {("empty", 0.0)}


def test_the_sources_that_were_graded_are_kept(grader, handout):
    result = grader.grade("ann", handout.notebook({"grad-slip": "answer_1 = 3.0  # as printed"}))
    assert result.answers["grad-slip"] == "answer_1 = 3.0  # as printed" and result.answers.keys() == FULL.keys()


def test_of_a_missing_cell_no_other_cell_is_shown(grader, handout):
    book = json.loads(handout.notebook())
    book["cells"] = [cell for cell in book["cells"] if "def port" not in "".join(cell["source"])]
    result = grader.grade("ann", json.dumps(book).encode())
    port = next(q for q in result.questions if q.question == "port-to-torch")
    assert result.answers["port-to-torch"] == "" and "the cell of this question is missing" in port.text


def test_the_student_is_told_of_a_cell_that_is_no_python(result_of):
    assert result_of("port-to-torch", "def port(v:").text == "The cell raised SyntaxError, before it defined port."


@pytest.mark.parametrize(
    "kind, source",
    [
        ("missing", "answer = lambda v: v"),
        ("empty", "def port(v):\n    ..."),
        ("type", "port = 3.0"),
        ("arguments", "def port(): return 1"),
        ("error", "def port(v): return v / 'no'"),
        ("error", "port = = 3"),
        ("error", "x = 1 / 0\ndef port(v): return v"),
        ("timeout", HANGS),
        ("timeout", "import time\nwhile True:\n    time.sleep(0.1)"),
        ("printed", "def port(v): print(v)"),
        ("mutated", "def port(v):\n    v.data[0] = 1e9\n    return 2 * v.detach()"),
        ("died", "import os\ndef port(v): os._exit(0)"),
        ("died", "import os\nos._exit(0)"),
        ("forbidden", "def port(v): return (2 * v).tolist()"),
        ("kind", "def port(v): return port"),
        ("axis", "def port(v): return (2 * v.detach()).reshape(-1, 1)"),
        ("rounded", "def port(v): return (2 * v.detach()).int()"),
        ("value", "def port(v): return 7 * v.detach()"),
        ("kind", "def port(v): return str(v)"),
        ("shape", "def port(v): return v.detach()[:2].exp()"),
        ("value", ODD),
        ("averaged", "def port(v):\n    (v**2).mean().backward()\n    return v.grad"),
    ],
)
def test_each_way_to_be_wrong_has_a_name_a_reason_and_a_hint(kind, source, grader, result_of, monkeypatch):
    if kind == "timeout":
        monkeypatch.setattr(grader, "settings", IMPATIENT)
    result = result_of("port-to-torch", source)
    assert (result.kind, result.points) == (kind, 0.0), result
    assert result.text and result.hint == EXERCISES["port-to-torch"].hints[0]


def test_a_misconception_is_told_in_its_own_words(result_of):
    result = result_of("grad-slip", "answer_1 = 3.0")
    known = {m.name: m.sentence for m in EXERCISES["grad-slip"].misconceptions}
    assert result.kind == "label-believed" and result.text == known["label-believed"]


def test_a_right_answer_gets_no_hint(result_of):
    assert result_of("grad-slip", "answer_1 = 1.0").hint == ""


# ---- what a student is not told ----

WRONG = (
    ODD,
    "def port(v): return 7 * v.detach()",
    "def port(v): raise ValueError(v.detach().numpy().tolist())",
    "def port(v):\n    print(v.detach().numpy().tolist())",
    "def port(v): return v.detach().numpy().tolist()[100]",
    "def port(v): return (2 * v)[:1].detach()",
)


@pytest.mark.parametrize("source", WRONG)
def test_no_drawn_input_and_no_expected_value_stands_in_the_text(source, result_of):
    drawn = DrawnInputs(EXERCISES["port-to-torch"], SETTINGS.seed)
    values = [v for inputs in drawn.inputs for v in (*inputs, drawn.expected(inputs))]
    hidden = np.abs(np.concatenate([np.ravel(plain_data(v)).astype(float) for v in values]))
    result = result_of("port-to-torch", source)
    assert not numbers_of(result.text + result.hint, hidden)


def test_the_instructor_sees_what_the_student_does_not(result_of):
    drawn = DrawnInputs(EXERCISES["port-to-torch"], SETTINGS.seed)
    hidden = np.abs(np.concatenate([np.ravel(plain_data(v)).astype(float) for inputs in drawn.inputs for v in inputs]))
    assert numbers_of(result_of("port-to-torch", WRONG[0]).detail, hidden)


LEAKS = (
    "def port(v):\n    raise type('Input' + str(v.detach().numpy().tolist()), (Exception,), {})()",
    "def port(v):\n    return type(f'v{float(v.detach().sum()):.6f}', (), {})()",
    "def port(v):\n    return [type(f'v{float(v.detach().sum()):.6f}', (ValueError,), {})] * 3",
    "class P:\n    def __call__(self, v): return v\n    @property\n    def __signature__(self):\n"
    "        import inspect, sys\n        seen = sys._getframe(1)\n"
    "        while seen and 'arguments' not in seen.f_locals: seen = seen.f_back\n"
    "        made = repr(seen and seen.f_locals['arguments'])\n"
    "        return inspect.Signature([inspect.Parameter('a', inspect.Parameter.KEYWORD_ONLY, default=made)])\nport = P()",
    "def port(v):\n    import linecache\n    for file in list(linecache.cache):\n"
    "        linecache.cache[file] = 9, None, [str(v.detach().numpy().tolist())] * 99, file\n    raise ValueError",
)


@pytest.mark.parametrize("source", LEAKS)
def test_no_name_that_a_student_makes_of_an_input_reaches_the_feedback(source, result_of):
    drawn = DrawnInputs(EXERCISES["port-to-torch"], SETTINGS.seed)
    hidden = np.concatenate([np.ravel(plain_data(v)).astype(float) for inputs in drawn.inputs for v in inputs])
    result = result_of("port-to-torch", source)
    text = result.text
    assert result.points == 0 and "Input" not in text and not numbers_of(text.replace("-", ""), np.abs(hidden)), result
    assert not re.search(r"\d\.\d{3}", text)


def test_a_prediction_made_of_what_was_hidden_is_not_quoted(result_of):
    result = result_of("grad-slip", "answer_1 = 3.1234")
    assert "3.123" in result.detail and "3.123" not in result.text


def test_the_inputs_come_one_by_one(result_of):
    source = (
        "def port(v):\n    import os, socket\n    line = socket.socket(fileno=os.dup(63))\n    line.setblocking(False)\n"
        "    try:\n        return line.recv(1, socket.MSG_PEEK)\n    except BlockingIOError:\n"
        "        (v**2).sum().backward()\n        return v.grad"
    )
    assert result_of("port-to-torch", source).kind == "right"


def test_a_changed_submission_gets_other_hidden_inputs(grader, handout, monkeypatch):
    seen = []
    expected = DrawnInputs.expected
    monkeypatch.setattr(
        DrawnInputs, "expected", lambda self, inputs=(): (seen.append(inputs), expected(self, inputs))[1]
    )
    for again in (False, True):
        grader.grade("ann", handout.notebook(), again=again)
    of_port = [one[0] for one in seen if len(one) == 1 and isinstance(one[0], np.ndarray)]
    first, second = of_port[: len(of_port) // 2], of_port[len(of_port) // 2 :]
    assert len(first) == 2 * EXERCISES["port-to-torch"].draws
    same = [np.array_equal(a, b) for a, b in zip(first, second, strict=True)]
    assert same == [True] * (len(first) // 2) + [False] * (len(first) // 2)


def numbers_of(text, hidden):
    """The hidden numbers that stand in a text, rounded or not; whole numbers are no secret."""
    said = [float(n) for n in re.findall(r"\d+\.?\d*(?:e[-+]\d+)?", text)]
    return [h for h in hidden if not float(h).is_integer() and any(abs(h - n) < 1e-3 * h for n in said)]


def test_inputs_of_another_seed_are_others_and_those_of_check_are_among_them():
    exercise = EXERCISES["port-to-torch"]
    one, two = DrawnInputs(exercise, 1), DrawnInputs(exercise, 2)
    assert len(one.inputs) == 2 * exercise.draws
    assert np.array_equal(one.inputs[0][0], next(exercise.inputs())[0])
    assert np.array_equal(one.inputs[0][0], two.inputs[0][0])
    assert not np.array_equal(one.inputs[-1][0], two.inputs[-1][0])


# ---- one notebook, many answers ----


def test_what_a_cell_defines_is_there_in_later_ones(grader, handout):
    data = handout.notebook(
        {
            "grad-slip": "answer_1 = 1.0\ndef gradient(v):\n    (v**2).sum().backward()\n    return v.grad",
            "port-to-torch": "def port(v): return gradient(v)",
        }
    )
    assert earned(grader.grade("ann", data)) == FULL


@pytest.mark.parametrize("broken", ["answer_1 = = 3", "raise SystemExit", "import os; os._exit(1)", "1 / 0"])
def test_a_broken_cell_costs_its_own_question_alone(broken, grader, handout):
    result = grader.grade("ann", handout.notebook({"grad-slip": broken}))
    assert earned(result) == {**FULL, "grad-slip": 0.0}
    assert any(note.startswith("Cell ") for note in result.notes)


def test_an_answer_that_breaks_its_values_breaks_nobody_elses(grader, handout):
    source = (
        "import numpy\ndef backward(parents):\n    numpy.ones = torch.ones = None\n    parents.clear()\n    return []"
    )
    assert earned(grader.grade("ann", handout.notebook({"backprop-write": source}))) == {**FULL, "backprop-write": 0.0}


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"PK\x03\x04", b"[" * 100_000, b'{"cells": 3}'])
def test_whatever_is_handed_in_gets_a_result(data, grader):
    result = grader.grade("ann", data)
    assert result.score == 0 and len(result.questions) == 4 and result.notes


def test_the_next_submission_is_as_if_it_were_the_first(grader, handout):
    grader.grade("ann", handout.notebook({"grad-slip": "import numpy\nnumpy.sum = None\nanswer_1 = 1.0"}))
    assert grader.grade("bob", handout.notebook(student="bob")).score == 7.5


def test_a_sandbox_that_was_lost_is_replaced(grader, handout):
    os.kill(grader.sandbox.pid, signal.SIGKILL)
    assert grader.grade("ann", handout.notebook()).score == 7.5


# ---- variants ----


def test_each_student_is_graded_on_their_own_questions(grader, handout):
    students = [str(i) for i in range(6)]
    results = [grader.grade(student, handout.notebook(solved=False, student=student)) for student in students]
    assert {r.questions[-1].exercise for r in results} == {"port-detach", "start-order"}
    for result in results:
        asked = handout.assignment.for_student(result.student).questions
        assert [q.exercise for q in result.questions] == [q.exercise for q in asked]
        assert {q.question for q in result.questions} == FULL.keys() and result.max_score == 7.5
        assert not any("made for" in note for note in result.notes)


def test_whatever_a_file_is_called_what_it_asks_is_graded(grader, handout):
    for name in ("Ann_10000_assignsubmission_file_", "0", "1", "2"):
        result = grader.grade(name, handout.notebook(), called=())
        assert result.score == 7.5, result.questions


def test_a_notebook_of_another_assignment_is_recognised_and_does_not_count(grader, handout):
    other = handout.notebook().replace(b'"assignment": "a1"', b'"assignment": "a2"')
    assert other != handout.notebook()
    result = grader.grade("ann", other)
    assert (result.score, result.state) == (0.0, UNREAD) and {q.kind for q in result.questions} == {"missing"}
    assert "another assignment, 'a2'" in result.notes[0] and summarise([result]).students == 0


def test_large_outputs_cost_no_answer(handout):
    notebook = json.loads(handout.notebook())
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [[{"a": "]}\\"}]] * 110_000
    assert 15e6 < len(data := json.dumps(notebook).encode()) < 20e6
    worker = Worker(handout.assignment, SETTINGS)  # which may take 240 MB
    try:
        assert graded_by(worker, Work("ann", data)).score == 7.5
    finally:
        worker.kill()


def test_of_whom_there_is_nothing_the_problem_is_told(grader):
    result = grader.nothing("ann", "There is no notebook.")
    assert {(q.kind, q.points, q.detail) for q in result.questions} == {("missing", 0.0, "There is no notebook.")}
    assert result.max_score == 7.5 and result.notes == ("There is no notebook.",)


def test_an_assignment_of_another_version_is_refused(grader, handout):
    asked = (replace(handout.assignment.questions[0], exercise="no-such"),)
    other = replace(handout.assignment, questions=asked, slots=())
    with Grader(other, SETTINGS) as grader, pytest.raises(LookupError, match="no-such"):
        grader.grade("ann", handout.notebook())
