"""No answer that differs from a solution by one slip is taken for right, unless it is right."""

import zlib

import numpy as np
import pytest
from equivalents import CLASSES, classes_of
from mutants import mutants
from survivors import PATIENT, cases, is_right

from labkit.classroom import EXERCISES
from labkit.classroom.exercise import strata

FUNCTIONS = [e for e in EXERCISES.values() if not e.is_prediction]
SAMPLE = 20  # of so many mutants one is tried in the usual run
DRAWS = 2000
exercises = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
SUM = """
def answer(a, b=2):
    total = 0
    for value in a[1:]:
        if value < b and not total:
            total += value * 2
    return total, max(a)
"""
MADE = list(mutants(SUM))


class Extreme(np.random.Generator):
    """Draws what may be drawn, and often its ends, or the same number again: where limits meet and ties arise."""

    def __init__(self, seed):
        super().__init__(np.random.PCG64(seed))
        self.dice = np.random.default_rng(seed)

    def _pulled(self, drawn, *ends):
        often = self.dice.random(np.shape(drawn)) < 0.3
        pulled = np.where(often, self.dice.choice(np.array(ends), np.shape(drawn)), drawn)
        return pulled if isinstance(drawn, np.ndarray) else type(drawn)(pulled[()])

    def uniform(self, low=0.0, high=1.0, size=None):
        return self._pulled(super().uniform(low, high, size), low, high)

    def integers(self, low, high=None, size=None, **how):
        if how:  # `choice` and others ask for positions
            return super().integers(low, high, size, **how)
        low, high = (0, low) if high is None else (low, high)
        return self._pulled(super().integers(low, high, size), low, high - 1)

    def normal(self, loc=0.0, scale=1.0, size=None):
        return self._pulled(super().normal(loc, scale, size), loc - scale, loc + scale, loc + 3 * scale)


def extreme(exercise, count):
    """So many inputs from all strata of an exercise, most of them extreme."""
    rng = Extreme(zlib.crc32(exercise.name.encode()))
    return (exercise.strata[i % len(exercise.strata)](rng) for i in range(count))


def sampled(exercise):
    return [m for m in mutants(exercise.solution) if zlib.crc32(f"{exercise.name} {m.change}".encode()) % SAMPLE == 0]


def living(exercise, tried, known):
    """The mutants that pass and are not declared to be equivalent."""
    passing = (mutant for mutant in tried if is_right(exercise, mutant.source, known))
    return [mutant.change for mutant in passing if not classes_of(exercise.name, mutant.change)]


# ---- the mutants themselves ----


@pytest.mark.parametrize(
    "change",
    [
        "def answer(a, b=2): -> def answer(b, a=2):", "def answer(a, b=2): -> def answer(a, b=1):",
        "dropped: total = 0", "total = 0 -> total = 1", "doubled: total += value * 2", "total += value * 2 -> total = value * 2",
        "total += value * 2 -> total -= value * 2", "total += value * 2 -> total += value / 2",
        "total += value * 2 -> total += value * 4", "for value in a[1:]: -> for value in a[0:]:",
        "for value in a[1:]: -> for value in a[:]:", "for value in a[1:]: -> for value in list(a[1:])[:-1]:",
        "for value in a[1:]: -> for value in b[1:]:", "if value < b and (not total): -> if value <= b and (not total):",
        "if value < b and (not total): -> if value < b or not total:", "if value < b and (not total): -> if value < b:",
        "if value < b and (not total): -> if True:", "if value < b and (not total): -> if not (value < b and (not total)):",
        "return (total, max(a)) -> return (max(a), total)", "return (total, max(a)) -> return (total, min(a))",
        "return (total, max(a)) -> return (-total, max(a))", "return (total, max(a)) -> return (total, max(b))",
    ],
)  # fmt: skip
def test_a_slip_is_made(change):
    assert change in [mutant.change for mutant in MADE]


def test_each_mutant_is_another_program_under_a_name_of_its_own():
    assert len({m.change for m in MADE}) == len({m.source for m in MADE}) == len(MADE) > 55
    for mutant in MADE:
        compile(mutant.source, "<mutant>", "exec")


def test_a_mutant_that_the_inputs_do_not_tell_from_the_solution_survives():
    exercise = EXERCISES["scale-repair"]
    careless = exercise.solution.replace("not np.isfinite(g).all()", "np.isnan(g).any()")
    assert not is_right(exercise, careless, cases(exercise))
    kind = [inputs for inputs in exercise.inputs() if not np.isinf(inputs[1]).any()]
    assert is_right(exercise, careless, cases(exercise, kind))


# ---- strata ----


@pytest.mark.parametrize("count", [1, 3, 7])
def test_every_stratum_is_drawn_from_whatever_the_seed_and_the_number_of_draws(count):
    from dataclasses import replace

    kinds = tuple(lambda rng, kind=kind: (kind, rng.random()) for kind in range(4))
    exercise = replace(FUNCTIONS[0], draw=kinds, draws=count)
    for seed in range(5):
        drawn = [kind for kind, _ in exercise.inputs(seed)]
        assert {*drawn} == {0, 1, 2, 3} and len(drawn) == max(4, count)


def test_a_stratum_holds_what_meets_its_condition_and_says_so_when_nothing_does():
    small, large = strata(lambda rng: (int(rng.integers(9)),), lambda n: n < 2, lambda n: n > 6)
    rng = np.random.default_rng(0)
    assert all(small(rng)[0] < 2 and large(rng)[0] > 6 for _ in range(50))
    (never,) = strata(lambda rng: (1,), lambda n: n > 1)
    with pytest.raises(RuntimeError, match="give it a draw of its own"):
        never(rng)


# ---- the course ----


def test_of_a_sample_of_mutants_none_lives():
    for exercise in FUNCTIONS:
        assert living(exercise, sampled(exercise), cases(exercise)) == [], exercise.name


@pytest.mark.mutants
@exercises
def test_no_mutant_lives(exercise, capsys):
    known = cases(exercise)
    passing = [m.change for m in mutants(exercise.solution) if is_right(exercise, m.source, known)]
    with capsys.disabled():
        print(f"\n{exercise.name}: {len(list(mutants(exercise.solution)))} mutants, {len(passing)} equivalent", end=" ")
    assert [change for change in passing if not classes_of(exercise.name, change)] == []
    declared = {c for c in CLASSES if exercise.name in c.exercises.split()}
    assert declared <= {c for change in passing for c in classes_of(exercise.name, change)}, (
        "no mutant is of this class"
    )


@pytest.mark.mutants
@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda e: e.name)
def test_the_solution_and_what_is_called_equivalent_are_right_for_all_inputs(exercise):
    known, hard = cases(exercise), cases(exercise, extreme(exercise, DRAWS))
    passing = {m.change: m.source for m in mutants(exercise.solution) if is_right(exercise, m.source, known)}
    tried = {"the solution": exercise.solution, **passing}
    assert [change for change, source in tried.items() if not is_right(exercise, source, hard, PATIENT)] == []


@pytest.mark.mutants
@pytest.mark.parametrize("seed", [1, 2])
def test_no_mutant_lives_with_another_seed(seed):
    found = {e.name: living(e, mutants(e.solution), cases(e, e.inputs(seed))) for e in FUNCTIONS}
    assert {name: changes for name, changes in found.items() if changes} == {}
