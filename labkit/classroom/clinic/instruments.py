"""The measurements of a patient, with their prices. Each runs the patient's program and knows no fault."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ... import torch
from ...memory import memory_report
from ...reasons import why
from .drawing import Admission
from .faults import program
from .run import Run, norm_of

SHORT = 3  # steps: an epoch and a half
HELD = 2  # steps in which no weight is changed


class Subject:
    """A program to be measured: an admission, and the parts that are run for it."""

    def __init__(self, admission: Admission, parts: Mapping[str, Any]) -> None:
        self.admission, self.parts, self.plan = admission, parts, admission.plan

    @cached_property
    def trained(self) -> Run:
        """The run after all its steps."""
        return Run(self.admission, self.parts).train(self.plan.steps)

    @cached_property
    def begun(self) -> Run:
        """The run after its first steps."""
        return Run(self.admission, self.parts).train(SHORT)

    def first(self) -> tuple[Run, np.ndarray]:
        """A run before its first step, and the rows of its first batch."""
        run = Run(self.admission, self.parts)
        return run, next(run.batches())

    @property
    def scale(self) -> float:
        """The loss scale that is really used."""
        return self.parts["scale"](self.plan)


@dataclass(frozen=True)
class Instrument:
    """A measurement: its price in points, what it says, and how it is made of a program."""

    price: int
    says: str
    measure: Callable[[Subject], Any]


@lru_cache(maxsize=512)
def subject(admission: Admission) -> Subject:
    """The patient's own program."""
    return Subject(admission, program(admission.faults))


@lru_cache(maxsize=512)
def measured(what: str, admission: Admission) -> Any:
    """The measurement of a patient: always the same, so it is made once."""
    return INSTRUMENTS[what].measure(subject(admission))


def brief(number: float, digits: int = 3) -> float:
    """A number with few significant digits, the same on every machine.

    >>> brief(0.0123456)
    0.0123
    """
    return float(f"{float(number):.{digits}g}")


def _losses(subject):
    return [brief(one) for one in subject.trained.losses]


def _moved(subject):
    run = subject.begun
    return {name: brief(float(np.linalg.norm(w.detach().numpy() - run.start[name]))) for name, w in run.weights.items()}


def _rates(subject):
    return [subject.parts["rate"](step, subject.plan) for step in range(subject.plan.steps)]


def _skips(subject):
    return subject.begun.skipped


def _norms(subject):
    return [brief(norm, 5) for norm in subject.begun.arrived]


def _rows(subject):
    plan, run = subject.plan, subject.begun
    epoch = run.rows[: len(run.x) // plan.batch]
    each = [{row for step in epoch for row in step[worker]} for worker in range(plan.workers)]
    return [*map(len, each), len(set().union(*each))]


def _formats(subject):
    every = np.concatenate([w.detach().numpy().ravel() for w in subject.begun.weights.values()])
    return int((every != every.astype(np.float16)).sum())


def _labels(subject):
    run, batch = subject.first()
    theirs = {tuple(x.tolist()): float(y) for x, y in zip(run.x.numpy(), run.y.numpy(), strict=True)}
    pieces = [piece for worker in range(subject.plan.workers) for piece in run.pieces_of(batch, worker)]
    given = [subject.parts["gather"](run.x, run.y, piece) for piece in pieces]
    pairs = [pair for x, y in given for pair in zip(x.numpy(), y.numpy(), strict=True)]
    return sum(theirs[tuple(x.tolist())] != float(y) for x, y in pairs)


def _shapes(subject):
    run, batch = subject.first()
    x, y = subject.parts["gather"](run.x, run.y, run.pieces_of(batch, 0)[0])
    made = memory_report(subject.parts["loss"], subject.parts["forward"](run.copies[0], x).detach(), y).rows
    return max((row.shape for row in made), key=lambda shape: int(np.prod(shape)))


def _gradients(subject):
    run, batch = subject.first()
    with np.errstate(all="ignore"):
        run.spread(batch)
        found = run.gathered()
    norms = {name: norm_of({name: g}) / subject.scale for name, g in found.items()}
    return {name: brief(norms[name]) if name in norms else None for name in run.weights}


def _reasons(subject):
    run, batch = subject.first()
    copies = run.copies[0]
    with np.errstate(all="ignore"):
        value = run.value(copies, run.pieces_of(batch, 0)[0])
        value.backward(retain_graph=True)
        found = {name: why(value, copy) for name, copy in copies.items()}
    return {name: reason.cause or reason.what for name, reason in found.items()}


def _held(subject, look):
    """`look(run, batch)` after each step on one batch, in which no weight is changed."""
    run, batch = subject.first()
    found = []
    with np.errstate(all="ignore"):
        for _ in range(HELD):
            run.spread(batch, workers=1)
            found.append(look(run, batch))
    return found


def _norm(copies):
    return norm_of({name: one.grad.float() for name, one in copies.items() if one.grad is not None})


def _fixed(subject):
    return _held(subject, lambda run, batch: brief(_norm(run.copies[0]) / subject.scale))


def _pieces(subject):
    def ratio(run, batch):
        alone = {name: one.detach().clone().requires_grad_() for name, one in run.copies[0].items()}
        pieces = run.pieces_of(batch, 0)
        for piece in pieces:
            (run.value(alone, piece) * subject.scale / len(pieces)).backward()
        return round(float(np.divide(_norm(run.copies[0]), _norm(alone))), 1)

    return _held(subject, ratio)


def _update(subject):
    run, _ = subject.first()
    with torch.no_grad():
        for w in run.weights.values():
            w.copy_(torch.ones(w.shape))
    for w in run.weights.values():
        w.grad = torch.zeros(w.shape)
    run.update(subject.plan.rate)
    return {name: brief(w.detach().numpy().ravel()[0], 8) for name, w in run.weights.items()}


INSTRUMENTS = {
    "losses": Instrument(1, "the loss of each step", _losses),
    "moved": Instrument(1, "how far each weight is from its start, after three steps", _moved),
    "rates": Instrument(1, "the learning rate of each step", _rates),
    "skips": Instrument(1, "how many of the first three steps were skipped", _skips),
    "formats": Instrument(1, "how many of the 33 weights are not float16 numbers, after three steps", _formats),
    "norms": Instrument(2, "the norm of all gradients as the optimizer gets them, in its first three steps", _norms),
    "rows": Instrument(2, "how many different points each worker, and all workers together, see in the first epoch", _rows),
    "labels": Instrument(2, "how many points of the first batch have the label of another point", _labels),
    "shapes": Instrument(2, "the shape of the largest array inside the loss, for a piece of 8 points", _shapes),
    "gradients": Instrument(2, "the norm of each weight's gradient in the first step, None where there is none", _gradients),
    "why": Instrument(3, "what labkit.why reports for each weight's gradient in the first step, for one piece: the "
                      "cause, or healthy", _reasons),
    "fixed": Instrument(3, "the norm of a worker's gradient in two steps that change no weight", _fixed),
    "update": Instrument(3, "weights of 1 after one update with gradients of 0, at the full learning rate", _update),
    "pieces": Instrument(4, "a worker's gradient divided by the mean of its pieces' gradients, in two steps that "
                         "change no weight", _pieces),
}  # fmt: skip
