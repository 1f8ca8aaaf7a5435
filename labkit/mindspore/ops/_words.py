"""The words of functions: `functions.txt` holds those of the real `mindspore.ops` and `mindspore.numpy`, in their order."""

from collections.abc import Callable
from functools import cache, wraps
from inspect import Parameter, signature
from pathlib import Path


@cache
def listed() -> dict[str, list[str]]:
    """`{"ops.round": ["input", "decimals"] ...}`."""
    lines = Path(__file__).parents[1].joinpath("functions.txt").read_text(encoding="utf-8").splitlines()
    return {name: words.split(", ") for name, words in (line.split(" | ") for line in lines)}


def also_named(name: str, fun: Callable) -> Callable:
    """The function `fun`, which may be called by the words of the real `name`, too: the first is its first, and so on.

    >>> also_named("ops.sqrt", lambda input: input + 1)(x=2)
    3
    """
    try:
        own = [p.name for p in signature(fun).parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
    except (TypeError, ValueError):
        return fun
    renamed = {word: mine for word, mine in zip(listed().get(name, ()), own, strict=False) if word not in own}
    if not renamed:
        return fun

    @wraps(fun)
    def call(*args, **kwargs):
        return fun(*args, **{renamed.get(word, word): value for word, value in kwargs.items()} if kwargs else {})

    return call


def bound(name: str, own: list[str], args, kwargs) -> tuple[list, dict]:
    """A call of the real `name` for a function with the parameters `own`: as long as the words stand in the same places
    by place, then by name. Raises TypeError for words that the real one has not.

    >>> bound("numpy.mean", ["a", "axis", "dtype", "out", "keepdims"], (1, 0, True), {})
    ([1, 0], {'keepdims': True})
    """
    words = listed()[name]
    function, unknown = name.rpartition(".")[2], [word for word in kwargs if word not in words]
    if len(args) > len(words):
        raise TypeError(f"{function}() takes {len(words)} positional arguments but {len(args)} were given")
    if unknown:
        raise TypeError(f"{function}() got an unexpected keyword argument '{unknown[0]}'")
    given = dict(zip(words, args, strict=False)) | kwargs
    pairs = [(w, m) for w, m in zip(words, own, strict=False) if w == m or (w not in own and m not in words)]
    placed: list = []
    while len(placed) < len(pairs) and pairs[len(placed)] == (words[len(placed)], own[len(placed)]):
        if words[len(placed)] not in given:
            break
        placed.append(given.pop(words[len(placed)]))
    return placed, {dict(pairs).get(word, word): value for word, value in given.items()}
