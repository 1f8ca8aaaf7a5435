"""Sick training runs: five that show their sources afterwards (unit 14), and a ward of others that never do (18b).

`admit(name)` is a patient of the ward: a small training run of the moons net in which none, one, two or three of twelve
faults are hidden. `FAULTS` names them, `prices()` says what can be measured; see `Patient`.
"""

from .faults import FAULTS, Fault
from .five import Ann, Ben, Cleo, Dan, Eve, Healthy, Scaled, data, weights
from .patient import OverBudget, Patient, admit, prices

__all__ = [
    "FAULTS", "Ann", "Ben", "Cleo", "Dan", "Eve", "Fault", "Healthy", "OverBudget", "Patient", "Scaled", "admit", "data",
    "prices", "weights",
]  # fmt: skip


def __dir__() -> list[str]:
    """The names that completion offers: those of the clinic, without the modules that reveal each patient's faults."""
    return __all__
