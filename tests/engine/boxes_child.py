"""Import all of labkit beside autograd, in a process of its own, and print what is not as it was before, a line each."""

import pkgutil
import re
import sys
import warnings
from contextlib import suppress
from importlib import import_module
from types import FunctionType

import autograd
import autograd.misc
import autograd.test_util
from autograd import tracer

# ---- what autograd holds ----


def of(package, thing):
    """Whether a class, a function or a primitive was made in a package."""
    if getattr(thing, "defined_here", False) or str(getattr(thing, "__module__", "")).startswith("labkit."):
        return package == "labkit"  # an op of labkit's, also one that is made of a function of NumPy's
    if isinstance(thing, FunctionType):
        thing = getattr(thing, "fun", thing)
    home = thing.__globals__["__name__"] if isinstance(thing, FunctionType) else getattr(thing, "__module__", "")
    return str(home).partition(".")[0] == package


def inside(thing):
    """By name, what a table, a module, a class or an object holds."""
    if isinstance(thing, (set, frozenset)):
        return {member: member for member in thing}
    return thing if isinstance(thing, dict) else getattr(thing, "__dict__", {})


def state():
    """`{(place, name): object}` for all that autograd's modules hold, and their classes, functions, objects and tables."""
    found, seen = {}, set()
    waiting = [(name, module) for name, module in sys.modules.items() if name.partition(".")[0] == "autograd"]
    while waiting:
        place, thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        for key, value in list(inside(thing).items()):
            if of("labkit", key) or key in ("__builtins__", "__dict__", "__weakref__", "__warningregistry__"):
                continue
            found[place, str(key)] = value
            if isinstance(thing, set):
                continue  # in no order; its members are reached by name
            if isinstance(value, (dict, set)) or of("autograd", value) or of("autograd", type(value)):
                waiting.append((f"{place}.{key}", value))
    return found


# ---- what autograd answers ----


def answers():
    """`{question: answer or error}`; labkit's own functions would answer most of them otherwise."""
    found = {}

    def ask(question):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found[question] = repr(eval(question, globals()))
            except Exception as error:
                found[question] = re.sub(" at 0x[0-9a-f]+", "", f"{type(error).__name__}: {error}")

    for question in QUESTIONS.strip().splitlines():
        ask(question)
    tracer.trace_stack.top = -1  # the failures above left it too high
    return found


def inner(f, value=2.0):
    """What `f` gives for a box of autograd's."""
    kept = []
    autograd.grad(lambda x: kept.append(f(x)) or x)(value)
    return kept[0]


def level(x):
    return x._trace, tracer.trace_stack.top


QUESTIONS = """
autograd.grad(lambda x: x**2)(3)
autograd.grad(lambda x: x * 2)(onp.int8(3))
autograd.grad(lambda x: x * 2)(onp.bool_(True))
autograd.grad(lambda x: np.sum(x))(onp.array([1, 2]))
autograd.grad(lambda x: 3)(2.0)
autograd.grad(lambda x: np.sum(np.tile(x, 2)))(onp.ones((2, 3)))
autograd.grad(lambda x: np.sum(np.where(onp.ones(3) > 0, x, 0.0)))(2.0)
autograd.grad(lambda x: np.sum(np.tile(x, (2, 1))))(onp.ones(2))
[autograd.grad(lambda x: x**p)(x) for x in onp.linspace(0.1, 3, 40) for p in (2, 2.5, 3, -1, 0.5)]
[autograd.grad(lambda p: x**p)(2.3) for x in onp.linspace(0.1, 3, 40)]
[inner(lambda x: x**p, x)._value.hex() for x in onp.linspace(0.1, 3, 40) for p in (2, 2.5, 3, -1, 0.5)]
[inner(lambda p: x**p)._value.hex() for x in onp.linspace(0.1, 3, 40)]
autograd.make_jvp(lambda x: x * x)(3)(1)
autograd.make_jvp(lambda x: x * x)(3.0)(1.0)
autograd.elementwise_grad(np.tanh)(onp.linspace(-2, 2, 9)).tolist()
vspace(3)
vspace((1.0, 2))
vspace(onp.int32(3))
inner(float)
inner(int)
inner(bool)
inner(range)
inner(lambda x: [1, 2, 3][x])
inner(lambda x: onp.zeros(x))
inner(lambda x: "%d" % x)
inner(lambda x: type(x).__mro__)
inner(lambda x: sorted(dir(x)))
inner(level)
inner(lambda x: inner(level, x))
inner(lambda x: 1 / 0)
inner(level)
inner(lambda x: inner(level, x))
"""


def all_of_labkit():
    import labkit

    for module in pkgutil.walk_packages(labkit.__path__, "labkit."):
        with suppress(ImportError):  # of a package that this machine does not have
            if not module.name.endswith("__main__"):
                import_module(module.name)


if __name__ == "__main__":
    held, answered = state(), answers()
    all_of_labkit()
    now_held, now_answered = state(), answers()
    for place, name in sorted(held.keys() | now_held.keys()):
        if held.get((place, name)) is not now_held.get((place, name)):
            print(f"held: {place}.{name}")
    for question in answered:
        if answered[question] != now_answered[question]:
            print(f"answered: {question}: {answered[question]}; now {now_answered[question]}")
