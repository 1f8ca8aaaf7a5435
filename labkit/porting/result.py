"""The result of a comparison: printed as a table, displayed in a notebook, and readable by its attributes."""

from dataclasses import dataclass, field
from html import escape

import numpy as np

from ..messages.wrapping import wrapped
from .rounding import TIMES
from .rows import Compared

_RULE = "Values count as equal if they differ by at most {} times the effect of one rounding error in every input and weight."
_SETTINGS = "Settings: {settings} (PyTorch | MindSpore)."


@dataclass
class Layer:
    """Two modules that belong together, and everything that was compared in them, in order.

    `torch`, `mindspore`: their paths; `kinds`: the names of their classes; `weights`: how the parameters were carried over.
    """

    torch: str
    mindspore: str
    kinds: tuple[str, str]
    rows: list[Compared] = field(default_factory=list)
    weights: str = ""

    @property
    def differs(self) -> bool:
        """Whether something differs in it, itself or only because of what went in."""
        return any(row.differs and not row.excused for row in self.rows)

    def cell(self, begins: tuple[str, ...], mode: str) -> str:
        """What the table says of the rows whose part begins so: "same", how far apart, or "" where there are none."""
        rows = [r for r in self.rows if r.part.startswith(begins) and r.mode == mode]
        if not rows:
            return ""
        told = next((r for r in rows if r.differs and not r.excused), None)
        if told is None:
            return "(cut)" if any(r.excused for r in rows) else "same"
        found = told.difference
        return "differs" if found is None or not found.same_shape else f"{found.max_abs:.1e}"


@dataclass
class Comparison:
    """The answer of `labkit.compare`: true where the port does what the original does. It prints as a table.

    `first`: the first thing that differs, or None; `layers`: every pair of modules, in order; `rows`: everything compared, in
    order; `notes`: what was done to compare at all, such as transposed weights.
    """

    names: tuple[str, str]
    rows: list[Compared]
    layers: list[Layer]
    first: Compared | None
    notes: list[str]
    times: int = TIMES

    @property
    def ok(self) -> bool:
        """Whether nothing differs that a caller of the models sees."""
        return self.first is None

    def __bool__(self):
        return self.ok

    @property
    def modes(self) -> list[str]:
        """The modes in which both ran: "eval", "training"."""
        return list(dict.fromkeys(row.mode for row in self.rows))

    def verdict(self) -> str:
        """The answer in a sentence."""
        text = _AGREES if self.ok else "The port differs: {torch} (PyTorch) and {mindspore} (MindSpore)."
        return text.format(torch=self.names[0], mindspore=self.names[1])

    def describe_first(self) -> list[str]:
        """The first difference, a sentence a line."""
        if self.first is None:
            return []
        row = self.first
        place = _place(row) if row.part == "parameters" else f"{_place(row)}, in {row.mode} mode"
        text = "First: the {part} of {place}: {said}." if row.said else "First: the {part} of {place}."
        lines = [text.format(part=row.part, place=place, said=row.said)]
        found = row.difference
        if found is not None and not row.said:
            lines.append(_numbers(found))
        lines += [_SETTINGS.format(settings="; ".join(row.settings))] if row.settings else []
        lines += [f"Tried: {row.reason}."] if row.reason else []
        return lines

    def table(self) -> list[list[str]]:
        """The rows of the table as texts, its head first."""
        first, *rest = self.modes
        columns = [(name, begins, first) for name, begins in _COLUMNS if self._has(begins, first)]
        columns += [(mode, ("",), mode) for mode in rest]
        lines = [
            [_title(layer.torch, layer.kinds[0]), _title(layer.mindspore, layer.kinds[1])]
            + [layer.cell(begins, mode) for _, begins, mode in columns]
            for layer in self.layers
        ]
        return [["PyTorch", "MindSpore", *(name for name, _, _ in columns)], *lines]

    def _has(self, begins, mode):
        return any(row.part.startswith(begins) and row.mode == mode for row in self.rows)

    def __str__(self):
        table = self.table()
        widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
        lines = [
            "  " + "  ".join(text.ljust(w) for text, w in zip(line, widths, strict=True)).rstrip() for line in table
        ]
        return "\n".join(
            [
                wrapped(self.verdict()),
                *map(wrapped, self.describe_first()),
                "",
                *lines,
                "",
                *map(wrapped, [*self.notes, _RULE.format(self.times)]),
            ]
        )

    __repr__ = __str__

    def _repr_html_(self):
        head, *body = self.table()
        first = self.first
        lines = []
        for layer, texts in zip(self.layers, body, strict=True):
            marked = first is not None and (layer.torch, layer.mindspore) == (first.torch, first.mindspore)
            style = ' style="outline: 2px solid currentColor; font-weight: bold"' if marked else ""
            lines.append(
                f"<tr{style}>" + "".join(f'<td style="text-align: left">{escape(t)}</td>' for t in texts) + "</tr>"
            )
        titles = "".join(f'<th scope="col" style="text-align: left">{escape(t)}</th>' for t in head)
        said = "".join(f"<p>{escape(' '.join(text.split()))}</p>" for text in [self.verdict(), *self.describe_first()])
        notes = "".join(f"<p><small>{escape(text)}</small></p>" for text in [*self.notes, _RULE.format(self.times)])
        return f"{said}<table><thead><tr>{titles}</tr></thead><tbody>{''.join(lines)}</tbody></table>{notes}"


_COLUMNS = (
    ("input", ("input",)),
    ("output", ("output", "error", "random", "parameters", "calls", "order")),
    ("afterwards", ("running", "moving")),
    ("gradients", ("gradient",)),
)


def _title(path, kind):
    return f"{path}  {kind}" if path else kind


def _place(row):
    one, two = (
        _title(path, kind).replace("  ", " ") for path, kind in zip((row.torch, row.mindspore), row.kinds, strict=True)
    )
    return one if one == two else f"{one or 'nothing'} | {two or 'nothing'}"


def _numbers(found):
    if not found.same_shape:
        return _SHAPES.format(torch=found.torch.shape, mindspore=found.mindspore.shape)
    at = found.index
    values = found.torch[at], found.mindspore[at]
    allowed = float(np.asarray(found.allowed)[at])
    where = f"At {list(at)}" if at else "Its value"
    text = _VALUES.format(place=where, torch=values[0], mindspore=values[1], allowed=allowed)
    return f"{text} {_LARGEST.format(size=found.max_abs, share=found.max_rel)}"


_AGREES = "The port agrees: {torch} (PyTorch) and {mindspore} (MindSpore) give the same outputs and gradients."
_SHAPES = "Its shape is {torch} in PyTorch, {mindspore} in MindSpore."
_VALUES = "{place}: {torch:.7g} in PyTorch, {mindspore:.7g} in MindSpore; rounding explains {allowed:.1e}."
_LARGEST = "Largest difference: {size:.1e}, or {share:.1e} of the largest value."
