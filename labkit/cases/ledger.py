"""The ledger: what the documents print, what labkit computes, and a verdict for each case.

A case is a small program per dialect that returns labelled figures. They are compared with the documented ones (or, where a
document describes without printing, with the figures measured on the real framework): structure exactly, numbers to float32
printing accuracy, text to the letter.
"""

import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..engine import map_leaves

DOCUMENTS = {
    "r1.1": "MindSpore r1.1, training",
    "r1.10": "MindSpore r1.10, migration guide, network training and gradient derivation",
    "r2.1": "MindSpore r2.1, migration guide, Gradient Derivation",
    "master": "MindSpore master, migration guide, gradient derivation and comparison with PyTorch (Chinese)",
    "r2.3.q1": "MindSpore r2.3.q1, migration guide, gradient derivation and comparison with PyTorch (Chinese)",
}
MODES = {"mindspore": ("pynative", "graph"), "torch": ("eager",)}
Figures = dict[str, Any]  # by label
Program = Callable[[Any], Figures]  # of a dialect's module
MATCH, SLIP, BY_MODE, MISMATCH = "match", "slip in the document", "differs by mode", "mismatch"


@dataclass(frozen=True)
class Slip:
    """A figure the document has wrong: what it should be, and why."""

    right: Any
    why: str


@dataclass(frozen=True)
class ByMode:
    """A figure on which the real framework's modes disagree: the value in each, and why."""

    figures: dict[str, Any]
    why: str


@dataclass(frozen=True)
class Case:
    """One documented case.

    `figures` are what the document prints, or what the real framework gives where it prints nothing (`printed=False`).
    `corrections` name the figures that are a `Slip` or differ `ByMode`. `programs` holds, per dialect, a function of the
    dialect's module that returns the figures. `rtol` is how far numbers may be off: as far as a float32 is printed, or as
    the rounding of several steps adds up to.
    """

    name: str
    documents: tuple[str, ...]
    section: str
    shows: str
    figures: Figures
    programs: dict[str, Program]
    printed: bool = True
    corrections: dict[str, Slip | ByMode] = field(default_factory=dict)
    rtol: float = 2e-6

    def source(self, dialect: str) -> str:
        """The case's program in one dialect, as text."""
        return textwrap.dedent(inspect.getsource(self.programs[dialect])).strip()

    def expected(self, label: str, mode: str) -> Any:
        """The right figure: the documented one unless it is corrected."""
        correction = self.corrections.get(label)
        if isinstance(correction, Slip):
            return correction.right
        return self.figures[label] if correction is None else correction.figures[mode]


@dataclass(frozen=True)
class CaseRun:
    """What one dialect gave for one case in one mode. `error` is the message of an exception, if one escaped."""

    case: Case
    dialect: str
    mode: str
    obtained: Figures
    error: str | None = None

    @property
    def verdict(self) -> str:
        """`match`, `slip in the document`, `differs by mode`, or `mismatch`."""
        case = self.case
        if self.error or any(not agrees(v, case.expected(k, self.mode), case.rtol) for k, v in self.obtained.items()):
            return MISMATCH
        kinds = {type(self.case.corrections[label]) for label in self.obtained if label in self.case.corrections}
        return SLIP if Slip in kinds else BY_MODE if ByMode in kinds else MATCH


def agrees(obtained: Any, expected: Any, rtol: float = 2e-6) -> bool:
    """Equal structure and text, and numbers that agree to `rtol`, by default as float32 prints do.

    >>> agrees((np.float32(0.1),), (0.1,)), agrees(np.ones(1), 1.0)
    (True, False)
    """
    if isinstance(expected, (tuple, dict)) or isinstance(obtained, (tuple, dict)):
        if type(obtained) is not type(expected) or len(obtained) != len(expected):
            return False
        if isinstance(expected, dict):
            return obtained.keys() == expected.keys() and all(agrees(obtained[k], expected[k], rtol) for k in expected)
        return all(agrees(a, b, rtol) for a, b in zip(obtained, expected, strict=True))
    if any(isinstance(side, (str, bool)) or side is None for side in (obtained, expected)):
        return type(obtained) is type(expected) and obtained == expected
    return np.shape(obtained) == np.shape(expected) and np.allclose(obtained, expected, rtol=rtol, equal_nan=True)


def run(case: Case) -> Iterator[CaseRun]:
    """Run a case in every dialect and mode it has."""
    for dialect in case.programs:
        for mode in MODES[dialect]:
            yield run_in(case, dialect, mode)


def run_in(case: Case, dialect: str, mode: str) -> CaseRun:
    """Run a case in one dialect and mode; the mode is put back afterwards."""
    module, restore = _enter(dialect, mode)
    try:
        return CaseRun(case, dialect, mode, map_leaves(_plain, case.programs[dialect](module)))
    except Exception as error:
        return CaseRun(case, dialect, mode, {}, f"{type(error).__name__}: {error}")
    finally:
        restore()


def _enter(dialect, mode):
    if dialect == "torch":
        from .. import torch

        return torch, lambda: None
    from .. import mindspore as ms

    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    return ms, lambda: ms.set_context(mode=before)


def _plain(leaf):
    """A tensor as its array, a boolean one as a bool; text, numbers and None as they are."""
    if hasattr(leaf, "__engine_value__"):
        leaf = np.asarray(leaf.__engine_value__())
    return bool(leaf) if getattr(leaf, "dtype", None) == np.bool_ and np.ndim(leaf) == 0 else leaf


def message_of(action: Callable[[], Any]) -> str:
    """The type and text of the exception that `action` raises; `no error` if it raises none."""
    try:
        action()
    except Exception as error:
        return f"{type(error).__name__}: {error}".strip()
    return "no error"
