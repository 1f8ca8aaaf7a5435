"""What an exercise is made of. Data only: nothing here runs a student's code."""

import ast
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from ..evidence import BOXES, plain_data, wrap

Draw = Callable[[np.random.Generator], tuple]
TRIES = 10_000  # of one stratum
NO_DRAW = "draw(rng) met one of the conditions of any_of in none of {tries} draws: write a draw for this condition"


@dataclass(frozen=True)
class Misconception:
    """A way to be wrong that has a reason.

    `recognises(inputs, expected, got)` sees plain data (arrays, numbers, nested tuples), never the student's code;
    `sentence` tells the learner what they misunderstood. `gives(inputs)` is the result of a function with this slip, where that
    is what it is recognised by; `items(expected, got)` are the items of a prediction that it explains.
    """

    name: str
    sentence: str
    recognises: Callable[[tuple, Any, Any], bool]
    gives: Callable[[tuple], Any] | None = None
    items: Callable[[Any, Any], frozenset[int]] | None = None


@dataclass(frozen=True)
class WrongAnswer:
    """A planted wrong answer: `source` defines `answer`; `expected` is the misconception or kind of report to come."""

    name: str
    source: str
    expected: str


@dataclass(frozen=True)
class Way:
    """How an answer is to be found, and the `sentence` for one that has the right results in another way.

    `holds(inputs, expected, got, done)` is true for each call: of plain data, where `done` has what was observed of each of
    `what` (see `evidence.observers`).
    """

    sentence: str
    what: tuple[str, ...]
    holds: Callable[[tuple, Any, Any, dict], bool]


@dataclass(frozen=True)
class Exercise:
    """One exercise, at home in one place.

    `draw(rng)` gives the inputs as arrays and numbers. Several such functions are strata: every branch of an answer, both
    sides of every limit. Whatever the seed, each of them is drawn from. `tensors` names the dialect that turns the arrays
    into tensors ("mindspore" or "torch", whose tensors then require grad); "boxes" turns the numbers into boxes of the engine.
    `reference(*inputs)` is the right answer. An exercise without `draw` is a prediction: the answer is a value, and
    `reference()` runs labkit to find it.
    `solution` is source that defines `answer`. `places` names the items of a prediction's list, for the messages.
    `errors` says what an error means here: (part of its text, sentence). `rules` says for each item of a prediction what
    decides it, without the answer; the last one is for all items that follow. `ways` holds what the statement forbids or
    asks for besides the result. With `partial_credit` an assignment gives part of the points for part of the answer (see
    `partial.py`), unless it says otherwise. With `practice` no assignment can ask for it: what its
    answer is to find lies in the process that runs the answer, so that no grader can tell how it was found.
    `pairs()` are the answers with two slips at once. `numbers` names what may be drawn for each student (see `numbers.py`).
    """

    name: str
    notebook: str
    title: str
    points: int
    statement: str
    reference: Callable[..., Any]
    hints: tuple[str, str, str]
    solution: str
    misconceptions: tuple[Misconception, ...]
    wrong_answers: tuple[WrongAnswer, ...]
    draw: Draw | tuple[Draw, ...] | None = None
    arguments: tuple[str, ...] = ()
    tensors: str | None = None
    draws: int = 5
    places: tuple[str, ...] = ()
    errors: tuple[tuple[str, str], ...] = ()
    rules: tuple[str, ...] = ()
    ways: tuple[Way, ...] = ()
    partial_credit: bool = False
    practice: bool = False
    pairs: Callable[[], Iterator[Misconception]] = lambda: iter(())
    numbers: tuple[str, ...] = ()

    @property
    def is_prediction(self) -> bool:
        """True where the answer is a value; false where it is a function."""
        return self.draw is None

    @property
    def strata(self) -> tuple[Draw, ...]:
        """What the inputs are drawn from, in turn."""
        return self.draw if isinstance(self.draw, tuple) else (self.draw or (lambda rng: ()),)

    @property
    def binds(self) -> str:
        """The name under which a learner defines the answer: that of the solution's function, or `answer`."""
        last = ast.parse(self.solution).body[-1]
        alias = last.value.id if isinstance(last, ast.Assign) and isinstance(last.value, ast.Name) else "answer"
        return "answer" if self.is_prediction else alias

    @property
    def stub(self) -> str:
        """What a learner begins with."""
        if self.is_prediction:
            return "answer = ..."
        return f"def {self.binds}({', '.join(self.arguments)}):\n    ..."

    def inputs(self, seed: int | None = None) -> Iterator[tuple]:
        """Plain inputs, `draws` times, or once from each stratum if there are more, in turn.

        Without `seed` they are the same at every call, other ones for every exercise.
        """
        rng = np.random.default_rng(zlib.crc32(self.name.encode()) if seed is None else seed)
        for i in range(max(self.draws, len(self.strata))):
            yield self.strata[i % len(self.strata)](rng)

    @property
    def watched(self) -> tuple[str, ...]:
        """What is to be watched while an answer runs, so that its way can be judged."""
        return tuple(dict.fromkeys(thing for way in self.ways for thing in way.what))

    def wrap(self, inputs: tuple) -> tuple:
        """Fresh copies of plain `inputs` as the student's function receives them."""
        return wrap(inputs, self.tensors)

    def expected(self, inputs: tuple = ()) -> Any:
        """The right answer for plain `inputs`, whatever modes the learner has switched on or off."""
        right = given(self.reference, self.wrap(inputs))
        return plain_data(right) if self.tensors == BOXES else right


def strata(draw: Draw, *conditions: Callable[..., Any]) -> tuple[Draw, ...]:
    """A stratum for each condition: `draw(rng)`, again and again until `condition(*inputs)` holds.

    >>> [low(np.random.default_rng(0)) for low in strata(lambda rng: (int(rng.integers(9)),), lambda n: n < 2)]
    [(0,)]
    """
    return tuple(partial(_drawn, draw, condition) for condition in conditions)


def _drawn(draw, condition, rng):
    for _ in range(TRIES):
        if condition(*(inputs := draw(rng))):
            return inputs
    raise RuntimeError(NO_DRAW.format(tries=TRIES))


def given(function: Callable[..., Any], inputs: tuple) -> Any:
    """What `function(*inputs)` gives in the modes in which both dialects start, without warnings."""
    ms, torch = import_module("labkit.mindspore"), import_module("labkit.torch")
    with modes_put_back(), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ms.set_context(mode=ms.PYNATIVE_MODE)
        torch.set_grad_enabled(True)
        return function(*inputs)


def namespace() -> dict[str, Any]:
    """The names that a notebook imports, and that a solution may use."""
    return {"np": np, "ms": import_module("labkit.mindspore"), "torch": import_module("labkit.torch")}


@contextmanager
def quiet() -> Iterator[None]:
    """Whatever runs inside raises no warnings, and leaves the modes of both dialects as they were."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), modes_put_back():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def modes_put_back() -> Iterator[None]:
    """Whatever happens inside, both dialects are afterwards in the modes they were in."""
    ms, torch = import_module("labkit.mindspore"), import_module("labkit.torch")
    mode, recording = ms.get_context("mode"), torch.is_grad_enabled()
    try:
        yield
    finally:
        ms.set_context(mode=mode)
        torch.set_grad_enabled(recording)


def raised(function: Callable) -> Any:
    """The type of error that `function()` raises, or "fine"."""
    try:
        function()
    except Exception as error:
        return type(error)
    return "fine"
