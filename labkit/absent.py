"""What PyTorch or MindSpore has and labkit has not: the sentence that says so, wherever a name is asked for.

`names.txt` in a dialect holds the public names of the real package: each line is a module (`-`: the package itself) and its
names, or a class with a colon and its members. A module that is left out as a whole has a `*`.
"""

import re
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from .layout import homes
from .ported import noted

HERE = Path(__file__).parent
REAL = {"torch": "PyTorch", "mindspore": "MindSpore"}
WHY = {  # what a name has in it that is left out on purpose
    r"complex|cfloat|cdouble|chalf|\b(fft|stft|istft|polar|angle|conj\w*|view_as_real)\b": "There are no complex numbers.",
    r"distributed|multiproc|rpc|DataParallel|communication|\bdist\b": "There is one process; `labkit.parallel` shows several.",
    r"\b(jit|compiler|export|fx|onnx|package|_dynamo|library|rewrite)\b|Script": "Nothing is compiled or exported here.",
    r"\b(cuda|mps|mtia|xpu|hal)\b|stream|graph_pool": "Everything runs on the CPU.",
    r"sparse|quanti|nested|masked|qint|to_dense": "Tensors are dense, of bool, integers or floats.",
    r"\beig(vals)?\b|\bldl": "Of linear algebra: norms, inverses, LU, `svd`, `eigh`.",
    r"tensorboard|SummaryWriter|profiler|benchmark\.": "`labkit.show` and `labkit.memory_report` show what runs.",
    r"parametri[sz]|weight_norm|spectral_norm": "A weight is a Parameter, and computed from others in `forward`.",
}


@cache
def names(dialect: str) -> dict[str, tuple[str, ...]]:
    """The public names of each module of the real package (`""`: the package itself), and of classes (`"Tensor:"`).

    >>> "LSTM" in names("torch")["nn"], "detach" in names("torch")["Tensor:"]
    (True, True)
    """
    lines = (HERE / dialect / "names.txt").read_text(encoding="utf-8").splitlines()
    return {place.replace("-", "") if place == "-" else place: tuple(found) for place, *found in map(str.split, lines)}


def is_module(dialect: str, place: str) -> bool:
    """Whether the real package has a module of this name, or is left out with one above it.

    >>> is_module("torch", "utils.tensorboard"), is_module("torch", "nn.Linear")
    (True, False)
    """
    return f"{place}:" not in names(dialect) and place in names(dialect)


def missing(module: str, name: str, known: bool = False) -> AttributeError:
    """The error for `name`, which `module` of a dialect (`labkit.torch.nn`) has not; `known`: the real one has it.

    >>> print(missing("labkit.torch.nn", "Liner"))
    module 'torch.nn' has no attribute 'Liner', in PyTorch neither. Did you mean 'Linear'?
    """
    _, dialect, *place = module.split(".")
    text, known = _said(dialect, ".".join(place), name, known)
    return noted(AttributeError(text, name=name), name, dialect, known or _anywhere(dialect, name))


def not_found(fullname: str, known: bool = False) -> ModuleNotFoundError:
    """The same error for `from labkit.torch.nn import Liner`, which Python asks for as `labkit.torch.nn.Liner`."""
    module, _, name = fullname.rpartition(".")
    _, dialect, *place = module.split(".")
    text, known = _said(dialect, ".".join(place), name, known)
    text = f"cannot import name '{name}' from '{module}' ({fullname}): {text}"
    error = ModuleNotFoundError(text, name=".".join((dialect, *place, name)))
    return noted(error, name, dialect, known or _anywhere(dialect, name))


def left_out(dialect: str, place: str) -> bool:
    """Whether a module of the real package, or one above it, is left out as a whole.

    >>> left_out("torch", "utils.tensorboard.writer"), left_out("torch", "nn")
    (True, False)
    """
    own = names(dialect).get(place)
    return own == ("*",) if own is not None or not place else left_out(dialect, place.rpartition(".")[0])


def in_real(error) -> bool:
    """Whether an error of these is about what the real package has."""
    return " in labkit, as it has in " in str(error)


def _said(dialect, place, name, known):
    """The sentence on `name`, and whether the real package has it at `place`."""
    where = ".".join(filter(None, (dialect, place)))
    text = f"module '{where}' has no attribute '{name}'"
    if known or _in_real(dialect, place, name):
        return f"{text} in labkit, as it has in {REAL[dialect]}. {_instead(dialect, place, name)}", True
    close = get_close_matches(name, _here(dialect, place), 1, 0.8)
    return f"{text}, in {REAL[dialect]} neither." + (f" Did you mean '{close[0]}'?" if close else ""), False


def member(dialect: str, kind: str, text: str, name: str, thing: Any) -> AttributeError:
    """The error, which begins with `text`, for a member that a `thing` of the real class `kind` has, and here has not."""
    if name not in names(dialect).get(f"{kind}:", ()):
        return noted(AttributeError(text, name=name, obj=thing), name, dialect, _anywhere(dialect, name))
    same, close = _elsewhere(dialect, name, ""), get_close_matches(name, dir(type(thing)), 1, 0.8)
    near = f"There is {same}. " if same else f"Near it: `{close[0]}`. " if close else ""
    text = f"{text.rstrip('.')} in labkit, as it has in {REAL[dialect]}. {near}{_why(name)}".rstrip()
    return noted(AttributeError(text, name=name, obj=thing), name, dialect, known=True)


def _in_real(dialect, place, name):
    """Whether the real module has the name; of modules that are left out as a whole anything may be theirs."""
    own = names(dialect).get(place)
    above = place.rpartition(".")[0]
    if own is not None and (name in own or own == ("*",) or (above and name in names(dialect).get(above, ()))):
        return True  # a name that the module above has, too, is listed there alone
    if place and own is None and above in names(dialect):
        return _in_real(dialect, above, name)
    return is_module(dialect, f"{place}.{name}".strip("."))


def _anywhere(dialect, name):
    """Whether the real package has the name somewhere, so that it is not the other framework's word alone."""
    return any(name in found for found in names(dialect).values())


def _instead(dialect, place, name):
    same = _elsewhere(dialect, name, place)
    if same:
        return f"There is {same}."
    close = get_close_matches(name, _here(dialect, place), 1, 0.8)
    near, why = f"Near it: `{close[0]}`. " if close else "", _why(f"{place}.{name}")
    while not _has_file(f"labkit.{dialect}.{place}".rstrip(".")):
        place = place.rpartition(".")[0]
    whole = ".".join(filter(None, (dialect, place)))
    return f"{near}{why} `labkit covers {whole}` lists what there is.".strip()


def _why(full):
    return next((reason for pattern, reason in WHY.items() if re.search(pattern, full)), "")


@cache
def _here(dialect, place):
    """The names that labkit has at `place`."""
    module = import_module(f"labkit.{dialect}.{place}".rstrip("."))
    empty = {  # modules without a file, but for those that stand for the function of their name
        name for name, thing in vars(module).items()
        if isinstance(thing, ModuleType) and "__file__" not in vars(thing) and not vars(thing).get("function")
    }  # fmt: skip
    return [name for name in {*dir(module), *getattr(module, "__all__", ())} - empty if not name.startswith("_")]


def rooms(dialect: str) -> list[str]:
    """The modules of the real package that labkit has files for, `""` for the package itself.

    >>> rooms("torch")[:3]
    ['', 'amp', 'autograd']
    """
    return [p for p in names(dialect) if not p.endswith(":") and _has_file(f"labkit.{dialect}.{p}".rstrip("."))]


@cache
def _has_file(module):
    parts = module.split(".")[1:]
    place = HERE.joinpath(*parts)
    return place.with_suffix(".py").exists() or (place / "__init__.py").exists()


def _elsewhere(dialect, name, place):
    """Where else labkit has the name, as the real package would write it; None where it has not."""
    for other in sorted(rooms(dialect), key=lambda room: room == "numpy"):  # what is another library's comes last
        if other != place and name in _here(dialect, other):
            return f"`{'.'.join(filter(None, (dialect, other, name)))}`"
    return None


def with_class(dialect: str, place: str, name: str) -> ModuleType | None:
    """The room of labkit with the class that the real package shows at `place`, as the table of its classes has it.

    >>> with_class("mindspore", "", "Accuracy").__name__
    'labkit.mindspore.nn'
    """
    found = homes(dialect).get(name, {})
    for other, defined in found.items():
        room = f"labkit.{dialect}.{other}".rstrip(".")
        if other != place and defined == found.get(place) and _has_file(room) and name in _here(dialect, other):
            return import_module(room)
    return None


def coverage(dialect: str, place: str) -> tuple[list[str], list[str]]:
    """The names of the real module (or class, `"Tensor:"`) at `place` that labkit has, and those that it has not.

    >>> had, lacked = coverage("torch", "linalg")
    >>> "norm" in had, "eigvals" in lacked
    (True, True)
    """
    if place.endswith(":"):
        above, _, kind = place[:-1].rpartition(".")
        here = set(dir(getattr(import_module(f"labkit.{dialect}.{above}".rstrip(".")), kind)))
    else:
        here = set(_here(dialect, place))
    known = names(dialect)[place]
    here.update(n for n in known if n not in here and with_class(dialect, place, n))
    return [n for n in known if n in here], [n for n in known if n not in here]
