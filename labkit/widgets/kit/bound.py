"""A dial that sets other dials."""

from collections.abc import Mapping, Sequence
from typing import Any


def turned(dials: Sequence[Any], state: Mapping[str, int], wanted: Mapping[str, int]) -> dict[str, int]:
    """A state with dials turned, and with what is bound to them: `page/bound.js` does the same.

    What a dial `puts` goes along; its last position may put nothing. A dial whose places are left
    stands where those of `puts` fit, or at its last position.
    """
    along = {name: at for dial in dials if dial.puts and dial.name in wanted for name, at in _put(dial, wanted).items()}
    asked = {**along, **wanted}
    found = {**state, **asked}
    for dial in dials:
        if dial.puts and not (dial.name in wanted and _fits(dial.puts[found[dial.name]], found)):
            fitting = [i for i, put in enumerate(dial.puts) if _fits(put, found)]
            found[dial.name] = fitting[0] if fitting else len(dial.values) - 1
    return found


def _put(dial, wanted):
    return dial.puts[wanted[dial.name]]


def _fits(put, state):
    return all(state[name] == at for name, at in put.items())
