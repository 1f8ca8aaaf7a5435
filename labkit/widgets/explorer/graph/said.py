"""Numbers in sentences and on cards: written out, or left open for the page, which writes them again while inputs are dragged."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ....engine import Summary
from ...kit.reckoning import Const
from ...kit.words import bracketed, brief, in_full, norm, number, on_card
from ..run.lines import Lines, numbers_of
from ..run.rules import Seen
from ..run.story import Node, Sent, Step, Story

FORMATS: dict[str, Callable[[Any], str]] = {  # the page has the same by these letters
    "n": number, "(": lambda value: bracketed(number(value)), "b": brief, "c": on_card,
    "s": lambda value: brief(value) if np.ndim(value) > 1 else in_full(value),
    "d": lambda value: NONE if np.size(value) > 1 and norm(value) == 0 else on_card(value, short=True),
}  # fmt: skip
NONE = "∅ all 0"  # of a gradient
MOST_SHOWN = 64  # numbers of an array that is shown with all of them


class Said:
    """The numbers of a story as text. `arrays`: those that the page is given, `{"shape", "at"}`."""

    def __init__(self, story: Story):
        self.story, self.arrays = story, list[dict[str, Any]]()
        self._known = dict[int, tuple[int, Any]]()  # what is there is kept, so that its id is given to no other

    def value(self, value: Any, form: str) -> str:
        """A value, gradient or contribution of the story in one of the `FORMATS`."""
        return FORMATS[form](value)

    def slope(self, step: Step, sent: Sent, form: str = "n") -> str:
        """A local slope."""
        return FORMATS[form](sent.slope)

    def times(self, step: Step, sent: Sent) -> str:
        """The gradient of a step times a local slope."""
        return f"{self.value(step.gradient, 'n')} × {self.slope(step, sent, '(')}"

    def worth(self, *parts: Any) -> Any:
        """A number for the page, or the sum of some: of the story, or `(step, sent)` for a slope; `(-1, part)` for minus it."""
        return sum(float(self._single(part)) for part in parts)

    def nothing(self, values: Iterable[Any]) -> Any:
        """For the page, whether all of these are 0."""
        return all(norm(value) == 0 for value in values)

    def norm(self, value: Any) -> Any:
        """A norm for the page; None where it is not known."""
        found = norm(value)
        return found if np.isfinite(found) else str(found)

    def array(self, value: Any) -> int | None:
        """The place among `arrays` of a value that is shown number by number; None of one that is not."""
        if (
            value is None
            or isinstance(value, Summary)
            or not 0 < np.size(value) <= MOST_SHOWN
            or np.asarray(value).dtype.kind not in "fiub"
        ):
            return None
        if id(value) not in self._known:
            self._known[id(value)] = len(self.arrays), value
            self.arrays.append({"shape": list(np.shape(value)), "at": self._at(value)})
        return self._known[id(value)][0]

    def array_seen(self, part: Seen) -> int | None:
        """The same of numbers of a value in another shape or order."""
        if self.array(part.base) is None:
            return None
        every = self._at(part.base)
        self.arrays.append({"shape": list(part.places.shape), "at": [every[i] for i in np.ravel(part.places)]})
        return len(self.arrays) - 1

    def _at(self, value):
        return [[_plain(float(one))] for one in np.ravel(value)]

    def _single(self, part):
        if isinstance(part, tuple):
            first, second = part
            return second.slope if isinstance(first, Step) else first * self._single(second)
        return np.ravel(part)[0]


class Left(Said):
    """The same with the numbers left open, as `⟦k|f⟧`: the k-th of the arrays, in the format f."""

    def __init__(self, story: Story, lines: Lines):
        super().__init__(story)
        self.lines, self._slopes = lines, dict[tuple, int]()
        seeds = {("gradient", node.index): node.seed for node in story.outputs}
        self._what: dict[int, tuple] = {}
        for what, value in (*numbers_of(story).items(), *seeds.items()):
            self._what.setdefault(id(value), what)

    def value(self, value: Any, form: str) -> str:
        what = self._what.get(id(value))
        varies = what in self.lines.numbers and np.asarray(value).dtype.kind == "f"
        return f"⟦{self._place(value)}|{form}⟧" if varies else super().value(value, form)

    def slope(self, step: Step, sent: Sent, form: str = "n") -> str:
        found = self._slope(step, sent)
        return super().slope(step, sent, form) if found is None else f"⟦{found}|{form}⟧"

    def worth(self, *parts: Any) -> Any:
        return [self._part(part) for part in parts]

    def nothing(self, values: Iterable[Any]) -> Any:
        known = list(values)
        open_ = all(self._what.get(id(value)) in self.lines.numbers for value in known)
        return [self._place(value) for value in known] if open_ else super().nothing(known)

    def norm(self, value: Any) -> Any:
        return {"norm": self._place(value)} if self._what.get(id(value)) in self.lines.numbers else super().norm(value)

    def _part(self, part):
        if isinstance(part, tuple):
            first, second = part
            if not isinstance(first, Step):
                sign, place = self._part(second)
                return [first * sign, place]
            found = self._slope(first, second)
            return [1, [second.slope] if found is None else found]
        return [1, self._place(part) if self._what.get(id(part)) in self.lines.numbers else [float(np.ravel(part)[0])]]

    def _place(self, value):
        found = self.array(value)
        if found is None:  # more than is shown, but a text has its norm
            found = len(self.arrays)
            self._known[id(value)] = found, value
            self.arrays.append({"shape": list(np.shape(value)), "at": self._at(value)})
        return found

    def _at(self, value):
        places = self.lines.numbers.get(self._what.get(id(value), ()))
        return super()._at(value) if places is None else _written(np.ravel(places))

    def _slope(self, step, sent):
        what = ("slope", step.node, sent.place)
        if sent.slope is None or what not in self.lines.numbers:
            return None
        if what not in self._slopes:
            self._slopes[what] = len(self.arrays)
            self.arrays.append({"shape": [], "at": _written(np.ravel(self.lines.numbers[what]))})
        return self._slopes[what]


def _written(places: Iterable[Any]) -> list[Any]:
    return [[_plain(one.value)] if isinstance(one, Const) else int(one) for one in places]


def _plain(value: float) -> Any:
    """A number as JSON has it."""
    return float(f"{value:.6g}") if np.isfinite(value) else str(value)


def value_of(said: Said, node: Node, form: str = "c") -> str:
    """The value of a node on its card."""
    return node.brief if node.value is None else said.value(node.value, form)
