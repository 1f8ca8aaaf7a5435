"""The ledger of documented cases: `CASES`, and `run(case)` to see what labkit gives for one."""

from . import tape, training, transform
from .ledger import ByMode, Case, CaseRun, Slip, run

CASES: list[Case] = [*transform.CASES, *tape.CASES, *training.CASES]

__all__ = ["CASES", "ByMode", "Case", "CaseRun", "Slip", "report", "run"]
