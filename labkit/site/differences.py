"""The page of differences: calls and names that differ between PyTorch and MindSpore."""

import json
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from ..cases import CASES, differences
from ..dialects import framework_hints as ported
from .ledger import NAMES, compares

PAGE = "differences"
TEXT = """# PyTorch or MindSpore: what differs

{asked} calls, made in both: every function, method and class whose name the two share, with arguments of many kinds. PyTorch
{torch} and MindSpore {mindspore} do not agree on **{count}** functions or defaults. Here is the first call of each, with what
the two real frameworks print.{run} Most notebooks compare both on their
subject, in a section *The same in PyTorch and in MindSpore*.

{parts}

## Documented cases of both frameworks

{cases}

## Names and their counterparts

| PyTorch | in MindSpore |
|---|---|
{to_mindspore}

| MindSpore | in PyTorch |
|---|---|
{to_torch}
"""
SAID = {
    "default": "Defaults of a parameter with the same name.",
    "slope": "The derivative of the sum of the call's result, at these numbers.",
    "value": "The same inputs give different numbers.",
    "shape": "The results have different shapes.",
    "structure": "One framework returns a tuple, or one value for all elements.",
    "dtype": "The numbers agree, their dtypes do not.",
    "refused": "One framework computes a result, the other raises an error, although both accept other calls of this function.",
}
ROW = (
    '<tr><th><code>{call}</code></th><td data-of="PyTorch"><pre>{torch}</pre></td>'
    '<td data-of="MindSpore"><pre>{mindspore}</pre></td>{run}</tr>'
)
HEAD = '<div class="differ"><table><thead><tr><th>Call</th><th>PyTorch</th><th>MindSpore</th>{run}</tr></thead><tbody>'
PLAY = '<a href="../playground/index.html#{program}">{where}</a>'


def write_differences(file: Path, live: bool) -> None:
    """Write the page; `live`: with links that run programs."""
    found, held = differences.differences(), json.loads(differences.FILE.read_text(encoding="utf-8"))
    run = " Where labkit's dialects give the same, a link runs it in this browser." if live else ""
    cases = (f"- [{case.name}](ledger.ipynb#{case.name}): {case.shows}" for case in CASES if compares(case))
    tables = [[f"| `{word}` | {said.replace('|', '&#124;')} |" for word, said in table.items()] for table in _words()]
    file.write_text(
        TEXT.format(
            asked=f"{held['asked']:,}", **held["versions"], count=len(found), run=run, parts="\n\n".join(_parts(found, live)),
            cases="\n".join(cases), to_mindspore="\n".join(tables[0]), to_torch="\n".join(tables[1]),
        ),
        encoding="utf-8",
    )  # fmt: skip


def _words():
    return ported.TO_MINDSPORE, ported.TO_TORCH


def _parts(found: Sequence[Any], live: bool) -> Iterator[str]:
    """A heading and a table for each kind of difference."""
    for kind, title in differences.KINDS.items():
        rows = [one for one in found if one.kind == kind]
        if rows:
            head = HEAD.format(run="<th>Run it</th>" if live else "")
            tables = "\n\n".join(_folded(rows, head, live)) if kind == "refused" else _table(rows, head, live)
            yield f"## {title}: {len(rows)}\n\n{SAID[kind]}\n\n{tables}"


def _folded(rows: Sequence[Any], head: str, live: bool) -> Iterator[str]:
    """What one framework refuses, by framework and arguments: many calls that say the same, unfolded by a click."""
    groups: dict[tuple[str, str], list[Any]] = {}
    for one in rows:
        groups.setdefault((differences.refuses(one), differences.given(one)), []).append(one)
    for (who, what), held in sorted(groups.items(), key=lambda group: -len(group[1])):
        names = ", ".join(f"<code>{escape(name)}</code>" for name in dict.fromkeys(one.name for one in held))
        summary = f"<b>With {what}, {NAMES[who]} raises an error</b> in {len(held)} of these: {names}"
        yield f"<details><summary>{summary}</summary>{_table(held, head, live)}</details>"


def _table(rows, head, live):
    return f"{head}{''.join(_row(one, live) for one in rows)}</tbody></table></div>"


def _row(one, live):
    printed = {dialect: escape(text).replace("\n\n", "\n") for dialect, text in one.prints.items()}
    links = " · ".join(
        PLAY.format(
            program=escape(urlencode({"code": one.programs[dialect], "dialect": dialect})), where=NAMES[dialect]
        )
        for dialect in one.alike
    )
    text = ROW.format(
        call=escape(one.call), **printed, run=f"<td{' data-of=Run' * bool(links)}>{links}</td>" if live else ""
    )
    return text.replace("\n", "&#10;")  # a blank line would end the table
