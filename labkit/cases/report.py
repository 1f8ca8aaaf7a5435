"""Printing the ledger: the table, one case with its code, or JSON."""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..messages.suggestions import did_you_mean
from . import CASES
from .ledger import DOCUMENTS, MISMATCH, Case, CaseRun
from .ledger import run as run_case


def find(name: str | None = None) -> list[Case]:
    """The case called `name`, or all of them; none, after a word on stderr, where there is no such case."""
    chosen = [case for case in CASES if name in (None, case.name)]
    if not chosen:
        meant = did_you_mean(name, (case.name for case in CASES), "labkit cases --list names them all.")
        print("labkit cases: there is no case {name!r}. {meant}".format(name=name, meant=meant), file=sys.stderr)
    return chosen


def run(chosen: list[Case], in_detail: bool = False, as_json: bool = False) -> int:
    """Run cases; print a table, all about the first one, or JSON. 0 if nothing mismatches, 1 if something does."""
    outcomes = [outcome for case in _progress(chosen) for outcome in run_case(case)]
    if as_json:
        print(json.dumps([as_data(outcome) for outcome in outcomes], indent=2, default=lambda array: array.tolist()))
    else:
        print(detail(chosen[0], outcomes) if in_detail else table(outcomes))
    return int(any(outcome.verdict == MISMATCH for outcome in outcomes))


def listing(chosen: list[Case]) -> str:
    """One line per case: its name, and what it shows."""
    return "\n".join(f"{case.name:<25} {case.shows}" for case in chosen)


def _progress(cases: list[Case]) -> Iterable[Case]:
    """A progress bar on a terminal, where tqdm is installed."""
    if len(cases) == 1 or not sys.stderr.isatty():
        return cases
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return cases
    return tqdm(cases, unit="case", leave=False)


def table(outcomes: list[CaseRun]) -> str:
    """One line per case, dialect and mode, and a summary."""
    lines = [f"{'case':<25} {'dialect':<10} {'mode':<9} {'verdict':<21} shows", "-" * 120]
    for o in outcomes:
        lines.append(f"{o.case.name:<25} {o.dialect:<10} {o.mode:<9} {o.verdict:<21} {o.case.shows}")
    counts = Counter(o.verdict for o in outcomes)
    summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    return "\n".join(
        [*lines, "-" * 120, f"{len({o.case.name for o in outcomes})} cases, {len(outcomes)} runs: {summary}"]
    )


def detail(case: Case, outcomes: list[CaseRun]) -> str:
    """One case: its place, its code, and every figure as documented and as obtained."""
    lines = [case.name, f"  shows     {case.shows}", f"  section   {case.section}"]
    lines += [f"  document  {DOCUMENTS[key]}" for key in case.documents]
    for dialect in case.programs:
        source = [f"    {line}" for line in case.source(dialect).splitlines()]
        lines += ["", "in the {dialect} dialect:".format(dialect=dialect), *source]
        settings = getattr(case.programs[dialect], "settings", None)
        lines += [f"    # with {settings}"] if settings else []
    origin = "documented" if case.printed else "measured on the real framework"
    for outcome in outcomes:
        lines += ["", f"{outcome.dialect}, {outcome.mode}: {outcome.verdict}"]
        lines += [f"    raised {outcome.error}"] if outcome.error else []
        for label, value in outcome.obtained.items():
            lines += [
                f"    {label}",
                f"        {origin:<11} {figure_text(case.figures[label])}",
                f"        obtained    {figure_text(value)}",
            ]
            if label in case.corrections:
                right = figure_text(case.expected(label, outcome.mode))
                lines.append(f"        right       {right}: {case.corrections[label].why}")
    return "\n".join(lines)


def figure_text(figure: Any) -> str:
    """A figure on one line; text keeps its line breaks as \\n."""
    if isinstance(figure, tuple):
        return f"({', '.join(figure_text(f) for f in figure)}{',' if len(figure) == 1 else ''})"
    if isinstance(figure, str) or figure is None or isinstance(figure, bool):
        return repr(figure)
    return " ".join(np.array2string(np.asarray(figure), separator=", ").split())


def as_data(outcome: CaseRun) -> dict[str, Any]:
    """An outcome as plain data for JSON."""
    case = outcome.case
    return {
        "case": case.name,
        **{name: getattr(case, name) for name in ("documents", "section", "shows")},
        **{name: getattr(outcome, name) for name in ("dialect", "mode", "verdict")},
        "figures": {label: case.figures[label] for label in outcome.obtained},
        "obtained": outcome.obtained,
        "corrections": {label: c.why for label, c in case.corrections.items()},
        "error": outcome.error,
    }
