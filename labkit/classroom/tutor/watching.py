"""The values that a right answer computes on its way: of every expression of an exercise's solution, for drawn inputs."""

import ast
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ...engine import getval, isbox
from ...evidence import call, plain_data
from ..closeness import Case, Reason, agree, near, numbers
from ..exercise import Exercise
from .slipped import ONE, namespace, quiet

LARGEST = 10_000  # elements of a value that is kept
_WATCHED = (ast.BinOp, ast.UnaryOp, ast.Call, ast.Subscript, ast.Name, ast.Attribute, ast.Compare)


@dataclass
class Seen:
    """What one expression gave: the first time, the last but one, and the last."""

    first: Any = None
    before: Any = None
    last: Any = None
    times: int = 0

    def add(self, value: Any) -> None:
        """One more."""
        self.before, self.last = self.last, value
        if not self.times:
            self.first = value
        self.times += 1


class _Watch(ast.NodeTransformer):
    """Sends the value of every expression inside a function through `_seen`."""

    def __init__(self):
        self.count, self.inside = 0, 0

    def visit_FunctionDef(self, node):
        self.inside += 1
        node.body = [self.visit(line) for line in node.body]
        self.inside -= 1
        return node

    def visit_Lambda(self, node):
        self.inside += 1
        node.body = self.visit(node.body)
        self.inside -= 1
        return node

    def visit_Call(self, node):
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        node.args = [self.visit(arg) for arg in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        return self._sent(node)

    def generic_visit(self, node):
        super().generic_visit(node)
        return self._sent(node)

    def _sent(self, node):
        if not (self.inside and isinstance(node, _WATCHED) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)):
            return node
        self.count += 1
        sent = ast.Call(ast.Name("_seen", ast.Load()), [ast.Constant(self.count), node], [])
        return ast.copy_location(sent, node)


@lru_cache(maxsize=40)
def _watched(source: str):
    tree = _Watch().visit(ast.parse(source))
    return compile(ast.fix_missing_locations(tree), "<watched>", "exec")


def watch(exercise: Exercise, inputs: tuple) -> dict[int, Seen]:
    """What each expression of the solution gave for plain `inputs`, by its number."""
    found: dict[int, Seen] = {}

    def seen(number, value):
        bare = _bare(value)
        if bare is not None:
            found.setdefault(number, Seen()).add(bare)
        return value

    names = {**namespace(), "_seen": seen}
    with quiet():
        call(lambda: exec(_watched(exercise.solution), names), (), ONE)
        if callable(answer := names.get("answer")):
            call(answer, exercise.wrap(inputs), 4 * ONE)
    return found


def _bare(value):
    while isbox(value):
        value = getval(value)
    try:
        value = plain_data(value)
    except Exception:  # an object of the solution's own
        return None
    array = numbers(value)
    return value if array is not None and array.size <= LARGEST and not isinstance(value, bool) else None


_ON_THE_WAY = "is a value that is computed on the way to the result. What is still to be done with it?"
_EARLIER = "is the right one as it was one step or one turn earlier. Is something returned or noted too soon?"
_AT_FIRST = "is the right one as it was after the first step or turn. Does something end too early?"
_FACTOR = "is the right one times a value that is computed on the way. Is a factor too many, or a division forgotten?"
_DIVIDED = (
    "is the right one divided by a value that is computed on the way. Is a factor forgotten, or a division too many?"
)
_MORE = "is the right one plus a value that is computed on the way. Is a term too many, or with the other sign?"
_LESS = "is the right one minus a value that is computed on the way. Is a term forgotten, or with the other sign?"
_JOINED = (
    ("factor-on-the-way", _FACTOR, np.multiply), ("factor-on-the-way", _DIVIDED, np.divide),
    ("term-on-the-way", _MORE, np.add), ("term-on-the-way", _LESS, np.subtract),
)  # fmt: skip


def passed(seen: list[dict[int, Seen]], cases: list[Case]) -> Reason | None:
    """What came is a value that the solution has on its way, or the result of one turn before; in every one of `cases`."""
    if not _telling(cases):
        return None
    both = set.intersection(*(set(one) for one in seen))
    for number in sorted(both, reverse=True):
        ways = [one[number] for one in seen]
        if all(way.times > 1 and agree(case.right, way.last) for way, case in zip(ways, cases, strict=True)):
            if all(agree(way.before, case.got) for way, case in zip(ways, cases, strict=True)):
                return Reason("one-step-early", _EARLIER)
            if all(agree(way.first, case.got) for way, case in zip(ways, cases, strict=True)):
                return Reason("first-step-alone", _AT_FIRST)
    for number in sorted(both, reverse=True):
        if all(agree(one[number].last, case.got) for one, case in zip(seen, cases, strict=True)):
            return Reason("on-the-way", _ON_THE_WAY)
    return None


def _telling(cases):
    """True where it could hardly be by chance: broken numbers, or many whole ones."""
    got = [numbers(case.got) for case in cases]
    if any(one is None for one in got):
        return False
    flat = np.concatenate([np.ravel(one) for one in got])
    return bool(np.any(flat != np.round(flat))) or len(np.unique(flat)) > 3


def joined(seen: list[dict[int, Seen]], cases: list[Case]) -> Reason | None:
    """What came is the right result times, divided by, plus or minus a value on the way, in every one of `cases`."""
    if len(cases) < 2 or not _telling(cases) or any(numbers(c.right) is None for c in cases):
        return None
    both = set.intersection(*(set(one) for one in seen))
    for kind, says, join in _JOINED:
        for number in sorted(both):
            values = [one[number].last for one in seen]
            if all(_gives(join, value, case) for value, case in zip(values, cases, strict=True)):
                return Reason(kind, says)
    return None


def _gives(join, value, case):
    right, value = numbers(case.right), numbers(value)
    if value.shape not in ((), right.shape) or not np.any(right):
        return False
    with np.errstate(all="ignore"):
        return near(join(right, value), case.got)
