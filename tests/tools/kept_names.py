"""What a running class relies on: `tests/kept_names.toml`. Add what is new: python tests/tools/kept_names.py

The notebooks' files; the exercises, with the arguments of those that ask for a function; the misconceptions that each
can name. Assignments that were handed out, course.toml files and saved grades hold these names. Nothing is taken out: what
has to go is taken out by hand, in a version whose changelog says so.
"""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

from course import NOTEBOOKS

from labkit.classroom import EXERCISES

FILE = Path(__file__).parent.parent / "kept_names.toml"
HEAD = "# What a running class relies on (tests/tools/kept_names.py adds what is new; tests/classroom/test_kept_names.py).\n"
Names = dict[str, dict[str, list[str]]]


def kept() -> Names:
    """What is stored: `{"files": {"notebooks": [...]}, "exercises": {"fd-gradient(x, h)": [misconceptions]}}`."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def found() -> Names:
    """What there is now, in the same form."""
    exercises = {
        e.name if e.is_prediction else f"{e.name}({', '.join(e.arguments)})": [m.name for m in e.misconceptions]
        for e in EXERCISES.values()
    }
    return {"files": {"notebooks": [path.name for path in NOTEBOOKS]}, "exercises": exercises}


def gone(before: Names, now: Names) -> Iterator[str]:
    """What was there and is not, one sentence each."""
    for table, entries in before.items():
        for name, items in entries.items():
            there = now.get(table, {}).get(name)
            if there is None:
                yield f"{name} is gone"
            else:
                yield from (f"{item} of {name} is gone" for item in items if item not in there)


def together(before: Names, now: Names) -> Names:
    """All that was and all that is, what is new at the end."""
    return {
        table: {
            name: list(dict.fromkeys(before.get(table, {}).get(name, []) + now.get(table, {}).get(name, [])))
            for name in dict.fromkeys([*before.get(table, {}), *now.get(table, {})])
        }
        for table in dict.fromkeys([*before, *now])
    }


def as_text(names: Names) -> str:
    lines = [HEAD]
    for table, entries in names.items():
        lines.append(f"[{table}]")
        lines += [f"{json.dumps(name)} = {json.dumps(items)}" for name, items in entries.items()]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    now = found()
    before = kept() if FILE.exists() else {}
    FILE.write_text(as_text(together(before, now)), encoding="utf-8")
    print(*gone(before, now), sep="\n")
