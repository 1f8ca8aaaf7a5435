"""What PyTorch answers about devices where there is no GPU: `torch.cuda`, `torch.accelerator`, `torch.backends` and their like.

Each line of `answers.txt`, recorded of the real package, is a module, a name and what that is: `= value` (`object`: something
that takes any attribute), `-> value` for what a call returns, `! Error: text` for what it raises.
"""

from ast import literal_eval
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ERRORS = {"AssertionError": AssertionError, "RuntimeError": RuntimeError}


@cache
def answers() -> dict[str, dict[str, Any]]:
    """`{module: {name: thing}}`.

    >>> answers()["cuda"]["is_available"]()
    False
    """
    found: dict[str, dict[str, Any]] = {}
    for line in Path(__file__).with_name("answers.txt").read_text(encoding="utf-8").splitlines():
        place, name, kind, text = line.split(" ", 3)
        found.setdefault(place, {})[name] = _thing(f"{place}.{name}", kind, text)
    return found


def _thing(full, kind, text):
    if kind == "=":
        return SimpleNamespace() if text == "object" else literal_eval(text)
    answer = _returning(literal_eval(text)) if kind == "->" else _raising(*text.split(": ", 1))
    answer.__name__ = answer.__qualname__ = full.rpartition(".")[2]
    answer.__doc__ = f"What `torch.{full}` answers where there is no GPU, as here: `{text}`, whatever the arguments."
    return answer


def _returning(value) -> Callable:
    def answer(*args, **kwargs):
        return list(value) if isinstance(value, list) else value

    return answer


def _raising(error, text) -> Callable:
    def answer(*args, **kwargs):
        raise ERRORS[error](text)

    return answer
