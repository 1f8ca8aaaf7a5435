"""What a function may call, from its code alone: of itself, of the functions and classes of its owner that it names."""

import dis
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from types import CodeType, ModuleType
from typing import Any

from ..engine import is_own
from .named import code_of, codes, found, homes, is_module, is_operator, loads, value_of
from .observers import OBSERVERS

WORDS = ("walk back", "push", "near calls", "small step", "table", *OBSERVERS)
_ENGINES = {
    "walk back": ("autograd.core.backward_pass",),
    "push": ("autograd.core.make_jvp",),
}  # labkit's count themselves
_AUTOGRAD = ("autograd.differential_operators", "autograd.core", "autograd.test_util", "autograd.wrap_util")
_STAND_INS = (
    "labkit.evidence.",
    "labkit.jail.",
)  # for what Python and notebooks have: `sys.stdout`, `get_ipython`, `display`
_DYNAMIC = {
    "getattr",
    "exec",
    "eval",
    "compile",
    "globals",
    "locals",
    "vars",
    "__import__",
    "import_module",
    "__dict__",
}
_STEP = 1e-2  # what is smaller may be the step of a finite difference
_MOST = 200  # things of one collection, and functions in all


@dataclass(frozen=True)
class Targets:
    """What is looked for: words, packages, and things (held, so that no id is used again) by their id."""

    words: frozenset[str]
    packages: tuple[str, ...]
    things: dict[int, tuple[str, Any]]
    codes: dict[CodeType, str]
    engines: dict[CodeType, str]

    def names_of(self, thing: Any) -> Iterator[str]:
        """The names under which `thing`, if it is called, is looked for."""
        thing = thing.__func__ if inspect.ismethod(thing) else thing
        if known := self.things.get(id(thing)):
            yield known[0]
        if self.packages and not is_operator(thing):
            where = [home for home in homes(thing) if not f"{home}.".startswith(_STAND_INS)]
            yield from (name for name in self.packages if any(f"{home}.".startswith(f"{name}.") for home in where))


@lru_cache(maxsize=256)
def targets_of(what: tuple[str, ...]) -> Targets:
    """The things that stand behind the names in `what`."""
    words = frozenset(WORDS).intersection(what)
    packages = tuple(name for name in what if name not in words and is_module(name))
    things = {id(thing): (n, thing) for n in what if n not in words and n not in packages for thing in found(n)}
    unique = {code_of(thing): n for n, thing in things.values() if code_of(thing) and not thing.__closure__}
    engines = {code: word for word in words for code in codes(_ENGINES.get(word, ()))}
    return Targets(words, packages, things, unique, engines)  # type: ignore[arg-type] # no code is None


def may_do(function: Callable, what: tuple[str, ...]) -> bool:
    """False where nothing of `what` is within reach of `function` by name, so that it need not be watched closely.

    >>> import math
    >>> f, g = (lambda x: math.tanh(x)), (lambda x: x * x)
    >>> may_do(f, ("math",)), may_do(g, ("math",)), may_do(f, ("numpy",))
    (True, False, False)
    """
    targets = targets_of(what)
    if "table" in targets.words:
        return True
    todo: list[Any] = [function]
    seen, own = set[int](), 0
    while todo:
        thing = todo.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        own += code_of(thing) is not None and is_own(thing.__code__.co_filename)
        if len(seen) > _MOST or _is_wanted(thing, targets):
            return True
        if (more := _named_by(thing, targets)) is None:
            return True
        todo += more
    return own > 1 and "near calls" in targets.words


def _is_wanted(thing, targets):
    if any(True for _ in targets.names_of(thing)):
        return True
    name = thing.__name__ if isinstance(thing, ModuleType) else ""
    engine = name.split(".")[0] == "autograd" or any(home.startswith(_AUTOGRAD) for home in homes(thing))
    return bool(targets.engines) and engine and not name.startswith("autograd.numpy")


def _named_by(thing, targets):
    """What a thing of somebody's own names; None where that cannot be told from its code."""
    if inspect.ismethod(thing):
        return [thing.__func__, thing.__self__]
    if isinstance(thing, partial):
        return [thing.func, *thing.args, *thing.keywords.values()]
    if isinstance(thing, (tuple, list, dict)):
        return list(thing.values() if isinstance(thing, dict) else thing)[:_MOST]
    if isinstance(thing, (staticmethod, classmethod)):
        return [thing.__func__]
    if isinstance(thing, property):
        return [thing.fget]
    if isinstance(thing, type):
        return [value for kind in thing.__mro__[:-1] for value in vars(kind).values()] if _is_own_type(thing) else []
    if isinstance(thing, ModuleType):
        return None if is_own(getattr(thing, "__file__", None) or __file__) else []
    if code_of(thing) is None:
        return [type(thing)] if _is_own_type(type(thing)) else []
    return _named_in(thing, targets) if is_own(thing.__code__.co_filename) else []


def _named_in(function, targets):
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
    closed = {name: cell.cell_contents for name, cell in cells if not _is_empty(cell)}
    values = [*closed.values(), *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    lasts = {name.rpartition(".")[2] for name, _ in targets.things.values()}
    for code in _nested(function.__code__):
        if _DYNAMIC.intersection(code.co_names) or lasts.intersection(code.co_names) or _imports(code):
            return None
        if "small step" in targets.words and any(map(is_small, constants(code, function.__globals__, closed))):
            return None
        if "near calls" in targets.words and code is not function.__code__:
            return None
        for _, names, _ in loads(code):
            values += [value_of(names[:k], closed, function.__globals__) for k in range(1, len(names) + 1)]
    return [value for value in values if value is not None]


def _nested(code):
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _nested(inner)


@lru_cache(maxsize=1024)
def _imports(code):
    return any(step.opname == "IMPORT_NAME" for step in dis.get_instructions(code))


def _is_empty(cell):
    try:
        cell.cell_contents  # noqa: B018 - an empty one raises
    except ValueError:
        return True
    return False


def _is_own_type(kind):
    functions = [value for value in vars(kind).values() if code_of(value)]
    return any(is_own(value.__code__.co_filename) for value in functions)


def is_small(value: Any) -> bool:
    """True for what may be the step of a finite difference."""
    return isinstance(value, float) and 0 < abs(value) <= _STEP


def constants(code: CodeType, names: Mapping[str, Any], closed: Mapping[str, Any]) -> Iterator[Any]:
    """Everything constant that code uses: written in it, or under a name around it."""
    yield from code.co_consts
    yield from (names.get(name) for name in code.co_names)
    yield from (closed.get(name) for name in code.co_freevars)
