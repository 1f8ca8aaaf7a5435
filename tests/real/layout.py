"""Print the table of the real framework's classes: `PYTHON layout.py torch`, with a Python that has it.

Each line: the room where the classes are public (`-`: the package itself), the module that their types print, their names.
"""

import importlib
import inspect
import sys
from collections import defaultdict

ROOMS = {
    "torch": "- nn nn.utils optim optim.lr_scheduler autograd amp func utils.data utils.hooks distributions",
    "mindspore": "- nn ops train train.callback amp common.initializer dataset dataset.transforms dataset.vision communication",
}


def classes(framework, room):
    """`(module, name)` of each class that is public in a room, as `print` names it."""
    module = importlib.import_module(framework if room == "-" else f"{framework}.{room}")
    for name in sorted(n for n in dir(module) if not n.startswith("_")):
        found = getattr(module, name, None)
        if inspect.isclass(found) and found.__module__.partition(".")[0] == framework:
            home, _, printed = repr(found).removeprefix("<class '").removesuffix("'>").rpartition(".")
            if printed == name and home:
                yield home, name


def table(framework):
    """The lines of the table."""
    for room in ROOMS[framework].split():
        homes = defaultdict(list)
        for home, name in classes(framework, room):
            homes[home].append(name)
        yield from (f"{room} {home} {' '.join(names)}" for home, names in sorted(homes.items()))


if __name__ == "__main__":
    print("\n".join(table(sys.argv[1])))
