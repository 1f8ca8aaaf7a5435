"""Dials that are bound to others: one that puts them in their places, and one that never stands before another."""

from collections.abc import Mapping, Sequence
from typing import Any


def turned(dials: Sequence[Any], state: Mapping[str, int], wanted: Mapping[str, int]) -> dict[str, int]:
    """A state with dials turned, and with what is bound to them: `page/bound.js` does the same.

    What a dial `puts` goes along. One that stands `after` another goes no further than this, and than those after it. Then a
    dial whose places are left stands where those of `puts` fit, or at its last position.
    """
    along = {name: at for dial in dials if dial.puts and dial.name in wanted for name, at in _put(dial, wanted).items()}
    asked = {**along, **wanted}
    found = {**state, **asked}
    for dial in dials:
        if dial.name in asked:
            low = found[dial.after] if dial.after else 0
            found[dial.name] = max(low, min(found[dial.name], _most(dials, dial, state, asked)))
    for dial in dials:
        if dial.puts and not _fits(dial.puts[found[dial.name]], found):
            fitting = [i for i, put in enumerate(dial.puts) if _fits(put, found)]
            found[dial.name] = fitting[0] if fitting else len(dial.values) - 1
    return found


def _most(dials, dial, state, asked):
    """How far a dial goes: to those after it that stay where they are."""
    beyond = [d for d in dials if d.after == dial.name]
    ends = (_most(dials, d, state, asked) if d.name in asked else state[d.name] for d in beyond)
    return min([len(dial.values) - 1, *ends])


def _put(dial, wanted):
    return dial.puts[wanted[dial.name]]


def _fits(put, state):
    return all(state[name] == at for name, at in put.items())
