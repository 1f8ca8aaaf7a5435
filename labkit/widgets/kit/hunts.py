"""A game in a picture: the reader clicks the mark that is suspected, has some tries, and is told why in the end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Hunt:
    """What a dial of the kind "hunt" is about; its positions count the misses, and at the last one the hunt is over.

    `question`: what to find. `choices`: `{key: name}` of all that can be suspected; a key is the link of the marks that are
    clicked, or of none. `answer`: the right key. `says`: what is said of a wrong one, by key. `hints`: one after each miss,
    each nearer. `because`: what is told in the end. `goes`: dials that are turned then, and back by "Again".
    """

    question: str
    choices: Mapping[str, str]
    answer: str
    hints: Sequence[str]
    because: str
    says: Mapping[str, str] = field(default_factory=dict)
    goes: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self):
        if self.answer not in self.choices:
            raise ValueError(f"hunt: expected an answer among {', '.join(self.choices)}, but got {self.answer!r}")

    @property
    def values(self) -> list[str]:
        """The names of the positions of its dial.

        >>> Hunt("Which?", {"a": "a", "b": "b", "c": "c"}, "b", ["Not the first."], "It is in the middle.").values
        ['2 tries', '1 try', 'over']
        """
        tries = len(self.hints) + 1
        return [*(f"{n} tr{'y' if n == 1 else 'ies'}" for n in range(tries, 0, -1)), "over"]
