"""The argument names of Tensor's methods: MindSpore has several sets for many, such as `x.var(axis, ddof)` and `x.var(dim,
correction)`.

`method_words.txt` holds them as the real one lists them: each line a method and its overloads, in the order in which they are
tried, each word with its types and default. A call that names arguments is matched with them; the words of the overload found
are those of the op by name, and those that are left, in their order.
"""

import os
import re
from ast import literal_eval
from collections.abc import Callable
from functools import cache, wraps
from inspect import Parameter as Word
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from ..common import dtype as mstype
from ..common.tensor import Tensor

_LACKING = "labkit's {name}() does not support {word!r}, which MindSpore has; it supports {known}."


class Argument(NamedTuple):
    """A word of an overload: its types, its default as text (None: it must be given), whether it is to be named."""

    word: str
    kinds: tuple[str, ...]
    default: str | None
    named: bool


_KINDS: dict[str, Any] = {
    "int": (int, np.integer), "bool": (bool, np.bool_), "float": (float, np.floating), "Number": (int, float, np.number),
    "Tensor": Tensor, "None": type(None), "string": str, "str": str, "mstype": mstype.DType, "Any": object, "Storage": (),
}  # fmt: skip
_LISTS = {"list of int": list, "tuple of int": tuple}


def _fits(value, kind):
    if kind in _LISTS:
        return isinstance(value, _LISTS[kind]) and all(isinstance(v, (int, np.integer, Tensor)) for v in value)
    kind = kind.replace("number", "Number").replace("any", "Any")
    return isinstance(value, _KINDS[kind]) and (kind not in ("int", "float") or not isinstance(value, bool))


@cache
def _listed() -> dict[str, list[str]]:
    """`{method: [an overload as the real one writes it ...]}`."""
    with open(os.path.join(os.path.dirname(__file__), "method_words.txt"), encoding="utf-8") as lines:
        return {name: texts for name, *texts in (line.rstrip("\n").split(" | ") for line in lines)}


@cache
def overloads() -> dict[str, list[tuple[str, list[Argument]]]]:
    """`{method: [(the overload as the real one writes it, its arguments) ...]}`."""
    return {name: [_overload(text) for text in texts] for name, texts in _listed().items()}


_ARGUMENT = re.compile(r"(\w+)=<([^>]*)>(?:=((?:[^,'(]|'[^']*'|\([^)]*\))+))?")


def _overload(text):
    named = text.find("*, ") if "*, " in text else len(text)
    whole = text.replace(">=(, ", ">=(), ")  # as the real one writes an empty tuple
    found = [Argument(m[1], tuple(re.split(", ?", m[2])), m[3], m.start() > named) for m in _ARGUMENT.finditer(whole)]
    return _ARGUMENT.sub(lambda m: f"{m[1]}=<{m[2]}>", text), found


def _matched(arguments, args, kwargs):
    """`{word: value}` of a call, with defaults, where it fits an overload; else None."""
    places = [a for a in arguments if not a.named]
    words = {a.word for a in arguments}
    given = dict(zip((a.word for a in places), args, strict=False)) | kwargs
    if len(args) > len(places) or not words >= {*kwargs} or len(given) < len(args) + len(kwargs):
        return None
    if any(a.default is None and a.word not in given for a in arguments):
        return None
    kinds = {a.word: a.kinds for a in arguments}
    if not all(any(_fits(value, kind) for kind in kinds[word]) for word, value in given.items()):
        return None
    return given


def with_words(name: str, method: Callable) -> Callable:
    """The method that takes the words of all its overloads.

    A call that fits none raises TypeError with the list of them, one with a word that is only the real one's says so.
    """
    if name not in _listed():
        return method

    @wraps(method)
    def call(self, *args, **kwargs):
        if not kwargs:
            return method(self, *args)
        own = list(signature(method).parameters.values())[1:]
        known = {a.name: a.default for a in own}
        several = next((a.name for a in own if a.kind is Word.VAR_POSITIONAL), None)
        for _, arguments in overloads()[name]:
            given = _matched(arguments, args, kwargs)
            if given is not None:
                words = _own_words(name, arguments, given, known)
                return method(self, *([words.pop(several)] if several in words else ()), **words)
        raise _refused(name, args, kwargs)

    call.__name__ = name
    return call


_NO_MATTER = {"stable", "output_size", "non_blocking", "copy", "device"}  # no number depends on them


def _own_words(name, arguments, given, known):
    """The same call in the op's words: those that it has, and the others in their order."""
    if "alpha" in given and "alpha" not in known:
        given["other"] = given.pop("alpha") * given["other"]
    words = [a.word for a in arguments if a.word in known or a.word not in _NO_MATTER]
    left = [word for word in known if word not in words]
    own = {word: word if word in known else left.pop(0) if left else None for word in words}
    for a in arguments:
        if a.word == "correction" and a.word not in given and name == "std":
            continue  # on the CPU the real one leaves it at 0
        if a.word not in given and own.get(a.word) is not None and a.default != str(known[own[a.word]]):
            given[a.word] = _value(a.default)
    given = {word: value for word, value in given.items() if word in own}
    if lacking := [word for word in given if own[word] is None]:
        raise TypeError(_LACKING.format(name=name, word=lacking[0], known=", ".join(known)))
    return {own[word]: value for word, value in given.items()}


def _value(default):
    try:
        return literal_eval(default)
    except ValueError:
        return default


def _refused(name, args, kwargs):
    """The real one's error for a call that fits no overload."""
    told = ", ".join([_kind(a) for a in args] + [f"{word}={_kind(value)}" for word, value in kwargs.items()])
    lines = []
    if len(overloads()[name]) == 1 and "<Any>" in overloads()[name][0][0]:
        arguments = overloads()[name][0][1]
        words = [a.word for a in arguments]
        unknown = [word for word in kwargs if word not in words]
        lacking = [a.word for a in arguments[len(args) :] if a.default is None and a.word not in kwargs]
        if lacking:
            return TypeError(f"{name}() missing 1 required positional argument: {lacking[0]}.")
        if unknown:
            return TypeError(f"{name}() got an unexpected keyword argument '{unknown[0]}'.")
        return TypeError(
            f"{name}() takes {len(words) + 1} positional arguments but {len(args) + len(kwargs) + 1} were given."
        )
    for text, arguments in overloads()[name]:
        lines.append(f'"Tensor.{name}({text})"')
        unknown = [word for word in kwargs if word not in {a.word for a in arguments}]
        if unknown:
            lines.append(f"    match failed because incorrect keyword name: {unknown[0]}")
    return TypeError(
        f'Failed calling {name} with "{name}({told})".\nThe valid calling should be:\n' + "\n".join(lines) + "\n"
    )


def _kind(value):
    if isinstance(value, Tensor):
        return "Tensor"
    return {str: "string", type(None): "None"}.get(type(value), type(value).__name__)
