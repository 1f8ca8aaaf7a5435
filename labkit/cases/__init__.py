"""The ledger of documented cases: `CASES`, and `run(case)` for labkit's results; `report` prints them, `differences` lists
where PyTorch and MindSpore disagree.
"""

from typing import Any

from ..imports.lazy import load
from . import tape, training, transform
from .ledger import DOCUMENTS, ByMode, Case, CaseRun, Slip, run

CASES: list[Case] = [*transform.CASES, *tape.CASES, *training.CASES]
_LATER = {"report": "", "differences": ""}

__all__ = ["CASES", "DOCUMENTS", "ByMode", "Case", "CaseRun", "Slip", "differences", "report", "run"]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return load(globals(), _LATER, name)
    raise AttributeError("labkit.cases has no {name!r}; it has {names}".format(name=name, names=", ".join(__all__)))
