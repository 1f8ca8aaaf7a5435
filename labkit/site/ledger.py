"""The ledger as a notebook: each documented case with the document's figures, labkit's, and its code."""

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

from ..cases import CASES, DOCUMENTS, ByMode, Case, Slip, report, run

PAGE = "ledger"
NAMES = {"mindspore": "MindSpore", "torch": "PyTorch"}
SHORT = {"mindspore": "ms", "torch": "torch"}
OPENING = """# Documented cases: what the documents print, and what the code gives

Each case of the documents from which MindSpore users learn gradients, run in labkit's dialects: **{cases} cases**, {slips} of
them with an error in the document. Below each are its program, in which only the import is changed, and its output when this page
was built.

**PyTorch and MindSpore side by side, or MindSpore's two modes apart:**

{list}
"""
RUN = '<a href="?run={case}-{dialect}#{case}">Run it here in {where}</a>'
PLAY = '<a href="../playground/index.html#case={case}&amp;dialect={dialect}">Open it in the playground ({where})</a>'


def write_ledger(file: Path, live: bool) -> None:
    """Write the notebook of all documented cases; `live`: with links that run them, here and in the playground."""
    runs = {case.name: list(run(case)) for case in CASES}
    cells = [_markdown("title", _opening())]
    for case in CASES:
        cells += [_markdown(f"text-{case.name}", _text(case, runs[case.name], live)), *_programs(case)]
    spec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": cells, "metadata": {"kernelspec": spec}, "nbformat": 4, "nbformat_minor": 5}
    file.write_text(json.dumps(notebook), encoding="utf-8")


def compares(case: Case) -> bool:
    """Whether both dialects have a case, or MindSpore's modes disagree on a figure of it."""
    return len(case.programs) > 1 or any(isinstance(one, ByMode) for one in case.corrections.values())


def _opening():
    slips = sum(any(isinstance(one, Slip) for one in case.corrections.values()) for case in CASES)
    listed = "\n".join(f"- [{case.name}](#{case.name}): {case.shows}" for case in CASES if compares(case))
    return OPENING.format(cases=len(CASES), slips=slips, list=listed)


def _text(case, runs, live):
    documents = "; ".join(DOCUMENTS[key] for key in case.documents)
    says = "The document prints" if case.printed else "The real framework gives"
    columns = [f"{NAMES[one.dialect]}{' (' + one.mode + ')' if one.dialect == 'mindspore' else ''}" for one in runs]
    rows = [
        [f"`{label}`", _code(figure), *(_code(one.obtained[label]) if label in one.obtained else "" for one in runs)]
        for label, figure in case.figures.items()
    ]
    table = [["", says, *columns], ["---"] * (2 + len(columns)), *rows]
    lines = ["| " + " | ".join(row) + " |" for row in table]
    why = [f"- `{label}`: {_fault(one)}" for label, one in case.corrections.items()]
    links = [
        link.format(case=case.name, dialect=dialect, where=NAMES[dialect])
        for link in (RUN, PLAY)
        for dialect in case.programs
        if live
    ]
    told = "**What it shows:** {shows}. {links}".format(shows=case.shows, links=" · ".join(links))
    return "\n".join([f"## {case.name}", "", told, "", f"*{documents}: {case.section}.*", "", *lines, "", *why])


def _fault(one):
    if isinstance(one, Slip):
        return "an error in the document; correct is {right}: {why}.".format(right=_code(one.right), why=one.why)
    return "the modes differ: {why}.".format(why=one.why)


def _code(figure):
    text = report.figure_text(figure).replace("|", "\\|")
    return f"``{text}``" if len(text) < 160 else f"``{text[:150]} …``"


def _programs(case):
    for dialect, program in case.programs.items():
        yield {
            "cell_type": "code", "id": f"{case.name}-{dialect}", "metadata": {}, "outputs": [],
            "execution_count": None, "source": cell_of(case, dialect, program),
        }  # fmt: skip


def cell_of(case: Case, dialect: str, program: Callable[..., Any]) -> str:
    """The code of a cell that runs a case in one dialect: its program with what that takes from elsewhere, and a call of it."""
    short = SHORT[dialect]
    source = inspect.getsource(program)
    if not source.startswith(f"def {program.__name__}("):  # made by a function, for settings
        return f"from labkit.cases import CASES, report, run\n\ncase = next(c for c in CASES if c.name == {case.name!r})\n" \
               f"print(report.detail(case, list(run(case))))"  # fmt: skip
    module = inspect.getmodule(program)
    taken = sorted(
        name for name in _globals(program.__code__) if hasattr(module, name) and name not in ("np", "Figures")
    )
    lines = [
        f"import labkit.{dialect} as {short}",
        f"from {program.__module__} import {', '.join(['Figures', *taken])}",
    ]
    lines = ["import numpy as np"] * ("np" in _globals(program.__code__)) + lines
    return "\n".join([*lines, "", "", source.strip(), "", "", f"{program.__name__}({short})"])


def _globals(code: CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_globals, inner))


def _markdown(name: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}
