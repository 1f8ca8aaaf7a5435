"""One run of a submission's program in a sandbox: what it reports, step by step, and what tests ask its answers."""

import ast
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..evidence import CallOutcome, TriedCall, Unreadable, decode, goes_on
from ..sandbox import Sandbox, Session, wire
from .bindings import is_python, parse
from .disclosure import error_told, place_told
from .findings import FOUND, Evidence, Failure, Findings, Inquiry, Pace
from .instructor_questions import AddedQuestion, visible
from .matching import CodeStep
from .results import BY_HAND, QuestionResult

LOST = {
    "timeout": "The tests took too long and were stopped. Is there an infinite loop?",
    "died": "The process ended: os._exit, a crash in compiled code, or too much memory.",
    "missing": "The tests did not start, because the notebook was stopped before they could run.",
}
UNABLE = "The tests of this question could not be run. Your instructor will look at it."
TESTS_TOOK = "the tests themselves took more than {seconds:g} s"
TESTS_RAN = "the tests themselves ran for more than {seconds:g} s of elapsed time"
NOT_COMPARED = "the tests cannot compare {value}"


def test_program(question: AddedQuestion) -> dict[str, Any]:
    """What the tests' process has to run."""
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
        return {"verdict": "unable", "error": TESTS_TOOK.format(seconds=seconds)}
    except wire.TimedOut:
        return {"verdict": "unable", "error": TESTS_RAN.format(seconds=wall)}
    except (wire.Closed, wire.Garbled, TypeError) as error:
        return {"verdict": "unable", "error": "the process of the tests was lost ({error})".format(error=error)}
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
            text = "All tests passed." if kind == "right" else "Some of the tests passed."
        case "failed" if not said.get("strange"):
            kind, (text, detail) = "tests", _told(question, said)
        case _:
            strange = NOT_COMPARED.format(value=said["strange"]) if said.get("strange") else said.get("error")
            kind, text, detail = BY_HAND, UNABLE, f"{strange}{_where(question, said)[1]}"
    share = points / question.points if question.points else 0.0
    return QuestionResult(question.name, question.title, points, question.points, kind, text, detail, share=share)


def _told(question: AddedQuestion, verdict: dict[str, Any]) -> tuple[str, str]:
    """Why tests have failed: for the student, without anything that is hidden; for the instructor, all of it."""
    line, where = _where(question, verdict)
    shown = line and line in [one.strip() for one in visible(question).splitlines()]
    text = "A test failed: {line}".format(line=line) if shown else "A hidden test failed."
    if message := _message(question.source, verdict.get("line", 0)):
        text += f"\n{message}"
    if shown and verdict.get("kind") not in ("AssertionError", "Exception", None):
        text += "\nIt raised {error}.".format(error=error_told(str(verdict["kind"])))
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


_ANSWERS = {"call", "came", "raised", "same", "uncrossed"}  # how a message of answers to tests begins
KINDS = ("value", "error", "timeout", "unfit")


@dataclass(eq=False)
class Blame(Exception):
    """The program was lost: at this step, or while this question was asked (then `question` is its name)."""

    why: str
    step: int
    question: str
    at_work: bool


@dataclass
class Run:
    """One run of a program: what it says, and what we ask it, now at `step` and `question`."""

    session: Session
    steps: list[CodeStep]
    pending: dict[str, Inquiry]
    left_out: set[int]
    findings: Findings
    pace: Pace
    deadline: float
    tests_sandbox: Callable[[], Sandbox] | None
    step: int = 0
    question: str = ""
    late: bool = False

    def through(self) -> None:
        """Follow the program to its end; raises `Blame` where it is lost."""
        self._guarded(self.session.send, self._program())
        for i, step in enumerate(self.steps):
            self.step = i
            self._ran(self._expect("ran", i))
            for name in [name for name in step.asks if name in self.pending]:
                self._ask(self.pending[name])
        self._expect("end", True)

    def _program(self):
        steps = []
        for i, step in enumerate(self.steps):
            asks = [name for name in step.asks if name in self.pending]
            steps.append({"label": step.label, "source": "" if i in self.left_out else step.source, "asks": asks})
        binds = {name: q.binds for name, q in self.pending.items()}
        functions = [name for name, q in self.pending.items() if q.wants_function]
        tested = [name for name, q in self.pending.items() if q.tests]
        asked = {"binds": binds, "functions": functions, "tested": tested}
        return {"steps": steps, **asked, **self._allowed(self.pace.cell)}

    def _allowed(self, seconds):
        """What a program may take for one thing: CPU time, and time on the clock."""
        return {"seconds": seconds, "wall": seconds * self.pace.wall}

    def _guarded(self, function: Callable, *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except wire.TimedOut as error:
            raise self._blame("timeout", isinstance(error, wire.Spent)) from None
        except (wire.Closed, wire.Garbled):
            raise self._blame() from None

    def _blame(self, why: str = "died", at_work: bool = False) -> Blame:
        return Blame(why, self.step, self.question, at_work)

    def _message(self, seconds: float) -> dict:
        wall = self._within(seconds * self.pace.wall)
        message = self._guarded(self.session.receive, wall, seconds + self.pace.grace)
        if not isinstance(message, dict):
            raise self._blame()
        return message

    def _within(self, seconds: float) -> float:
        return min(seconds + self.pace.grace, max(self.deadline - time.monotonic(), 0.1))

    def _expect(self, key, value):
        """The next message, which must be this one."""
        message = self._message(self.pace.cell)
        if message.get(key) != value or type(message.get(key)) is not type(value):
            raise self._blame()
        return message

    def _ran(self, message):
        if "kind" in message:
            kind = "timeout" if message["kind"] == "timeout" else "error"
            sources = [step.source for step in self.steps]
            place = place_told(_words(message, "place"), sources) if kind == "error" else "it ran too long"
            if broken := not is_python(self.steps[self.step].source):  # so no hidden input is told
                place = "SyntaxError"
            failure = Failure(kind, _words(message, "error"), place, self.late and not broken)
            self.findings.failures.setdefault(self.step, failure)

    def _ask(self, asked):
        self.question = asked.name
        self.late = self.late or bool(asked.tests or asked.inputs)
        if asked.tests and self.tests_sandbox:
            self._test(asked)
            self.question = ""
            return
        message = self._expect("ask", asked.name)
        if message.get("found") not in FOUND:
            raise self._blame()
        evidence = self.findings.evidence[asked.name] = Evidence(message["found"])
        try:
            if evidence.found == "value":
                evidence.value = decode(message.get("value"))
            elif evidence.found == "function" and asked.wants_function:
                self._try(asked, evidence)
        except Unreadable:  # whoever wrote that may still be at it: the rest in a new process
            raise self._blame("unread") from None
        self.question = ""

    def _test(self, asked):
        """Let the tests of a question ask what they want to know."""
        self._expect("answers", "ready")
        assert self.tests_sandbox
        with self.tests_sandbox().session() as tests:
            wall, seconds = self._within(self.pace.cell * self.pace.wall), self.pace.cell + self.pace.grace
            verdict = relayed(tests, test_program(asked.tests), wall, seconds, self._answered)
        self._guarded(self.session.send, {"done": True}, self._within(self.pace.call))
        self.findings.evidence[asked.name] = Evidence("tested", verdict)

    def _answered(self, message, seconds):
        """What the answers say to a message of the tests."""
        self._guarded(self.session.send, message, seconds)
        said = self._guarded(self.session.receive, seconds, self.pace.cell + self.pace.grace)
        if not isinstance(said, dict) or not _ANSWERS.intersection(said):  # nobody answers any more
            raise self._blame()
        return said

    def _try(self, asked, evidence):
        call = {"tensors": asked.tensors, "watch": asked.watch, **self._allowed(self.pace.call)}
        call |= {"to_end": True} if asked.to_end else {}
        for left, drawn, data in zip(reversed(range(len(asked.inputs))), asked.inputs, asked.data, strict=True):
            one = {"input": data, "more": left > 0, **call}  # what comes next is not there before it is needed
            self._guarded(self.session.send, one, self._within(self.pace.call * self.pace.wall))
            message = self._message(self.pace.call)
            if "outcome" not in message:  # the child that was to answer is gone, and the program goes on
                raise self._blame()
            after = drawn if message.get("after") == data else decode(message.get("after"))
            evidence.tried.append(_tried_call(message, after, asked.watch))
            if not (evidence.tried[-1].came or (asked.to_end and goes_on(evidence.tried[-1]))):
                break


def _words(message: dict, key: str) -> str:
    """A text that a program sent, not more than can be read."""
    text = message.get(key)
    return text[:1000] if isinstance(text, str) else ""


def _tried_call(message, after, watch):
    """The evidence of one call, of an error no line: that could say which input it was. Raises `Unreadable` for what is none."""
    kind = message.get("outcome")
    if kind not in KINDS or not isinstance(after, tuple):
        raise Unreadable("expected the outcome of a call")
    error, printed, unfit, takes = (_words(message, key) for key in ("error", "printed", "unfit", "takes"))
    unfit = unfit or ("the arguments do not fit" if kind == "unfit" else "")
    return TriedCall(
        CallOutcome(kind, decode(message.get("value")), error, place_told(_words(message, "error_place"), ()), printed),
        after,
        unfit,
        takes,
        _done(message, watch),
    )


def _done(message, watch):
    """What was observed of each thing that was looked for; None where that is unknown."""
    done = message.get("done")
    return {name: decode(done[name]) for name in watch} if isinstance(done, dict) and set(watch) <= set(done) else None
