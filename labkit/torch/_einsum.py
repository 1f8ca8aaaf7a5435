"""Sums of products by index letters, as PyTorch computes them: dimensions put in one order, then products of matrices."""

from collections import Counter
from math import prod
from string import ascii_letters

from ._linear import bmm
from ._picking import diagonal
from ._shaping import movedim, permute, reshape, unsqueeze
from ._table import FUNCTIONS, function
from ._tensor import Tensor


@function()
def einsum(equation, *operands):
    """Sums of products by index letters, such as `"ij,jk->ik"`; or each tensor followed by a list of numbers for letters."""
    if isinstance(equation, Tensor):
        equation, *operands = _of_lists([equation, *operands])
    given = operands[0] if len(operands) == 1 and isinstance(operands[0], (tuple, list)) else operands
    inputs, output = _letters(equation.replace(" ", ""))
    _check_letters(inputs, given)
    inputs, output, order = _spelt_out(inputs, output, given)
    lined = [_in_order(x, letters, order) for x, letters in zip(given, inputs, strict=True)]
    return _contracted(lined, len(output), len(order))


# ---- the equation ----


def _of_lists(given):
    """Tensors and lists of numbers in turn, and perhaps a list for the result, as an equation and tensors."""
    word = lambda places: "".join("..." if p is ... else ascii_letters[p] for p in places)
    pairs = len(given) // 2
    inputs = ",".join(word(places) for places in given[1 : 2 * pairs : 2])
    return [inputs + (f"->{word(given[-1])}" if len(given) % 2 else ""), *given[: 2 * pairs : 2]]


def _letters(equation):
    left, arrow, output = equation.partition("->")
    inputs = left.split(",")
    if not arrow:
        output = "".join(sorted(c for c in set(left) - {",", "."} if left.count(c) == 1))
        output = ("..." if "..." in left else "") + output
    return inputs, output


def _check_letters(inputs, given):
    """Raise RuntimeError where a letter stands for two sizes."""
    seen: dict[str, int] = {}
    for place, (letters, x) in enumerate(zip(inputs, given, strict=False)):
        front, _, back = letters.partition("...")
        sizes = [*zip(front, x.shape, strict=False), *zip(reversed(back), reversed(x.shape), strict=False)]
        for letter, size in sizes:
            before = seen.setdefault(letter, size)
            if 1 not in (size, before) and size != before:
                raise RuntimeError(
                    f"einsum(): subscript {letter} has size {size} for operand {place} which does not broadcast with "
                    f"previously seen size {before}"
                )
            seen[letter] = max(size, before)


def _spelt_out(inputs, output, given):
    """Letters as lists, with a number for each dimension of "..."; and the order of all: those of the result first."""
    hidden = [x.ndim - len(letters) + 3 if "..." in letters else 0 for x, letters in zip(given, inputs, strict=True)]
    most = max(hidden)
    spelt = lambda letters, count: [
        *letters.partition("...")[0],
        *(range(most - count, most) if "..." in letters else ()),
        *letters.partition("...")[2],
    ]
    lists, shown = [spelt(*pair) for pair in zip(inputs, hidden, strict=True)], spelt(output, most)
    used = {letter for letters in lists for letter in letters}
    summed = [letter for letter in (*range(most), *ascii_letters.swapcase()) if letter in used - {*shown}]
    return lists, shown, shown + summed


# ---- the tensors ----


def _in_order(x, letters, order):
    """`x` with one dimension for each letter in `order`, of size 1 where it has none; the diagonal where it has one twice."""
    known: list = []
    for letter in letters:
        if letter in known:
            x = movedim(diagonal(x, 0, known.index(letter), len(known)), -1, known.index(letter))
        else:
            known.append(letter)
    for letter in order:
        if letter not in known:
            x = unsqueeze(x, -1)
            known.append(letter)
    return permute(x, [known.index(letter) for letter in order])


def _contracted(given, shown, dims):
    """The product of tensors whose dimensions from `shown` on are summed over, each as soon as it can be."""
    left = Counter(d for x in given for d in range(shown, dims) if x.shape[d] != 1)
    found, *others = given
    for x in others:
        pair, now = (found, x), []
        for d in range(shown, dims):
            has = [y.shape[d] != 1 for y in pair]
            left[d] -= all(has)
            if left[d] == 1 and any(has):
                left[d] = 0
                now.append(d)
        a, b = (_summed(y, [d for d in now if z.shape[d] == 1]) for y, z in (pair, pair[::-1]))
        found = _multiplied(a, b, [d for d in now if a.shape[d] != 1])
    if dims == shown:
        return found
    return reshape(found, found.shape[:shown]) if others else FUNCTIONS["sum"](found, list(range(shown, dims)))


def _summed(x, dims):
    return FUNCTIONS["sum"](x, dims, True) if dims else x


def _multiplied(a, b, dims):
    """The sum over `dims` of the product of two tensors, as one product of batches of matrices; `dims` keep the size 1."""
    if not dims:
        return a * b
    free = [d for d in range(a.ndim) if d not in dims]
    batch = [d for d in free if a.shape[d] != 1 and b.shape[d] != 1]
    rows = [d for d in free if a.shape[d] != 1 and b.shape[d] == 1]
    columns = [d for d in free if a.shape[d] == 1]
    of = lambda x, kind: prod(x.shape[d] for d in kind)
    mine, theirs = permute(a, batch + rows + dims + columns), permute(b, batch + dims + columns + rows)
    product = bmm(
        reshape(mine, (of(a, batch), of(a, rows), of(a, dims))),
        reshape(theirs, (of(a, batch), of(a, dims), of(b, columns))),
    )
    order = batch + rows + dims + columns
    sizes = [a.shape[d] if d in batch + rows else 1 if d in dims else b.shape[d] for d in order]
    return permute(reshape(product, sizes), [order.index(d) for d in range(a.ndim)])
