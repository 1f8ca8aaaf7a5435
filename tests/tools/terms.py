"""Which notebook introduces what: `tests/terms.toml`. Bring it up to date with new notebooks: python tests/tools/terms.py

A name (or widget) that is not listed yet is added to the first notebook whose code uses it. With `--move`, one that stands
under the wrong notebook goes to the right one: an earlier notebook uses it without saying which notebook explains it, or
the one it stands under does not use it. Look at the difference afterwards: perhaps it is the notebook that should change.
Terms are written by hand, other spellings after a `|`.
"""

import re
import sys
import tomllib
from pathlib import Path

from course import NOTEBOOKS, NUMBERS, names_used, number_of, numbers_named, parts, without_links

FILE = Path(__file__).parent.parent / "terms.toml"
KINDS = ("names", "terms", "widgets")
HEAD = """\
# What each notebook introduces: labkit's names, terms and widgets (tests/test_concept_order.py, tests/tools/terms.py).
"""


def read() -> dict[str, dict[str, list[str]]]:
    """`{number: {"names": [...], "terms": [...], "widgets": [...]}}`."""
    stored = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {number: {kind: stored.get(number, {}).get(kind, []) for kind in KINDS} for number in NUMBERS}


def write(listed) -> None:
    lines = [HEAD]
    for number in NUMBERS:
        lines.append(f"[{number}]")
        lines += [_array(kind, listed[number][kind]) for kind in KINDS if listed[number][kind]]
        lines.append("")
    FILE.write_text("\n".join(lines), encoding="utf-8")


def _array(kind, items):
    rows = [""]
    for item in items if kind == "terms" else sorted(items):
        if len(rows[-1]) + len(item) > 108:
            rows.append("")
        rows[-1] += f' "{item}",'
    return f"{kind} = [\n" + "\n".join(f"   {row}" for row in rows) + "\n]"


def introduced(listed, *kinds) -> dict[str, str]:
    """`{item: number}`."""
    return {item: number for number in NUMBERS for kind in kinds for item in listed[number][kind]}


def kind_of(name: str) -> str:
    """Widgets are what `labkit.widgets` has, and `labkit.show`."""
    return "widgets" if name == "labkit.show" or name.startswith("labkit.widgets.") else "names"


def pattern(kind: str, item: str) -> re.Pattern:
    """What finds an item in text. Terms: any capitals, a hyphen as good as a space, one or many."""
    if kind != "terms":
        return re.compile(rf"(?<![\w.]){re.escape(item.removeprefix('labkit.widgets.'))}(?!\w)")
    words = "|".join(re.sub(r"[ -]", r"[\\s-]", re.escape(word).replace(r"\ ", " ").replace(r"\-", "-"))
                     for word in item.split("|"))  # fmt: skip
    return re.compile(rf"(?<!\w)(?:{words})s?(?!\w)", re.IGNORECASE)


def pointed(path) -> dict[int, set[str]]:
    """The notebooks that each section of a notebook names: what they introduce may be mentioned there."""
    named: dict[int, set[str]] = {}
    for part in parts(path):
        if part.kind == "markdown":
            named[part.section] = named.get(part.section, set()) | numbers_named(part.text)
    return named


def used_early(path, listed, *kinds) -> list[tuple[str, str, str]]:
    """`(item, number, cell)`: what a notebook uses although it stands under a later one, with no pointer to that."""
    number, points = number_of(path), pointed(path)
    later = {item: (n, kind) for kind in kinds for item, n in introduced(listed, kind).items() if n > number}
    found = [(later[name][0], name, section, cell) for name, section, cell in names_used(path) if name in later]
    texts = [(p, without_links(p.text) if p.kind == "markdown" else p.text) for p in parts(path)]
    for item, (n, kind) in later.items():
        sought = pattern(kind, item)
        found += [(n, item, part.section, part.cell) for part, text in texts if sought.search(text)]
    return sorted({(item, n, cell) for n, item, section, cell in found if n not in points.get(section, ())})


def not_used(path, listed, *kinds) -> list[str]:
    """What stands under a notebook without being there."""
    names = {name for name, _, _ in names_used(path)}
    text = "\n".join(part.text for part in parts(path))
    return [
        item for kind in kinds for item in listed[number_of(path)][kind]
        if item not in names and not pattern(kind, item).search(text)
    ]  # fmt: skip


def update(move: bool = False) -> None:
    """Add the names that the notebooks use and that are not listed; with `move`, put the others where they belong."""
    listed = read()
    if move:
        for path in NOTEBOOKS:
            wrong = [*not_used(path, listed, "names", "widgets")]
            wrong += [name for name, _, _ in used_early(path, listed, "names", "widgets")]
            for name in dict.fromkeys(wrong):
                before = introduced(listed, "names", "widgets")[name]
                listed[before][kind_of(name)].remove(name)
                print(f"{name}: no longer {before}")
    for path in NOTEBOOKS:
        for name, _, _ in names_used(path):
            if name not in introduced(listed, "names", "widgets"):
                listed[number_of(path)][kind_of(name)].append(name)
                print(f"{name}: {number_of(path)}")
    write(listed)


if __name__ == "__main__":
    update(move="--move" in sys.argv)
