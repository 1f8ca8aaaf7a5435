"""Print where the real framework shows what its rooms have, under other names of modules: `PYTHON aliases.py torch`.

Each line: a module, the room whose functions and classes it shows (`-`: the package itself), their names; `=F` is the room itself
under a name. A module counts that defines a thing, or names it in its `__all__`; of those in `USERS`, from which others import,
also one that only uses it. Rooms are those of `layout.py`.
"""

import importlib
import io
import pkgutil
import sys
from collections import defaultdict
from contextlib import redirect_stdout, suppress

from layout import ROOMS

MORE = {
    "torch": "nn.functional nn.init linalg random utils.checkpoint cuda cuda.amp",
    "mindspore": "parallel common graph numpy",
}
USERS = {
    "torch": """
        nn.modules optim functional _tensor _lowrank _lobpcg _functorch.apis _functorch.eager_transforms
        utils.data._utils.collate
    """,
    "mindspore": "",
}


def rooms(framework):
    """`{room: module}`, the outermost first."""
    return {r: importlib.import_module(framework if r == "-" else f"{framework}.{r}")
            for r in f"{ROOMS[framework]} {MORE[framework]}".split()}  # fmt: skip


def load(framework, open_to):
    """Import what stands in the rooms and is not loaded with them."""
    for module in list(open_to.values()):
        for found in pkgutil.iter_modules(getattr(module, "__path__", ()), f"{module.__name__}."):
            if not found.name.rpartition(".")[2].startswith("_"):
                with suppress(Exception), redirect_stdout(io.StringIO()):
                    importlib.import_module(found.name)
    for place in USERS[framework].split():
        importlib.import_module(f"{framework}.{place}")


def shown(framework, open_to):
    """`{(module, room): names}` for the framework's public modules that are loaded, and those in `USERS`."""
    homes = {}
    for room, module in open_to.items():
        homes[id(module), None] = room
        for name in dir(module):
            if not name.startswith("_") and callable(thing := getattr(module, name, None)):
                homes.setdefault((id(thing), name), room)
    found, tops = defaultdict(set), {room.partition(".")[0] for room in open_to}
    for full, module in list(sys.modules.items()):
        place = full.removeprefix(framework).removeprefix(".") or "-"
        uses = any(f"{place}.".startswith(f"{user}.") for user in USERS[framework].split())
        public = place.partition(".")[0] in tops and "._" not in full
        if not full.startswith(framework) or module is None or not (uses or public):
            continue
        for name, thing in list(vars(module).items()):
            room = homes.get((id(thing), name), place)
            home = getattr(thing, "__module__", None) or ""
            own = home == full or name in getattr(module, "__all__", ())
            if room != place and (own or (uses and home.partition(".")[0] == framework)):
                found[place, room].add(name)
            elif uses and room == place and (id(thing), None) in homes and name != framework:
                found[place, homes[id(thing), None]].add(f"={name}")
    return found


if __name__ == "__main__":
    FOUND = rooms(sys.argv[1])
    load(sys.argv[1], FOUND)
    for (place, room), names in sorted(shown(sys.argv[1], FOUND).items()):
        print(place, room, *sorted(names))
