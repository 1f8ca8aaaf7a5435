"""Reads an exercise from its file (see `writing`): the module runs once, and the parts that a learner may see are cut out of
its text.
"""

import inspect
import linecache
import re
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..evidence import plain_data, wrap
from .exercise import Exercise, Misconception, WrongAnswer, given, namespace, quiet
from .numbers import base_of, drawing, filled
from .source import Source
from .writing import Judged, Wrong, either, same

TITLE = re.compile(r"# (?P<title>.+?) +\((?P<points>\d+) points?\)\n+(?P<statement>.*)", re.DOTALL)
FIELDS = ("tensors", "draws", "places", "rules", "errors", "ways", "partial_credit", "practice", "draw")
OWN = {*FIELDS, "answer", "reference", "hints"}  # names that are not code of the exercise
NO_TITLE = (
    '{place}: expected a docstring that begins with a line such as "# A title (2 points)", an empty line and the statement, '
    "but it begins with {line!r}"
)
CODE = re.compile(r"^\[\[(.+)\]\]$", re.MULTILINE)
MUST_BE = "{place}: expected `{name}` to be {what}"
DEFINED = "defined, because the statement shows it: {found}"
NO_SOLUTION = "{place}: expected a function that is the solution, or `answer = ...` to predict"
ONCE = "a change of what occurs once: {change}"


class NotAnExercise(ValueError):
    """A file that does not say what an exercise has to say; its text says what is missing, and in which file."""


def read(path: Path, notebook: str = "", name: str = "") -> Exercise:
    """The exercise of a file, for a notebook; or the drawn version `name` of it. Runs the file.

    Raises NotAnExercise where it does not say all that an exercise needs, and whatever the file itself raises.
    """
    return read_text(name or named(path), path.read_text(encoding="utf-8"), notebook, str(path))


def read_text(name: str, text: str, notebook: str = "", place: str = "") -> Exercise:
    """The exercise `name` from the text of its file; `place` is for the messages."""
    return _Reader(name, text, notebook, place or f"<exercise {name}>").exercise()


def named(path: Path) -> str:
    """The name of the exercise in a file.

    >>> named(Path("dot_pull.py"))
    'dot-pull'
    """
    return path.stem.replace("_", "-")


class _Reader:
    def __init__(self, name: str, text: str, notebook: str, place: str):
        self.name, self.notebook, self.place = name, notebook, place
        self.source = Source(text)
        with drawing(name):
            self.module = _module(name, text, place)
        self.said: dict[str, Any] = vars(self.module)
        self.numbers = {number: self.said[number] for number in self.source.drawn()}

    def exercise(self) -> Exercise:
        title, points, statement = self._head()
        fields = {field: self.said[field] for field in FIELDS if field in self.said}
        function = self._function()
        if function:
            fields["arguments"] = tuple(inspect.signature(self.said[function]).parameters)
            self._must("draw" in fields, "draw", "a function draw(rng) that returns the inputs as a tuple")
        else:
            self._must("draw" not in fields, "answer", "a function, because there is a draw(rng)")
            self._must(self.name == base_of(self.name) or bool(self.numbers), "drawn", "numbers to draw from")
        self._must(len(self.said.get("hints", ())) == 3, "hints", "three texts")
        self.right = self.said.get("reference") or (self.said[function] if function else lambda: self.said["answer"])
        self.tensors = fields.get("tensors")
        self.solution = self._solution(function)
        self._edited = {name: self._changed(name, one.changes) for name, one in self._of(Wrong) if one.changes}
        return Exercise(
            self.name, self.notebook, title, points, statement, self.right, tuple(self.said["hints"]),
            f"\n{self.solution}\n", tuple(self._misconceptions(bool(function))),
            tuple(self._wrong_answers(function or "")), numbers=tuple(self.numbers), pairs=self._pairs, **fields,
        )  # fmt: skip

    def _must(self, holds: bool, name: str, what: str) -> None:
        if not holds:
            raise NotAnExercise(MUST_BE.format(place=self.place, name=name, what=what))

    def _head(self) -> tuple[str, int, str]:
        found = TITLE.fullmatch((self.module.__doc__ or "").strip())
        if not found:
            begins = (self.module.__doc__ or "nothing").strip().splitlines()[0]
            raise NotAnExercise(NO_TITLE.format(place=self.place, line=begins))
        return found["title"], int(found["points"]), self._filled(CODE.sub(self._shown, found["statement"].strip()))

    def _filled(self, text: str) -> str:
        """A text with the numbers that may be drawn."""
        return filled(text, self.numbers)

    def _solution(self, function: str | None) -> str:
        """The program that is the solution; where numbers may be drawn, the answer itself."""
        if function or not self.numbers:
            return self.source.program(function or "answer")
        return f"answer = {_source(self.said['answer'])}"

    def _shown(self, found: re.Match) -> str:
        """The code that a line such as `[[layer, as_it_was as fixed]]` of the statement stands for."""
        shown = []
        for part in found[1].split(","):
            name, _, other = part.strip().partition(" as ")
            self._must(name in self.said, name, DEFINED.format(found=found[0]))
            text = self._with_numbers(self.source.text(name))
            shown.append(re.sub(rf"\b{name}\b", other, text, count=1) if other else text)
        return "```python\n" + "\n\n".join(shown) + "\n```"

    def _with_numbers(self, code: str) -> str:
        """Code with the numbers in place of their names."""
        for name, value in self.numbers.items():
            code = re.sub(rf"(?<![\w.]){name}(?!\w|=[^=])", lambda found, value=value: repr(value), code)  # type: ignore[misc]
        return code

    def _function(self) -> str | None:
        """The name of the function that is the solution, or None for a prediction."""
        answer = self.said.get("answer")
        if answer is not None:
            return answer.__name__ if inspect.isfunction(answer) else None
        first = next((name for name in self.source.functions() if name not in OWN), None)
        if first is None:
            raise NotAnExercise(NO_SOLUTION.format(place=self.place))
        return first

    def _of(self, kind: type) -> Iterator[tuple[str, Any]]:
        for variable, value in self.said.items():
            if isinstance(value, kind):
                yield variable, value

    # ---- misconceptions ----

    def _misconceptions(self, called: bool) -> Iterator[Misconception]:
        exact_first = sorted(self._of(Wrong), key=lambda named: bool(named[1].when or named[1].parts))
        for variable, one in exact_first:
            self._must(
                bool(one.changes) or not one.items is one.when is one.answer is None, variable,
                "a wrong answer with a changed function, with items such as `{1: ...}`, or with `when=`",
            )  # fmt: skip
            name = variable.strip("_").replace("_", "-")
            gives = one.answer if callable(one.answer) else None
            if one.changes:
                gives = partial(_called, self._edited[variable])
            listed = not called and one.when is None and isinstance(self.said["answer"], (tuple, list))
            yield Misconception(
                name, one.sentence, self._recogniser(name, one, gives),
                partial(self._gives, gives) if gives and not (one.when or one.parts) else None,
                one.explained if listed and (one.items is not None or isinstance(one.answer, (tuple, list))) else None,
            )  # fmt: skip

    def _recogniser(self, name: str, one: Wrong, gives: Callable | None) -> Callable[[tuple, Any, Any], bool]:
        if one.when:
            return one.when
        if one.items is not None:
            return lambda inputs, expected, got: bool(one.explained(expected, got))
        if gives:
            others = [other.answer for _, other in self._of(Judged) if other.kind == name]
            return lambda inputs, expected, got: any(
                _alike(self._gives(function, inputs), got, one.parts, expected) for function in (gives, *others)
            )
        return lambda inputs, expected, got: same(one.answer, got)

    def _changed(self, variable: str, changes: tuple[str, ...]) -> str:
        """The solution with these changes."""
        text = self.solution
        for change in changes:
            old, arrow, new = change.partition(" -> ")
            self._must(bool(arrow) and text.count(old) == 1, variable, ONCE.format(change=change))
            text = text.replace(old, new)
        return text

    def _pairs(self) -> Iterator[Misconception]:
        """Two slips at once, for each two that can be made together."""
        slips = [(name, one) for name, one in self._of(Wrong) if one.changes and not one.alone]
        for (name, one), (other_name, other) in combinations(slips, 2):
            try:
                function = partial(_called, self._changed(other_name, (*one.changes, *other.changes)))
            except NotAnExercise:  # one of them changes what the other one does
                continue
            both = f"{one.sentence}\n{other.sentence}"
            gives = partial(self._gives, function)
            recognises = lambda i, expected, got, gives=gives: same(gives(i), got)
            yield Misconception(name.strip("_").replace("_", "-"), both, recognises, gives)

    def _gives(self, function: Callable, inputs: tuple) -> Any:
        """What a wrong function gives for plain inputs, as plain data."""
        return plain_data(given(function, wrap(inputs, self.tensors)))

    # ---- planted wrong answers ----

    def _wrong_answers(self, solution: str) -> Iterator[WrongAnswer]:
        for variable, one in self._of((Wrong, Judged)):  # type: ignore[arg-type]
            label = variable.strip("_").replace("_", " ")
            kind = one.kind if isinstance(one, Judged) else label.replace(" ", "-")
            if isinstance(one, Wrong) and one.changes:
                yield WrongAnswer(label, self._edited[variable], kind)
            elif inspect.isfunction(one.answer):
                yield WrongAnswer(label, self.source.program(variable, solution), kind)
            elif (value := self._planted(one)) is not None:
                yield WrongAnswer(label, f"answer = {value}", kind)

    def _planted(self, one: Wrong | Judged) -> str | None:
        """A wrong prediction as source: written out, or the right one with other items."""
        items = one.answer if isinstance(one.answer, dict) else one.items if isinstance(one, Wrong) else None
        if one.answer is not None and not isinstance(one.answer, dict):
            return _source(one.answer)
        answer = list(self.said["answer"])
        for i, item in (items or {}).items():
            value = item[0] if isinstance(item, either) else item
            if callable(value) and not isinstance(value, type):
                return None
            answer[i] = value
        return _source(answer) if items else None


@lru_cache(maxsize=2000)
def _defined(source: str) -> Callable:
    """The `answer` of a program."""
    names = namespace()
    with quiet():
        exec(compile(source, "<slip>", "exec"), names)
    return names["answer"]


def _called(source: str, *inputs: Any) -> Any:
    return _defined(source)(*inputs)


def _alike(theirs: Any, got: Any, parts: tuple[int, ...], expected: Any) -> bool:
    """True where two results are the same, or one of these parts of them that is wrong."""
    if isinstance(expected, np.generic) and isinstance(theirs, float):
        theirs = expected.dtype.type(theirs)  # with its tolerance
    if not parts:
        return same(theirs, got)
    return any(same(theirs[i], got[i]) and not same(expected[i], got[i]) for i in parts)


def _source(value: Any) -> str:
    """A prediction as one types it."""
    if isinstance(value, (list, tuple)):
        inner = ", ".join(map(_source, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
    if isinstance(value, float) and not np.isfinite(value):
        return f"float({str(value)!r})"
    if isinstance(value, np.ndarray):
        return f"np.{value!r}".replace("dtype=", "dtype=np.")
    return value.__name__ if isinstance(value, type) else repr(value)


def _module(name: str, text: str, place: str) -> ModuleType:
    """The file, run as a module that its classes and functions belong to.

    Its code is in no package, so that `trace` takes the names of its variables as it takes a learner's.
    """
    file = f"<exercise {name}>"
    module = ModuleType("labkit_exercise_" + re.sub(r"\W", "_", name))
    module.__file__ = place
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)  # so that errors show their lines
    sys.modules[module.__name__] = module
    try:
        exec(compile(text, file, "exec", dont_inherit=True), vars(module))
    except BaseException:
        del sys.modules[module.__name__]
        raise
    return module
