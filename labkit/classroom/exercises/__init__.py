"""All exercises, by name: each is a file (see `labkit.classroom.writing`), in a folder that is called as its notebook.

`EXERCISES["grad-slip"]` runs the file `grad_slip.py` when it is asked for; `list(EXERCISES)` runs none. `EXERCISES["fd-cost:17"]`
is the same exercise with other numbers, where its file draws them; such versions are not listed.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from ..exercise import Exercise
from ..numbers import base_of, is_version
from ..reading import named, read, read_text

TWICE = "two exercises are called {name!r}: {other} and {path}"
TAKEN = "there is an exercise {name!r} already, in notebook {notebook}"


class Exercises(Mapping[str, Exercise]):
    """The exercises of a folder, in which each notebook has a folder; and those that `adopt` adds.

    >>> EXERCISES["grad-slip"].notebook
    '05_grad_and_value_and_grad'
    """

    def __init__(self, folder: Path):
        self._folder, self._read = folder, dict[str, Exercise]()
        self._own = dict[str, str]()

    def __getitem__(self, name: str) -> Exercise:
        if name not in self._read:
            self._read[name] = self._sought(name)
        return self._read[name]

    def _sought(self, name: str) -> Exercise:
        base = base_of(name)
        if base != name and not self[base].numbers:
            raise KeyError(name)
        if base in self._own:
            return read_text(name, self._own[base], place=f"exercises/{base.replace('-', '_')}.py")
        return read(self._files[base], self._files[base].parent.name, name)

    def __contains__(self, name: object) -> bool:
        if name in self._read or name in self._own or name in self._files:
            return True
        return (
            isinstance(name, str) and is_version(name) and base_of(name) in self and bool(self[base_of(name)].numbers)
        )

    def __iter__(self) -> Iterator[str]:
        return iter({**self._files, **self._own, **{name: 1 for name in self._read if not is_version(name)}})

    def __len__(self) -> int:
        return len(list(iter(self)))

    @cached_property
    def _files(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for path in sorted(self._folder.glob("*/[!_]*.py")):
            if (other := found.setdefault(named(path), path)) != path:
                raise ValueError(TWICE.format(name=named(path), other=other, path=path))
        return found

    def adopt(self, texts: Mapping[str, str]) -> None:
        """Add exercises of another course: the texts of their files, by name. A text that has changed is read again.

        Raises ValueError for the name of an exercise of this course.
        """
        for name, text in texts.items():
            if name in self._files:
                raise ValueError(TAKEN.format(name=name, notebook=self._files[name].parent.name))
            if self._own.get(name) != text:
                self._own[name] = text
                self._unread(name)

    def forget(self, name: str) -> None:
        """Take back what was adopted as `name`."""
        self._own.pop(name, None)
        self._unread(name)

    def _unread(self, name: str) -> None:
        self._read = {known: exercise for known, exercise in self._read.items() if base_of(known) != name}

    def open(self, exercise: Exercise) -> None:
        """Add an exercise that has no file here, as a learner has it; where there is one of its name, that one stays."""
        if exercise.name not in self:
            self._read[exercise.name] = exercise


EXERCISES = Exercises(Path(__file__).parent)


def find(name: str) -> Exercise | None:
    """The exercise called `name`, or None."""
    return EXERCISES.get(name) if isinstance(name, str) else None
