"""Draws a patient from a seed: the plan of the run, its initial weights and data, and its faults."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .faults import FAULTS, sets_of

HOW_MANY = (1, 5, 5, 3)  # of 14 patients so many have none, one, two, three faults
NO_FAULTS = "admit: expected names from {faults}, but got {unknown!r}"


@dataclass(frozen=True)
class Plan:
    """How a run is meant to be: what is public.

    `steps` with batches of `batch` of the 64 points, split among `workers`, each of which takes its share in `pieces`;
    a loss scale, a limit of the global norm, and AdamW with a rate, a `warmup` in steps and a weight decay.
    """

    rate: float
    scale: float
    limit: float
    decay: float = 0.25
    warmup: int = 6
    workers: int = 2
    pieces: int = 2
    batch: int = 32
    steps: int = 20


@dataclass(frozen=True)
class Admission:
    """A patient as the ward knows it: the seed of its numbers, its plan, its faults, which are not printed."""

    seed: int
    plan: Plan
    faults: tuple[str, ...] = field(repr=False)


def admission(name: int | str) -> Admission:
    """The patient of that name, a number or a text, which may be anything."""
    rng = _rng(name)
    sets = sets_of(int(rng.choice(4, p=np.array(HOW_MANY) / sum(HOW_MANY))))
    return _admitted(rng, sets[int(rng.integers(len(sets)))])


def textbook(faults: Sequence[str], name: int | str) -> Admission:
    """The patient of that name with these faults, which everybody may know. Raises ValueError where there is no such fault."""
    if unknown := [fault for fault in faults if fault not in FAULTS]:
        raise ValueError(NO_FAULTS.format(faults=", ".join(FAULTS), unknown=unknown[0]))
    return _admitted(_rng(f"textbook {name}"), tuple(fault for fault in FAULTS if fault in faults))


def _rng(name: int | str) -> np.random.Generator:
    return np.random.default_rng(int.from_bytes(hashlib.sha256(f"ward {name}".encode()).digest()[:16], "big"))


def _admitted(rng: np.random.Generator, faults: tuple[str, ...]) -> Admission:
    plan = Plan(2.0 ** -int(rng.integers(3, 6)), 2.0 ** int(rng.integers(8, 12)), 2.0 ** -int(rng.integers(5, 8)))
    return Admission(int(rng.integers(2**31)), plan, faults)
