"""How a page writes the numbers that it computes. `page/numbers.js` writes them alike."""

from collections.abc import Callable

from .strokes import px
from .words import bracketed, minus, number

FORMATS: dict[str, Callable[[float], str]] = {
    "3": number,
    "2": lambda value: number(value, 2),
    "(3": lambda value: bracketed(number(value)),
    "6": lambda value: f"{value:.6g}",
    "i": lambda value: minus(str(int(value))) if abs(value) < 1e15 else number(value),
    "px": px,
    "f1": lambda value: f"{value:.1f}",
    "f2": lambda value: f"{value:.2f}",
}
IN_TEXTS = ("3", "2", "(3", "6", "i")  # as numbers stand in the texts of scenes
