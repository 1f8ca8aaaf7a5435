"""Both dialects at the edges: values, gradients and refused dtypes are those of the real frameworks, as `edges.json.gz` has them.

`edges_that_differ.txt` lists what differs, by reason; a call that no longer differs has to go from the list.
"""

import re
import sys
from functools import cache
from importlib import import_module
from math import prod
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tools"))

import edges  # noqa: E402

del sys.path[0]
RECORD = edges.stored()
ERROR = re.compile(r"\w+(?:Error|Exception)")


def known():
    """`{framework: titles}` of the calls that are listed."""
    found = {framework: set() for framework in RECORD}
    for part in (HERE / "edges_that_differ.txt").read_text(encoding="utf-8").split("## ")[1:]:
        head, *lines = part.strip().splitlines()
        for line in lines:
            functions, _, titles = line.partition(": ")
            names = [name.replace("_", " ", 1) if name[0] == "_" else name for name in functions.split()]
            found[head.partition(":")[0]] |= {f"{name} ({title})" for name in names for title in titles.split(" | ")}
    return found


KNOWN = known()


@cache
def unlike(framework):
    """`{title: (real, ours)}` of the calls that do not agree."""
    side = edges.side_of(framework, import_module(f"labkit.{framework}"))
    found = {}
    for function, rows in RECORD[framework].items():
        for arguments, real in rows.items():
            title = f"{function} ({arguments})"
            ours = edges.answer(side, *edges.call_of(title))
            if not alike(real, ours, arguments in edges.DTYPES):
                found[title] = (real, ours)
    return found


def alike(real, ours, exactly):
    """Whether two answers agree; two errors for more than one tensor or argument do, whichever comes first."""
    if not exactly and ERROR.match(real) and ERROR.match(ours):
        return True
    parts = [re.split(r" [;|] ", said) for said in (real, ours)]
    return len(parts[0]) == len(parts[1]) and all(map(_alike, *parts))


def _alike(real, ours):
    errors = [ERROR.match(said) for said in (real, ours)]
    if any(errors):
        return all(errors) and errors[0][0] == errors[1][0]
    (kind, a), (other, b) = map(_numbers, (real, ours))
    near = (4e-3, 1e-3) if kind[:2] == "f2" else (2e-4, 3e-6)
    return kind == other and a == pytest.approx(b, rel=near[0], abs=near[1], nan_ok=True)


def _numbers(said):
    """Dtype with shape, and the numbers of one result."""
    if "[" not in said:
        return said, []
    kind, *numbers = said.split()
    if numbers and numbers[0][0] == "*":
        numbers = [numbers[0][1:]] * prod(int(n) for n in kind[kind.index("[") + 1 : -1].split(","))
    return kind, list(map(float, numbers))


@pytest.mark.parametrize("framework", RECORD)
def test_a_call_gives_what_the_real_framework_gives_or_is_listed(framework):
    assert {title: both for title, both in unlike(framework).items() if title not in KNOWN[framework]} == {}


@pytest.mark.parametrize("framework", RECORD)
def test_what_is_listed_differs(framework):
    assert KNOWN[framework] - set(unlike(framework)) == set()
    assert sum(map(len, RECORD[framework].values())) > 10 * len(KNOWN[framework])
