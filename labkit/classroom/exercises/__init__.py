"""All exercises, by name, in the order of the notebooks: every module here that is called `nb` and a number.

A module is imported when one of its exercises is asked for: `EXERCISES["grad-slip"]` imports the module that has it,
`list(EXERCISES)` all of them.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from ..exercise import Exercise


class Exercises(Mapping[str, Exercise]):
    """The exercises of the modules of a package, by name; a module is imported when it is needed.

    >>> EXERCISES["grad-slip"].notebook
    '06_grad_every_case'
    """

    def __init__(self, package: str, folder: Path):
        self._package, self._folder = package, folder
        self._modules = sorted(m.name for m in iter_modules([str(folder)]) if m.name.startswith("nb"))
        self._found: dict[str, Exercise] = {}

    def __getitem__(self, name: str) -> Exercise:
        if name not in self._found:
            self._found[name] = self._sought(name)
        return self._found[name]

    def _sought(self, name: str) -> Exercise:
        for module in sorted(self._modules, key=lambda module: f'"{name}"' not in _source(self._folder, module)):
            for exercise in self._of(module):
                if exercise.name == name:
                    return exercise
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        names: dict[str, str] = {}
        for module in self._modules:
            for exercise in self._of(module):
                if exercise.name in names:
                    raise ValueError(
                        f"two exercises are called {exercise.name!r}: in {names[exercise.name]} and in {module}"
                    )
                names[exercise.name] = module
        return iter(names)

    def __len__(self) -> int:
        return sum(len(self._of(module)) for module in self._modules)

    def _of(self, module: str) -> list[Exercise]:
        return import_module(f"{self._package}.{module}").EXERCISES


@cache
def _source(folder: Path, module: str) -> str:
    """The text of a module, to see which names it may hold; nothing where only its bytecode is installed."""
    try:
        return (folder / f"{module}.py").read_text(encoding="utf-8")
    except OSError:
        return ""


EXERCISES = Exercises(__name__, Path(__file__).parent)


def find(name: str) -> Exercise | None:
    """The exercise called `name`, or None."""
    return EXERCISES.get(name) if isinstance(name, str) else None
