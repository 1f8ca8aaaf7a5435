"""What the grader asks of a submission, the time limits, and what it finds."""

from dataclasses import dataclass, field
from typing import Any

from ..evidence import TriedCall
from .instructor_questions import AddedQuestion

FOUND = ("missing", "empty", "value", "function")


@dataclass(frozen=True)
class Pace:
    """Seconds of CPU time: of one cell, of one call of an answer; and on the clock: of one submission in all.

    A cell and a call may take `wall` times their seconds on the clock, because neighbours may have the processor. `grace`
    is what a program has to report a time-out itself, before it is ended from outside.
    """

    cell: float = 10.0
    call: float = 5.0
    submission: float = 300.0
    grace: float = 3.0
    wall: float = 4.0


@dataclass(frozen=True)
class Inquiry:
    """A question to a program: the variable that holds its answer, and for a function the inputs to try it on.

    `data` are these inputs as they are sent. With `to_end`, it is tried on all of them, even where one raises an error. A
    question with `tests` is what these say.
    """

    name: str
    binds: str
    inputs: tuple[tuple, ...] = ()
    data: tuple[list, ...] = ()
    tensors: str | None = None
    watch: tuple[str, ...] = ()
    to_end: bool = False
    tests: AddedQuestion | None = None

    @property
    def wants_function(self) -> bool:
        """True where the answer is a function."""
        return bool(self.inputs)


@dataclass
class Evidence:
    """What is known of an answer: `found` is "missing", "empty", "value", "function", "timeout", "died" or "unread".

    It is "tested" where tests have said something, which is `value`. After a timeout `at_work` says whether its processes took
    their CPU time, or only nothing was heard of them.
    """

    found: str = "missing"
    value: Any = None
    tried: list[TriedCall] = field(default_factory=list)
    at_work: bool = False


@dataclass(frozen=True)
class Failure:
    """What went wrong in a cell: `kind` is "error", "timeout" or "died"; `place` is the error without its words.

    `late`: before this cell an answer had seen hidden inputs, so a student is not told more than that it failed.
    """

    kind: str
    error: str
    place: str
    late: bool = False


@dataclass
class Findings:
    """The evidence for each question by name, and the failure of each step that failed by its index."""

    evidence: dict[str, Evidence]
    failures: dict[int, Failure]
