"""The graphs that engines are tried on: one for each fault, small enough to follow by hand."""

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import autograd.numpy as anp
import numpy as np


@dataclass(frozen=True)
class Lesson:
    """A graph to try engines on: a function and its arguments. `steps`: training steps, for the engines that need more than
    one to go wrong, and for the right one. `text`: what the function computes, on one line. `shows`: the names of the
    engines whose fault it is made to show."""

    name: str
    fun: Callable
    args: tuple[Any, ...]
    steps: int = 1
    rate: float = 0.1
    argnums: int | tuple[int, ...] = 0
    text: str = ""
    shows: tuple[str, ...] = ()


def diamond(x: Any) -> Any:
    h = x**2
    a = h + 5
    loss = a * h
    return loss


def used_twice(x: Any, w: Any) -> Any:
    p = x * w
    loss = p + x
    return loss


def bias(x: Any, w: Any, b: Any) -> Any:
    h = x @ w + b
    loss = anp.sum(h**2)
    return loss


def three_steps(w: Any) -> Any:
    error = 2 * w - 6
    loss = error**2
    return loss


def lessons() -> list[Lesson]:
    """The built-in graphs: two paths of different length, a leaf used twice, a bias for a batch, three training steps.

    >>> [lesson.name for lesson in lessons()]
    ['diamond', 'used twice', 'bias', 'three steps']
    """
    batch = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, -1.0]])
    return [
        _lesson("diamond", diamond, 2.0, shows=("right", "recursion", "visited once")),
        _lesson("used twice", used_twice, 3.0, 2.0, shows=("overwrite",)),
        _lesson("bias", bias, batch, np.array([1.0, 2.0]), -2.0, shows=("no unbroadcast",)),
        _lesson("three steps", three_steps, 1.0, steps=3, shows=("not reset",)),
    ]


def _lesson(name, fun, *args, **more):
    return Lesson(name, _as_users(fun), args, text=_body(fun), **more)


def _as_users(fun):
    """The same function as if the user had written it: names are recorded in the user's code only."""
    code = fun.__code__.replace(co_filename=f"<{fun.__name__}>")
    return FunctionType(code, fun.__globals__, fun.__name__)


def _body(fun):
    rows = textwrap.dedent(inspect.getsource(fun)).splitlines()[1:-1]
    return "; ".join(row.strip().replace("anp.", "") for row in rows)
