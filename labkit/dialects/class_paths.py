"""Where PyTorch and MindSpore define their classes, so that `print(type(layer))` prints the same here.

The tables (`layout.txt` in each dialect) hold every public class of the real packages, one line for a module: the package where
it is public, the module that defines it, the classes. A class that a dialect gains later is found in them.
"""

import sys
from abc import ABCMeta
from functools import cache


class Placed(ABCMeta):
    """The metaclass of a dialect's classes: each is printed with the module in which the real framework defines it.

    What a user derives from one is printed as any other class; `_shown` in a class is printed where the real framework prints
    something else. It is ABC's metaclass, so that `class Base(nn.Module, ABC)` can be written; but `isinstance` asks for the
    class alone, as fast as of any other.
    """

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__

    def __new__(cls, name, bases, namespace, **options):
        namespace.setdefault(
            "__module__", sys._getframe(1).f_globals.get("__name__")
        )  # not that of ABC's, which is Python
        return super().__new__(cls, name, bases, namespace, **options)

    def __init__(cls, name, bases, namespace, **options):
        super().__init__(name, bases, namespace, **options)
        if cls.__repr__ is object.__repr__:
            cls.__repr__ = _instance  # type: ignore[assignment,method-assign]

    def __repr__(cls):
        shown, home = vars(cls).get("_shown"), real_home(cls.__module__, cls.__name__)
        shown = shown or (f"{home}.{cls.__name__}" if home else None)
        return f"<class '{shown}'>" if shown else super().__repr__()


def _instance(self):
    """What Python prints of any object, with the module in which the real framework defines its class."""
    kind, text = type(self), object.__repr__(self)
    home = real_home(kind.__module__, kind.__name__)
    return f"<{home}.{kind.__name__} object at {text.rpartition(' ')[2]}" if home else text


def real_home(module, name) -> str | None:
    """The real framework's module for the class `name` that a dialect defines in `module`; None for any other class."""
    package, _, place = module.partition(".")
    dialect, _, place = place.partition(".")
    packages = homes(dialect).get(name, {}) if package == "labkit" else {}
    near = [each for each in packages if f"{place}.".startswith(f"{each}.")]
    if near:
        return packages[max(near, key=len)]
    return packages.get("") or (next(iter(packages.values())) if len(packages) == 1 else None)


@cache
def homes(dialect: str) -> dict[str, dict[str, str]]:
    """`{class: {package: module}}` of a dialect's table."""
    from pathlib import Path  # it is slow to import, and wanted where a class is printed

    table = Path(__file__).with_name(f"class_paths_{dialect}.txt")
    found: dict[str, dict[str, str]] = {}
    for line in table.read_text(encoding="utf-8").splitlines() if table.exists() else []:
        public, module, *names = line.split()
        for name in names:
            found.setdefault(name, {})["" if public == "-" else public] = module
    return found


def with_names(owner, *names) -> str:
    """Attributes as layers print their options: `p=0.5, inplace=False`."""
    return ", ".join(f"{name}={getattr(owner, name)}" for name in names)
