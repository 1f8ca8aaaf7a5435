"""Runs a submission in a sandbox and gathers evidence, even if it hangs, crashes or writes to the grader's channel.

The program runs cell by cell in one process, and each answer is tried in a child of its own. If the process is lost, the
cell or the answer at fault is left out, and the rest is run again in a new process. Because the fault may be an older
cell's (a thread that it left behind, text that it wrote into the grader's channel), an answer that was lost is at last tried
without the other cells, and tests without the other questions. So a broken cell costs only its own question.
"""

import time
from collections.abc import Callable, Iterable

from ..sandbox import Sandbox
from .dialogue import Blame, Run
from .findings import FOUND, Evidence, Failure, Findings, Inquiry, Pace
from .matching import CodeStep

TIMEOUT = "it ran for more than {seconds:g} s and was stopped"
DIED = "the process ended (os._exit, a crash, or too much memory)"


def examine(
    sandbox: Sandbox,
    steps: list[CodeStep],
    questions: Iterable[Inquiry],
    pace: Pace,
    tests_sandbox: Callable[[], Sandbox] | None = None,
) -> Findings:
    """Run `steps` and ask `questions`; ends within about `pace.submission` seconds whatever the program does.

    `tests_sandbox()` returns a second sandbox, in which the tests of a question are run.
    """
    asked = {q.name: q for q in questions}
    deadline = time.monotonic() + pace.submission
    findings = _together(sandbox, steps, asked, pace, deadline, tests_sandbox)
    for name, q in asked.items():
        at = next((i for i, step in enumerate(steps) if name in step.asks), None)
        if _is_lost(findings, name, at):
            alone = steps if q.tests else [step for i, step in enumerate(steps) if i == at or step.is_given]
            again = _together(sandbox, alone, {name: q}, pace, deadline, tests_sandbox)
            if again.evidence[name].found in ("tested", *FOUND[1:]):
                findings.evidence[name] = again.evidence[name]
                findings.failures = {i: f for i, f in findings.failures.items() if i != at}
    return findings


def _is_lost(findings, name, at):
    """True for an answer that went down with a process, or that was never heard of: older code may have had our words."""
    evidence, failure = findings.evidence[name], findings.failures.get(at)
    found, silent = evidence.found, evidence.found == "timeout" and not evidence.at_work
    return at is not None and (
        found == "died" or silent or (found == "missing" and failure is not None and failure.kind == "died")
    )


def _together(
    sandbox: Sandbox,
    steps: list[CodeStep],
    asked: dict[str, Inquiry],
    pace: Pace,
    deadline: float,
    tests_sandbox: Callable[[], Sandbox] | None,
) -> Findings:
    """Run all `steps`, again and again without the one at fault, until every question has its evidence."""
    findings = Findings({}, {})
    left_out: set[int] = set()
    while pending := {name: q for name, q in asked.items() if name not in findings.evidence}:
        if time.monotonic() > deadline:
            for name in pending:
                findings.evidence[name] = Evidence("timeout")
            break
        try:
            with sandbox.session() as session:
                Run(session, steps, pending, left_out, findings, pace, deadline, tests_sandbox).through()
        except Blame as blame:
            if blame.question:
                evidence = findings.evidence.setdefault(blame.question, Evidence())
                evidence.found, evidence.at_work = blame.why, blame.at_work
            elif blame.step in left_out:  # an empty step cannot be at fault: something older writes on our line
                for name in pending:
                    findings.evidence.setdefault(name, Evidence("died"))
            else:
                left_out.add(blame.step)
                findings.failures[blame.step] = _lost(blame.why, pace)
        else:
            for name in pending:
                findings.evidence.setdefault(name, Evidence())
    return findings


def _lost(why, pace):
    text = {"timeout": TIMEOUT, "died": DIED}[why].format(seconds=pace.cell)
    return Failure(why, text, text)
