"""`require`: a check that raises where the answer is not right, for the hidden tests of an autograded notebook."""

from typing import Any

from .checking import check


class NotRight(AssertionError):
    """An answer that is not right; its text is what `check` says."""


def require(name: str, answer: Any) -> None:
    """Raise `NotRight`, with what `check` says, unless `answer` is right. Prints and returns nothing.

    >>> require("grad-slip", "three")
    Traceback (most recent call last):
    labkit.classroom.require.NotRight: grad-slip: not yet.
    Your answer is a text; expected a number.
    For a hint: hint("grad-slip")
    """
    report = check(name, answer)
    if not report:
        raise NotRight(report.text)
