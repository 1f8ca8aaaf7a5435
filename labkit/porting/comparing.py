"""One comparison: match the modules, copy the weights, run each mode, find and explain the first difference."""

from functools import partial

import numpy as np

from .calls import same_calls
from .in_isolation import Bench
from .matching import UnclearMatch, match
from .pairs import Matching
from .randomness import drawn_rows, quieted
from .reasons import explain
from .result import Comparison, Layer
from .rounding import ROUGH_TIMES, RUNS, TIMES, Rule
from .rows import Both, Compared, rows_of
from .side import Side

_RAISES = "compare: {framework}'s model raises {kind} in {title}, in {mode} mode, with these inputs: {error}"
_LISTED = "A list is passed as one argument; pass several arguments as a tuple."
_CARRIED = "{torch} is carried over to {mindspore} {layout}."
_RESHAPED = "{torch} is carried over to {mindspore} with its shape {layout}."
_SHARED = (
    "compare: {mindspore} of MindSpore's model cannot hold the values of {torch}: it is one parameter there, and "
    "PyTorch's model has two with different values"
)


class Comparing:
    """One comparison, on its way."""

    def __init__(self, sides: tuple[Side, Side], inputs, loss, said):
        self.sides, self.inputs, self.loss = sides, inputs, loss
        self.notes: list[str] = []
        for side in sides:
            side.set_training(False)
        runs = sides[0].run(inputs), sides[1].run(inputs)
        self._stop(sides[0], runs[0], "eval")
        ours, theirs = (list(dict.fromkeys(path for path, _ in run.calls())) for run in runs)
        self.matching: Matching = match(*sides, (ours, theirs), said)
        self._carry()

    def result(self, train) -> Comparison:
        modes = {None: ("eval", "training"), True: ("training",), False: ("eval",)}[train]
        rows, boths = self._alone_rows(), []
        for mode in modes:
            more, both = self._in_mode(mode)
            rows += more
            boths.append(both)
        first = self._first(rows)
        if first is not None:
            self._explain(first, boths)
        times = ROUGH_TIMES if self.sides[1].rough else TIMES
        names = type(self.sides[0].model).__name__, type(self.sides[1].model).__name__
        return Comparison(names, rows, self._layers(rows), first, self.notes, times)

    # ---- before anything is compared ----

    def _stop(self, side, run, mode):
        """Raise what a model raised, saying where."""
        if run.error is None:
            return
        path = run.inside[0] if run.inside else ""
        title = side.parts[path].title if path else f"{side.parts[''].kind} itself"
        listed = any(type(value) is list for value in self.inputs[0])
        kind = type(run.error).__name__
        text = _RAISES.format(framework=side.framework, kind=kind, title=title, mode=mode, error=run.error)
        raise RuntimeError("\n".join([text, *[_LISTED] * listed])) from run.error

    def _carry(self):
        """The first model's numbers, in the second's parameters."""
        ours, theirs = self.sides
        for pair in self.matching.pairs:
            for x, y, layout in pair.held:
                theirs.put(y.tensor, np.ascontiguousarray(layout.carry(ours.array(x.tensor))))
                if layout.name:
                    way = _RESHAPED if layout.name[0] == "(" else _CARRIED
                    names = {"torch": _dotted(pair.torch, x), "mindspore": _dotted(pair.mindspore, y)}
                    self.notes.append(way.format(layout=layout.name, **names))
        for pair in self.matching.pairs:
            for x, y, layout in pair.held:
                wanted, got = layout.carry(ours.array(x.tensor)), theirs.array(y.tensor)
                if not np.array_equal(wanted.astype(got.dtype), got, equal_nan=got.dtype.kind == "f"):
                    names = {"torch": _dotted(pair.torch, x), "mindspore": _dotted(pair.mindspore, y)}
                    raise UnclearMatch(_SHARED.format(**names))

    def _alone_rows(self):
        """Parameters and modules that only one side has."""
        rows = []
        for pair in self.matching.pairs:
            for held, side in ((pair.torch_only, "PyTorch"), (pair.mindspore_only, "MindSpore")):
                names = [f"{h.name} {h.shape}" for h in held if not h.buffer]
                if names:
                    said, paths = f"only in {side}: {', '.join(names)}", (pair.torch.path, pair.mindspore.path)
                    rows.append(Compared("parameters", *paths, "eval", said=said, end=True, kinds=pair.kinds))
        for part in self.matching.torch_only:
            rows.append(
                Compared("parameters", part.path, "", "eval", said="only in PyTorch", end=True, kinds=(part.kind, ""))
            )
        for part in self.matching.mindspore_only:
            rows.append(
                Compared("parameters", "", part.path, "eval", said="only in MindSpore", end=True, kinds=("", part.kind))
            )
        return rows

    # ---- in one mode ----

    def _in_mode(self, mode):
        for side in self.sides:
            side.set_training(mode == "training")
        found = [quieted(side, partial(self._run, place), mode, self.notes) for place, side in enumerate(self.sides)]
        runs = found[0][0], found[1][0]
        self._stop(self.sides[0], runs[0], mode)
        if not runs[1].error and runs[0].outputs and not (runs[0].gradients or runs[0].to_inputs):
            self.notes.append("Nothing was differentiated: no output depends on a floating parameter or input.")
        rule = Rule.of([a for run in runs for a in run.floats()], self.sides[1].rough)
        moved = [self._run(0, rule.jitter(seed)) for seed in range(RUNS)]
        calls = same_calls(self.sides, runs, self.matching.pairs)
        both = Both(self.sides, runs, moved, self.matching, calls, mode, rule)
        rows = rows_of(both)
        if runs[1].error and not any(row.differs for row in rows[:-1]):
            self._stop(self.sides[1], runs[1], mode)
        return rows + drawn_rows(both, (found[0][1], found[1][1]), self.notes), both

    def _run(self, place, moved=None):
        """One run of a side, with what it keeps put back, so that the next one begins alike."""
        side = self.sides[place]
        held = [h for p in side.parts.values() for h in p.held]
        kept = [(h.tensor, side.array(h.tensor)) for h in held]
        run = side.run(self.inputs, self.loss[place], moved)
        for tensor, array in kept:
            side.put(tensor, array)
        return run

    def _bench(self, both, calls):
        pair = next((p for p in self.matching.pairs if p.torch.path == calls[0][0]), None)
        return Bench.of(self.sides, both.runs, calls, pair, both.rule)

    # ---- the first difference, and why ----

    def _first(self, rows):
        """The first row that differs, if anything differs that a caller sees."""
        if not any(row.differs and row.end for row in rows):
            return None
        differing_rows = [row for row in rows if row.differs]
        told = [row for row in differing_rows if not row.excused]
        numbers = [row for row in told if row.part != "parameters"]
        alone = [row for row in told if row.part == "parameters"]
        if alone and numbers:
            return next(
                (row for row in alone if (row.torch, row.mindspore) == (numbers[0].torch, numbers[0].mindspore)),
                alone[0] if not alone[0].torch or not alone[0].mindspore else numbers[0],
            )
        return (told or differing_rows)[0]

    def _explain(self, row, boths):
        both = next((b for b in boths if b.mode == row.mode), boths[0])
        if row.calls is None:
            row.calls = next(
                ((a, b) for a, b in both.calls.items() if (a[0], b[0]) == (row.torch, row.mindspore)), None
            )
        if row.calls is not None:
            for side in self.sides:
                side.set_training(row.mode == "training")
            pair = next((p for p in self.matching.pairs if p.torch.path == row.torch), None)
            explain(row, both, self._bench(both, row.calls), pair)

    def _layers(self, rows):
        """The rows by pairs of modules, in the order of their first row."""
        found: dict[tuple, Layer] = {}
        for row in rows:
            key = row.torch, row.mindspore
            found.setdefault(key, Layer(*key, row.kinds)).rows.append(row)
        for pair in self.matching.pairs:
            layer = found.get((pair.torch.path, pair.mindspore.path))
            if layer:
                layer.weights = ", ".join(
                    f"{x.name} -> {y.name}{' ' + way.name if way.name else ''}" for x, y, way in pair.held
                )
        return list(found.values())


def _dotted(part, held):
    return f"{part.path}.{held.name}" if part.path else held.name
