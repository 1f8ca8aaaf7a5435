"""Exercises with instant checks: `check(name, answer)`, then `hint(name)`, `explain()`, and
`solution(name)` when all else fails. `progress.progress()` says which are answered.

An exercise is data (see `exercise.Exercise`): the same data serves a notebook, an autograded cell, and a grader that
calls the student's function in another process and compares plain data on its own side.
"""

from . import progress
from .checking import Text, assess, check, hint, judge_answer, solution
from .exercise import Exercise, Misconception, WrongAnswer
from .exercises import EXERCISES, find
from .explaining import Explanation, explain
from .hinting import fitting, wrong_items
from .judge import Verdict, judge_calls, judge_value, not_a_function
from .numbers import base_of
from .partial import share_of_calls, share_of_value
from .proof import doubts
from .reading import NotAnExercise, named
from .report import Report
from .require import NotRight, require
from .sealed import seal, unseal

__all__ = [
    "EXERCISES", "Exercise", "Explanation", "Misconception", "NotAnExercise", "NotRight", "Report", "Text", "Verdict",
    "WrongAnswer", "assess", "base_of", "check", "doubts", "explain", "find", "fitting", "hint", "judge_answer", "judge_calls",
    "judge_value", "named", "not_a_function", "progress", "require", "seal",
    "share_of_calls", "share_of_value", "solution", "unseal", "wrong_items",
]  # fmt: skip
