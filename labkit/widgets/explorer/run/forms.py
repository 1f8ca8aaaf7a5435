"""How a gradient is passed on: each form says in words what was done with what arrived, g, where that gives what was sent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product

import numpy as np

from ....engine import Summary
from ....ops import FUNCTIONS, op_of_node
from ...kit.words import number, shape
from .story import Named, Node, Rule

MOST = 1 << 16  # numbers of an array that is looked at
TRIED = 400  # places of a part
SLOPES = {  # of functions of one number, from what they gave (y) or were given (x)
    "(1 − {y}²)": lambda x, y: 1 - y * y,
    "{y} (1 − {y})": lambda x, y: y * (1 - y),
    "{y}": lambda x, y: y,
    "{y}²": lambda x, y: y * y,
    "/ {y}": lambda x, y: 1 / y,
    "cos({x})": lambda x, y: np.cos(x),
    "sin({x})": lambda x, y: np.sin(x),
    "exp({x})": lambda x, y: np.exp(x),
    "{x}²": lambda x, y: x * x,
}
TOGETHER = {
    "({x} − {y})": np.subtract,
    "{x} {y}": np.multiply,
    "{x} / {y}²": lambda a, b: a / (b * b),
}  # of two operands


def plain(value) -> bool:
    """Whether all its numbers are known, real and finite, and not too many."""
    if value is None or isinstance(value, Summary) or not 0 < np.size(value) <= MOST:
        return False
    return np.asarray(value).dtype.kind in "fiub" and bool(np.isfinite(value).all())


def turned(name: str) -> str:
    """The name of a matrix whose rows and columns are exchanged.

    >>> turned("w"), turned("wᵀ")
    ('wᵀ', 'w')
    """
    return name[:-1] if name.endswith("ᵀ") else f"{name}ᵀ"


@dataclass
class Edge:
    """`g` arrived, `s` was sent, to the operand `given`; what is `known` of the op's operands, and its `result`."""

    g: np.ndarray
    s: np.ndarray
    known: Sequence[Named]
    given: Named
    result: Named
    node: Node
    near: float

    def forms(self) -> Iterator[Rule]:
        """Those that fit, the plainest first."""
        if not self.s.any():
            yield Rule("only zeros")
            return
        for form in (_same, _moved, _part, _placed, _summed, _spread, _factors, _products, _let_through, _slopes):
            yield from form(self)

    def times(self, found: np.ndarray) -> float | None:
        """The number that `found` must be multiplied by to be what was sent; None where there is none. Few numbers fit many a
        form, so these must fit as they are."""
        s = self.s
        if found.shape != s.shape or not np.isfinite(found).all() or not found.any():
            return None
        c = float(np.vdot(found, s) / np.vdot(found, found))
        whole = [one for one in (1.0, -1.0) if abs(c - one) <= self.near]
        if not whole and s.size < 3:
            return None
        c = whole[0] if whole else c
        return c if np.abs(s - c * found).max() <= self.near * np.abs(s).max() else None


def _scaled(words, c):
    """Words for that times a number.

    >>> _scaled("g·w", -1.0), _scaled("g·w", 0.5)
    ('−g·w', '0.5 g·w')
    """
    return words if c == 1 else f"−{words}" if c == -1 else f"{number(c)} {words}"


def _same(e: Edge):
    if e.g.shape == e.s.shape and (c := e.times(e.g)) is not None:
        by = next(
            (name for name, value in e.known if np.size(value) == 1 and np.isclose(float(np.ravel(value)[0]), c)), ""
        )
        yield Rule("g unchanged" if c == 1 else "−g" if c == -1 else f"g × {by or number(c)}")


def _moved(e: Edge):
    if e.g.size != e.s.size:
        return
    if e.times(e.g.reshape(e.s.shape)) == 1 and not 2 == e.g.ndim == e.s.ndim:
        yield Rule(f"g reshaped to {shape(e.s.shape) or 'one number'}")
    if 1 < e.g.ndim == e.s.ndim <= 4 and any(
        e.times(e.g.transpose(axes)) == 1 for axes in permutations(range(e.g.ndim))
    ):
        yield Rule("g transposed back")
    elif e.times(e.g.reshape(e.s.shape)) == 1:
        yield Rule(f"g reshaped to {shape(e.s.shape)}")
    if np.array_equal(np.sort(e.g, None), np.sort(e.s, None)):
        yield Rule("g moved back to its places")


def _part(e: Edge):
    """A block of g, or one of what g is stacked of."""
    g, s = e.g, e.s
    if s.size >= g.size or g.ndim - s.ndim not in (0, 1):
        return
    for along in range(g.ndim) if g.ndim > s.ndim else [None]:
        dims = s.shape if along is None else (*s.shape[:along], 1, *s.shape[along:])
        rooms = [range(whole - part + 1) for whole, part in zip(g.shape, dims, strict=True)]
        if np.prod([len(room) for room in rooms]) <= TRIED:
            for at in product(*rooms):
                block = g[tuple(slice(i, i + n) for i, n in zip(at, dims, strict=True))]
                if e.times(block.reshape(s.shape)) == 1:
                    yield Rule("its part of g")


def _placed(e: Edge):
    """What is 0 but at some places."""
    there = e.s[e.s != 0]
    if e.s.size <= e.g.size or there.size == e.s.size:
        return
    if e.g.size == 1 and np.ptp(there) <= e.near * np.abs(there).max():
        c = float(there[0] / e.g.ravel()[0])
        at = f"{there.size} of {e.s.size} places, 0 elsewhere"
        yield Rule(f"g at {at}" if abs(c - 1) <= e.near else f"{_scaled('g', c)} at {at}")
    elif e.g.size > 1 and np.array_equal(np.sort(there), np.sort(e.g[e.g != 0])):
        yield Rule("g at the places where it came from, 0 elsewhere")


def _unbroadcast(array, dims):
    """Summed over what was repeated to come from a shape to the array's; None where it cannot be of that shape."""
    if array.ndim < len(dims):
        return None
    axes = tuple(range(array.ndim - len(dims)))
    found = array.sum(axes) if axes else array
    ones = tuple(i for i, (n, m) in enumerate(zip(dims, found.shape, strict=True)) if n == 1 != m)
    found = found.sum(ones, keepdims=True) if ones else found
    return found if found.shape == tuple(dims) else None


def _summed_over(array, dims) -> str:
    """In words, over what an array is summed to be of a shape."""
    lost = [i for i, n in enumerate(array.shape) if n > 1 and (i < array.ndim - len(dims) or dims[i - array.ndim] != n)]
    if np.prod(dims) == 1 and (array.ndim == 1 or len(lost) > 1):
        return "summed up"
    if array.ndim == 2:
        return f"summed over {array.shape[lost[0]]} {('rows', 'columns')[lost[0]]}"
    return f"summed over {'axis' if len(lost) == 1 else 'axes'} {' and '.join(map(str, lost))}"


def _summed(e: Edge):
    found = _unbroadcast(e.g, e.s.shape) if e.g.size > e.s.size else None
    if found is not None and (c := e.times(found)) is not None:
        yield Rule(f"{_scaled('g', c)} {_summed_over(e.g, e.s.shape)}")


def _spread(e: Edge):
    """One number of g for several."""
    g, s = e.g, e.s
    if g.size >= s.size or s.size % g.size or s.ndim > 6:
        return
    for count in range(1, s.ndim + 1):
        for axes in combinations(range(s.ndim), count):
            kept = tuple(1 if i in axes else n for i, n in enumerate(s.shape))
            if g.size == np.prod(kept) and (c := e.times(np.broadcast_to(g.reshape(kept), s.shape))) is not None:
                n = s.size // g.size
                part = "g" if c == 1 else f"g / {n}" if abs(c * n - 1) <= e.near else _scaled("g", c)
                yield Rule(f"{part} for each of {n} numbers" if g.size == 1 else f"{part} for each of {n}")
                return


def _factors(e: Edge):
    """Each number times one that is known."""
    x, y = e.given, e.result
    pairs = [(x, x), *((a, b) for a, b in permutations(e.known, 2))]
    tried = [(name, np.asarray(value, float)) for name, value in e.known]
    tried += [(f"/ {name}", 1 / factor) for name, factor in tried]
    for (a, first), (b, second) in pairs[1:]:
        tried += [
            (words.format(x=a, y=b), form)
            for words, made in TOGETHER.items()
            if (form := _made(made, first, second)) is not None
        ]
    one = [
        (words.replace("{y}", y[0] or "y").replace("{x}", x[0]), made, "{y}" in words) for words, made in SLOPES.items()
    ]
    for words, made, of_result in one:
        value = y[1] if of_result else x[1]
        if plain(value):
            tried.append((words, _made(made, value, value)))
    for words, factor in tried:
        if factor is None or np.size(factor) == 1 or not _fits(e.g, factor):
            continue
        every = e.g * factor
        found = _unbroadcast(every, e.s.shape)
        if found is not None and (c := e.times(found)) is not None:
            by = words if words.startswith("/") else f"× {words}" if c in (1, -1) else f"× {number(c)} {words}"
            head = "−g" if c == -1 else f"{number(c)} g" if words.startswith("/") and c != 1 else "g"
            more = f", {_summed_over(every, e.s.shape)}" if every.shape != e.s.shape else ""
            scaled = factor if c == 1 else c * factor
            yield Rule(f"{head} {by}{more}", (("g", e.g), (by.removeprefix("× "), scaled)), "×")


def _made(form, x, y):
    x, y = np.asarray(x, float), np.asarray(y, float)
    return form(x, y) if _fits(x, y) else None


def _fits(a, b):
    return all(1 in pair or pair[0] == pair[1] for pair in zip(np.shape(a)[::-1], np.shape(b)[::-1], strict=False))


def _products(e: Edge):
    """A matrix product with an operand. A vector is a column; of rows of rows all are rows."""
    for name, value in e.known:
        value = np.asarray(value, float)
        if not value.ndim or not e.g.ndim:
            continue
        pairs = [(("g", _matrix(e.g)), (name, _matrix(value)))]
        if 2 == e.s.ndim < e.g.ndim == value.ndim:
            pairs.append((("g", e.g.reshape(-1, e.g.shape[-1])), (name, value.reshape(-1, value.shape[-1]))))
        for left, right in (ordered for pair in pairs for ordered in _ordered(pair)):
            found = _product(left[1], right[1], e.s.shape)
            if found is not None and (c := e.times(found)) is not None:
                yield Rule(_scaled(f"{left[0]}·{right[0]}", c), (left, right), "·")


def _product(a, b, dims):
    """The product of two matrices in a shape; None where there is none."""
    if a.shape[-1] != b.shape[-2] or not _fits(a[..., 0, 0], b[..., 0, 0]):
        return None
    found = a @ b
    if len(dims) == 1:
        return found[:, 0] if found.shape[1:] == (1,) else None
    return _unbroadcast(found, dims)


def _matrix(array):
    return array[:, None] if array.ndim == 1 else array


def _ordered(pair: Sequence[Named]) -> Iterator[tuple[Named, Named]]:
    """Two matrices in both orders, each as it is or turned."""
    for first, second in (pair, pair[::-1]):
        for turns in ((False, False), (False, True), (True, False), (True, True)):
            left, right = (
                (turned(name), np.swapaxes(array, -1, -2)) if turn else (name, array)
                for (name, array), turn in zip((first, second), turns, strict=True)
            )
            yield left, right


def _let_through(e: Edge):
    """g at some places, 0 at others."""
    if e.g.shape != e.s.shape or e.s.all():
        return
    open_ = e.s != 0
    c = e.times(np.where(open_, e.g, 0.0))
    if c is None:
        return
    names = [
        (name, value) for name, value in (e.given, e.result) if name and plain(value) and np.shape(value) == e.s.shape
    ]
    above = next((name for name, value in names if np.array_equal((value > 0) & (e.g != 0), open_)), "")
    where = f"where {above} > 0, else 0" if above else f"with 0 at {int((~open_).sum())} of {e.s.size} places"
    factor = np.where(open_, c, 0.0)
    yield Rule(
        f"{'g' if c == 1 else _scaled('g', c)} {where}",
        (("g", e.g), (f"{above} > 0" if above else "slope", factor)),
        "×",
    )


def _slopes(e: Edge):
    """Each number times its own slope: where one number arrived, and of functions of one number."""
    single = e.g.size == 1
    if single or (e.g.shape == e.s.shape and e.g.all() and {e.node.op, op_of_node(e.node.grad_fn)} & set(FUNCTIONS)):
        what = "g times the slope of each number" if single else "each number of g times its own slope"
        yield Rule(what, (("g", e.g), ("slope", e.s / e.g)), "×")
