"""All exercises, by name: each is a file (see `labkit.classroom.writing`), in a folder that is called as its notebook.

`EXERCISES["grad-slip"]` runs the file `grad_slip.py` when it is asked for; `list(EXERCISES)` runs none.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from ..exercise import Exercise
from ..reading import named, read


class Exercises(Mapping[str, Exercise]):
    """The exercises of a folder, in which each notebook has a folder; `add` takes those of another course.

    >>> EXERCISES["grad-slip"].notebook
    '06_grad_every_case'
    """

    def __init__(self, folder: Path):
        self._folder, self._read = folder, dict[str, Exercise]()

    def __getitem__(self, name: str) -> Exercise:
        if name not in self._read:
            path = self._files[name]
            self._read[name] = read(path, path.parent.name)
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    @cached_property
    def _files(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for path in sorted(self._folder.glob("*/[!_]*.py")):
            if (other := found.setdefault(named(path), path)) != path:
                raise ValueError(f"two exercises are called {named(path)!r}: {other} and {path}")
        return found

    def add(self, folder: Path) -> list[str]:
        """Add the exercises of the files in `folder`, and return their names. A file that has changed is read again.

        Raises ValueError where one has the name of an exercise from elsewhere.
        """
        found = {named(path): path.resolve() for path in sorted(folder.glob("[!_]*.py"))}
        for name, path in found.items():
            if self._files.get(name, path) != path:
                raise ValueError(
                    f"{path}: there is an exercise {name!r} already, in {self._files[name]}. Give the file another name."
                )
            self._read.pop(name, None)
        self._files.update(found)
        return list(found)


EXERCISES = Exercises(Path(__file__).parent)


def find(name: str) -> Exercise | None:
    """The exercise called `name`, or None."""
    return EXERCISES.get(name) if isinstance(name, str) else None
