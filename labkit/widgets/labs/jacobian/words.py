"""What is said and asked about a Jacobian: labels, captions, questions, tips. Every number comes from the passes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...kit.passes import Passes
from ...kit.scene import Ask, Changes
from ...kit.words import counted, in_full, minus, number, paragraph
from .directions import TURNS, Directions
from .structure import structure

LONGEST = 44  # letters of a formula in a title
SPELLED = 8  # a row of at most so many numbers is written out


@dataclass(eq=False)
class JacobianWords:
    """The words to `passes`, whose rows and columns are drawn in the blocks `rows` and `columns`."""

    passes: Passes
    rows: Sequence[np.ndarray]
    columns: Sequence[np.ndarray]

    def __post_init__(self) -> None:
        self.m, self.n = self.passes.matrix.shape
        self.row_names = [_range([self.passes.rows[k] for k in block]) for block in self.rows]
        self.column_names = [_range([self.passes.columns[k] for k in block]) for block in self.columns]

    @cached_property
    def structure(self) -> str:
        """What is true of the matrix as a whole."""
        p = self.passes
        return " ".join(structure(p.matrix, p.rows, p.columns, p.batch))

    @property
    def title(self) -> str:
        """What the picture is called."""
        name = "" if self.passes.name == "<lambda>" else self.passes.name
        formula = self.passes.formula or ""
        called = formula if 0 < len(formula) <= LONGEST else name
        of = f" of {called}" if called else ""
        return f"Jacobian{of}: {self.size}"

    @property
    def size(self) -> str:
        """How many outputs and inputs, in words."""
        return f"{counted(self.m, 'output')}, {counted(self.n, 'input')}"

    @property
    def description(self) -> str:
        what = f"A heat map of {self.size}: how much each output (row) moves with each input (column)."
        return paragraph(what, self.structure, self.pooling)

    @property
    def pooling(self) -> str:
        """How a large matrix is drawn; "" for one that is drawn entry by entry."""
        m, n = len(self.rows), len(self.columns)
        if (m, n) == (self.m, self.n):
            return ""
        block = f"{len(self.rows[0])} by {len(self.columns[0])}"
        return f"It is drawn as {m} by {n} tiles, each the entry of largest magnitude in a block of up to {block}."

    @property
    def notice(self) -> str:
        """Said where forward mode fails, or where a run of the function does not repeat."""
        if self.passes.refused:
            return f"Forward mode fails on this function ({self.passes.refused}). Its columns are shown from the pulls."
        if not self.passes.agree:
            return "Pulls and pushes give different matrices: every run of this function gives another output. Is it random?"
        return ""

    # ---- positions ----

    @property
    def pulls(self) -> list[str]:
        """The positions of the dial of pulls."""
        return ["none yet", *self.row_names, *(["all ones"] if self.m > 1 else [])]

    @property
    def pushes(self) -> list[str]:
        return ["none yet", *self.column_names]

    def pull_captions(self) -> Changes:
        """What is said at each of them."""
        said = [
            f"Pull {_span(block)} of {self.m}: "
            + _pass(block, f"v = 1 at {name} alone. One walk back gives its whole row", f"one for each of {name}",
                    self.passes.matrix[block[0]])
            for block, name in zip(self.rows, self.row_names, strict=True)
        ]  # fmt: skip
        said[-1] = f"Pull {_span(self.rows[-1])} of {self.m} fills the row of {self.row_names[-1]}."
        said[-1] += f" Done: {counted(self.m, 'pull')}, where forward mode needs {counted(self.n, 'push')}."
        start = "Drag the ring: v goes in on the left, a row of J comes out below, each by a walk back."
        return list(enumerate([start, *said, *([self._ones()] if self.m > 1 else [])]))

    def push_captions(self) -> Changes:
        """The same for the pushes."""
        said = [
            f"Push {_span(block)} of {self.n}: "
            + _pass(block, f"t = 1 at {name} alone. One run forward gives its whole column", f"one for each of {name}",
                    self.passes.matrix[:, block[0]])
            for block, name in zip(self.columns, self.column_names, strict=True)
        ]  # fmt: skip
        said[-1] = f"Push {_span(self.columns[-1])} of {self.n} fills the column of {self.column_names[-1]}."
        said[-1] += f" Done: {counted(self.n, 'push')}, where reverse mode needs {counted(self.m, 'pull')}."
        start = "Drag the ring: t goes in above, a column of J comes out on the right, each by a run."
        return list(enumerate([start, *said]))

    def _ones(self):
        p = self.passes
        size = np.abs(p.matrix).sum(0)
        zero = (
            np.isfinite(size).all()
            and size.any()
            and (np.abs(p.total) <= 1e3 * np.finfo(p.total.dtype).eps * size).all()
        )
        if zero:
            return "All ones: the rows add up to 0, for the outputs always add up to the same number."
        total = f", {in_full(p.total, SPELLED)}" if self.n <= SPELLED else ""
        return f"All ones: the sum of all rows{total}. MindSpore's grad returns it; PyTorch refuses."

    # ---- questions ----

    def pull_asks(self) -> dict[int, Ask]:
        """How many pulls, before the first; an entry, before each of the others; the sum of rows, before the last."""
        m, n = self.m, self.n
        asks: dict[int, Ask | None] = {1: Ask.number(
            "How many pulls will the whole matrix need?", m, f"One pull gives one row, and there are {m}.",
            [(n, "That is the number of inputs: as many pushes as forward mode needs."),
             (m * n, "That is the number of entries. One pull gives a whole row of them.")],
            "Count what one pull fills.",
        )}  # fmt: skip
        if len(self.rows) == m and n <= SPELLED:
            asks |= {i + 1: self._entry_ask(i) for i in range(1, m)}
            asks |= {m + 1: self._sum_ask()} if m > 1 else {}
        return {i: ask for i, ask in asks.items() if ask is not None}

    def _entry_ask(self, i):
        p = self.passes
        j = _telling(p.matrix[i])
        if j is None:
            return None
        slips = [(-p.matrix[i, j], "The size is right, the sign is not.")]
        if j < self.m and i < self.n:
            slips.append((p.matrix[j, i], f"That is {p.rows[j]} by {p.columns[i]}: row and column are swapped."))
        slips.append((p.y[i], f"That is {p.rows[i]} itself, not how it moves."))
        question = f"v = 1 at {p.rows[i]} alone. Which number arrives at {p.columns[j]}?"
        because = f"A change d of {p.columns[j]} moves {p.rows[i]} by {number(p.matrix[i, j])} d."
        return Ask.number(
            question, p.matrix[i, j], because, slips, f"How much does {p.rows[i]} move when {p.columns[j]} does?"
        )

    def _sum_ask(self):
        p = self.passes
        j = _telling(p.total)
        if j is None:
            return None
        column = p.matrix[:, j]
        slips = [
            (column[-1], "That is the last row alone. Now every output has v = 1."),
            (p.total[j] / self.m, "That is the mean. The rows are added, not averaged."),
        ]
        because = " + ".join(f"({number(v)})" if v < 0 else number(v) for v in column) if self.m <= SPELLED else ""
        question = f"v = 1 at every output. Which number arrives at {p.columns[j]}?"
        return Ask.number(question, p.total[j], f"{because} = {number(p.total[j])}.", slips, "Add up its column.")

    def push_asks(self) -> dict[int, Ask]:
        """How many pushes, before the first."""
        return {1: Ask.number(
            "How many pushes will the whole matrix need?", self.n, f"One push gives one column, and there are {self.n}.",
            [(self.m, "That is the number of outputs: as many pulls as reverse mode needs."),
             (self.m * self.n, "That is the number of entries. One push gives a whole column of them.")],
            "Count what one push fills.",
        )}  # fmt: skip

    def direction_asks(self, found: Directions) -> dict[int, Ask]:
        """Before t has turned a quarter: where J takes the second basis vector."""
        (a, b), (i, j) = found.names[1], found.names[0]
        k = int(np.argmax(np.abs(found.part[:, 1])))
        answer = float(found.part[k, 1])
        slips = [(float(found.part[k, 0]), f"That is the slope by {i}. Now t points along {j}."),
                 (-answer, "The size is right, the sign is not."),
                 (float(found.part[1 - k, 1]), f"That is J t at {(b, a)[k]}.")]  # fmt: skip
        question = f"t = 1 along {j} alone. Which number is J t at {(a, b)[k]}?"
        return {TURNS // 4: Ask.number(question, answer, f"J t is the column of {j}.", slips, "Look at the column.")}

    # ---- tips ----

    def of_entry(self, i: int, j: int) -> list[str]:
        p = self.passes
        return [minus(f"{p.rows[i]} by {p.columns[j]}: {float(p.matrix[i, j]):.9g}")]

    def of_row(self, i: int, value: float) -> list[str]:
        return self._of_line(self.row_names[i], value, self.passes.matrix[self.rows[i]], "row", "inputs")

    def of_column(self, j: int, value: float) -> list[str]:
        return self._of_line(self.column_names[j], value, self.passes.matrix[:, self.columns[j]], "column", "outputs")

    def of_ones(self) -> list[str]:
        """What is behind the pull with ones."""
        return ["v = 1 everywhere: the sum of all rows", f"PyTorch refuses: “{refusal()}”"]

    def _of_line(self, name, value, block, kind, others):
        which = f"{name} = {number(value)}" if 1 in block.shape and "…" not in name else name
        return [which, f"Its {kind}: {np.count_nonzero(block)} of {block.size} slopes are not 0."]


def refusal() -> str:
    """What the PyTorch dialect says to `backward()` on an output of several elements."""
    from .... import torch

    try:
        torch.ones(2, requires_grad=True).backward()
    except RuntimeError as error:
        return str(error)
    raise AssertionError("backward() on two elements did not raise")


def _telling(row):
    """The place of the entry worth asking for: the largest that is finite and not 0."""
    size = np.where(np.isfinite(row), np.abs(row), 0)
    return int(np.argmax(size)) if size.any() else None


def _pass(block, alone, several, numbers):
    """What a pass gives; its numbers where they are few."""
    if len(block) > 1:
        return f"{several}."
    return f"{alone}, {in_full(numbers, SPELLED)}." if len(numbers) <= SPELLED else f"{alone}."


def _range(names):
    return names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"


def _span(block):
    return f"{block[0] + 1}" if len(block) == 1 else f"{block[0] + 1} to {block[-1] + 1}"
