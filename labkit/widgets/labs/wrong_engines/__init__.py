"""The wrong-engine lab: a right engine, broken ones, and where each goes wrong first."""

from .bench import backward_passes
from .broken import ENGINES
from .report import Report, first_wrong
from .wrong_engines import WrongEngineLab

__all__ = ["ENGINES", "Report", "WrongEngineLab", "backward_passes", "first_wrong"]
