"""A patient: measured with a budget, treated part by part, handed in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ... import torch
from ...messages.suggestions import did_you_mean
from .drawing import Admission, Plan, admission, textbook
from .faults import FAULTS, PARTS
from .instruments import INSTRUMENTS, Subject, measured, subject

BUDGET = 20
TOO_DEAR = "measure: {name!r} costs {price:g}, and {left:g} of {budget} points are left. Choose a cheaper measurement"
JUDGED: dict[str, Callable] = {  # what is compared of a run that is discharged
    "losses": lambda one: one.begun.losses, "norms": lambda one: one.begun.arrived, "fixed": INSTRUMENTS["fixed"].measure,
    "rates": INSTRUMENTS["rates"].measure,
    "finish": lambda one: [number for part in (0.7, 3.0) for number in _finished(one, part)],
}  # fmt: skip
NEAR = 0.02  # relative: float16 rounds sums of another order in another way
SPENT = "patient {name}: {spent} of {budget} points spent"
UNKNOWN = "{what}: there is no {name!r}. {suggestion}"


class OverBudget(ValueError):
    """A measurement that the points left do not pay for.

    >>> patient = admit("ann", with_faults=())
    >>> try:
    ...     for what in ("pieces", "fixed", "update", "rows", "labels", "shapes", "gradients", "norms", "rates"):
    ...         shown = patient.measure(what)
    ... except OverBudget as error:
    ...     print(what, error.args[0][:24])
    rates measure: 'rates' costs 1
    """


@dataclass
class Chart:
    """The ward's record of a patient: `sheets` is what the patient gave out. `check` observes which charts are made."""

    name: int | str
    asked_for: tuple[str, ...] | None
    paid: list[str] = field(default_factory=list)
    new: dict[str, Callable] = field(default_factory=dict)
    sheets: list[tuple] = field(default_factory=list)
    gone: bool = False


class Patient:
    """A training run with no fault, or with one, two or three of them; made by `admit`.

    `name`; `plan`: what the run is meant to be; `spent`: the points that measurements have cost, out of `budget`. A
    measurement that has been paid for is there for nothing when it is asked for again. Which faults a patient has is not
    in it: anyone who completes a name, prints it or looks at its attributes finds what they know already.

    >>> patient = admit("Fay")
    >>> patient.measure("skips") in range(4), patient.spent
    (True, 1)
    """

    budget = BUDGET

    def __init__(self, name: int | str, asked_for: tuple[str, ...] | None = None) -> None:
        self._chart = Chart(name, asked_for)

    @property
    def name(self) -> int | str:
        """The name it was admitted by."""
        return self._chart.name

    def __repr__(self) -> str:
        return SPENT.format(name=self.name, spent=self.spent, budget=self.budget)

    @property
    def plan(self) -> Plan:
        """What the run is meant to be."""
        return _admitted(self).plan

    @property
    def spent(self) -> int:
        """The points that the measurements so far have cost."""
        return sum(INSTRUMENTS[what].price for what in self._chart.paid)

    def measure(self, what: str) -> Any:
        """What an instrument shows of this patient: a number, or a list, tuple or dict of numbers.

        Raises ValueError for an unknown instrument, and OverBudget where the points left are not enough.
        """
        self._here("measure")
        price = _known("measure", what, INSTRUMENTS).price
        if what not in self._chart.paid:
            if self.spent + price > BUDGET:
                left = BUDGET - self.spent
                raise OverBudget(TOO_DEAR.format(name=what, price=price, left=left, budget=BUDGET))
            self._chart.paid.append(what)
        return measured(what, _admitted(self))

    def submit(self, found: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """The diagnosis as it is graded: each fault, in order, with what its measurement is worth.

        `found` maps each fault to the measurement that shows it. "shown": it was made, and it alone distinguishes this fault from
        every other; "not shown": it does not; "not measured". It does not say whether the patient has the fault. Raises
        ValueError for a fault or a measurement that there is not.

        >>> patient = admit("Fay")
        >>> patient.measure("rates")[-1] > 0
        True
        >>> patient.submit({"stuck-warmup": "rates"})
        (('stuck-warmup', 'shown'),)
        """
        self._here("submit")
        sheet = []
        for name in sorted(found):
            shown_by = _known("submit", name, FAULTS).shown_by
            _known("submit", found[name], INSTRUMENTS)
            worth = "shown" if found[name] in shown_by else "not shown"
            sheet.append((name, worth if found[name] in self._chart.paid else "not measured"))
        return self._given(tuple(sheet))

    def replace(self, **parts: Callable) -> None:
        """From now on these parts of the program are yours: functions by name, with the arguments of the old ones.

        Raises ValueError for a part that there is not.
        """
        for name in parts:
            _known("replace", name, dict.fromkeys(PARTS))
        self._chart.new |= parts

    def discharge(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the treatment is judged by: the parts that were replaced, and what still differs from the healthy run.

        The healthy run has the same numbers and no fault. The losses, the norms that the optimizer gets in the first steps,
        "fixed", "rates", and the results of "finish" for gradients below and above the limit are compared, to 2 %. It costs
        nothing, and after it the patient is gone: `measure` and `submit` raise ValueError. Raises whatever a part of
        yours raises.

        >>> admit("ann", with_faults=("clip-early",)).discharge()
        ((), ('norms', 'finish'))
        """
        self._here("discharge")
        self._chart.gone = True
        sheet = discharged(_admitted(self), self._chart.new)
        return self._given(sheet)

    def _given(self, sheet: tuple) -> Any:
        self._chart.sheets.append(sheet)
        return sheet

    def _here(self, what: str) -> None:
        if self._chart.gone:
            raise ValueError("{what}: this patient has been discharged. Admit the next one".format(what=what))


def discharged(who: Admission, new: Mapping[str, Callable]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What `Patient.discharge` gives for an admission whose parts were replaced by `new`."""
    now, healthy = Subject(who, {**subject(who).parts, **new}), replace(who, faults=())
    return tuple(sorted(new)), tuple(
        what for what in JUDGED if not _near(JUDGED[what](now), _of_healthy(what, healthy))
    )


@lru_cache(maxsize=512)
def _of_healthy(what: str, who: Admission) -> list[float]:
    return JUDGED[what](subject(who))


def _finished(one: Subject, part: float) -> list[float]:
    """What `finish` makes of scaled gradients whose norm is this part of the limit."""
    plan = one.plan
    numbers = {name: 1.0 + np.arange(w.size) % 4 for name, w in one.begun.start.items()}
    size = plan.scale * part * plan.limit / len(numbers) ** 0.5  # of each, so that none may be left out
    gradients = {name: torch.tensor(each * (size / np.linalg.norm(each))) for name, each in numbers.items()}
    finished = one.parts["finish"](gradients, plan.scale, plan.limit)
    return [float(number) for name in numbers if name in finished for number in finished[name].numpy()]


def _near(one: list[float], other: list[float]) -> bool:
    return len(one) == len(other) and bool(np.allclose(one, other, rtol=NEAR))


def admit(name: int | str, with_faults: tuple[str, ...] | None = None) -> Patient:
    """The patient of that name: a number or any text. The same name is the same patient, on every machine.

    Which faults it has is drawn from the name, and nothing shows it but measurements. With `with_faults` it has these,
    for practice: `admit("ann", with_faults=())` is healthy. Raises ValueError for a fault that there is not.

    >>> admit("ann", with_faults=("same-rows",)).measure("rows")
    [32, 32, 32]
    >>> admit("ann", with_faults=()).measure("rows")
    [32, 32, 64]
    """
    return Patient(name, with_faults)


def _admitted(patient: Patient) -> Admission:
    """The patient's plan and faults, drawn again at each call, so that printing a patient shows none."""
    chart = patient._chart
    return admission(chart.name) if chart.asked_for is None else textbook(chart.asked_for, chart.name)


def prices() -> str:
    """What can be measured, at which price, as a table: a line for each instrument.

    >>> print(prices().splitlines()[0])
    losses     1   the loss of each step
    """
    return "\n".join(f"{name:<10} {one.price}   {one.says}" for name, one in INSTRUMENTS.items())


def _known(what: str, name: str, names: Mapping[str, Any]) -> Any:
    if name not in names:
        raise ValueError(UNKNOWN.format(what=what, name=name, suggestion=did_you_mean(str(name), names)))
    return names[name]
