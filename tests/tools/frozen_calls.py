"""The calls of every public name: ops and functions, classes and what their objects do, and programs the tests have already."""

import ast
import contextlib
import importlib
import inspect
from pathlib import Path

import numpy as np
from frozen_answers import DIALECTS, answer, clean, replaced, told
from frozen_arguments import by_signature, meant, options, pool
from frozen_names import members, names

import labkit

TESTS = Path(__file__).parents[1]
COMPUTING = ["torch", "mindspore", "engine", "primitives", "precision", "convolution", "pooling", "memory", "recompute",
             "gradcheck", "program", "tracing"]  # fmt: skip


class Calls:
    """The calls of one function: `{label: fields}`, and whether any of them went well."""

    def __init__(self, dialect, fun, deep=3):
        self.dialect, self.fun, self.deep, self.said, self.taken = dialect, fun, deep, {}, []

    def made(self, tree, dtype):
        return replaced(tree, lambda a: self.dialect.tensor(a, dtype) if isinstance(a, np.ndarray) else a)

    def ask(self, label, args, kwargs=None, dtype="float64", deep=False):
        """Whether the call went well; what it said is kept."""
        given = {name: self.made(meant(self.dialect, text), dtype) for name, text in (kwargs or {}).items()}
        fields = answer(self.dialect, self.fun, self.made(args, dtype), given, deep)
        self.said[f"{label} {dtype}"] = fields
        return "error" not in fields

    def tried(self):
        """`{label: arguments}`: what the signature asks for, and what any op is tried with."""
        own = {f"by its signature {i}": by_signature(self.dialect, self.fun, i) for i in range(4)}
        return {label: args for label, args in own.items() if args is not None} | pool(self.dialect.name)[0]

    def all(self):
        tried, wrong = self.tried(), pool(self.dialect.name)[1]
        for label, args in tried.items():
            if self.ask(label, args, deep=len(self.taken) < self.deep):
                self.taken.append(label)
        for label in self.taken:
            for dtype in self.dialect.floats[1:]:
                self.ask(label, tried[label], dtype=dtype)
        for label, args in wrong.items():
            self.ask(label, args)
        for name, text in options(self.fun):
            for label in self.taken[:1]:
                with contextlib.suppress(AttributeError):  # what NumPy has no networks for
                    self.ask(f"{label}, {name}={text}", tried[label], {name: text})
        return self.said


def changing(name):
    """A method that changes its tensor, called on a copy of it; what it returns, and the copy."""

    def changed(x, *args, **kwargs):
        copied = x.clone() if hasattr(x, "clone") else x.copy()
        result = getattr(copied, name)(*args, **kwargs)
        return copied if result is None else result

    return changed


def member(cls, name, found):
    """A method or property of tensors as a function of them; `inspect.signature` sees the method's."""
    if isinstance(found, property) or not callable(getattr(cls, name, None)):
        return lambda x: getattr(x, name)
    changes = (name.endswith("_") and name[-2:] != "__") or name.startswith("__i") or name == "__setitem__"
    called = changing(name) if changes and name not in ("__int__", "__invert__", "__iter__", "__index__") else None
    called = called or (lambda x, *args, **kwargs: getattr(x, name)(*args, **kwargs))
    with contextlib.suppress(TypeError, ValueError):
        called.__signature__ = inspect.signature(getattr(cls, name))
    return called


def subjects():
    """`{path: a function that tells its calls}` of every public name in a room that computes."""
    found = {}
    for path, thing in names()[0].items():
        room = path.split(".")[1]
        if not callable(thing) or not (room in COMPUTING or path.count(".") == 1 or path.startswith("autograd")):
            continue
        dialect = DIALECTS[room if room in DIALECTS else "numpy"]
        if isinstance(thing, type) and thing.__name__ == "Tensor":
            own = [(n, p) for n, p in members(thing) if f"{path}.{n}" not in names()[1]]
            for name, part in own:
                found[f"{path}.{name}"] = lambda d=dialect, c=thing, n=name, p=part: Calls(d, member(c, n, p)).all()
        elif isinstance(thing, type):
            found[path] = lambda d=dialect, c=thing: of_class(d, c)
        else:
            found[path] = lambda d=dialect, f=thing: Calls(d, f).all()
    return found


def of_class(dialect, cls):
    """What its objects answer, made in each way that the signature knows of: called, or asked by their methods."""
    choice = next((i for i in range(4) if works(maker(dialect, cls, i, {}))), 0)
    said, accepted = {}, []
    for way in [{}] + [{name: text} for name, text in options(cls)]:
        make, told_way = maker(dialect, cls, choice, way), ", ".join(f"{n}={t}" for n, t in way.items())
        calls = Calls(dialect, lambda make=make: make()[0], 0)
        well = calls.ask(f"made({told_way})", ())
        said |= calls.said
        if well and "__call__" in dir(cls):
            asked, accepted = of_object(dialect, cls, make, accepted if way else None)
            said |= {f"({told_way})({label}": fields for label, fields in asked.items()}
        if well and not (way and "__call__" in dir(cls)):
            said |= {f"({told_way}){label}": fields for label, fields in of_methods(dialect, cls, make).items()}
    return said


def maker(dialect, cls, choice, way):
    """Makes an object of the class, and says with which arguments."""

    def make():
        dialect.seed()
        given = {name: made(dialect, meant(dialect, text)) for name, text in way.items()}
        args = made(dialect, by_signature(dialect, cls, choice) or ())
        return cls(*args, **given), args

    return make


def works(make):
    try:
        make()
    except Exception:  # made of something else
        return False
    return True


def made(dialect, tree):
    return replaced(tree, lambda a: dialect.tensor(a, "float32") if isinstance(a, np.ndarray) else a)


def state(thing, args):
    """What an object and what it was made of hold now, as text."""
    kept = [getattr(thing, s)() for s in ("state_dict", "parameters_dict") if hasattr(thing, s)]
    return clean(told([thing, args, *kept]))


def of_object(dialect, cls, make, labels):
    """What objects of a class answer to a call, and the labels that went well; with `labels`, to these calls alone."""

    def called(*args, **kwargs):
        thing, own = make()
        return thing(*args, **kwargs), state(thing, own)

    body = getattr(cls, "construct", None) or getattr(cls, "forward", None)
    if body is not None:
        of_method = list(inspect.signature(body).parameters.values())[1:]
        called.__signature__ = inspect.Signature(of_method)
    asked = Calls(dialect, called, 2)
    if labels is None:
        return asked.all(), asked.taken
    for label in labels:
        asked.ask(label, asked.tried().get(label, ()), dtype="float32")
    return asked.said, labels


def of_methods(dialect, cls, make):
    """Each method, called twice on a fresh object; then all of them on one object, there and back."""
    said, ways = {}, {}
    theirs = {n: p for c in reversed(cls.__mro__) if "__call__" not in dir(cls) or c is cls for n, p in vars(c).items()}
    for name in sorted(n for n in theirs if not n.startswith("_") and not isinstance(theirs[n], type)):

        def twice(*args, name=name, **kwargs):
            thing, own = make()
            method = getattr(thing, name)
            return ([method(*args, **kwargs) for _ in range(2)] if callable(method) else method), state(thing, own)

        with contextlib.suppress(Exception):
            twice.__signature__ = inspect.signature(getattr(make()[0], name))
        calls = Calls(dialect, twice, 0)
        tried = {"": ()} | calls.tried()
        ways[name] = next((args for label, args in tried.items() if calls.ask(label, args, dtype="float32")), ())
        said |= {f".{name}({label}": f for label, f in list(calls.said.items())[-1:] + list(calls.said.items())[:1]}

    def life():
        thing, own = make()
        steps = [step(thing, name, made(dialect, ways[name])) for name in [*ways, *reversed(ways)]]
        return steps, state(thing, own)

    calls = Calls(dialect, life, 0)
    calls.ask(" all its methods", ())
    return said | calls.said


def step(thing, name, args):
    """One method of an object's life."""
    try:
        found = getattr(thing, name)
        return f"{name}: {told(found(*args) if callable(found) else found)}"
    except Exception as error:
        return f"{name}: {type(error).__name__}: {error}"


# ---- programs that the tests have already ----


def expressions():
    """`{path: a function that tells}` of the expressions of two tensors that stand as texts in the tests of the dialects."""
    found = {}
    for file in sorted((TESTS / "torch").glob("test_*.py")):
        texts = {n.value for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.Constant)}
        texts = sorted(t for t in texts if isinstance(t, str) and is_expression(t))
        for text in texts:
            found[f"expression of {file.stem}: {text}"] = lambda t=text: of_expression(t)
    return found


def is_expression(text):
    try:
        seen = {n.id for n in ast.walk(ast.parse(text, mode="eval")) if isinstance(n, ast.Name)}
    except SyntaxError:
        return False
    return (
        bool(seen & {"x", "y", "torch", "F"})
        and seen <= {"x", "y", "torch", "F", "list", "len", "int", "float", "bool"}
        and (len(text) > 1)
    )


def of_expression(text):
    dialect = DIALECTS["torch"]
    known = {"torch": dialect.module, "F": dialect.module.nn.functional}
    calls = Calls(dialect, lambda x, y: eval(text, known | {"x": x, "y": y}), 1)
    args = (np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.5, 2.0], [1.5, -1.0]]))
    calls.ask("", args, dtype="float32", deep=True)
    return calls.said


def programs(count=40):
    """`{path: a function that tells}` of the programs with titles, and of random ones, that the real frameworks run too."""
    compared, runs = (load("real", name) for name in ("compared", "run_programs"))
    found = {}
    for framework in ("torch", "mindspore"):
        titles = [*compared.rows(framework), *map(str, range(count))]
        for name, statements in compared.programs(framework, titles).items():
            found[f"program of {framework}: {name}"] = lambda s=statements, f=framework: {
                f"{i}: {line}": {"printed": clean(out)}
                for i, (line, out) in enumerate(zip(s, runs.run(s, DIALECTS[f].module)))
            }
    draws, draws_ms = load("tools", "random_calls"), load("tools", "random_calls_ms")
    ms = DIALECTS["mindspore"].module
    for i in range(count):
        found[f"draws of torch: {i}"] = lambda i=i: {"": {"digests": str(draws.run(labkit.torch, i, 1))}}
        found[f"draws of mindspore: {i}"] = lambda i=i: {
            "": {"digests": str(draws_ms.run(ms, ms.common.initializer, ms.dataset, i, 1))}
        }
    return found


def load(folder, name):
    """A module of the tests."""
    spec = importlib.util.spec_from_file_location(name, TESTS / folder / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found
