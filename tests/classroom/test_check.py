"""`check`, `hint`, `solution`: whatever a learner hands in, a clear message comes back and everything stays usable."""

import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.classroom import EXERCISES, Report, check, find, fitting, hint, solution
from labkit.classroom import check as check_function
from labkit.classroom.compare import as_asked
from labkit.evidence import call
from labkit.live.shell import Shell


def test_the_front_door_is_the_same():
    assert labkit.check is check_function and labkit.hint is hint and labkit.solution is solution


def defined(source):
    """The `answer` that a source defines, with the names a notebook imports."""
    names = {"np": np, "ms": ms, "torch": torch}
    exec(source, names)
    return names["answer"]


# ---- texts ----


@pytest.mark.parametrize("nothing", [None, ...])
@pytest.mark.parametrize("name, asked", [("grad-slip", "what you predict"), ("port-detach", "a function of (x)")])
def test_an_empty_answer_is_told_what_to_put_there(nothing, name, asked):
    report = check(name, nothing)
    assert report.kind == "empty" and asked in report.text and f'hint("{name}")' in report.text


def test_a_function_that_is_still_dots_is_an_empty_answer():
    def port(x): ...

    assert check("port-detach", port).kind == "empty"


CELL = """from labkit import check
report = check("grad-slip", 2.5)
for _ in range(2): check("grad-slip", 2.5)

check("grad-slip", 2.5)
"""


@pytest.mark.parametrize(
    "python", [["-c", CELL], ["-i", "-q"], ["-m", "IPython", "-c", CELL]], ids=["script", "prompt", "ipython"]
)
def test_each_call_displays_its_report_once(python):
    run = subprocess.run([sys.executable, *python], input=CELL, capture_output=True, text=True, check=True)
    assert run.stdout.count("grad-slip: not yet.") == run.stdout.count("For a hint") == 4


def test_a_notebook_marks_right_and_wrong_with_a_sign_and_a_colour_that_the_text_does_not_have(monkeypatch):
    sent = []
    shell = Shell(sent.append)
    for name in ("IPython", "IPython.display"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(get_ipython=lambda: shell, display=shell.display))
    check("port-detach", lambda x: x)._ipython_display_()
    check("port-detach", defined(EXERCISES["port-detach"].solution))
    wrong, right = (message["data"] for message in sent)
    assert wrong["text/plain"].startswith("port-detach: not yet.") and right["text/plain"].startswith(
        "port-detach: right"
    )
    assert "✗" in wrong["text/html"] and "✓" in right["text/html"]
    assert len({re.search(r"color: (#\w+)", data["text/html"])[1] for data in (wrong, right)}) == 2


def test_long_lines_are_broken_between_words_and_code_is_not():
    prose, code, number = "word " * 30 + "end", "    return " + "x + " * 30 + "1", "1" * 100
    printed = str(Report("name", "value", f"{prose}\n\n{code}\n{number}")).split("\n")
    assert printed[-3:] == ["", code, number]
    assert len(printed) == 5 and " ".join(printed[:2]) == prose and len(printed[0]) <= 80


def test_a_prediction_does_not_give_the_answer_away():
    text = check("tape-accumulate", [1, 12, 5, 4]).text
    assert "Right so far: 1 of 4 items" in text and "Item 0: you said 1." in text and "Items 2 and 3 are" in text
    assert "6" not in text and "12" not in text


def test_a_wrong_length_is_told():
    assert "a list of 5; expected a list of 6" in check("cut-predict", [100] * 5).text


def test_one_and_zero_and_arrays_are_taken_for_truth_values_and_lists():
    for splits in ([1, 1, 0, 0, 1, 0], np.array([True, True, False, False, True, False]), np.array([1, 1, 0, 0, 1, 0])):
        assert check("parallel-splits", splits)
    assert check("start-order", np.array([2, 3, 2])) and not check("start-order", np.array([2, 3, 3]))
    assert "is a number; expected True or False" in check("parallel-splits", [1, 1, 0, 0, 2, 0]).text


def test_exchanged_arguments_of_check_are_told():
    for answer in ([2, 3, 2], len):
        assert 'check("start-order", your_answer)' in check(answer, "start-order").text


def test_an_error_may_be_answered_by_its_name():
    assert check(
        "tape-errors",
        ["fine", "RuntimeError", "RuntimeError", "AttributeError", "fine", "AttributeError", "RuntimeError"],
    )


def test_a_function_is_told_input_expected_and_got():
    report = check("port-two-outputs", lambda x, y: (x.exp() + 1, y.exp() - x))
    assert report.kind == "value" and "With x = " in report.text and "should be" in report.text


def test_values_that_differ_in_late_digits_are_told_with_these():
    solved = defined(EXERCISES["parallel-accumulate"].solution)
    report = check("parallel-accumulate", lambda *arguments: solved(*arguments) * (1 + 1e-7))
    got, right = re.search(r"is (\[.+)\n  and should be (\[.+)", report.text).groups()
    assert got != right and got[:5] == right[:5]


@pytest.mark.parametrize("name", ["grad-structure", "GRAD-STRUCTURES", "structures"])
def test_an_unknown_name_lists_close_ones(name):
    for answer in (check(name, 1), hint(name), solution(name)):
        assert "grad-structures" in str(answer)
    assert check(name, 1).kind == "unknown" and not check(name, 1)


@pytest.mark.parametrize(
    ("name", "said"), [("zzz", "labkit.progress()"), (6, "The name comes first"), (len, 'check("the-name"')]
)
def test_what_resembles_no_name_gets_the_next_action(name, said):
    assert said in check(name, 1).text


def test_several_values_are_one_answer_and_without_a_name_the_last_exercise_is_meant(monkeypatch):
    forget(monkeypatch)
    assert "The name comes first" in hint() and "The name comes first" in solution() and not check()
    assert not check("start-order", 2, 3, 3) and hint().startswith("Hint 1 of 3") and "[2, 3, 2]" in solution()
    assert check("start-order", 2, 3, 2) and "needs no hint" in hint()
    assert "got a tuple of 2" in check("start-fix", 1, 2).text


def test_answers_without_an_end_or_too_large_are_told():
    endless = [2, 3]
    endless.append(endless)
    for name, answer in (("start-order", endless), ("start-fix", lambda values: endless)):
        assert "contains itself" in check(name, answer).text
    for name in ("start-order", "grad-slip"):
        assert "too large to compare" in check(name, np.broadcast_to(0.0, 10**9)).text


def forget(monkeypatch):
    """As if nothing had been asked or answered."""
    for name in ("_given", "_latest"):
        monkeypatch.setattr(sys.modules["labkit.classroom.checking"], name, {})


def test_hints_come_one_by_one_and_then_point_to_the_solution(monkeypatch):
    forget(monkeypatch)
    texts = [hint("grad-slip") for _ in range(5)]
    assert [t[:11] for t in texts[:3]] == [f"Hint {i} of 3" for i in (1, 2, 3)]
    assert len({*texts[:3]}) == 3 and texts[3] == texts[4] and 'solution("grad-slip")' in texts[3]
    assert repr(texts[0]) == str(texts[0])


def test_a_hint_does_not_repeat_the_verdict(monkeypatch):
    forget(monkeypatch)
    check("start-shapes", [(2, 3), (1, 3), (2, 3), ()])
    assert hint("start-shapes").startswith("Hint 1 of") and "axis that you indexed" not in hint("start-shapes")


def test_what_is_right_already_is_not_hinted_at():
    shapes = replace(EXERCISES["start-shapes"], hints=("Item 0 has rows.", "What is left of x[0]?", "Count the axes."))
    assert fitting(shapes, (1, 3)) == ("What is left of x[0]?", "Count the axes.")
    assert fitting(shapes, (0,)) == ("Item 0 has rows.", "Count the axes.") and fitting(shapes, None) == shapes.hints
    about_one = replace(shapes, hints=("Item 0 has rows.",) * 3)
    assert fitting(about_one, (3,)) == (shapes.rules[3],)


def test_after_a_right_answer_there_is_nothing_to_hint_at(monkeypatch):
    forget(monkeypatch)
    check("start-order", [2, 3, 2])
    assert "is right" in hint("start-order") and "Hint" not in hint("start-order")


def test_arrays_count_as_lists_wherever_a_list_is_asked_for():
    nested = as_asked([[1, 2], [3, 4]], [np.array([1, 2]), np.array([3, 4])])
    assert nested == [[1, 2], [3, 4]] and as_asked([[1.0]], np.ones((1, 1))) == [[1.0]]
    assert as_asked([(1, 2), ()], [np.array([1, 2]), []]) == [(1, 2), ()]
    assert as_asked([("dx", "dy"), (1,)], [["dx", "dy"], [[1]]]) == [("dx", "dy"), ([1],)]
    assert as_asked([0.5, (2, 3), True, 1 / 3], ["1/2", "(2, 3)", "true", "0.333"]) == [0.5, (2, 3), True, 1 / 3]
    assert as_asked([0.5], ["1e999999999"]) == [float("inf")] and as_asked([0.5], ["1/0"]) == ["1/0"]


def test_the_solution_is_source():
    assert "ms.grad" in solution("grad-slip") and solution("grad-slip") == find("grad-slip").solution.strip()


# ---- what a learner may hand in ----


def test_a_value_where_a_function_is_asked_for():
    report = check("port-detach", 3.0)
    assert report.kind == "type" and "Pass the function itself" in report.text


def test_a_function_where_a_value_is_asked_for():
    report = check("grad-slip", lambda: 1.0)
    assert report.kind == "type" and "a value that you predict" in report.text


@pytest.mark.parametrize("answer", [lambda: 1, lambda x, y: x, lambda x, *, y: x])
def test_a_wrong_number_of_arguments(answer):
    report = check("port-detach", answer)
    assert report.kind == "arguments" and "function of (x)" in report.text


def test_an_exception_is_told_with_its_line():
    def answer(x):
        rows = [1, 2]
        return rows[5]

    report = check("port-detach", answer)
    assert report.kind == "error" and "IndexError: list index out of range" in report.text
    assert "return rows[5]" in report.text


@pytest.mark.parametrize("error", [SystemExit, RecursionError, MemoryError, GeneratorExit])
def test_any_exception_is_told(error):
    def answer(x):
        raise error("the message")

    assert f"{error.__name__}: the message" in check("port-detach", answer).text


def test_an_interrupt_is_the_learners_own():
    def answer(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check("port-detach", answer)


def test_printing_is_not_returning(capsys):
    def answer(x):
        print("the gradient", 5)

    report = check("port-detach", answer)
    assert report.kind == "printed" and "returned nothing (None)" in report.text and "the gradient 5" in report.text
    assert "the gradient 5" not in capsys.readouterr().out.replace(str(report), "")


def test_returning_nothing_is_told():
    assert "returned nothing (None)" in check("port-detach", lambda x: x.sort() if x is None else None).text


def test_a_printing_function_that_is_right_passes():
    def by_hand(w, x, y):
        print("working")
        return 2 * (np.sum(w * x) - y) * w + w

    assert check("grad-sum-outputs", by_hand)


def test_changing_an_input_in_place_is_told():
    def by_hand(w, x, y):
        slope = 2 * (np.sum(w * x) - y) + 1
        w *= slope
        return w

    report = check("grad-sum-outputs", by_hand)
    assert report.kind == "mutated" and "changed an input in place: w" in report.text


def test_changing_a_list_in_place_does_not_change_the_expected_answer():
    report = check("start-fix", lambda values: values.append(3.0) or sum(values) / len(values))
    assert report.kind == "mutated" and "changed an input in place: values" in report.text


def test_a_result_too_large_to_compare_is_told():
    assert "too large to compare" in check("start-fix", lambda values: np.broadcast_to(0.0, (30_000, 30_000))).text


def test_an_error_after_the_first_inputs_says_how_far_it_came():
    calls = []

    def by_hand(w, x, y):
        calls.append(1)
        if len(calls) > 2:
            raise ValueError("enough")
        return 2 * (np.sum(w * x) - y) * w + w

    assert "Right so far: 2 of 5 inputs" in check("grad-sum-outputs", by_hand).text


@pytest.mark.parametrize(
    "odd", ["text", b"bytes", {1: 2}, {1, 2}, object(), (), [], float("nan"), np.array(["a"]), int, 10**400]
)
@pytest.mark.parametrize("name", ["grad-slip", "grad-structures", "parallel-splits", "tape-errors", "port-detach"])
def test_odd_answers_get_a_message(name, odd):
    for answer in (odd, lambda x: odd, [odd] * 6, [odd] * 7):
        report = check(name, answer)
        assert not report and "not yet" in report.text and len(report.text) < 1500


@pytest.mark.parametrize("name", ["tape-errors", "port-to-torch", "grad-sum-outputs"])
def test_modes_that_the_learner_switched_do_not_matter_and_stay(name):
    answer = defined(find(name).solution)
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        with torch.no_grad(), np.errstate(all="raise"):
            assert check(name, answer).kind == ("error" if name == "port-to-torch" else "right")
            assert not torch.is_grad_enabled() and ms.get_context("mode") == ms.GRAPH_MODE
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert check(name, answer)


# ---- time ----


def test_an_endless_loop_is_stopped_and_everything_stays_usable():
    def answer(x):
        while True:
            x = x + 0

    before, traced = signal.getsignal(signal.SIGALRM), sys.gettrace()
    report = check("port-detach", answer, seconds=0.2)
    assert report.kind == "timeout" and "more than 0.2 s" in report.text and "infinite loop" in report.text
    assert signal.getsignal(signal.SIGALRM) is before and sys.gettrace() is traced
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert float(labkit.grad(lambda x: x**2)(3.0)) == 6.0


def test_an_endless_loop_that_catches_exceptions_is_stopped():
    def answer():
        while True:
            with suppress(Exception):
                time.sleep(0.001)

    assert call(answer, (), 0.2).kind == "timeout"


@pytest.mark.parametrize("pause", [0.001, 100.0])
def test_an_endless_loop_that_catches_everything_is_stopped(pause):
    def answer():
        while True:
            try:  # noqa: SIM105
                time.sleep(pause)
            except:  # noqa: E722
                pass

    assert call(answer, (), 0.2).kind == "timeout"


def test_modes_are_put_back_after_an_endless_loop():
    def answer(v):
        while True:
            with torch.no_grad():
                v = v + 0

    for _ in range(5):
        assert check("port-to-torch", answer, seconds=0.05).kind == "timeout"
        assert torch.is_grad_enabled()


def test_an_endless_loop_in_another_thread_is_stopped():
    outcomes = []

    def answer():
        while True:
            pass

    thread = threading.Thread(target=lambda: outcomes.append(call(answer, (), 0.2)))
    thread.start()
    thread.join(120)
    assert outcomes and outcomes[0].kind == "timeout"


def test_a_timer_that_was_running_goes_on():
    rang = []
    before = signal.signal(signal.SIGALRM, lambda *_: rang.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        assert call(lambda: 5, (), 60.0).value == 5
        assert rang or 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 0.3
        deadline = time.monotonic() + 120
        while not rang and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rang == [1]


def test_library_code_is_left_at_a_line_of_the_learner():
    done = []
    names = {"done": done, "time": time}
    exec(compile("def tidy():\n    time.sleep(0.3)\n    done.append(1)\n", "library", "exec"), names)

    def answer():
        while True:
            names["tidy"]()

    assert call(answer, (), 0.1).kind == "timeout"
    assert done == [1]


def test_the_error_state_of_numpy_is_put_back():
    before = np.geterr()
    call(lambda: np.seterr(all="raise"), ())
    assert np.geterr() == before
