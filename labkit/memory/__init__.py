"""What a derivative keeps in memory: `memory_report` shows it op by op, `checkpoint` keeps less of it.

Both take plain functions and those of the dialects, Cells and Modules alike (see `labkit.tracing`).
"""

from .alive import MemoryMoment
from .checkpoints import checkpoint
from .checkpoints import value_on_tape as value_on_tape
from .peaks import garbage_left_alone as garbage_left_alone
from .report import MemoryReport, Row, memory_report

__all__ = ["MemoryMoment", "MemoryReport", "Row", "checkpoint", "memory_report"]
