"""Two texts that differ by the last digits of floats alone: those follow the processor's vector instructions, not the code.

NumPy's float32 `exp(2)` is 7.389056 on one processor and 7.3890557 on another, and the columns of an array get wider with it.
A number with seven to nine significant digits is taken for a float32 in full, one with 15 to 17 for a float64; each may be four
units in its last place away. Shorter numbers, integers and all words have to be the same.
"""

import copy
import re

NUMBER = re.compile(r"[-+]?\d+\.\d*(?:e[-+]?\d+)?")
ULPS = 4
SPACING = {
    range(7, 10): 2.0**-23,
    range(15, 18): 2.0**-52,
}  # significant digits: the largest relative distance of neighbours


def alike(stored: str, came: str) -> bool:
    """Whether two texts say the same in the sense of this module."""
    words, others = (re.sub(f" *{NUMBER.pattern} *", "#", text) for text in (stored, came))
    return words == others and all(map(_near, NUMBER.findall(stored), NUMBER.findall(came)))


def as_stored(came, stored):
    """A copy of a cell's outputs, with the stored text wherever an output's text is like it."""
    came = copy.deepcopy(came)
    for new, old in zip(came, stored, strict=False):
        for holder, other in ((new, old), (new.get("data", {}), old.get("data", {}))):
            for kind, text in holder.items():
                if isinstance(text, str) and isinstance(other.get(kind), str) and alike(other[kind], text):
                    holder[kind] = other[kind]
    return came


def _near(stored, came):
    digits = max(map(_significant, (stored, came)))
    spacing = next((gap for lengths, gap in SPACING.items() if digits in lengths), 0.0)
    return stored == came or abs(float(stored) - float(came)) <= ULPS * spacing * abs(float(stored))


def _significant(number):
    return len(re.sub(r"e.*|\D", "", number).lstrip("0"))
