"""`require`: a check that raises where the answer is not right, for the hidden tests of an autograded notebook."""

from typing import Any

from .checking import assess
from .report import Report


class NotRight(AssertionError):
    """An answer that is not right; its text is what `check` says."""


def require(name: str, answer: Any) -> Report:
    """The report of a right answer, which a notebook displays; for any other one raise `NotRight` with what `check` says.

    >>> require("grad-slip", "three")
    Traceback (most recent call last):
    labkit.classroom.require.NotRight: grad-slip: not yet.
    Your answer is a text; expected a number.
    For a hint: hint("grad-slip")
    """
    report = assess(name, answer)
    if not report:
        raise NotRight(report.text)
    return report
