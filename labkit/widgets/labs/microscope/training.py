"""What a landing means for who trains a network: an update that is lost, a gradient too small or too large."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from ....precision import FORMATS
from ...kit.scene import Mark, text
from ...kit.words import minus, number, raised
from .ruler import DIAL
from .run import Landing, at_place, exponent_of, place, stored

TALL, STEP, SAID = 56.0, 18.0, 96.0  # px: of both lines with room around, from one to the next, and where they begin


def training_marks(found: Sequence[Landing], y: float) -> Iterator[Mark]:
    """Two lines, the baseline of the first at `y`."""
    first, second = zip(*map(in_training, found), strict=True)
    yield text(6, y, "in training", "name").following(DIAL, state=["" if said else "hidden" for said in first])
    for k, said in enumerate((first, second)):
        yield text(SAID, y + STEP * k, "", "plain").following(DIAL, text=said)


def in_training(f: Landing) -> tuple[str, str]:
    """In two lines; empty for 0.

    >>> from labkit.precision import format_of
    >>> from labkit.widgets.labs.microscope.run import landing
    >>> half = format_of("float16")
    >>> print(*in_training(landing(lambda a: a + 1, Fraction(2048), half, "a")))
    w = 2048, moved by 1, stays 2048: the update is lost. In float32 it is not.
    >>> print(*in_training(landing(None, Fraction(2) ** -30, half, "x")))
    a gradient this small is lost: times a loss scale of 2¹⁶ it has all.
    """
    if not np.isfinite(f.result):
        return "one such gradient: the step is skipped,", "and a loss scale is halved."
    if not f.target:
        return "", ""
    if abs(f.result) < f.of.min_normal:
        return _small(f)
    if f.absorbed and f.terms:
        return _absorbed(f)
    result, above = Fraction(f.result), at_place(place(f.result, f.of) + 1, f.of)
    more = _short((above - result) / 2)
    return f"w = {_short(result)} stays {_short(result)}", f"when less than {more} is added to it."


def _small(f):
    """Of what is 0 or subnormal."""
    up = f.of.min_exponent - exponent_of(f.target)
    left = exponent_of(Fraction(f.result)) - exponent_of(Fraction(f.of.min_subnormal)) if f.result else 0
    what = f"with {left} of {f.of.fraction_bits} fraction bits left:" if f.result else "this small is lost:"
    return f"a gradient {what}", f"times a loss scale of {raised(2, up)} it has all."


def _absorbed(f):
    update, weight = sorted(f.terms, key=abs)
    wider = ("float32", "float64")
    keeps = [name for name in wider if stored(weight + update, FORMATS[name]) != stored(weight, FORMATS[name])]
    more = f" In {keeps[0]} it is not." if keeps else ""
    return f"w = {_short(weight)}, moved by {_short(update)}, stays {_short(weight)}:", f"the update is lost.{more}"


def _short(value: Fraction) -> str:
    whole = value.denominator == 1 and abs(value) < 10**6
    return minus(str(value)) if whole else number(float(value))
