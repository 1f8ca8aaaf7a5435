"""When something was handed in, and what says so."""

from datetime import UTC, datetime, tzinfo

from .choosing import Handed
from .layouts import Label
from .opening import SubmissionError
from .trees import Folder, Tree

_AS_MOODLE = ("%A, %d %B %Y, %I:%M %p", "%A, %B %d, %Y, %I:%M %p", "%A, %d %B %Y, %H:%M")  # in English


def handed_in(tree: Tree, handed: Handed, label: Label, zone: tzinfo | None) -> tuple[float | None, str]:
    """Seconds, and what says so: the system by a file's name, nbgrader's timestamp.txt, the commit, otherwise the file.

    None and an empty text where nobody says it: for the files of a system that gives them the time of the download.
    """
    if label.time and (label.time.tzinfo or zone):
        return (label.time if label.time.tzinfo else label.time.replace(tzinfo=zone)).timestamp(), label.layout.name
    if (stamp := _stamp(tree, handed, label)) is not None:
        return stamp, "timestamp.txt"
    if isinstance(tree, Folder):
        for depth in range(1, len(handed.parts)):
            if tree.path((*handed.parts[:depth], ".git")).exists():
                time = tree.committed(handed.parts[:depth], handed.parts[depth:])
                return time, "the commit" if time else ""
    if not label.layout.own_times or not handed.changed:
        return None, ""
    return handed.changed, "the file"


def _stamp(tree: Tree, handed: Handed, label: Label) -> float | None:
    """What nbgrader's timestamp.txt says, in the folder that nbgrader collects in: one inside a submission is no evidence."""
    collected = isinstance(tree, Folder) and label.layout.own_times and len(handed.parts) == 3 and not handed.inside
    if not collected or any(tree.path((*handed.parts[:depth], ".git")).exists() for depth in (1, 2)):
        return None
    try:
        text = tree.read((*handed.parts[:-1], "timestamp.txt"), 100).decode("ascii").strip()
        time = datetime.fromisoformat(text.removesuffix(" UTC")).replace(tzinfo=UTC).timestamp()
        return time if iso(time) else None
    except (SubmissionError, ValueError, OverflowError):
        return None


def moment(text: str, zone: tzinfo | None) -> datetime | None:
    """A time of a table: ISO 8601, or as Moodle writes it in English; None for another text, or where no zone is known.

    >>> print(moment("Monday, 30 November 2026, 10:15 PM", UTC), moment("-", UTC))
    2026-11-30 22:15:00+00:00 None
    """
    found = _as_iso(text) or next(filter(None, (_as(form, text) for form in _AS_MOODLE)), None)
    if found is None or (found.tzinfo is None and zone is None):
        return None
    return found if found.tzinfo else found.replace(tzinfo=zone)


def _as_iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.removesuffix(" UTC") + "+00:00" * text.endswith(" UTC"))
    except ValueError:
        return None


def _as(form: str, text: str) -> datetime | None:
    try:
        return datetime.strptime(text.replace("\u202f", " "), form)
    except ValueError:
        return None


def iso(seconds: float) -> str:
    """Seconds of the system's clock as a time in UTC; empty for a time that no calendar has.

    >>> iso(0), iso(1e300)
    ('1970-01-01T00:00:00+00:00', '')
    """
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""
