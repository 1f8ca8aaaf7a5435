"""Decisions on values: a program is for one path through a function, and reports when another one is needed."""

from collections.abc import Callable
from typing import Any

from ..engine import isbox
from .nodes import Op, recorded


class Elsewhere(Exception):
    """Raised by a program where a value decides otherwise than when it was recorded: another program is for that."""


class Decision:
    """What a program asks of a value: `ask(value)` is `answer`, or it raises `Elsewhere`."""

    __name__ = "holds_for"

    def __init__(self, ask: Callable, answer: Any):
        self.ask, self.answer, self.words = ask, answer, "this program is only for {answer}".format(answer=answer)

    def __call__(self, value) -> None:
        if self.ask(value) != self.answer:
            raise Elsewhere


def decided(value) -> Any:
    """The recorded value that decides, under the boxes of derivatives."""
    while isbox(value) and (type(value._node) is not Op or recorded(value._value) is not None):
        value = value._value
    return value


def record_decision(log, value, ask, answer) -> None:
    """Let the program go on only where `ask(value)`, of a recorded value, is `answer`."""
    value = decided(value)
    node = Op.__new__(Op)
    node._fill(None, Decision(ask, answer), (value._value,), {}, (0,), (value._node,), None, None, log)
