"""`compare`: is my port right?"""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .alone import Bench, elsewhere, spread, spreads_differ
from .calls import same_calls
from .matching import Matching, UnclearMatch, match
from .mindspore_side import MindSporeSide
from .reasons import differing, relation, settings, tried_settings, tried_weights
from .result import Comparison, Layer
from .rounding import RUNS, eps_of, jitter
from .rows import Both, Compared, rows_of
from .side import Side
from .torch_side import TorchSide
from .trees import Numbers, mapped


def compare(
    torch_model: Any,
    ms_model: Any,
    inputs: Any,
    *,
    loss: tuple[Callable, Callable] | None = None,
    train: bool | None = None,
    match: dict[str, str] | None = None,
) -> Comparison:
    """Is the port right? Both models run with the same weights and inputs, compared layer by layer, forward and backward.

    `torch_model`: a Module of PyTorch or of `labkit.torch`; `ms_model`: a Cell of MindSpore or of `labkit.mindspore`. The weights of
    the first are carried over to the second for as long as it takes; afterwards both models are as they were.
    `inputs`: an array, number or tensor, a tuple of the arguments, or a dictionary of arguments by name; a floating NumPy array
    takes the dtype of the models' parameters. `loss`: a function of the output for each model, which returns one number; without it, the
    sum of all outputs is differentiated, each number weighted by a fixed one between 0.5 and 1.5. `train`: only in training mode
    (True), only in evaluation mode (False), or in both. `match`: `{path in the first: path in the second}` of modules with
    parameters, where it is not clear which belong together.

    Modules are matched by their names, the order of their calls and registration, and the shapes of their parameters;
    UnclearMatch (a ValueError), with both trees side by side, is raised where these do not decide. Numbers differ if
    they are further apart than rounding explains (`labkit.porting.rounding` has the rule). Raises TypeError for other
    models or inputs, RuntimeError where a model raises and nothing differs before.

    >>> import labkit.mindspore as ms
    >>> import labkit.torch as torch
    >>> original = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    >>> port = ms.nn.SequentialCell(ms.nn.Dense(3, 4), ms.nn.Tanh(), ms.nn.Dense(4, 2))
    >>> found = compare(original, port, np.arange(6.0).reshape(2, 3))
    >>> found.ok, found.first.torch, found.first.part, found.first.reason
    (False, '1', 'output', "PyTorch's is relu of what went before, MindSpore's tanh of")
    """
    sides = _side(torch_model, TorchSide, "Module"), _side(ms_model, MindSporeSide, "Cell")
    if loss is not None and not (isinstance(loss, (tuple, list)) and len(loss) == 2 and all(map(callable, loss))):
        raise TypeError(f"compare: expected loss=(torch_fn, ms_fn), two functions of an output, but got {_kind(loss)}")
    with sides[0].visited(), sides[1].visited():
        given, notes = _inputs(inputs, sides)
        return _Comparing(sides, given, loss or (None, None), dict(match or {}), notes).result(train)


def _kind(value):
    return f"a {type(value).__name__}"


_HOMES = {TorchSide: ("torch", "labkit.torch"), MindSporeSide: ("mindspore", "labkit.mindspore")}


def _side(model, kind, word):
    """The model as its side; its framework is loaded if the model is one of it."""
    for name in _HOMES[kind]:
        room = sys.modules.get(name)
        base = getattr(getattr(room, "nn", None), word, None)
        if isinstance(base, type) and isinstance(model, base):
            return kind(model, room)
    first = "first" if kind is TorchSide else "second"
    raise TypeError(
        f"compare: expected a {word} of {kind.framework} (`{_HOMES[kind][0]}` or `{_HOMES[kind][1]}`) as the {first} argument, "
        f"but got {_kind(model)} of {type(model).__module__}. compare(torch_model, ms_model, inputs)"
    )


def _inputs(inputs, sides):
    """`(args, kwargs)` with `Numbers` for what are tensors, and what is to be said about it."""
    dtypes = [np.asarray(side.array(h.tensor)).dtype for side in sides for p in side.parts.values() for h in p.held if h.trained]
    wanted = next((d for d in dtypes if d.kind == "f"), np.dtype("float32"))
    notes: list[str] = []

    def numbers(value):
        if isinstance(value, (bool, int, str)) or value is None:
            return value
        for side in sides:
            if isinstance(value, side.tensor_type):
                return Numbers(side.array(value))
        if isinstance(value, (np.ndarray, np.generic, float)):
            array = np.asarray(value)
            if array.dtype.kind not in "fiub":
                raise TypeError(f"compare: expected inputs of numbers, but got an array of {array.dtype}")
            return Numbers(array.astype(wanted) if array.dtype.kind == "f" else array)
        raise TypeError(
            f"compare: expected arrays, numbers or tensors as inputs, but got {_kind(value)}; several inputs are a tuple, "
            "those by name a dictionary"
        )

    kinds = (object,)
    args, kwargs = ((), inputs) if isinstance(inputs, dict) else (inputs if isinstance(inputs, tuple) else (inputs,), {})
    walk = partial(_walk, numbers)
    del kinds
    return (tuple(map(walk, args)), {name: walk(value) for name, value in kwargs.items()}), notes


def _walk(change, value):
    if isinstance(value, (tuple, list)):
        return type(value)(_walk(change, v) for v in value)
    if isinstance(value, dict):
        return {name: _walk(change, v) for name, v in value.items()}
    return change(value)


class _Comparing:
    """One comparison, on its way."""

    def __init__(self, sides: tuple[Side, Side], inputs, loss, said, notes):
        self.sides, self.inputs, self.loss, self.notes = sides, inputs, loss, notes
        for side in sides:
            side.set_training(False)
        runs = sides[0].run(inputs), sides[1].run(inputs)
        self._stop(sides[0], runs[0], "eval")
        calls = tuple(list(dict.fromkeys(path for path, _ in run.calls())) for run in runs)
        self.matching: Matching = match(*sides, calls, said)
        self._carry()

    def result(self, train) -> Comparison:
        modes = {None: ("eval", "training"), True: ("training",), False: ("eval",)}[train]
        rows, boths = self._alone_rows(), []
        for mode in modes:
            more, both = self._in_mode(mode)
            rows += more
            boths.append(both)
        if not any(row.differs and row.end for row in rows) and not boths[0].runs[1].error:
            rows += self._elsewhere(boths[0])
        first = self._first(rows)
        if first is not None:
            self._explain(first, rows, boths)
        return Comparison(self._names(), rows, self._layers(rows), first, self.notes)

    def _names(self):
        return tuple(type(side.model).__name__ for side in self.sides)

    # ---- before anything is compared ----

    def _stop(self, side, run, mode):
        """Raise what a model raised, saying where."""
        if run.error is None:
            return
        path, call = run.inside or ("", 0)
        title = side.parts[path].title if path else f"its own code ({side.parts[''].kind})"
        raise RuntimeError(
            f"compare: {side.framework}'s model raises {type(run.error).__name__} in {title}, in {mode} mode, with these "
            f"inputs: {run.error}"
        ) from run.error

    def _carry(self):
        """The first model's numbers, in the second's parameters."""
        ours, theirs = self.sides
        for pair in self.matching.pairs:
            for x, y, layout in pair.held:
                theirs.put(y.tensor, np.ascontiguousarray(layout.carry(ours.array(x.tensor))))
                if layout.name:
                    self.notes.append(
                        f"{_dotted(pair.torch, x)} {x.shape} is carried over {layout.name} to {_dotted(pair.mindspore, y)} {y.shape}."
                        if layout.name[0] != "("
                        else f"{_dotted(pair.torch, x)} is carried over as {_dotted(pair.mindspore, y)}: {layout.name}."
                    )
        for pair in self.matching.pairs:
            for x, y, layout in pair.held:
                wanted, got = layout.carry(ours.array(x.tensor)), theirs.array(y.tensor)
                if not np.array_equal(wanted.astype(got.dtype), got, equal_nan=got.dtype.kind == "f"):
                    raise UnclearMatch(
                        f"compare: {_dotted(pair.mindspore, y)} of MindSpore's model cannot hold the numbers of "
                        f"{_dotted(pair.torch, x)}: it is one parameter there, and PyTorch's model has two with different numbers"
                    )

    def _alone_rows(self):
        """Parameters and modules that one side has and the other has not."""
        rows = []
        for pair in self.matching.pairs:
            for held, side in ((pair.torch_only, "PyTorch"), (pair.mindspore_only, "MindSpore")):
                names = [f"{h.name} {h.shape}" for h in held if not h.buffer]
                if names:
                    said = f"only in {side}: {', '.join(names)}"
                    rows.append(Compared("parameters", pair.torch.path, pair.mindspore.path, "eval", said=said, end=True, kinds=pair.kinds))
        for part in self.matching.torch_only:
            rows.append(Compared("parameters", part.path, "", "eval", said="only in PyTorch", end=True, kinds=(part.kind, "")))
        for part in self.matching.mindspore_only:
            rows.append(Compared("parameters", "", part.path, "eval", said="only in MindSpore", end=True, kinds=("", part.kind)))
        return rows

    # ---- in one mode ----

    def _in_mode(self, mode):
        for side in self.sides:
            side.set_training(mode == "training")
        drawing = [self._quiet(side, mode) for side in self.sides]
        runs = self._run(0), self._run(1)
        self._stop(self.sides[0], runs[0], mode)
        if not runs[1].error and runs[0].outputs and not (runs[0].gradients or runs[0].to_inputs):
            self.notes.append("Nothing was differentiated: no output depends on a floating parameter or input.")
        eps = eps_of([a for run in runs for a in run.floats()])
        moved = [self._run(0, jitter(eps, seed)) for seed in range(RUNS)]
        calls = same_calls(self.sides, runs, self.matching.pairs)
        both = Both(self.sides, runs, moved, self.matching, calls, mode, eps)
        rows = rows_of(both)
        if runs[1].error and not any(row.differs for row in rows[:-1]):
            self._stop(self.sides[1], runs[1], mode)
        return rows + self._drawn(both, drawing), both

    def _run(self, place, moved=None):
        """One run of a side, with what it keeps put back, so that the next one begins alike."""
        side = self.sides[place]
        held = [h for p in side.parts.values() for h in p.held]
        kept = [(h.tensor, side.array(h.tensor)) for h in held]
        run = side.run(self.inputs, self.loss[place], moved)
        for tensor, array in kept:
            side.put(tensor, array)
        return run

    def _quiet(self, side, mode):
        """The calls that draw random numbers; their modules, and all of their class, are put into evaluation mode."""
        place, found, classes = self.sides.index(side), [], set()
        while True:
            one, two = self._run(place), self._run(place)
            call = None if one.error or two.error else _drawing(one, two)
            if call is None:
                return found
            found.append(call)
            kind = side.parts[call[0]].kind
            if kind in classes or mode == "eval":
                self.notes.append(
                    f"{side.framework}'s {side.parts[call[0]].title} draws random numbers in {mode} mode whatever its mode is: "
                    "what comes after it cannot agree."
                )
                return found
            classes.add(kind)
            for part in side.parts.values():
                if part.kind == kind:
                    part.module.training = False

    def _drawn(self, both, drawing):
        """Modules that draw random numbers, by the spread of what they make of ones."""
        if not any(drawing):
            return []
        classes = [{side.parts[path].kind for path, _ in calls} for side, calls in zip(self.sides, drawing, strict=True)]
        rows, unpaired = [], [set(), set()]
        partner = {a: b for a, b in both.calls.items()}
        told = set()
        for call, other in partner.items():
            parts = self.sides[0].parts[call[0]], self.sides[1].parts[other[0]]
            if not (parts[0].leaf and parts[1].leaf) or not any(p.kind in c for p, c in zip(parts, classes, strict=True)):
                continue
            values = both.runs[0].values("input", call)
            if (call[0], other[0]) in told or not values or values[0].dtype.kind != "f":
                continue
            told.add((call[0], other[0]))
            spreads = [
                spread(side, path, values[0].shape, values[0].dtype, both.mode == "training")
                for side, path in zip(self.sides, (call[0], other[0]), strict=True)
            ]
            differs = spreads_differ(*spreads)
            said = "zeros {:.0%} | {:.0%}, mean {:.3g} | {:.3g}".format(*(s[0, i] for i in (0, 1) for s in spreads))
            self.notes.append(
                f"{parts[0].title} and {parts[1].title} draw random numbers in training: they are compared by what they "
                f"make of ones ({said}), and switched off for the rest."
            )
            rows.append(both.row("random numbers", (call, other), said=said if differs else "", end=True))
        paired = [{a for a, _ in told}, {b for _, b in told}]
        for i, side in enumerate(self.sides):
            unpaired[i] = {path for path, _ in drawing[i] if side.parts[path].kind not in {side.parts[p].kind for p in paired[i]}}
        if bool(unpaired[0]) != bool(unpaired[1]):
            has = 0 if unpaired[0] else 1
            path = sorted(unpaired[has])[0]
            part, names = self.sides[has].parts[path], ("PyTorch", "MindSpore")
            paths, kinds = ["", ""], ["", ""]
            paths[has], kinds[has] = path, part.kind
            said = f"drawn in {names[has]}, and nothing like it in {names[1 - has]}"
            rows.append(Compared("random numbers", *paths, both.mode, said=said, end=True, kinds=tuple(kinds)))
        elif unpaired[0]:
            names = [", ".join(self.sides[i].parts[p].title for p in sorted(unpaired[i])) for i in (0, 1)]
            self.notes.append(f"Random numbers of {names[0]} (PyTorch) and {names[1]} (MindSpore) are not compared.")
        return rows

    # ---- what these inputs do not show ----

    def _elsewhere(self, both):
        """Leaves that agree here, and not for the same numbers scaled."""
        for side in self.sides:
            side.set_training(False)
        rows, seen = [], set()
        for call, other in both.calls.items():
            if both.mode != "eval" or (call[0], other[0]) in seen or not self.sides[0].parts[call[0]].leaf:
                continue
            seen.add((call[0], other[0]))
            found = self._bench(both, (call, other))
            found = found and elsewhere(found)
            if found:
                rows.append(both.row(found[0], (call, other), differences=found[1], end=True))
        return rows

    def _bench(self, both, calls):
        pair = next((p for p in self.matching.pairs if p.torch.path == calls[0][0]), None)
        return Bench.of(self.sides, both.runs, calls, pair, both.eps)

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
            return next((row for row in alone if (row.torch, row.mindspore) == (numbers[0].torch, numbers[0].mindspore)), alone[0] if not alone[0].torch or not alone[0].mindspore else numbers[0])
        return (told or differing_rows)[0]

    def _explain(self, row, rows, boths):
        """Settings that differ between the two modules, and what made the difference go away."""
        both = next((b for b in boths if b.mode == row.mode), boths[0])
        if row.calls is None:
            row.calls = next(((a, b) for a, b in both.calls.items() if (a[0], b[0]) == (row.torch, row.mindspore)), None)
        if row.calls is None or any(call[0] not in side.parts for side, call in zip(self.sides, row.calls, strict=True)):
            return
        for side in self.sides:
            side.set_training(row.mode == "training")
        modules = [side.parts[call[0]].module for side, call in zip(self.sides, row.calls, strict=True)]
        if row.part != "input":
            row.settings = differing(*(settings(side, module) for side, module in zip(self.sides, modules, strict=True)))
            row.reason = self._tried(both, row)
        if not row.reason and row.first is not None and row.part in ("input", "output"):
            row.reason = relation(row.first, _before(both, row))

    def _tried(self, both, row):
        if row.part == "random numbers":
            calls = row.calls
            shape = both.runs[0].values("input", calls[0])[0]

            def alike():
                spreads = [
                    spread(side, call[0], shape.shape, shape.dtype, True) for side, call in zip(self.sides, calls, strict=True)
                ]
                return not spreads_differ(*spreads)

            bench = self._bench(both, calls)
            return tried_settings(bench, alike) if bench else ""
        bench = self._bench(both, row.calls)
        if bench is None:
            return ""
        factor = next((f for f, said in ((1e-3, "divided"), (-1.0, "sign"), (1e3, "times")) if said in row.part), 1.0)
        agrees = partial(bench.agrees, factor)
        try:
            if agrees() or row.part.startswith(("gradient", "error")):
                return ""
        except Exception:
            return ""
        pair = next((p for p in self.matching.pairs if p.torch.path == row.torch), None)
        return (tried_weights(bench, pair) if pair else "") or tried_settings(bench, agrees)

    def _layers(self, rows):
        """The rows by pairs of modules, in the order of their first row."""
        found: dict[tuple, Layer] = {}
        for row in rows:
            key = row.torch, row.mindspore
            found.setdefault(key, Layer(*key, row.kinds)).rows.append(row)
        for pair in self.matching.pairs:
            layer = found.get((pair.torch.path, pair.mindspore.path))
            if layer:
                layer.weights = ", ".join(f"{x.name} -> {y.name}{' ' + way.name if way.name else ''}" for x, y, way in pair.held)
        return list(found.values())


def _dotted(part, held):
    return f"{part.path}.{held.name}" if part.path else held.name


def _before(both, row):
    """The arrays of PyTorch's run that both models had before a row."""
    found = []
    for event in both.runs[0].events:
        if event.call == row.calls[0] and event.kind == row.part:
            break
        found += event.values
    return found[-6:]


def _drawing(one, two):
    """The innermost call that gave something else the second time, for the same input; None if there is none."""
    open_now = []
    for a, b in zip(one.events, two.events, strict=False):
        if a.call != b.call or a.kind != b.kind:
            return open_now[-1] if open_now else a.call
        changed = any(not _alike(x, y) for x, y in zip(a.values, b.values, strict=False))
        if a.kind == "input":
            if changed:
                return open_now[-1] if open_now else a.call
            open_now.append(a.call)
        else:
            open_now.remove(a.call)
            if changed:
                return a.call
    return None


def _alike(x, y):
    if x.shape != y.shape:
        return False
    if x.dtype.kind != "f":
        return np.array_equal(x, y)
    size = np.max(np.abs(x), initial=0.0, where=np.isfinite(x))
    return np.allclose(x, y, rtol=1e-3, atol=1e-5 * size, equal_nan=True)
