"""Numbers as prose writes them: what each stands for, how far off it may be, and the arithmetic that a text states."""

import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
NUMBER = r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?|-?\.\d+"
UNITS = {"%": 0.01, "thousand": 1e3, "million": 1e6, "billion": 1e9}
UNIT = r"(?P<unit> ?%| thousand| million| billion)?"
WRITTEN = re.compile(
    rf"(?<![\w.])(?P<base>{NUMBER})(?:\*\*\(?(?P<power>-?\d+)\)?)?(?:/(?P<under>\d+(?:\.\d+)?)(?!\w))?"
    rf"(?:(?= to \d+ %)|{UNIT})(?!\w)"
)
ABOUT = re.compile(r"\b(?:about|some|nearly|almost|around|roughly|over|under|than|below|above|close to|up to|≈) ?$")
TERM = rf"(?:(?:sqrt|log|exp)\(|\(|\s|-)*(?:{NUMBER})\)*(?:\*\*\(?-?\d+(?:/\d+)?\)?)?\)*"
SIDE = rf"{TERM}(?:\s?(?:\*\*|[-+*/×])\s?{TERM})*"
SUM = re.compile(
    rf"(?<![\w.])(?P<left>{SIDE})\s*(?P<sign>=|≈|(?:is|are|gives)(?: about| nearly)?)\s*"
    rf"(?P<right>{SIDE}){UNIT}(?![\w(]|\.\d|\s?\*)"
)


class Claim(NamedTuple):
    """A number as it is written, what it says, how far off that may be, and the words around it."""

    written: str
    value: float
    slack: float
    words: str


def plain(text: str) -> str:
    """With one way to write powers, minus signs and products."""
    text = text.replace("−", "-").replace("`", "").replace("≈", " ≈ ")
    text = re.sub(r"(?<=[\d)])[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda raised: "**" + raised[0].translate(RAISED), text)
    return re.sub(r"(?<=\b2) to the (?=-?\d)|(?<=\b10) to the (?=-?\d)|\^(?=-?\d)", "**", text)


def numbers(text: str) -> Iterator[Claim]:
    """Each number of a text, and by how much what it stands for may differ: half of its last digit, or 5 % after "about"."""
    text = plain(text)
    for found in WRITTEN.finditer(text):
        value, slack = _value(found)
        if ABOUT.search(text[max(0, found.start() - 12) : found.start()]):
            slack = max(slack, 0.05 * abs(value))
        words = text[max(0, found.start() - 60) : found.end() + 40].replace("\n", " ")
        yield Claim(found[0].strip(), value, slack, words)


def _value(found) -> tuple[float, float]:
    mantissa, _, exponent = found["base"].replace(",", "").partition("e")
    value, slack = float(found["base"].replace(",", "")), 0.0
    if "." in mantissa or exponent:
        slack = 0.5 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    if found["power"]:
        value, slack = (evaluate(f"{mantissa}**({found['power']})") or 0.0), 0.0
    if found["under"] and float(found["under"]):
        value, slack = value / float(found["under"]), 0.0
    unit = UNITS[found["unit"].strip()] if found["unit"] else 1.0
    return value * unit, (slack or 0.5 * (unit < 1)) * unit


def digits(claim: Claim) -> int:
    """How many digits of a number count."""
    return len(re.sub(r"e.*|\D", "", claim.written.split("*")[0]).strip("0"))


def evaluate(expression: str) -> float | None:
    """What an expression of numbers is; None if it is none."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", expression).replace("×", "*").strip()
    missing = text.count("(") - text.count(")")
    text = text + ")" * missing if missing > 0 else "(" * -missing + text
    names = {"sqrt": math.sqrt, "log": math.log, "exp": math.exp}
    try:
        return float(eval(compile(text, "arithmetic", "eval"), {"__builtins__": {}}, names))
    except (SyntaxError, ArithmeticError, ValueError, TypeError):
        return None


def sums(text: str) -> Iterator[tuple[str, bool]]:
    """The arithmetic that a text states, and whether it is true: said by "is", true arithmetic alone.

    >>> list(sums("36 × 16,384 = 589,824, and 65504 / 0.02 is about 3.3 million; 2 + 2 = 5"))
    [('36 × 16,384 = 589,824', True), ('65504 / 0.02 is about 3.3 million', True), ('2 + 2 = 5', False)]
    """
    text, at = re.sub(r" \([^()\d]*\)", "", plain(text)), 0
    while found := SUM.search(text, at):
        at = found.start("right")
        left, right = evaluate(found["left"]), evaluate(found["right"])
        computed = re.search(r"\d\)*\s?[-+*/×]|sqrt|log|exp", found["left"] + found["right"])
        if left is None or right is None or not computed:
            continue
        unit = UNITS[found["unit"].strip()] if found["unit"] else 1.0
        last = [*numbers(found["right"])][-1]
        slack = last.slack * unit if last.written == found["right"].strip() else 0.0
        first = next(numbers(found["left"]))
        slack += first.slack if first.written == found["left"].strip() else 0.0
        about = 0.05 * abs(left) if re.search("about|nearly|≈", found["sign"]) else 1e-9 * abs(left)
        holds = abs(left - right * unit) <= max(slack, about) * 1.001
        if holds or found["sign"] in "=≈":
            yield f"{found['left'].strip()} {found['sign']} {found['right'].strip()}{found['unit'] or ''}", holds


class Pool:
    """Numbers that were seen, in texts or in figures (`more`: each with how far it may be off)."""

    def __init__(self, texts: Iterable[str], more: Iterable[tuple[float, float]] = ()):
        seen = {(abs(n.value), n.slack) for text in texts for n in numbers(text) if math.isfinite(n.value)}
        seen |= {(abs(value), slack) for value, slack in more}
        self.values, self.slacks = np.array(sorted(seen) or [(math.inf, 0.0)]).T

    def has(self, claim: Claim) -> bool:
        """True if one of the numbers rounds to what is claimed, or if it is a power of which the exponent is here."""
        value = abs(claim.value)
        exact = np.where(self.slacks <= 1e-3 * self.values, self.slacks, 0.0)
        power = re.fullmatch(r"-?\d+\*\*\(?-?(\d\d+)\)?", claim.written)
        near = np.abs(self.values - value) <= max(claim.slack, 1e-12 * value) * 1.0001 + exact
        return bool(np.any(near)) or bool(power and np.any(self.values == float(power[1])))
