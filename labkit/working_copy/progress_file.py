"""The record of right answers and of predictions: the file `.labkit-progress.json` next to the notebooks.

Several kernels may write it at once.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .files import DAMAGED, put_aside, write_whole

FIELDS = {"points": int, "date": str, "hints": int}
PATIENCE = 2.0  # seconds to wait while another kernel writes
ABANDONED = 10.0  # seconds after which a lock was left behind by a kernel that was killed

Answers = dict[str, dict[str, Any]]


@dataclass
class Record:
    """The first right answer to each exercise, and the option that was chosen for each prediction."""

    answers: Answers = field(default_factory=dict)
    predictions: dict[str, str] = field(default_factory=dict)


def read(file: Path) -> tuple[Record, str]:
    """`(record, "")`. A file that makes no sense is put aside, and the second text says so."""
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
        answers, predictions = stored["answers"], dict(stored.get("predictions", {}))
        if all(isinstance(entry[field], kind) for entry in answers.values() for field, kind in FIELDS.items()):
            return Record(answers, predictions), ""
    except FileNotFoundError:
        return Record(), ""
    except DAMAGED:
        pass
    return Record(), f"{_DAMAGED} {put_record_aside(file)}"


_DAMAGED = "The progress file was damaged, so a new one was started."


def put_record_aside(file: Path) -> str:
    """Put the record aside, and say under which name; an empty text where there is none."""
    aside = put_aside(file)
    return "The old progress file is kept as {file}.".format(file=aside.name) if aside else ""


def write(file: Path, record: Record) -> None:
    """Write the record in one step."""
    write_whole(file, (json.dumps(asdict(record), indent=1) + "\n").encode())


def next_open(exercises: Mapping[str, Sequence[str]], answers: Answers) -> tuple[str, str] | None:
    """The notebook and the name of the first open exercise, from the notebook of the latest answer on.

    `exercises` is `{notebook: names}` in the order of the course. None when all are answered.

    >>> course = {"01": ["a", "b"], "02": ["c", "d"]}
    >>> next_open(course, {}), next_open(course, {"c": {"date": "2026-01-02"}, "a": {"date": "2026-01-01"}})
    (('01', 'a'), ('02', 'd'))
    """
    notebooks = list(exercises)
    answered = {name: notebook for notebook, names in exercises.items() for name in names if name in answers}
    latest = max(answered, key=lambda name: answers[name]["date"], default=None)
    start = notebooks.index(answered[latest]) if latest else 0
    ordered = notebooks[start:] + notebooks[:start]
    return next(((n, name) for n in ordered for name in exercises[n] if name not in answers), None)


@contextmanager
def only_writer(file: Path) -> Iterator[None]:
    """Keep other kernels from writing meanwhile, by a lock file. Raises OSError where there can be none."""
    lock, until = file.with_name(f"{file.name}.lock"), time.monotonic() + PATIENCE
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError:
            if time.monotonic() > until:
                raise
            if _age(lock) > ABANDONED:
                lock.unlink(missing_ok=True)
            else:
                time.sleep(0.01)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def _age(file: Path) -> float:
    try:
        return time.time() - file.stat().st_mtime
    except FileNotFoundError:  # gone in the meantime
        return 0.0
