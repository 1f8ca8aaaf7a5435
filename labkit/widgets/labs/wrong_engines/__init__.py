"""The wrong-engine lab: a right engine, broken ones, and where each goes wrong first."""

from .broken import ENGINES
from .lab import WrongEngineLab
from .report import Report, first_wrong
from .run import Subject, train

__all__ = ["ENGINES", "Report", "Subject", "WrongEngineLab", "first_wrong", "train"]
