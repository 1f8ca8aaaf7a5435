"""All exercises, by name, in the order of the notebooks: every module here that is called `nb` and a number."""

from importlib import import_module
from pkgutil import iter_modules

from ..exercise import Exercise

_MODULES = sorted(m.name for m in iter_modules(__path__) if m.name.startswith("nb"))

EXERCISES: dict[str, Exercise] = {}
for _module in _MODULES:
    for _exercise in import_module(f"{__name__}.{_module}").EXERCISES:
        if _exercise.name in EXERCISES:
            raise ValueError(f"two exercises are called {_exercise.name!r}; the second one is in {_module}")
        EXERCISES[_exercise.name] = _exercise


def find(name: str) -> Exercise | None:
    """The exercise called `name`, or None."""
    return EXERCISES.get(name) if isinstance(name, str) else None
