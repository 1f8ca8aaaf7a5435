"""Pass messages between an instructor's tests and a student's answers, each in a jail of its own, until there is a verdict."""

import ast
import time
from collections.abc import Callable
from typing import Any

from ..jail import Session, wire
from .added import AddedQuestion, visible
from .bindings import parse
from .results import BY_HAND, QuestionResult
from .told import error_told

LOST = {
    "timeout": "The tests took too long and were ended. Is there a loop that never ends?",
    "died": "It ended the whole process: os._exit, a crash in compiled code, or too much memory.",
    "missing": "The tests could not be begun: the notebook was ended before.",
}
UNABLE = "The tests of this question could not be run; your instructor looks at it."


def test_program(question: AddedQuestion) -> dict[str, Any]:
    """What the tests' process is told to run."""
    return {
        "tests": question.source, "prelude": question.prelude, "answers": question.answers,
        "points": question.points,
    }  # fmt: skip


def relayed(
    tests: Session, program: dict[str, Any], wall: float, seconds: float, answer: Callable[[Any, float], Any]
) -> dict[str, Any]:
    """The verdict of the tests; `answer(message, seconds)` sends a message to the answers and gives what comes back.

    What `answer` raises is passed on: then the answers are lost. Tests that take more than `wall` seconds on the clock, or
    `seconds` of CPU time until they ask the next thing, are unable.
    """
    deadline = time.monotonic() + wall
    try:
        tests.send(program)
        while "verdict" not in (message := tests.receive(_left(deadline), seconds)):
            tests.send(answer(message, _left(deadline)), _left(deadline))
    except wire.Spent:
        return {"verdict": "unable", "error": f"the tests themselves took more than {seconds:g} s"}
    except wire.TimedOut:
        return {"verdict": "unable", "error": f"the tests themselves ran for more than {wall:g} s on the clock"}
    except (wire.Closed, wire.Garbled, TypeError) as error:
        return {"verdict": "unable", "error": f"the process of the tests was lost ({error})"}
    return message


def _left(deadline: float) -> float:
    """Seconds until then; every message counts, so that no dialogue goes on for ever."""
    if (left := deadline - time.monotonic()) <= 0:
        raise wire.TimedOut("no time is left")
    return left


def result_of_tests(question: AddedQuestion, found: str, verdict: Any) -> QuestionResult:
    """What the tests of a question have said; where they could not be run to their end, a person has to look.

    `found` is how the answers were met (as `examine.Evidence` has it), `verdict` what the tests' process has sent.
    """
    said = verdict if found == "tested" and isinstance(verdict, dict) else {}
    points, text, detail = 0.0, "", ""
    match said.get("verdict"):
        case None:
            kind, text = (found, LOST[found]) if found in LOST else ("died", LOST["died"])
        case "passed" if type(said.get("points")) is float and 0 <= said["points"] <= question.points:
            points = said["points"]
            kind = "right" if points == question.points else "tests"
            text = "All tests are passed." if kind == "right" else "Some of the tests are passed."
        case "failed" if not said.get("strange"):
            kind, (text, detail) = "tests", _told(question, said)
        case _:
            strange = f"the tests cannot compare {said['strange']}" if said.get("strange") else said.get("error")
            kind, text, detail = BY_HAND, UNABLE, f"{strange}{_where(question, said)[1]}"
    share = points / question.points if question.points else 0.0
    return QuestionResult(question.name, question.title, points, question.points, kind, text, detail, share=share)


def _told(question: AddedQuestion, verdict: dict[str, Any]) -> tuple[str, str]:
    """Why tests have failed: for the student, without anything that is hidden; for the instructor, all of it."""
    line, where = _where(question, verdict)
    shown = line and line in [one.strip() for one in visible(question).splitlines()]
    text = f"A test is not passed: {line}" if shown else "A hidden test is not passed."
    if message := _message(question.source, verdict.get("line", 0)):
        text += f"\n{message}"
    if shown and verdict.get("kind") not in ("AssertionError", "Exception", None):
        text += f"\nIt raised {error_told(str(verdict['kind']))}."
    return text, f"{verdict.get('error', '')}{where}"


def _where(question: AddedQuestion, verdict: dict[str, Any]) -> tuple[str, str]:
    """The line of the tests where a verdict was reached, and where that is, in words."""
    number, lines = verdict.get("line", 0), question.source.splitlines()
    line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    return line, f" (line {number}: {line})" if line else ""


def _message(source: str, number: int) -> str:
    """What a test says when it fails, if that is a text without values: then it was written for students."""
    tree = parse(source)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Assert) and node.lineno <= number <= (node.end_lineno or node.lineno):
            return node.msg.value if isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str) else ""
    return ""
