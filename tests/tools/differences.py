"""Ask PyTorch and MindSpore the same calls, and keep what they do not agree on, in `labkit/cases/differences.json`.

    LABKIT_TORCH_PYTHON=... LABKIT_MINDSPORE_PYTHON=... python tests/tools/differences.py

`recorded.py` does so, too. Of the calls of one function that differ in the same way the first is kept.
"""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

TESTS = Path(__file__).parent.parent
sys.path[:0] = [str(TESTS / "real")]

import compared  # noqa: E402
import side_by_side  # noqa: E402

from labkit.cases import differences  # noqa: E402

imported_as = compared.load("run_programs").imported_as
FRAMEWORKS = ("torch", "mindspore")


def asked(python: str, framework: str, programs: list[str]) -> list[dict]:
    """What the programs give under an interpreter that has the framework."""
    given = "".join(json.dumps(program) + "\n" for program in programs)
    command, alone = [python, TESTS / "real" / "side_by_side.py", framework], os.environ | {"OMP_NUM_THREADS": "1"}
    with TemporaryDirectory() as folder:  # MindSpore leaves files where it runs, and may fail when all is answered
        done = subprocess.run(command, input=given, cwd=folder, capture_output=True, text=True, env=alone)
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if len(answers) != len(programs):
        sys.exit(f"{python} answered {len(answers)} of {len(programs)} programs:\n{done.stderr[-2000:]}")
    return answers


def here(framework: str, program: str) -> dict:
    """What a program gives in the dialect."""
    module = __import__(f"labkit.{framework}", fromlist=["_"])
    with imported_as(framework, module):
        return side_by_side.answer(program)


def record(pythons: dict[str, str]) -> str:
    """The new text of the file."""
    programs = side_by_side.programs()
    answers = {f: asked(pythons[f], f, [texts[f] for texts in programs.values()]) for f in FRAMEWORKS}
    found = {
        title: (differences.kind_of(one, other), one, other)
        for title, one, other in zip(programs, *answers.values(), strict=True)
    }
    known = calls_taken(found)
    titles = first_of_each(
        {t: kind for t, (kind, *_) in found.items() if kind and (kind != "refused" or taken(t) in known)}
    )
    again = {f: asked(pythons[f], f, [programs[title][f] for title in titles]) for f in FRAMEWORKS}
    rows = []
    for title, *second in zip(titles, *again.values(), strict=True):
        kind, *first = found[title]
        if first != second:
            continue  # drawn at random, or of memory that nobody has written
        alike = [f for f, real in zip(FRAMEWORKS, first, strict=True) if same(real, here(f, programs[title][f]))]
        rows.append({
            "kind": label(title, kind), "name": name_of(title), "call": title.removeprefix("slope of "),
            "programs": {f: program.split("\n", 1)[1].strip("\n") for f, program in programs[title].items()},
            "prints": {f: one["text"] for f, one in zip(FRAMEWORKS, first, strict=True)}, "alike": alike,
        })  # fmt: skip
    order = list(differences.KINDS)
    rows.sort(key=lambda row: (order.index(row["kind"]), row["name"].lstrip(".").lower()))
    versions = {f: version(pythons[f], f) for f in FRAMEWORKS}
    held = {"asked": len(programs), "versions": versions, "differences": rows}
    return json.dumps(held, indent=1, ensure_ascii=False) + "\n"


def calls_taken(found):
    """The functions, each with a number of arguments, that both frameworks take in some call: others mean other things by it."""
    return {taken(title) for title, (_, one, other) in found.items() if "plain" in one and "plain" in other}


def taken(title):
    arguments = title.partition("(")[2][:-1]
    many = len(ast.literal_eval(f"({arguments.replace('float', '')},)")) if "=..." not in title else 0
    return name_of(title), title.startswith("slope of "), many


def name_of(title):
    return title.removeprefix("slope of ").partition("(")[0]


def label(title, kind):
    if kind != "refused":
        return "default" if title.endswith("=...)") else "slope" if title.startswith("slope of ") else kind
    return kind


def first_of_each(kinds):
    """The first call of each function for each way to differ."""
    found = {}
    for title, kind in kinds.items():
        default = title if title.endswith("=...)") else ""
        found.setdefault((name_of(title), label(title, kind), default), title)
    return list(found.values())


def same(real, ours):
    """Whether two answers are alike: errors by their type, values by what they hold."""
    if "error" in real or "error" in ours:
        return real.get("error") == ours.get("error")
    return differences.kind_of(real, ours) is None


def version(python, framework):
    told = subprocess.run(
        [python, "-c", f"import {framework}; print({framework}.__version__)"], capture_output=True, text=True
    )
    return told.stdout.split()[-1]


if __name__ == "__main__":
    pythons = {framework: compared.real_python(framework) for framework in FRAMEWORKS}
    if not all(pythons.values()):
        sys.exit("LABKIT_TORCH_PYTHON and LABKIT_MINDSPORE_PYTHON have to name the Pythons that have them")
    differences.FILE.write_text(record(pythons), encoding="utf-8")
