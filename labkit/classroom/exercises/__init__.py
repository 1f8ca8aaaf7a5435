"""All exercises, by name, in the order of the notebooks."""

from ..exercise import Exercise
from . import nb06, nb06_functions, nb08, nb08_ports, nb16

EXERCISES: dict[str, Exercise] = {
    e.name: e for module in (nb06, nb06_functions, nb08, nb08_ports, nb16) for e in module.EXERCISES
}


def find(name: str) -> Exercise | None:
    """The exercise called `name`, or None."""
    return EXERCISES.get(name) if isinstance(name, str) else None
