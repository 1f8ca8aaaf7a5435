"""Print where the real framework shows what its rooms have, under other names of modules: `PYTHON aliases.py torch`.

Each line: a module, the room whose functions and classes it shows (`-`: the package itself), their names. A module counts
that defines a thing, or names it in its `__all__`: not one that only uses it. Rooms are those of `layout.py`.
"""

import importlib
import io
import pkgutil
import sys
from collections import defaultdict
from contextlib import redirect_stdout, suppress

from layout import ROOMS

MORE = {
    "torch": "nn.functional nn.init linalg random utils.checkpoint cuda",
    "mindspore": "parallel common graph numpy",
}


def rooms(framework):
    """`{room: module}`, the outermost first."""
    return {r: importlib.import_module(framework if r == "-" else f"{framework}.{r}")
            for r in f"{ROOMS[framework]} {MORE[framework]}".split()}  # fmt: skip


def load(open_to):
    """Import what stands in the rooms and is not loaded with them."""
    for module in list(open_to.values()):
        for found in pkgutil.iter_modules(getattr(module, "__path__", ()), f"{module.__name__}."):
            if not found.name.rpartition(".")[2].startswith("_"):
                with suppress(Exception), redirect_stdout(io.StringIO()):
                    importlib.import_module(found.name)


def shown(framework, open_to):
    """`{(module, room): names}` for the framework's public modules that are loaded."""
    homes = {}
    for room, module in open_to.items():
        for name in dir(module):
            if not name.startswith("_") and callable(thing := getattr(module, name, None)):
                homes.setdefault((id(thing), name), room)
    found, tops = defaultdict(set), {room.partition(".")[0] for room in open_to}
    for full, module in list(sys.modules.items()):
        place = full.removeprefix(framework).removeprefix(".") or "-"
        if not full.startswith(framework) or place.partition(".")[0] not in tops or "._" in full or module is None:
            continue
        for name, thing in list(vars(module).items()):
            room = homes.get((id(thing), name), place)
            if room != place and (getattr(thing, "__module__", "") == full or name in getattr(module, "__all__", ())):
                found[place, room].add(name)
    return found


if __name__ == "__main__":
    FOUND = rooms(sys.argv[1])
    load(FOUND)
    for (place, room), names in sorted(shown(sys.argv[1], FOUND).items()):
        print(place, room, *sorted(names))
