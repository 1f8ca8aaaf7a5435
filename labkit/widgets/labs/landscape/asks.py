"""What is asked before a step is shown: how far a first step goes, and what Momentum keeps."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...kit.scene import Ask
from ...kit.words import number
from .drawn import Walks

Term = tuple[
    float, bool, str, int, str
]  # factor, whether times the rate, optimizer, step, "place", "gradient" or what is kept


@dataclass(frozen=True)
class Question:
    """A question whose numbers are sums of terms along the first axis. `numbers` take the places of {0}, {1} in the words."""

    position: int
    words: str
    numbers: Sequence[Sequence[Term]]
    answer: Sequence[Term]
    because: str
    slips: Sequence[tuple[Sequence[Term], str]]
    otherwise: str
    when: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def ask(self, walks: Walks) -> Ask:
        """With its numbers."""
        words = self.words.format(*(number(value(walks, terms)) for terms in self.numbers), rate=number(walks.rate))
        slips = tuple((value(walks, terms), why) for terms, why in self.slips)
        return Ask(words, value(walks, self.answer), self.because, slips, otherwise=self.otherwise, when=self.when)


def value(walks: Walks, terms: Sequence[Term]) -> float:
    """What the terms are together."""
    total = 0.0
    for factor, rated, of, step, what in terms:
        moment = walks.at(of, step)
        found = moment.kept.get(what, (0.0, 0.0)) if what not in ("place", "gradient") else getattr(moment, what)
        total += factor * (walks.rate if rated else 1.0) * found[0]
    return total


def questions(walks: Walks, axis: str) -> Iterator[Question]:
    """Before step 1 how far Adam goes, and where it stands alone, SGD; before step 2 the velocity of Momentum."""
    names = list(walks.moments)
    shown = {name: [0, k + 1] if len(names) > 1 else [0] for k, name in enumerate(names)}
    if len(walks.moments.get("Adam", ())) > 1:
        yield _adam(axis, {"show": shown["Adam"]})
    if len(walks.moments.get("SGD", ())) > 1:
        alone = [position for position in shown["SGD"] if position or "Adam" not in names]
        yield _sgd(axis, {"show": alone})
    momentum = walks.moments.get("Momentum", ())
    if len(momentum) > 2 and list(momentum[0].kept) == ["moments"]:
        yield _momentum(axis, {"show": shown["Momentum"]})


def _adam(axis, when):
    slope: Term = (1.0, False, "Adam", 0, "gradient")
    moved: list[Term] = [(1.0, False, "Adam", 1, "place"), (-1.0, False, "Adam", 0, "place")]
    return Question(
        1, f"The gradient of {axis} is {{0}}, the learning rate {{rate}}. By how much does Adam's first step change {axis}?",
        [[slope]], moved, "Adam divides the gradient by its own size: the first step is the learning rate, whatever the slope.",
        [([(-1.0, True, *slope[2:])], "So would SGD. Adam divides by the size of the gradient."),
         ([(-f, r, of, step, what) for f, r, of, step, what in moved], "That is the way up: against the gradient.")],
        "Not that. At step 1 Adam knows one gradient, and divides it by its own size.", when,
    )  # fmt: skip


def _sgd(axis, when):
    slope: Term = (1.0, False, "SGD", 0, "gradient")
    return Question(
        1, f"The gradient of {axis} is {{0}}, the learning rate {{rate}}. By how much does SGD's first step change {axis}?",
        [[slope]], [(-1.0, True, *slope[2:])], "Less the learning rate times the gradient.",
        [([(1.0, True, *slope[2:])], "That is the way up: SGD goes down."), ([slope], "That is the gradient alone.")],
        "Not that: the learning rate times the gradient, downhill.", when,
    )  # fmt: skip


def _momentum(axis, when):
    before: Term = (1.0, False, "Momentum", 1, "moments")
    slope: Term = (1.0, False, "Momentum", 1, "gradient")
    return Question(
        2, f"Momentum keeps {{0}} for {axis}; the new gradient is {{1}}. What does it keep after this step (momentum 0.9)?",
        [[before], [slope]], [(1.0, False, "Momentum", 2, "moments")], "0.9 times what it kept, plus the new gradient.",
        [([slope], "That is the gradient alone. What was kept counts 0.9 times."),
         ([before, slope], "What was kept fades: it counts 0.9 times.")],
        "Not that: 0.9 times what was kept, plus the new gradient.", when,
    )  # fmt: skip


def asks(found: Sequence[Question], walks: Walks) -> dict[int, list[Ask]]:
    """The questions before each step."""
    return {
        step: [q.ask(walks) for q in found if q.position == step] for step in dict.fromkeys(q.position for q in found)
    }
