"""What a program does besides computing: it prints, or raises an error."""

from collections.abc import Callable
from typing import Any

from ..engine import isbox
from .nodes import Op, recorded


class Effect:
    """A function that is called for what it does. `name` and `words` are how it stands in a program."""

    def __init__(self, fun: Callable, name: str, words: str):
        self.fun, self.__name__, self.words = fun, name, words

    def __call__(self, *values) -> None:
        self.fun(*values)


class Elsewhere(Exception):
    """Raised by a program where a value decides otherwise than when it was recorded: another program is for that."""


def record_decision(log, value, ask) -> Any:
    """What `ask(value)` gives now, of a recorded value; the program raises `Elsewhere` where it gives something else."""
    value = _recorded(value)
    answer = ask(value._value)

    def held_to(now):
        if ask(now) != answer:
            raise Elsewhere

    record_effect(
        log, Effect(held_to, "holds_for", f"this program is for {answer} here; another one for all else"), [value]
    )
    return answer


def record_effect(log, effect, values) -> None:
    """Let the program call `effect(*values)` here; what is recorded of the values is what they are when it runs."""
    values = [_recorded(value) for value in values]
    places = tuple(k for k, value in enumerate(values) if isbox(value))
    plain = tuple(value._value if isbox(value) else value for value in values)
    node = Op.__new__(Op)
    node._fill(None, effect, plain, {}, places, tuple(values[k]._node for k in places), None, None, log)


def _recorded(value):
    """A value under the boxes of derivatives."""
    while isbox(value) and (type(value._node) is not Op or recorded(value._value) is not None):
        value = value._value
    return value
