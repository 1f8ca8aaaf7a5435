"""Every public name of labkit, found by walking its modules, and what can be seen of a name without a call."""

import inspect
import pkgutil
from functools import cache
from types import ModuleType

import autograd.numpy
from autograd.core import primitive_vjps
from frozen_answers import clean, is_tensor, module, told

OURS = ("labkit", "torch", "mindspore", "autograd")


def modules():
    """`{name: module}` of all that is public in labkit, and NumPy as the engine sees it."""
    found, waiting = {"autograd.numpy": autograd.numpy, "autograd.numpy.linalg": autograd.numpy.linalg}, ["labkit"]
    while waiting:
        name = waiting.pop()
        at = module(name)
        if at is not None:
            found[name] = at
            inside = pkgutil.iter_modules(getattr(at, "__path__", ()), name + ".")
            waiting += [m.name for m in inside if not m.name.rpartition(".")[2].startswith("_")]
    return dict(sorted(found.items(), key=lambda item: (item[0].count("."), item[0])))


def public(at):
    """`(name, object)` of what a module offers: by `__all__`, or what it has of labkit's and, unless a package, made itself."""
    if not hasattr(at, "__all__") and not at.__name__.startswith(("labkit.torch", "labkit.mindspore", "autograd")):
        return
    own = (at.__name__,) if not hasattr(at, "__path__") else OURS
    for name in sorted(getattr(at, "__all__", None) or [n for n in dir(at) if not n.startswith("_")]):
        thing = getattr(at, name, None)
        home = getattr(thing, "__module__", None) or ""
        named = hasattr(at, "__all__") or (home in own or home.partition(".")[0] in own)
        if not isinstance(thing, ModuleType) and (named or not callable(thing)):
            yield name, thing


@cache
def names():
    """`{path: object}` of every public name, and `{path: path}` of those that are other names of one object."""
    found, aliases, first, differentiated = {}, {}, {}, {id(f) for f in primitive_vjps}
    for at_name, at in modules().items():
        for name, thing in public(at):
            path = f"{at_name}.{name}"
            if at_name.startswith("autograd") and id(thing) not in differentiated:
                continue
            if callable(thing) and id(thing) in first:
                aliases[path] = first[id(thing)]
            else:
                found[path] = thing
                first[id(thing)] = path
    for path, cls in [(p, t) for p, t in found.items() if isinstance(t, type) and t.__name__ == "Tensor"]:
        aliases |= {f"{path}.{name}": first[id(part)] for name, part in members(cls) if id(part) in first}
    return found, aliases


def members(cls):
    """The public methods, operators and properties of a class that are its own, or those of a tensor whoever made them."""
    everything = dir(cls) if cls.__name__ == "Tensor" else vars(cls)
    for name in sorted(everything):
        dunder = name.startswith("__") and not name.startswith("__engine")
        if name.startswith("_") and not (dunder and cls.__name__ == "Tensor"):
            continue
        if getattr(object, name, None) is not getattr(cls, name, None) and name not in (
            "__module__",
            "__doc__",
            "__dict__",
        ):
            yield name, inspect.getattr_static(cls, name)


def signature(thing):
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return "no signature"


def face(path, thing):
    """What can be seen of a name without a call."""
    if not callable(thing):
        return {"value": clean(told(thing))} if not is_tensor(thing) else {"kind": type(thing).__name__}
    seen = {
        "kind": type(thing).__name__,
        "signature": clean(signature(thing)),
        "docstring": str(bool(inspect.getdoc(thing))),
    }
    if isinstance(thing, type):
        parts = {
            n: signature(getattr(thing, n)) if callable(getattr(thing, n, None)) else "" for n, _ in members(thing)
        }
        bases = ", ".join(c.__name__ for c in thing.__mro__[1:])
        seen |= {"bases": bases} | {f"member {n}": clean(s) for n, s in parts.items()}
    return seen
