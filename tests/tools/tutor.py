"""How well the course understands answers that nobody planted: the sheets of `tests/tutor`, through the judge of `check`."""

import pickle
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np
from sheets import Answer

from labkit.classroom import Exercise, reading
from labkit.classroom.checking import judge_answer
from labkit.classroom.compare import STAGES
from labkit.classroom.exercises import EXERCISES
from labkit.classroom.judge import Verdict
from labkit.classroom.tutor import meant

OUTCOMES = ("named", "guarded", "undiagnosed", "accepted")  # of a wrong answer
GUARDS = ("arguments", "empty", "mutated", "printed", "timeout")  # they say what happened, without a name for why


@dataclass(frozen=True)
class Judged:
    """An answer, and what the course says to it."""

    answer: Answer
    verdict: Verdict

    @property
    def outcome(self):
        """ "right" or "refused"; for a wrong answer one of `OUTCOMES`."""
        if self.answer.right:
            return "right" if self.verdict else "refused"
        if self.verdict:
            return "accepted"
        if self.verdict.kind in GUARDS or self._explained:
            return "guarded"
        return "undiagnosed" if self.verdict.kind in (*STAGES, "type", "error") else "named"

    @property
    def _explained(self):
        """True for an error to whose message is added what it means."""
        exercise = EXERCISES[self.answer.exercise]
        meanings = [*(meaning for _, meaning in exercise.errors), meant(exercise.tensors, self.verdict.text)]
        return self.verdict.kind == "error" and any(meaning in self.verdict.text for meaning in meanings if meaning)


@contextmanager
def right_answers_found_once():
    """labkit runs anew at every check, for the right answer and the planted ones; here it is asked a dozen times for each of
    the same inputs."""
    right = _once(Exercise.expected, lambda exercise, inputs=(): (exercise.name, inputs))
    planted = _once(
        reading._Reader._gives, lambda reader, function, inputs: (getattr(function, "args", id(function)), inputs)
    )
    with patch.object(Exercise, "expected", right), patch.object(reading._Reader, "_gives", planted):
        yield


def _once(method, key):
    """`method`, whose answers are remembered by what `key` says of its arguments."""
    found = {}

    def remembered(*args):
        known = pickle.dumps(key(*args))
        if known not in found:
            found[known] = method(*args)
        return found[known]

    return remembered


def judge(answer):
    """The verdict of `check` on one answer; nothing is printed, nothing goes into a learner's progress."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return Judged(answer, judge_answer(EXERCISES[answer.exercise], answer.value))


def rate(counts):
    """The share of wrong answers that are told what was misunderstood."""
    return counts["named"] / sum(counts[outcome] for outcome in OUTCOMES)
