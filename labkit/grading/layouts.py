"""How systems name submissions and list students: the entries of `lms.toml`, and those that a course adds to them."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any

from ..messages.suggestions import did_you_mean

ENDINGS = (".ipynb", ".ipynb.txt", ".ipynb.json", ".zip", ".py", ".html", ".htm")  # what is graded, the best first


@dataclass(frozen=True)
class Label:
    """What the name of an entry says: whose it is, in which layout, and what the system tells of it."""

    layout: "Layout"
    key: str
    name: str = ""
    file: str = ""
    before: str = ""
    number: int = 0
    late: bool = False
    time: datetime | None = None


@dataclass(frozen=True)
class Layout:
    """An entry `[[layout]]` of `lms.toml`, which says what its fields are."""

    name: str
    entry: str
    kind: str = ""
    match: tuple[str, ...] = ()
    time: str = ""
    own_times: bool = True
    feedback: str = ""

    @property
    def tells_late(self) -> bool:
        """True where the system marks what came late."""
        return "(?P<late>" in self.entry

    def read(self, entry: str, is_folder: bool, names: Sequence[str]) -> Label | None:
        """What this layout makes of an entry's name; None where it does not fit. `names` are those of the assignment.

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
        late, time = said.get("late") is not None, self._moment(said.get("time"))
        return Label(self, said.get("key") or "", said.get("name") or "", file, before, number, late, time)

    def _moment(self, text: str | None) -> datetime | None:
        try:
            return datetime.strptime(text, self.time) if text and self.time else None
        except ValueError:
            return None


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
        """The columns that a role may stand in, in small letters."""
        given = self.columns.get(role, ())
        return tuple(heading.casefold() for heading in ([given] if isinstance(given, str) else given))


@dataclass(frozen=True)
class Known:
    """The layouts and kinds of roster that are known, in the order in which they are tried."""

    layouts: tuple[Layout, ...]
    rosters: tuple[RosterKind, ...]


@cache
def _own() -> Known:
    text = (files(__package__) / "lms.toml").read_text(encoding="utf-8")
    return _known(tomllib.loads(text))


def known(added: Mapping[str, Any] | None = None) -> Known:
    """What `lms.toml` knows, after the entries `layout` and `roster_kind` of `added`, which have no `entry_problems`."""
    more = _known({"layout": (added or {}).get("layout", []), "roster": (added or {}).get("roster_kind", [])})
    return Known((*more.layouts, *_own().layouts), (*more.rosters, *_own().rosters))


def _known(data: Mapping[str, Any]) -> Known:
    layouts = tuple(Layout(**_frozen(entry)) for entry in data.get("layout", ()))
    return Known(layouts, tuple(RosterKind(**_frozen(entry)) for entry in data.get("roster", ())))


def _frozen(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}


def entry_problems(data: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each thing that is wrong with the entries `layout` and `roster_kind` of a course."""
    for kind, made, needed in (
        ("layout", Layout, {"name", "entry"}),
        ("roster_kind", RosterKind, {"name", "needs", "columns"}),
    ):
        entries = data.get(kind, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            yield f"{kind} is no list of tables. Begin each with a line [[{kind}]]."
            continue
        known_keys = [field.name for field in fields(made)]
        for entry in entries:
            where = f"{kind} {entry.get('name', '?')!r}"
            yield from (
                f"{where}: unknown key {k!r}. {did_you_mean(k, known_keys)}" for k in entry.keys() - set(known_keys)
            )
            yield from (f"{where}: it has no {key}." for key in sorted(needed - entry.keys()))
            yield from _pattern_problems(entry, where)


def _pattern_problems(entry: Mapping[str, Any], where: str) -> Iterator[str]:
    for key in ("entry", "skip", "points_row"):
        try:
            pattern = _pattern(str(entry.get(key, "")), ("name",))
        except re.error as error:
            yield f"{where}: {key} is no regular expression ({error})."
            continue
        if key == "entry" and key in entry and "key" not in pattern.groupindex:
            yield f"{where}: entry has no group (?P<key>...), which says whose it is."


@cache
def _pattern(entry: str, names: tuple[str, ...]) -> re.Pattern[str]:
    endings = "|".join(re.escape(ending) for ending in sorted(ENDINGS, key=len, reverse=True))
    assignment = "|".join(map(re.escape, names))
    text = entry.replace("{assignment}", f"(?:{assignment})").replace("{ending}", f"(?i:{endings})")
    return re.compile(text, re.DOTALL)
