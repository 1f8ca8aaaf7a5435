"""The wrong-engine lab: a right engine, broken ones, and where each goes wrong first."""

from .bench import Subject, train
from .broken import ENGINES
from .report import Report, first_wrong
from .wrong_engines import WrongEngineLab

__all__ = ["ENGINES", "Report", "Subject", "WrongEngineLab", "first_wrong", "train"]
