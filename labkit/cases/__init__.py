"""The ledger of documented cases: `CASES`, and `run(case)` to see what labkit gives for one."""

from . import tape, training, transform
from .ledger import ByMode, Case, Outcome, Slip, run

CASES: list[Case] = [*transform.CASES, *tape.CASES, *training.CASES]

__all__ = ["CASES", "ByMode", "Case", "Outcome", "Slip", "report", "run"]
