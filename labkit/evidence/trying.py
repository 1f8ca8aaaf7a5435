"""Tries a student's function on random inputs, and keeps the result as evidence, which another process may judge."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from .calling import CallOutcome, call
from .observers import observing
from .values import BOXES, plain_data, wrap


@dataclass(frozen=True)
class TriedCall:
    """One call: its outcome, and the plain arguments as the call left them.

    `unfit` says why the arguments do not fit the function's signature, "" where they do; then it was not called.
    `takes` is the signature, for the message. `done` has what was observed (see `observers`); None where nothing
    was observed.
    """

    outcome: CallOutcome
    after: tuple = ()
    unfit: str = ""
    takes: str = ""
    done: dict[str, Any] | None = None

    @property
    def came(self) -> bool:
        """True where the call came back with something."""
        return not self.unfit and self.outcome.kind == "value" and self.outcome.value is not None


def try_call(
    function: Callable,
    inputs: tuple,
    tensors: str | None = None,
    seconds: float = 5.0,
    watch: tuple[str, ...] = (),
    wall: float | None = None,
) -> TriedCall:
    """Call `function` on fresh copies of plain `inputs`, wrapped as `tensors` says (see `wrap`).

    `watch` names what is to be observed; `wall` as in `call`.
    """
    arguments = wrap(inputs, tensors)
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError as error:
        return TriedCall(CallOutcome("unfit"), unfit=str(error), takes=_signature(function))
    except ValueError:  # a callable that shows no signature: the call itself will tell
        pass
    done: dict[str, Any] = {}
    outcome = call(_watched(function, watch, done) if watch else function, arguments, seconds, wall)
    if tensors == BOXES:
        outcome = replace(outcome, value=plain_data(outcome.value))
    return TriedCall(outcome, tuple(plain_data(a) for a in arguments), done=done)


def goes_on(one: TriedCall) -> bool:
    """True for a call after which the next one can be tried, where every input counts: it came back, or raised an error."""
    return not one.unfit and one.outcome.kind in ("value", "error")


def _watched(function, watch, done):
    """`function`, while `watch` is observed and recorded in `done`."""

    @wraps(function, updated=())
    def watched(*arguments):
        with observing(watch, done):
            return function(*arguments)

    return watched


def _signature(function):
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):
        return "something else"


def _blank(): ...


def is_blank(function: Callable) -> bool:
    """True for a function whose body is still three dots."""
    code = getattr(function, "__code__", None)
    return getattr(code, "co_code", None) == _blank.__code__.co_code and getattr(code, "co_consts", None) == (None,)
