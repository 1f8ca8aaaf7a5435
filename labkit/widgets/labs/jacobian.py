"""The Jacobian of a function as a heat map that is built one VJP (a row) or one JVP (a column) at a time.

The matrix is described in words, too: diagonal, banded, rank one, symmetric ... each computed, none assumed.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...messages.wrapping import Prose
from ..kit.lab import Lab, plain
from ..kit.module import module, style
from ..kit.passes import passes
from ..kit.sketch import Sketch
from ..kit.traits import Trait, traits
from ..kit.words import counted, number

MAX_RANKED = 300  # a singular value decomposition beyond this takes longer than the sentence is worth


def structure(matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str], batch: int = 1) -> list[str]:
    """Sentences that are true of a Jacobian, its most telling property first.

    `matrix`: rows are outputs, columns inputs, whose labels `rows` and `columns` are. `batch`: how many examples both are
    made of (their common first axis), 1 for none. Zeros are exact zeros; equality is to rounding in the matrix's dtype.

    >>> structure(np.diag([1.0, 2.0]), ["y[0]", "y[1]"], ["x[0]", "x[1]"])
    ['Diagonal, as of an elementwise function: each output depends only on its own input.']
    """
    wrong = ~np.isfinite(matrix)
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        said = {"row": rows[i], "column": columns[j], "value": number(matrix[i, j])}
        return [WORDS["not finite"].format(count=wrong.sum(), all=matrix.size, **said)]
    if not matrix.any():
        return ["All zero: here no output depends on any input."]
    shape = _shape(matrix, batch)
    diagonal = shape is not None and shape.startswith("Diagonal")
    silent = (
        []
        if diagonal
        else _sentence_about(rows, matrix.any(1), "{} depends on no input here.", "{} depend on no input here.")
    )
    unused = _sentence_about(columns, matrix.any(0), "No output depends on {} here.", "No output depends on {} here.")
    more = [] if diagonal else [*_equal(matrix), *_rank(matrix)]
    return [words for words in (shape, *unused, *silent, *more) if words]


def _sentence_about(labels, used, one, several):
    names = [label for label, is_used in zip(labels, used, strict=True) if not is_used]
    if not names:
        return []
    shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    return [(one if len(names) == 1 else several).format(shown)]


def _shape(matrix, batch):
    """Where the entries that are not zero stand."""
    m, n = matrix.shape
    i, j = np.nonzero(matrix)
    low, high = int((j - i).min()), int((j - i).max())
    if m == n > 1 and low == high == 0:
        entries = np.diagonal(matrix)
        if len(set(entries.tolist())) == 1:
            return WORDS["identity"].format(value=number(entries[0]))
        return "Diagonal, as of an elementwise function: each output depends only on its own input."
    if batch > 1 and np.array_equal(i // (m // batch), j // (n // batch)):
        return WORDS["block"].format(batch=batch)
    if min(m, n) > 2 and high - low + 1 <= n // 2:
        return WORDS["banded"].format(low=_offset(low), high=_offset(high))
    if m == n > 2 and high == 0:
        return "Lower triangular: an output depends on the inputs up to its own position, as in a running sum."
    if m == n > 2 and low == 0:
        return "Upper triangular: an output depends on the inputs from its own position on."
    return None


def _offset(by):
    return "i" if by == 0 else f"i {'+' if by > 0 else '−'} {abs(by)}"


def _equal(matrix):
    m, n = matrix.shape
    close = 10 * _eps(matrix) * np.abs(matrix).max()
    return ["Symmetric."] if m == n > 1 and np.abs(matrix - matrix.T).max() <= close else []


def _rank(matrix):
    least = min(matrix.shape)
    if least < 2 or least > MAX_RANKED:
        return []
    sizes = np.linalg.svd(matrix.astype(float), compute_uv=False)
    rank = int(np.sum(sizes > sizes.max() * max(matrix.shape) * _eps(matrix)))
    if rank == 1:
        return ["Rank one: every row is a multiple of one row."]
    if rank < least:
        return [WORDS["rank"].format(rank=rank, least=least)]
    return []


def _eps(matrix: np.ndarray) -> float:
    return float(np.finfo(matrix.dtype).eps)


def pooled(matrix: np.ndarray, rows: Sequence[np.ndarray], columns: Sequence[np.ndarray]) -> np.ndarray:
    """One number for each block: its entry of largest magnitude, or one that is not finite where there is one.

    >>> pooled(np.array([[1.0, -3.0, 0.0], [2.0, 0.5, 0.0]]), [np.arange(2)], [np.arange(2), np.arange(2, 3)])
    array([[-3.,  0.]])
    """
    size = np.where(np.isfinite(matrix), np.abs(matrix), np.inf)
    found = np.empty((len(rows), len(columns)), matrix.dtype)
    for i, r in enumerate(rows):
        for j, c in enumerate(columns):
            block = np.ix_(r, c)
            found[i, j] = matrix[block].flat[np.argmax(size[block])]
    return found


MOST, SPELLED = 40, 8  # rows and columns that are drawn one by one; numbers that are written in a sentence
WAYS = ("VJP", "JVP")
WORDS = {
    "title": "Jacobian{of}: {size}",
    "about": "A heat map of {size}: how much each output (row) changes with each input (column).",
    "pooled": " It is drawn as {m} by {n} tiles, each the entry of largest magnitude in a block of up to {block}.",
    "refused": " Forward mode fails on this function ({why}). Its columns are those of the VJPs.",
    "random": " VJPs and JVPs give different matrices: each run of this function gives another output. Is it random?",
    "identity": "Diagonal: {value} times the identity.",
    "block": "Block diagonal: {batch} examples, each output depends only on the input of its own example.",
    "banded": "Banded: row i is zero outside columns {low} to {high}.",
    "rank": "Rank {rank}, where {least} is possible: some rows are combinations of others.",
    "start": "{letter} = 0. Drag it: each {way}, one {pass} pass, gives a {line} of J.",
    "unit": "{way} {k} of {most}: {letter} = 1 at {name} alone gives its {line}, {numbers}. The whole matrix takes {takes}.",
    "mix": "{letter} = {weights}: {made} = {numbers}.",
    "ones": "v = 1 at every output: the sum of all rows, {numbers}. ms.grad returns it; PyTorch's backward() raises an error.",
    "zero": "v = 1 at every output: the rows add up to 0, because the outputs always add up to the same number.",
    "not finite": "Entries that are not finite: {count} of {all}, the first at {row} by {column}: {value}.",
    "turn": "{made} = {sum}: its norm is {times} × that of {letter}. Other directions give {least} to {most}.",
    "ask many": "How many {way}s does the whole matrix take?",
    "many right": "One {way} gives one {line}, and J has {most}.",
    "many slip": "The other mode takes this many.",
    "many all": "That is the number of entries. One {way} gives a whole {line} of them.",
    "many otherwise": "Count what one {way} fills.",
    "ask entry": "{letter} = 1 at {name} alone. Which number is {made} at {other}?",
    "entry right": "It is the entry of J for {name} and {other}.",
    "entry sign": "The magnitude is right, the sign is not.",
    "entry swapped": "That is the transposed entry: row and column are swapped.",
    "entry value": "That is {name} itself, not how it changes.",
    "entry otherwise": "How much does the output change when the input changes?",
    "ask sum": "v = 1 at every output. Which number is vᵀJ at {other}?",
    "sum right": "The rows are added up.",
    "sum last": "That is only the last row. Now v = 1 at every output.",
    "sum mean": "That is the mean. The rows are added, not averaged.",
    "sum otherwise": "Add up its column.",
}


class JacobianMap(Lab):
    """The Jacobian of `fn` at `args`: output elements as rows, input elements as columns.

    `fn`: any function of arrays or of a dialect's tensors, a Cell or a Module. `argnum`: the argument to differentiate
    by, a position or a name (a parameter's name, for a network). Up to 40 rows and columns are drawn one by one; a larger
    Jacobian is pooled.

    Traits: `way` ("VJP" or "JVP"); `rows` and `columns`, how many of them are computed (where all rows are, one more is the
    VJP with ones); `turn`, whether v or t is turned in the plane of two elements, and `angle`, in degrees.

    Raises TypeError for what is not numeric, IndexError for an unknown argument, ValueError for an empty input or output or
    more than 4 million entries.

    >>> lab = JacobianMap(lambda x: x**2, np.array([1.0, 3.0]))
    >>> lab.matrix
    array([[2., 0.],
           [0., 6.]])
    """

    path = Path(__file__).with_name("jacobian.js")
    state_names = ("way", "rows", "columns", "turn", "angle")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style()
    way: Trait = traits.Enum(WAYS, default_value="VJP").tag(sync=True)
    rows: Trait = traits.Float().tag(sync=True)
    columns: Trait = traits.Float().tag(sync=True)
    turn: Trait = traits.Bool(default_value=False).tag(sync=True)
    angle: Trait = traits.Float(default_value=30.0).tag(sync=True)

    def __init__(self, fn: Callable, *args: Any, argnum: int | str = 0):
        p = self.passes = passes(fn, args, argnum)
        blocks = [np.array_split(np.arange(size), min(size, MOST)) for size in p.matrix.shape]
        tiles = pooled(p.matrix, *blocks)
        m, n = tiles.shape
        size = f"{counted(p.matrix.shape[0], 'output')}, {counted(p.matrix.shape[1], 'input')}"
        of = p.formula if 0 < len(p.formula) <= 44 else p.name.replace("<lambda>", "")
        about = " ".join([WORDS["about"].format(size=size), *structure(p.matrix, p.rows, p.columns, p.batch)])
        if tiles.shape != p.matrix.shape:
            about += WORDS["pooled"].format(m=m, n=n, block=f"{len(blocks[0][0])} by {len(blocks[1][0])}")
        about += WORDS["refused"].format(why=p.refused) if p.refused else "" if p.agree else WORDS["random"]
        weights = np.abs(p.matrix).sum(0)
        zero = (
            np.isfinite(weights).all() and weights.any() and (np.abs(p.total) <= 1e3 * _eps(p.matrix) * weights).all()
        )
        self._tiles, self._turns = tiles, {"VJP": _plane(p.matrix.T, tiles), "JVP": _plane(p.matrix, tiles)}
        super().__init__(WORDS["title"].format(of=f" of {of}" if of else "", size=size), {
            "about": about, "tiles": plain(tiles), "total": plain(pooled(p.total[None], [np.arange(1)], blocks[1])[0]),
            "counts": {way: [int(b[-1]) + 1 for b in some] for way, some in zip(WAYS, blocks, strict=True)},
            "names": {"VJP": _names(p.rows, blocks[0]), "JVP": _names(p.columns, blocks[1])},
            "values": {"VJP": plain(p.y[[b[0] for b in blocks[0]]]), "JVP": plain(p.x[[b[0] for b in blocks[1]]])},
            "takes": f"{counted(p.matrix.shape[0], 'VJP')} or {counted(p.matrix.shape[1], 'JVP')}", "turns": self._turns,
            "zero": bool(zero), "written": f"{p.rows[0].partition('[')[0]} = {p.formula}" if p.formula else "",
        }, rows=float(m), columns=float(n))  # fmt: skip

    @property
    def matrix(self) -> np.ndarray:
        """The Jacobian, outputs by inputs, both flattened."""
        return self.passes.matrix

    def describe(self, **state: Any) -> str:
        """What is true of the matrix, and what the pass gives that is shown. `state`: other values of some traits."""
        return Prose("\n".join((f"{self.title}.", self.data["about"], self._sentence(**self.state_with(**state)))))

    def _sentence(self, way, rows, columns, turn, angle):
        back = way == "VJP"
        lines, at = (self._tiles, rows) if back else (self._tiles.T, columns)
        names, most, plane = self.data["names"][way], len(lines), self._turns[way]
        letter, made, line, one = ("v", "vᵀJ", "row", "backward") if back else ("t", "J t", "column", "forward")
        counts, takes = self.data["counts"][way], self.data["takes"]
        said = {
            "way": way,
            "most": counts[-1],
            "takes": takes,
            "letter": letter,
            "made": made,
            "line": line,
            "pass": one,
        }
        if turn and plane:
            tip = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
            parts = [f"{number(w)} × {line} of {names[k]}" for w, k in zip(tip, plane["at"], strict=True)]
            said |= {"times": number(np.linalg.norm(np.array(plane["part"]) @ tip)), "sum": " + ".join(parts)}
            said |= dict(zip(("most", "least"), map(number, plane["sizes"]), strict=True))
            return WORDS["turn"].format(**said)
        weights = np.clip(1 - np.abs(at - 1 - np.arange(most)), 0, 1)
        weights = np.append(np.full(most - 1, at - most), 1.0) if at > most else weights
        used = np.flatnonzero(weights)
        found = self.data["total"] if at == most + 1 else (weights[used] @ lines[used].astype(float)).tolist()
        said |= {"numbers": _listed(found), "weights": " + ".join(f"{number(weights[k])} × {names[k]}" for k in used)}
        kind = "start" if not at else "mix" if at % 1 else "unit"
        kind = kind if at <= most or at % 1 else "zero" if self.data["zero"] else "ones"
        return WORDS[kind].format(k=counts[min(int(at), most) - 1], name=names[used[0]] if len(used) else "", **said)

    def svg(self, theme: str = "light", **state: Any) -> str:
        """A small still picture of the whole matrix."""
        (m, n), written = self._tiles.shape, max(self._tiles.shape) <= 12
        w, h = (46, 26) if written else (8, 8)
        sketch = Sketch(theme, max(n * w + 20, 120), m * h + 20, self.describe(**state).splitlines()[-1])
        for (i, j), value in np.ndenumerate(self._tiles):
            colour = (
                ("panel", "forward-fill", "backward-fill")[int(np.sign(value))] if np.isfinite(value) else "bad-fill"
            )
            sketch.rect(10 + j * w, 10 + i * h, w - 1, h - 1, colour)
            if written:
                sketch.text(10 + (j + 0.5) * w, 27 + i * h, fitted(value), "ink")
        return str(sketch)


def fitted(value: float) -> str:
    """A number of at most six characters, as far as it goes, so that it fits a tile.

    >>> [fitted(value) for value in (-0.00884, 1234.5, -12345.6, 1e-7)]
    ['−0.009', '1234', '−12346', '1e−07']
    """
    found = [number(value, most) for most in (3, 4, 5, 2, 1)]
    return next((words for words in found if len(words) <= 6), found[-1])


def _names(names, blocks):
    return [names[b[0]] if len(b) == 1 else f"{names[b[0]]} … {names[b[-1]]}" for b in blocks]


def _listed(values):
    return f"[{', '.join(number(float(v)) for v in values[:SPELLED])}{', …' * (len(values) > SPELLED)}]"


def _plane(matrix: np.ndarray, tiles: np.ndarray) -> dict[str, Any] | None:
    """The two columns of a matrix with the largest entries: `at` are their places, `part` both in coordinates of two.

    The coordinates are those of two rows if no other row has entries there; else of the plane that both columns span
    (`spanned`), so that norms are those of all rows. `sizes` are its singular values. None for what cannot be drawn so.
    """
    if tiles.size != matrix.size or min(matrix.shape) < 2 or not np.isfinite(matrix).all() or not matrix.any():
        return None
    at = sorted(np.argsort(-np.abs(matrix).max(0), kind="stable")[:2].tolist())
    moved = matrix[:, at].astype(float)
    rows = sorted(np.argsort(-np.abs(moved).max(1), kind="stable")[:2].tolist())
    spanned = bool(np.delete(moved, rows, 0).any())
    part = np.linalg.qr(moved)[1] if spanned else moved[rows]
    part = part * np.where(np.diag(part) < 0, -1.0, 1.0)[:, None] if spanned else part
    return {"at": at, "to": rows, "part": part.tolist(), "spanned": spanned, "sizes": np.linalg.svd(part)[1].tolist()}
