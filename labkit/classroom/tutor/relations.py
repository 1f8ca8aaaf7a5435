"""How a wrong number follows from the right one: its sign, a factor, a power, an order. Checked on every drawn input."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..closeness import Case, Reason, near, numbers, shape


@dataclass(frozen=True)
class Relation:
    """`wrong(inputs, right)` is what came, wherever it is not right. `says` goes on after "Your result"."""

    kind: str
    says: str
    wrong: Callable[[tuple, Any], Any]

    def holds(self, inputs: tuple, right: Any, got: Any) -> bool:
        """True where the relation gives just what came."""
        try:
            with np.errstate(all="ignore"):
                return near(self.wrong(inputs, numbers(right)), got)
        except (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError):
            return False


_FACTORS = {
    "is twice the right one": 2.0,
    "is half of the right one": 0.5,
    "is three times the right one": 3.0,
    "is a third of the right one": 1 / 3,
    "is four times the right one": 4.0,
    "is a quarter of the right one": 0.25,
    "is ten times the right one": 10.0,
    "is a tenth of the right one": 0.1,
}


def _scaled(factor: float) -> Callable[[tuple, Any], Any]:
    return lambda inputs, right: factor * right


def _ordered(kind, says, change):
    return Relation(kind, says, lambda inputs, right: change(right) if right.ndim else None)


RELATIONS = (
    Relation("zeros", "is 0", lambda i, r: 0 * np.ones(r.shape)),
    Relation("ones", "is 1", lambda i, r: np.ones(r.shape)),
    Relation("sign", "has the wrong sign", lambda i, r: -r),
    *(Relation("factor", says, _scaled(c)) for says, c in _FACTORS.items()),
    Relation("square", "is the square of the right one", lambda i, r: r**2),
    Relation("rounded", "is the right one, rounded towards 0 to a whole number", lambda i, r: np.trunc(r)),
    Relation("rounded", "is the right one, rounded to a whole number", lambda i, r: np.round(r)),
    Relation("one-off", "is one more than the right one", lambda i, r: r + 1),
    Relation("one-off", "is one less than the right one", lambda i, r: r - 1),
    _ordered("reversed", "has the right elements in the opposite order", lambda r: r[::-1]),
    _ordered("reversed", "has the right elements, each row in the opposite order", lambda r: r[..., ::-1]),
    _ordered("transposed", "is the right one with rows and columns exchanged", lambda r: r.T),
)


def of_arguments(names: tuple[str, ...], inputs: tuple) -> Iterator[Relation]:
    """The relations in which an argument has a part; `inputs` shows what kind each of them is."""
    for k, name in enumerate(names):
        if numbers(inputs[k]) is None:
            continue
        at = _argument(k)
        yield Relation("argument", f"is the argument {name} itself", _then(at, np.asarray))
        yield from _with(name, at, f"{name}")
        if shape(inputs[k]):
            yield Relation("argument", f"is the sum of {name}", _then(at, np.sum))
            yield Relation("argument", f"is the mean of {name}", _then(at, np.mean))
            size = _measured(at, np.size)
            yield from _with(name, size, f"the number of elements of {name}", "size", added=False)
            rows = _measured(at, len)
            yield from _with(name, rows, f"the length of {name}", "size", added=False)


def _argument(k):
    return lambda i: np.asarray(numbers(i[k]))


def _then(at, take):
    return lambda i, r: take(at(i))


def _measured(at, measure):
    return lambda i: np.asarray(float(measure(at(i))))


def _with(name, at, words, kind="argument", added=True):
    kind = "factor-of-" + kind
    yield Relation(kind, f"is the right one times {words}", _times(at))
    yield Relation(kind, f"is the right one divided by {words}", _over(at))
    if added:
        yield Relation("term", f"is too large by {words}", lambda i, r: r + at(i))
        yield Relation("term", f"is too small by {words}", lambda i, r: r - at(i))


def _times(at):
    return lambda i, r: r * at(i)


def _over(at):
    return lambda i, r: r / at(i)


def related(names: tuple[str, ...], cases: list[Case]) -> Reason | None:
    """The first relation that holds in every one of `cases`, whose results are numbers or arrays."""
    if not cases or any(numbers(case.right) is None or numbers(case.got) is None for case in cases):
        return None
    if all(near(case.right, case.got) for case in cases):  # wrong by less than a relation can say
        return None
    known = RELATIONS if _tells(cases) else ()
    for relation in (*known, *(of_arguments(names, cases[0].inputs) if _tells(cases, 4) else ())):
        if all(relation.holds(case.inputs, case.right, case.got) for case in cases):
            return Reason(relation.kind, relation.says)
    return None


def _tells(cases, enough=3):
    """True where it could hardly be by chance: broken numbers from two inputs at least, or enough different ones."""
    flat = np.concatenate([np.ravel(numbers(case.got)) for case in cases])
    different = len(np.unique(flat))
    return different >= enough or (len(cases) > 1 and (different == 1 or bool(np.any(flat != np.round(flat)))))
