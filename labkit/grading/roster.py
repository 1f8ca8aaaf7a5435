"""The students of a class: a table from Moodle, Canvas or nbgrader, or one of your own."""

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from .lms_file_names import Label, RosterKind, known

LARGEST = 20 * 2**20  # bytes of a table
_STUDENT = re.compile(r"[^\s/\\:*?\"<>|.+][^/\\:*?\"<>|+]{0,99}")
_ABOUT = (
    "id",
    "name",
    "first_name",
    "last_name",
    "section",
    "submitted",
)  # what is not a key, by which a file tells whose it is

NO_ID = "{path}: expected a column 'id', but the columns are: {shown}. Also known are: {expected}."
NO_COMMON = "{path} and {other} have no student in common: {keys} here, {other_keys} there. Add a column such as email."
SEVERAL = "{path}: {student} matches {same} of {other}."
NO_UTF_8 = "{path}: cannot be read as CSV, because it is not UTF-8. Save it as CSV (UTF-8)."
UNREADABLE = "{path}: cannot be read as CSV ({reason})."
NO_FOLDER = "{path}: {id!r} cannot be the name of a folder. Choose another id."
TWICE = "{path}: the id {id!r} occurs {count} times."


class RosterError(ValueError):
    """A roster that cannot be used; `problems` has one sentence for each thing."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Student:
    """One student. `keys` are what systems call them, by column; `row` is their line in the table."""

    id: str
    first_name: str = ""
    last_name: str = ""
    full_name: str = ""
    email: str = ""
    section: str = ""
    submitted: str = ""
    keys: tuple[tuple[str, str], ...] = ()
    row: int = 0

    @property
    def spellings(self) -> set[str]:
        """The student's name in letters alone, the first name before and behind."""
        last, comma, first = self.full_name.partition(",")
        turned = {_letters(first + last)} if comma else set()
        first_last = {_letters(self.first_name + self.last_name), _letters(self.last_name + self.first_name)}
        return {spelling for spelling in {_letters(self.full_name), *turned, *first_last} if spelling}


@dataclass(frozen=True)
class Roster:
    """The students in their order, and their table: its kind, its heading and its lines as they are."""

    students: tuple[Student, ...]
    kind: RosterKind
    path: Path
    heading: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    delimiter: str = ","
    marked: bool = False

    @cached_property
    def by_id(self) -> dict[str, Student]:
        """The students by their ids."""
        return {student.id: student for student in self.students}

    @cached_property
    def _by_key(self) -> dict[str, list[tuple[str, str, Student]]]:
        found: dict[str, list[tuple[str, str, Student]]] = {}
        for student in self.students:
            for column, key in student.keys:
                found.setdefault(_folded(key), []).append((column, key, student))
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[Student]]:
        found: dict[str, list[Student]] = {}
        for student in self.students:
            for spelling in student.spellings:
                found.setdefault(spelling, []).append(student)
        return found

    def meant(self, label: Label) -> list[Student]:
        """The students whom a label may mean: one where it is sure, by what the system calls them or by their name."""
        columns, key = label.layout.match, label.key.strip()
        fitting = [(k, s) for c, k, s in self._by_key.get(_folded(key), ()) if not columns or c in columns]
        exact = {student.id: student for own, student in fitting if own == key}
        found = list((exact or {student.id: student for _, student in fitting}).values())
        by_name = self._by_name.get(_letters(label.name or ("" if columns else label.key)), [])
        if found and len(by_name) == 1 and by_name[0] not in found:  # the number says one, the name another
            return [*found, *by_name]
        return found or by_name

    def column(self, heading: str) -> int | None:
        """The place of a column; None where there is none of this name."""
        folded = [name.strip().casefold() for name in self.heading]
        return folded.index(heading.casefold()) if heading.casefold() in folded else None


def read_roster(path: Path) -> Roster:
    """The roster in a CSV file, of the first kind in `lms.toml` that fits.

    Raises `RosterError` where it cannot be read, is of no known kind, or two students have one id.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "r.csv").write_text('Student,ID,SIS Login ID,Section\\n"Lovelace, Ada",10274,ada,A\\n')
    ...     roster = read_roster(Path(folder, "r.csv"))
    >>> roster.kind.name, roster.students[0].id, roster.students[0].last_name, roster.students[0].section
    ("Canvas's gradebook", 'ada', 'Lovelace', 'A')
    """
    text, marked = _text(path)
    if said := re.match(r"sep=(.)\r?\n", text, re.IGNORECASE):  # how Excel is told what divides the cells
        text = text[said.end() :]
    delimiter = said[1] if said else max(",;\t", key=(text.splitlines() or [""])[0].count)
    try:
        lines = [
            tuple(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True) if row
        ]
    except csv.Error as error:
        raise RosterError("{path}: cannot be read as CSV ({error}).".format(path=path, error=error)) from None
    heading, rows = (lines[0] if lines else ()), tuple(lines[1:])
    folded = {name.strip().casefold() for name in heading}
    kinds = known().rosters
    kind = next((k for k in kinds if {name.casefold() for name in k.needs} <= folded), None)
    if kind is None:
        expected = "; ".join(f"{', '.join(k.needs)} ({k.name})" for k in kinds)
        shown = ", ".join(name.strip() for name in heading) or "none"
        raise RosterError(NO_ID.format(path=path, shown=shown, expected=expected))
    table = Roster((), kind, path, heading, rows, delimiter, marked)
    roster = replace(table, students=_students(table))
    _examine(roster)
    return roster


def with_ids_of(roster: Roster, own: Roster) -> Roster:
    """A system's table with the ids of the course's `own` roster, found by a key that both have, such as the address.

    Students who are only on the latter come last, with no line in the table (`row` is -1). Raises `RosterError` where a key
    of one student is that of several, and where the tables share no key at all.
    """
    by_key: dict[str, set[str]] = {}
    for student in own.students:
        for _, key in student.keys:
            by_key.setdefault(_folded(key), set()).add(student.id)
    students, found = [], set[str]()
    for student in roster.students:
        same = {known for _, key in student.keys for known in by_key.get(_folded(key), ())}
        if len(same) > 1:
            same_ids = ", ".join(sorted(same))
            raise RosterError(SEVERAL.format(path=roster.path, student=student.id, same=same_ids, other=own.path))
        ours = own.by_id[same.pop()] if same else student
        keys = tuple(sorted({*student.keys, *ours.keys}))
        students.append(replace(student, id=ours.id, section=student.section or ours.section, keys=keys))
        found.add(ours.id)
    if not found & own.by_id.keys():
        columns = {"keys": _key_columns(roster), "other_keys": _key_columns(own)}
        raise RosterError(NO_COMMON.format(path=roster.path, other=own.path, **columns))
    students += [replace(student, row=-1) for student in own.students if student.id not in found]
    both = replace(roster, students=tuple(students))
    _examine(both)
    return both


def _key_columns(roster: Roster) -> str:
    """The columns of a table in which a student may be found."""
    roles = [role for role in roster.kind.columns if role == "id" or role not in _ABOUT]
    places = sorted({where for role in roles for where in _columns(roster, role)})
    return ", ".join(repr(roster.heading[where].strip()) for where in places)


def _text(path: Path) -> tuple[str, bool]:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise RosterError(NO_UTF_8.format(path=path)) from None
    except OSError as error:
        raise RosterError(UNREADABLE.format(path=path, reason=error.strerror)) from None
    if len(data) > LARGEST:
        raise RosterError("{path}: has more than {limit:,} bytes, which is too large.".format(path=path, limit=LARGEST))
    return text.removeprefix("\ufeff"), text.startswith("\ufeff")


def _students(roster: Roster) -> tuple[Student, ...]:
    kind, skip = roster.kind, re.compile(roster.kind.skip or r"(?!)")
    name = _columns(roster, "name")
    filled = [[where] for where in map(roster.column, kind.filled) if where is not None]
    lines = [
        i for i, row in enumerate(roster.rows)
        if any(cell.strip() for cell in row) and not skip.fullmatch(_cell(roster, row, name))
        and all(_cell(roster, row, where) for where in filled)
    ]  # fmt: skip
    ids = _ids(roster, lines)
    keys = {role: _columns(roster, role) for role in kind.columns if role not in _ABOUT}
    columns = {role: _columns(roster, role) for role in _ABOUT}
    return tuple(_student(roster, i, ids[i], keys, columns) for i in lines)


def _student(roster: Roster, line: int, student: str, keys: dict, columns: dict) -> Student:
    row = roster.rows[line]
    said = {role: _cell(roster, row, where) for role, where in columns.items()}
    first, last, full = said["first_name"], said["last_name"], said["name"]
    if full and not (first or last):
        before, comma, after = full.partition(",")
        first, last = (after.strip(), before.strip()) if comma else _split(full)
    called = {("id", student), *((role, _cell(roster, row, where)) for role, where in keys.items())}
    email = _cell(roster, row, _columns(roster, "email"))
    all_keys = tuple(sorted((role, key) for role, key in called if key))
    return Student(
        student,
        first,
        last,
        full or f"{first} {last}".strip(),
        email,
        said["section"],
        said["submitted"],
        all_keys,
        line,
    )


def _split(full: str) -> tuple[str, str]:
    first, _, last = full.rpartition(" ")
    return (first, last) if first else ("", last)


def _ids(roster: Roster, lines: list[int]) -> dict[int, str]:
    """The id of each line: from the first column that has one of its own for each, otherwise from the last that is there."""
    found: dict[int, str] = {}
    for where in _columns(roster, "id"):
        found = {i: _cell(roster, roster.rows[i], [where]) for i in lines}
        if all(found.values()) and len(set(found.values())) == len(found):
            break
    return found


def _columns(roster: Roster, role: str) -> list[int]:
    found = (roster.column(heading) for heading in roster.kind.headings(role))
    return [where for where in found if where is not None]


def _cell(roster: Roster, row: Sequence[str], columns: Sequence[int]) -> str:
    """The first of some cells that is not empty."""
    numbers = {name.casefold() for name in roster.kind.numbers}
    for where in columns:
        cell = row[where].strip() if where < len(row) else ""
        if cell and roster.heading[where].strip().casefold() in numbers:
            cell = found[0] if (found := re.search(r"\d+$", cell)) else cell
        if cell:
            return cell
    return ""


def _examine(roster: Roster) -> None:
    path, ids = roster.path, [student.id for student in roster.students]
    problems = [NO_FOLDER.format(path=path, id=i) for i in ids if not _is_id(i)]
    problems += [TWICE.format(path=path, id=i, count=n) for i, n in Counter(ids).items() if n > 1]
    if problems or not ids:
        raise RosterError(*(problems or ["{path}: it has no students.".format(path=path)]))


def _is_id(text: str) -> bool:
    return bool(_STUDENT.fullmatch(text)) and text.isprintable() and not text.endswith(".")


def _folded(key: str) -> str:
    """A key without what systems change in it: capital letters, and how accents are written (macOS takes them apart)."""
    return unicodedata.normalize("NFC", key).casefold()


def _letters(text: str) -> str:
    """A name without what systems leave out of it: spaces, points, capital letters."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())
