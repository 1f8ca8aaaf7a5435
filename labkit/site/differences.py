"""The page of differences: the same call in PyTorch and in MindSpore, what the notebooks say of both, and words that differ."""

import json
import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from .. import ported
from ..cases import CASES, differences
from .ledger import NAMES, compares

PAGE = "differences"
SECTION = re.compile(r"^## .*\bThe same in PyTorch", re.MULTILINE)
TEXT = """# PyTorch or MindSpore: what differs

{asked} calls, made in both: every function, method and class whose name the two share, with arguments of many kinds. PyTorch
{torch} and MindSpore {mindspore} do not agree on **{count}** functions or defaults. Here is the first call of each, with what
the two real frameworks print.{run}

{parts}

## What the notebooks show of both

{notebooks}

## Documented cases that tell of both

{cases}

## What a word of one is in the other

| PyTorch | in MindSpore |
|---|---|
{to_mindspore}

| MindSpore | in PyTorch |
|---|---|
{to_torch}
"""
SAID = {
    "default": "The same parameter, left out.",
    "slope": "The derivative of the sum of what the call gives, at these numbers.",
    "value": "The same numbers go in, other numbers come out.",
    "shape": "The numbers come in another shape.",
    "structure": "One of them returns a tuple, or one value for all elements.",
    "dtype": "The numbers agree, their type does not.",
    "refused": "One of them computes, the other raises an error, though both take other calls of this function.",
}
ROW = (
    '<tr><th><code>{call}</code></th><td data-of="PyTorch"><pre>{torch}</pre></td>'
    '<td data-of="MindSpore"><pre>{mindspore}</pre></td>{run}</tr>'
)
HEAD = '<div class="differ"><table><thead><tr><th>Call</th><th>PyTorch</th><th>MindSpore</th>{run}</tr></thead><tbody>'
PLAY = '<a href="../playground/index.html#{program}">{where}</a>'


def write_differences(file: Path, paths: Sequence[Path], live: bool) -> None:
    """Write the page; `paths` are the notebooks, as they were run; `live`: with links that run programs."""
    found, held = differences.differences(), json.loads(differences.FILE.read_text(encoding="utf-8"))
    run = " Where labkit's dialects give the same, a link runs it in this browser." if live else ""
    cases = (f"- [{case.name}](ledger.ipynb#{case.name}): {case.shows}" for case in CASES if compares(case))
    tables = [[f"| `{word}` | {said.replace('|', '&#124;')} |" for word, said in table.items()] for table in _words()]
    file.write_text(
        TEXT.format(
            asked=f"{held['asked']:,}", **held["versions"], count=len(found), run=run, parts="\n\n".join(_parts(found, live)),
            notebooks="\n\n".join(_sections(paths, live)) or "(This site was built without those notebooks.)",
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
    """What one of them refuses, by who does and what it is given: many calls that say the same, unfolded by a click."""
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


def _sections(paths: Sequence[Path], live: bool) -> Iterator[str]:
    """What each notebook says in its section on both frameworks: its tables, and what its cells show that use both."""
    for path in paths:
        title, asked = "", False
        told: list[str] = []
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            text = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                title = title or text.partition("\n")[0].lstrip("# ")
                for part in re.split(r"^(?=## )", text, flags=re.MULTILINE):
                    asked = bool(SECTION.match(part)) if part.startswith("## ") else asked
                    told += _tables(part) if asked else []
            elif asked and not cell["id"].startswith("answer-") and (shown := _shown(cell)):
                told.append(f"```python\n{text}\n```\n```text\n{shown}\n```\n{_runs(path, cell['id'], live)}")
        if told:
            yield f"### {title}\n\n" + "\n\n".join(told)


def _tables(text):
    """The tables of a text that have a column for each framework."""
    found = re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE)
    return [
        table.strip()
        for table in found
        if "PyTorch" in table.partition("\n")[0] and "MindSpore" in table.partition("\n")[0]
    ]


def _shown(cell):
    """What a cell prints of both frameworks: it names both, or both their modules; empty for others."""
    source = "".join(cell["source"])
    outputs = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell["outputs"]]
    both = ("torch" in source.lower()) and ("mindspore" in source.lower() or re.search(r"\bms\.", source))
    return "".join(map("".join, outputs)).strip() if both else ""


def _runs(path, cell, live):
    link = f"?upto={cell}" if live else ""
    words = "Run it, after the cells above it" if live else "Where it stands"
    return f'<a href="{path.stem}.html{link}">{words}</a>'
