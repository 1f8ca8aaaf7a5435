"""A question that is answered in the picture: the reader, who predicts, turns a dial to where the answer is, and checks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Seek:
    """Asked while the reader predicts; until it is answered, marks that are `answering` and captions are out of sight.

    `answer`: the positions of its dial that are right. `because`: what is told then. `says`: changes with the positions of the
    dial, what is said of a wrong one. `start`: where the dial goes when it is asked, if it moves. `when`: asked only at these
    positions of other dials.
    """

    question: str
    answer: Sequence[int]
    because: str = ""
    says: Sequence[tuple[int, str]] = ()
    start: int | None = None
    when: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def __post_init__(self):
        if not self.answer:
            raise ValueError(f"{self.question!r}: expected at least one position that is right")
