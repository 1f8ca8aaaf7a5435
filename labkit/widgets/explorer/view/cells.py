"""A cell of a matrix product: the row and the column that it is made of, and the sum, written out."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...kit.arrays import Tiles
from ...kit.scene import Link, Mark, rect
from ...kit.words import number

MOST_TERMS = 8  # of a sum that is written out


class Product(NamedTuple):
    """Two factors and what they give, each with the number of its part in a group."""

    first: Tiles
    second: Tiles
    result: Tiles


def product_in(parts: Sequence[Tiles | str]) -> Product | None:
    """The product that the parts of a group are, if they are one whose numbers are all there."""
    if len(parts) != 5 or parts[1::2] != ["·", "="]:
        return None
    found = [part for part in parts if isinstance(part, Tiles)]
    if len(found) != 3 or any(tiles.rows is None or np.ndim(tiles.value) != 2 for tiles in found):
        return None
    first, second, result = (np.asarray(tiles.value, float) for tiles in found)
    fits = first.shape[1] == second.shape[0] and result.shape == (len(first), second.shape[1])
    return Product(*found) if fits and np.allclose(first @ second, result, rtol=1e-3, atol=1e-6) else None


def cell_marks(product: Product, places: Sequence[tuple[float, float]], prefix: str) -> Iterator[Mark]:
    """Over each cell of the result what is pointed at, and the outlines of its row and column; `places`: the left upper
    corners of the three."""
    (a, b, c), rows = product, np.asarray(product.result.value)
    if not c.read:
        return
    inner = np.shape(a.value)[1]
    for i, j in np.ndindex(*rows.shape):
        link = f"{prefix} {i} {j}"
        yield rect(*a.block(*places[0], i, 0, 1, inner), "way", 2, link=link)
        yield rect(*b.block(*places[1], 0, j, inner, 1), "way", 2, link=link)
        yield rect(*c.block(*places[2], i, j, 1, 1), "cell", 2, link=link)


def cell_links(product: Product, prefix: str, step: int) -> Iterator[tuple[str, Link]]:
    """What is said of each cell: nothing before the step at which it is seen."""
    a, b, c = product
    first, second, result = (np.asarray(tiles.value, float) for tiles in product)
    for i, j in np.ndindex(*result.shape):
        terms = [f"{_bracketed(x)}·{_bracketed(y)}" for x, y in zip(first[i], second[:, j], strict=True)]
        more = f" + … {len(terms) - MOST_TERMS} more" if len(terms) > MOST_TERMS else ""
        head = f"{c.name}[{i}, {j}] = row {i} of {a.name} · column {j} of {b.name}"
        said = f"{' + '.join(terms[:MOST_TERMS])}{more} = {number(result[i, j])}"
        yield f"{prefix} {i} {j}", Link(f"{head}: {said}", [head, said], name=head, known={"step": step})


def _bracketed(value):
    return f"({number(value, 2)})" if value < 0 else number(value, 2)
