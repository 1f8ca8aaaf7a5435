"""The wrong-engine lab: a right engine, broken ones, and where each goes wrong first."""

from .lab import WrongEngineLab
from .report import Report, first_wrong

__all__ = ["Report", "WrongEngineLab", "first_wrong"]
