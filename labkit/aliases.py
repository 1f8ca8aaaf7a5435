"""Other names of modules under which PyTorch and MindSpore show what they have.

In MindSpore `Jvp` stands in `nn`, in `nn.grad` and in `nn.grad.cell_grad`; so `from labkit.mindspore.nn.grad import Jvp` works as
soon as `labkit.mindspore.nn` has a `Jvp`. Which module shows what of which room was asked of the real packages: each line of
`aliases.txt` in a dialect is a module, a room (`-`: the package itself), and the names; `=F` is the room itself, called `F`.

A name that the real module has and labkit has not is refused where it is imported; to a file of a library, which may never use
it, where it is used.

What begins with an underscore, such as `torch.nn.modules.conv._ConvNd`, is looked for where labkit defines what the module shows.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dis import Bytecode
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import GenericAlias, ModuleType
from typing import Any

from .absent import in_real, is_module, left_out, missing, names, not_found, with_class

FILLED: dict[str, Callable[[str], dict[str, Any]]] = {}  # what a module without a file has besides, by dialect

HERE = Path(__file__).parent


@cache
def shown(dialect: str) -> dict[str, dict[str, str]]:
    """`{module: {name: room}}` of a dialect; `""` is the package itself, and after `=` stands what is a room.

    >>> shown("mindspore")["nn.grad"]["Jvp"]
    'nn'
    """
    table = HERE / dialect / "aliases.txt"
    found: dict[str, dict[str, str]] = {}
    for line in table.read_text(encoding="utf-8").splitlines() if table.exists() else []:
        place, room, *names = (word.replace("-", "") if word == "-" else word for word in line.split())
        of_place = found.setdefault(place, {})
        of_place.update((name.removeprefix("="), f"={room}" if name[0] == "=" else room) for name in names)
    return found


def offered(room: ModuleType) -> set[str]:
    """The names of a room, those among them that are loaded when they are first wanted."""
    return {*dir(room), *getattr(room, "__all__", ())}


@cache
def _rooms(dialect: str) -> dict[str, list[str]]:
    """The rooms of a dialect that show a name, for each name of the tables."""
    found: dict[str, list[str]] = {}
    for shows in shown(dialect).values():
        for name, room in shows.items():
            if room[:1] != "=" and room not in found.setdefault(name, []):
                found[name].append(room)
    return found


def _home(dialect: str, name: str, room: str) -> ModuleType | None:
    """The room of labkit that has what the real `room` shows as `name`: that one, or another that shows the name, too."""
    for other in dict.fromkeys((room, *_rooms(dialect).get(name, ()))):
        with suppress(ModuleNotFoundError):
            home = import_module(f"labkit.{dialect}.{other}".rstrip("."))
            if name in offered(home):
                return home
    return None


def elsewhere(module: str, name: str) -> Any:
    """What the real package shows as `name` in `labkit.DIALECT.PLACE`: a thing of another room, or a module.

    Raises LookupError where there is neither, or where labkit has no such thing.
    """
    _, dialect, *place = module.split(".")
    places = shown(dialect)
    room = places.get(".".join(place), {}).get(name)
    if room is not None and room[:1] == "=":
        return import_module(f"labkit.{dialect}.{room[1:]}")
    home = _home(dialect, name, room) if room is not None else with_class(dialect, ".".join(place), name)
    if home is not None:
        return getattr(home, name)
    if name[0] == "_":
        return _private(dialect, ".".join(place), name)
    inner = ".".join((*place, name))
    if is_module(dialect, inner) or any(f"{other}.".startswith(f"{inner}.") for other in places):
        return import_module(f"{module}.{name}")
    raise LookupError(name)


def _private(dialect, place, name):
    """What is called `name` where labkit defines the things that the real module `place` shows."""
    for other, room in shown(dialect).get(place, {}).items():
        home = _home(dialect, other, room) if room[:1] != "=" else None
        defined = sys.modules.get(getattr(getattr(home, other, None), "__module__", None) or "")
        thing = vars(defined).get(name) if defined else None
        if getattr(thing, "__module__", None) == getattr(defined, "__name__", ""):
            return thing
    raise LookupError(name)


def _is_shown(module, name):
    """Whether the tables say that the real module shows the name."""
    _, dialect, *place = module.split(".")
    return name in shown(dialect).get(".".join(place), {})


def attributes(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module: what the real one shows there, or AttributeError.

    With it, `from module import name` comes to the finder below, which says more than Python does.
    """
    sys.modules[module].__dict__.setdefault("__path__", [])

    def __getattr__(name: str) -> Any:
        return _asked(module, name)

    return __getattr__


def _asked(module, name):
    if not name.startswith("__"):
        with suppress(LookupError):
            return elsewhere(module, name)
        raise missing(module, name, _is_shown(module, name))
    raise AttributeError(f"module '{module}' has no attribute '{name}'")


class Shown(ModuleType):
    """A module that has no file: it shows what other rooms have.

    Where a function has the module's name, as `torch.autograd.gradcheck`, Python puts the module in its place when it is
    imported; so it can be called as the function.
    """

    function: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.function is None:
            above, _, name = self.__name__.rpartition(".")
            dialect, _, place = above.removeprefix("labkit.").partition(".")
            if name in names(dialect).get(place, ()):
                raise missing(above, name, True)
            raise TypeError(f"module '{self.__name__.removeprefix('labkit.')}' is not callable")
        return self.function(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return _asked(self.__name__, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Python puts an imported module into the one above; what is shown under that name comes first."""
        if isinstance(value, ModuleType):
            with suppress(LookupError):
                value = elsewhere(self.__name__, name) if _is_shown(self.__name__, name) else value
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        _, dialect, *place = self.__name__.split(".")
        rooms = shown(dialect).get(".".join(place), {})
        own = (name for name in vars(self) if not name.startswith("_") and name != "function")
        return sorted(
            {*own, *(name for name, room in rooms.items() if room[:1] == "=" or _home(dialect, name, room) is not None)}
        )


def _in_a_library():
    """Whether a file is being imported that is not the program itself, and does not itself deal with what is not there, by
    `try`: of what it names it may use nothing."""
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name == "<module>" and getattr(frame.f_globals.get("__spec__"), "_initializing", False):
            caught: Any = getattr(Bytecode(frame.f_code), "exception_entries", ())
            return not any(entry.start <= frame.f_lasti < entry.end for entry in caught)
        frame = frame.f_back  # type: ignore[assignment]
    return False


class _Refuser:
    """Makes what a library imports and labkit has not: who calls it, or wants an instance, is told; there are none.

    In a module that is left out as a whole a word in small letters may be a module, too.
    """

    def __init__(self, said, module):
        self.said, self.module = said, module

    def create_module(self, spec):
        def told(*args, **kwargs):
            raise NotImplementedError(self.said)

        if self.module:
            made = Shown(spec.name, self.said)
            made.function = told
            return made
        home, _, name = spec.name.rpartition(".")
        members = {"__new__": told, "__class_getitem__": classmethod(GenericAlias), "__module__": home}
        return type(name, (), {**members, "__doc__": self.said})

    def exec_module(self, module):
        pass


class _Finder:
    """Finds the modules of the tables, after Python has looked for a file; of other names it says what they are."""

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, inner = fullname.partition(".")
        dialect, _, place = inner.partition(".")
        if package != "labkit" or not place or dialect not in ("torch", "mindspore"):
            return None
        if is_module(dialect, place) or any(f"{other}.".startswith(f"{place}.") for other in shown(dialect)):
            return ModuleSpec(fullname, _Finder, is_package=True)  # type: ignore[arg-type]
        above, _, name = place.rpartition(".")
        if name.startswith("_"):
            return None
        error = not_found(fullname, _is_shown(f"labkit.{dialect}.{above}".rstrip("."), name))
        if in_real(error) and _in_a_library():
            refuser = _Refuser(str(error), name[0].islower() and left_out(dialect, above))
            return ModuleSpec(fullname, refuser, is_package=refuser.module)  # type: ignore[arg-type]
        raise error

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        made = Shown(spec.name, f"What {spec.name.removeprefix('labkit.')} shows of other rooms.")
        parent, _, name = spec.name.rpartition(".")
        before = getattr(sys.modules[parent], name) if name in offered(sys.modules[parent]) else None
        if callable(before):
            made.function, made.__doc__ = before, before.__doc__
        return made

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        _, dialect, place = module.__name__.split(".", 2)
        vars(module).update(FILLED[dialect](place) if dialect in FILLED else {})
        module.__all__ = dir(module)  # type: ignore[attr-defined]


sys.meta_path.append(_Finder)  # type: ignore[arg-type]
