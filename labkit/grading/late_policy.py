"""The rules of a class in `course.toml`: its roster, due dates, and late penalties."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from math import ceil
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from ..messages.suggestions import did_you_mean

COURSE_RULES = ("roster", "timezone", "late")
ASSIGNMENT_RULES = ("due", "late", "extensions")
_LATE_KEYS = ("per_day", "last_day")
_DAY = 24 * 3600
NO_ROSTER = 'roster is {roster!r}; expected the name of a file, such as roster = "roster.csv".'
NO_ZONE = 'timezone is {timezone!r}, which is unknown; expected a name such as "Europe/Berlin" or "UTC".'
NO_EXTENSIONS = "{where}: extensions is {extensions!r}; expected a table such as {{ ada = 2026-12-03T23:59:00 }}."
EXTENSION = "{where}: the extension of {student!r}"
NO_TIME = "{what} is {time!r}; expected a date with a time, such as 2026-11-30T23:59:00."
NO_TABLE = "{where}: late is {late!r}; expected a table such as late = {{ per_day = 10, last_day = 3 }}."
UNKNOWN_KEY = "{where}: unknown key {key!r} of late. {suggestion}"
BAD_PER_DAY = "{where}: late.per_day is {per_day!r}; expected the late penalty of a day in percent, from 0 to 100."
BAD_LAST_DAY = "{where}: late.last_day is {last_day!r}; expected a whole number of days, at least 0."


@dataclass(frozen=True)
class Policy:
    """When an assignment is due, and what is taken off for each day begun after that: `per_day` % of its points.

    What is more than `last_day` days late earns nothing; None: no end. `extensions` are due dates by student. `zone` is the
    course's, in which times are shown.
    """

    due: datetime | None = None
    per_day: float = 0.0
    last_day: int | None = None
    extensions: Mapping[str, datetime] = field(default_factory=dict)
    zone: tzinfo | None = None

    @property
    def takes_off(self) -> bool:
        """True if a late submission loses points."""
        return self.due is not None and (self.per_day > 0 or self.last_day is not None)

    def due_for(self, called: tuple[str, ...]) -> datetime | None:
        """The due date of a student, of whom these are the names."""
        return next((self.extensions[name] for name in called if name in self.extensions), self.due)

    def days_late(self, called: tuple[str, ...], handed_in: datetime | None, marked: bool | None = None) -> int | None:
        """Days begun after the due date, 0 for in time; None if unknown.

        `marked` is what a system says that gives no time: late, in time, or (None) nothing.

        >>> from datetime import UTC
        >>> policy = Policy(datetime(2026, 11, 30, tzinfo=UTC), extensions={"bob": datetime(2026, 12, 2, tzinfo=UTC)})
        >>> [policy.days_late((who,), datetime(2026, 12, 1, 0, 0, 1, tzinfo=UTC)) for who in ("ada", "bob")]
        [2, 0]
        >>> policy.days_late(("ada",), None, True), policy.days_late(("ada",), None, False)
        (None, 0)
        """
        due = self.due_for(called)
        if due is None:
            return None if marked else 0
        if handed_in is not None:
            return _days(due, handed_in)
        return 0 if marked is False else None

    def taken_off(self, days: int | None, earned: float, most: float) -> float:
        """Points that are taken off for some days: never more than were earned, nothing for an unknown number.

        >>> Policy(per_day=10, last_day=3).taken_off(2, 7.0, 10.0), Policy(last_day=3).taken_off(4, 7.0, 10.0)
        (2.0, 7.0)
        """
        if not days:
            return 0.0
        if self.last_day is not None and days > self.last_day:
            return earned
        return round(min(earned, days * self.per_day / 100 * most), 6)


def _days(due: datetime, handed_in: datetime) -> int:
    """Days begun from one time to another, 0 where there are none: a day in which the clocks change ends when it says so."""
    passed = (handed_in.astimezone(UTC) - due.astimezone(UTC)).total_seconds()
    if passed <= 0:
        return 0
    on_clocks = handed_in.astimezone(due.tzinfo).replace(tzinfo=None) - due.replace(tzinfo=None)
    return max(1, ceil(min(passed, on_clocks.total_seconds()) / _DAY))


@dataclass(frozen=True)
class Rules:
    """What holds for grading one assignment; `roster` is None where the course names none."""

    roster: Path | None = None
    zone: tzinfo | None = None
    policy: Policy = field(default_factory=Policy)


def read_rules(data: Mapping[str, Any], folder: Path, assignment: str) -> Rules:
    """The rules in a `course.toml` that has no `rule_problems`; an assignment that is not in it has those of the course."""
    planned: Mapping[str, Any] = next(
        (entry for entry in data.get("assignment", []) if entry.get("name") == assignment), {}
    )
    zone = ZoneInfo(data["timezone"]) if "timezone" in data else None
    late = planned.get("late", data.get("late", {}))
    extensions = {str(student): _aware(time, zone) for student, time in planned.get("extensions", {}).items()}
    due = _aware(planned["due"], zone) if "due" in planned else None
    policy = Policy(due, float(late.get("per_day", 0.0)), late.get("last_day"), extensions, zone)
    roster = folder / data["roster"] if "roster" in data else None
    return Rules(roster, zone, policy)


def _aware(time: datetime, zone: tzinfo | None) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=zone)


# ---- what can be wrong ----


def rule_problems(data: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each rule of a `course.toml` that cannot be followed."""
    if not isinstance(data.get("roster", ""), str):
        yield NO_ROSTER.format(roster=data["roster"])
    try:
        zone: tzinfo | None = ZoneInfo(data["timezone"]) if "timezone" in data else None
    except (ValueError, TypeError, OSError, KeyError):  # the last: no such zone, or no table of zones on this system
        yield NO_ZONE.format(timezone=data["timezone"])
        zone = UTC
    yield from _late_problems(data.get("late", {}), "the course")
    assignments = data.get("assignment", [])
    for entry in assignments if isinstance(assignments, list) else []:
        if isinstance(entry, dict):
            yield from _assignment_rule_problems(entry, f"assignment {entry.get('name')!r}", zone)


def _assignment_rule_problems(entry: Mapping[str, Any], where: str, zone: tzinfo | None) -> Iterator[str]:
    yield from _late_problems(entry.get("late", {}), where)
    if "due" in entry:
        yield from _time_problems(entry["due"], f"{where}: due", zone)
    extensions = entry.get("extensions", {})
    if not isinstance(extensions, dict):
        yield NO_EXTENSIONS.format(where=where, extensions=extensions)
        return
    if extensions and "due" not in entry:
        yield "{where}: it has extensions but no due date. Write due = 2026-11-30T23:59:00.".format(where=where)
    for student, time in extensions.items():
        yield from _time_problems(time, EXTENSION.format(where=where, student=student), zone)


def _time_problems(time: Any, what: str, zone: tzinfo | None) -> Iterator[str]:
    if not isinstance(time, datetime):
        yield NO_TIME.format(what=what, time=str(time))
    elif time.tzinfo is None and zone is None:
        yield '{what} has no time zone. At the top, write a line such as timezone = "Europe/Berlin".'.format(what=what)


def _late_problems(late: Any, where: str) -> Iterator[str]:
    if not isinstance(late, dict):
        yield NO_TABLE.format(where=where, late=late)
        return
    for key in late.keys() - set(_LATE_KEYS):
        yield UNKNOWN_KEY.format(where=where, key=key, suggestion=did_you_mean(key, _LATE_KEYS))
    per_day, last_day = late.get("per_day", 0), late.get("last_day", 0)
    if isinstance(per_day, bool) or not isinstance(per_day, (int, float)) or not 0 <= per_day <= 100:
        yield BAD_PER_DAY.format(where=where, per_day=per_day)
    if isinstance(last_day, bool) or not isinstance(last_day, int) or last_day < 0:
        yield BAD_LAST_DAY.format(where=where, last_day=last_day)
