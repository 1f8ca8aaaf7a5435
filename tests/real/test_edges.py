"""Both dialects at the edges: values, gradients and refused dtypes are those of the real frameworks, as `edges.json.gz` has them.

`edges_that_differ.txt` lists what differs, by reason; a reason that no longer holds for any call has to go.
"""

import re
import sys
from fnmatch import fnmatchcase
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
    """`{framework: [(pattern of titles, reason)]}`."""
    found = {framework: [] for framework in RECORD}
    for part in (HERE / "edges_that_differ.txt").read_text(encoding="utf-8").split("## ")[1:]:
        head, *patterns = part.strip().splitlines()
        framework, _, reason = head.partition(": ")
        found[framework] += [(pattern.replace("[", "[[]"), reason) for pattern in patterns]
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
            if not alike(real, ours):
                found[title] = (real, ours)
    return found


def alike(real, ours):
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
    kind, *numbers = said.split()
    if numbers and numbers[0][0] == "*":
        numbers = [numbers[0][1:]] * prod(int(n) for n in kind[kind.index("[") + 1 : -1].split(","))
    return (kind, list(map(float, numbers))) if "[" in kind else (said, [])


@pytest.mark.parametrize("framework", RECORD)
def test_a_call_gives_what_the_real_framework_gives(framework):
    patterns = [pattern for pattern, _ in KNOWN[framework]]
    new = {t: both for t, both in unlike(framework).items() if not any(fnmatchcase(t, p) for p in patterns)}
    assert new == {}


@pytest.mark.parametrize("framework", RECORD)
def test_what_is_listed_differs_and_every_reason_is_needed(framework):
    titles = unlike(framework)
    idle = [pattern for pattern, _ in KNOWN[framework] if not any(fnmatchcase(t, pattern) for t in titles)]
    assert idle == [] and sum(map(len, RECORD[framework].values())) > 20 * len(titles)
