"""A name that the real PyTorch or MindSpore has and labkit does not implement: one sentence, wherever it is asked for."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.machinery import ModuleSpec
from opcode import opmap
from types import ModuleType
from typing import Any

from .framework_hints import noted
from .real_names import REAL, has, names

UNSUPPORTED = "labkit does not implement {name}; it covers what teaches gradients and training. {framework} has it."
UNKNOWN = "module '{module}' has no attribute '{name}'."
NOT_IMPORTED = "cannot import name '{name}' from '{module}': {reason}"
MEANT = " Did you mean '{name}'?"


def attributes(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a dialect's module: AttributeError with the sentence on a name that it does not have.

    The module becomes a package for Python's import system, so that `from module import name` asks the finder below, and
    its `dir()` lists what is loaded when it is first used, too.
    """
    own = vars(sys.modules[module])
    own.setdefault("__path__", [])
    own.setdefault("__dir__", lambda: sorted({*own, *own.get("__all__", ())}))
    return partial(_attribute, module)


def _attribute(module, name):
    if name.startswith("_"):
        raise AttributeError("module '{module}' has no attribute '{name}'".format(module=module, name=name))
    _, dialect, *place = module.split(".")
    if has(dialect, ".".join(place), name) and _is_imported():
        return _StandIn(f"{module}.{name}")
    raise missing(module, name)


def _is_imported():
    """Whether the user's line that is running is `from module import name`."""
    from ..engine import is_library  # here, so that `labkit --help` does not load the engine

    frame: Any = sys._getframe(2)
    while frame is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]


def missing(module: str, name: str) -> AttributeError:
    """The error for a `name` that `module` of a dialect (`labkit.torch.nn`) does not have.

    >>> print(missing("labkit.torch", "fft"))
    labkit does not implement torch.fft; it covers what teaches gradients and training. PyTorch has it.
    >>> print(missing("labkit.torch.nn", "Liner"))
    module 'torch.nn' has no attribute 'Liner'. Did you mean 'Linear'?
    """
    _, dialect, *place = module.split(".")
    known = has(dialect, ".".join(place), name)
    text = _unsupported(dialect, *place, name) if known else _unknown(module, name)
    return noted(AttributeError(text, name=name), name, dialect, known)


def member(dialect: str, kind: str, text: str, name: str, thing: Any) -> AttributeError:
    """The error for a member `name` that a `thing` of the real class `kind` does not have; `text`: of an unknown one."""
    if name.startswith("_"):  # asked for by Python and by tools, which expect no sentence
        return AttributeError(text, name=name, obj=thing)
    known = name in names(dialect).get(f"{kind}:", ())
    text = _unsupported(dialect, kind, name) if known else text
    return noted(AttributeError(text, name=name, obj=thing), name, dialect, known)


def _unsupported(dialect, *path):
    return UNSUPPORTED.format(name=".".join((dialect, *path)), framework=REAL[dialect])


def _unknown(module, name):
    from difflib import get_close_matches  # for an error only: it is slow to import

    offered = _offered(sys.modules.get(module))
    close = [word for word in offered if word.lower() == name.lower()] or get_close_matches(name, offered, 1, 0.75)
    text = UNKNOWN.format(module=module.removeprefix("labkit."), name=name)
    return text + MEANT.format(name=close[0]) if close else text


def _offered(thing):
    """The public names of a loaded module or a class, those among them that are loaded when they are first used."""
    names = {name for name in (*dir(thing), *getattr(thing, "__all__", ())) if not name.startswith("_")}
    return {name for name in names if not isinstance(getattr(thing, "__dict__", {}).get(name), _StandIn)}


class _StandIn(ModuleType):
    """What an import gives for a name that labkit lacks, so that the line imports the others; its use raises the sentence."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name: str) -> Any:
        return _attribute(self.__name__, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        module, _, name = self.__name__.rpartition(".")
        raise NotImplementedError(str(missing(module, name)))

    __mro_entries__ = __call__


class _Finder:
    """Finds what Python has no file for: `import labkit.torch.fft`, `from ... import`."""

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A stand-in for a module of the real package. Raises ImportError for another name in a dialect."""
        package, *inner = fullname.split(".")
        module, _, name = fullname.rpartition(".")
        if package != "labkit" or len(inner) < 2 or inner[0] not in REAL or name.startswith("_"):
            return None
        offered = name in _offered(sys.modules.get(module))  # a function of the name of a module stays
        if not offered and ".".join(inner[1:]) in names(inner[0]):
            return ModuleSpec(fullname, _Finder, is_package=True)  # type: ignore[arg-type]
        reason = NOT_IMPORTED.format(name=name, module=module, reason=missing(module, name))
        known = has(inner[0], ".".join(inner[1:-1]), name)  # then `from ... import` goes on, and asks the module
        raise ModuleNotFoundError(reason, name=fullname if known else ".".join(inner))

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        """The stand-in."""
        return _StandIn(spec.name)

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """There is nothing to run."""


sys.meta_path.append(_Finder)  # type: ignore[arg-type]
