"""How systems name submissions and list students: the entries of `lms.toml`."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

ENDINGS = (".ipynb", ".ipynb.txt", ".ipynb.json", ".zip", ".py")  # what is graded, the best first


@dataclass(frozen=True)
class Label:
    """What the name of an entry says: whose it is, in which layout, and what the system says about it."""

    layout: "Layout"
    key: str
    name: str = ""
    file: str = ""
    before: str = ""
    number: int = 0
    late: bool = False


@dataclass(frozen=True)
class Layout:
    """An entry `[[layout]]` of `lms.toml`, which says what its fields are."""

    name: str
    entry: str
    kind: str = ""
    match: tuple[str, ...] = ()
    own_times: bool = True
    feedback: str = ""

    @property
    def tells_late(self) -> bool:
        """True where the system marks late submissions."""
        return "(?P<late>" in self.entry

    def read(self, entry: str, is_folder: bool, names: Sequence[str]) -> Label | None:
        """The parts of an entry's name in this layout; None where it does not fit. `names` are those of the assignment.

        >>> canvas = next(layout for layout in known().layouts if layout.name == "Canvas")
        >>> label = canvas.read("lovelaceada_LATE_10274_67002_slopes-1.ipynb", False, ["slopes"])
        >>> label.name, label.key, label.late, label.file
        ('lovelaceada', '10274', True, 'slopes-1.ipynb')
        """
        if self.kind not in ("", "folder" if is_folder else "file"):
            return None
        found = _pattern(self.entry, tuple(names)).fullmatch(entry)
        if not found:
            return None
        said = found.groupdict()
        file = said.get("file") or ""
        before = entry.removesuffix(file) if file else entry
        number = int(digits) if (digits := said.get("number") or "0").isdecimal() else 0
        late = said.get("late") is not None
        return Label(self, said.get("key") or "", said.get("name") or "", file, before, number, late)


@dataclass(frozen=True)
class RosterKind:
    """An entry `[[roster]]` of `lms.toml`, which says what its fields are."""

    name: str
    needs: tuple[str, ...]
    columns: Mapping[str, Any]
    skip: str = ""
    filled: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    grade: str = ""
    maximum: str = ""
    points_row: str = ""
    keep: tuple[str, ...] = ()

    def headings(self, role: str) -> tuple[str, ...]:
        """The columns that a role may have, in small letters."""
        given = self.columns.get(role, ())
        return tuple(heading.casefold() for heading in ([given] if isinstance(given, str) else given))


@dataclass(frozen=True)
class Known:
    """The layouts and kinds of roster that are known, in the order in which they are tried."""

    layouts: tuple[Layout, ...]
    rosters: tuple[RosterKind, ...]


@cache
def known() -> Known:
    """What `lms.toml` knows."""
    data = tomllib.loads((files(__package__) / "lms.toml").read_text(encoding="utf-8"))
    layouts = tuple(Layout(**_frozen(entry)) for entry in data["layout"])
    return Known(layouts, tuple(RosterKind(**_frozen(entry)) for entry in data["roster"]))


def _frozen(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}


@cache
def _pattern(entry: str, names: tuple[str, ...]) -> re.Pattern[str]:
    endings = "|".join(re.escape(ending) for ending in sorted(ENDINGS, key=len, reverse=True))
    assignment = "|".join(map(re.escape, names))
    text = entry.replace("{assignment}", f"(?:{assignment})").replace("{ending}", f"(?i:{endings})")
    return re.compile(text, re.DOTALL)
