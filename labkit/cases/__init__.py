"""The ledger of documented cases: `CASES`, and `run(case)` to see what labkit gives for one; `report` puts them in words,
`differences` knows what PyTorch and MindSpore do not agree on."""

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
    raise AttributeError(f"labkit.cases has no {name!r}; it has {', '.join(__all__)}")
