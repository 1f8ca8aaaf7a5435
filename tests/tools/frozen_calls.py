"""Every public name of labkit, and calls of it derived from what is known: its signature, and arguments that any op is tried with.

No op is listed here. What is listed are words: what a parameter of a certain name is given, in either framework.
"""

import ast
import importlib
import inspect
import pkgutil
import re
from functools import cache
from itertools import islice
from pathlib import Path
from types import ModuleType

import autograd.numpy
import numpy as np
from autograd.core import primitive_vjps
from frozen_answers import DIALECTS, answer, clean, is_tensor, module, replaced, told
from recipes import recipes

import labkit

TESTS = Path(__file__).parents[1]
OURS = ("labkit", "torch", "mindspore", "autograd")
COMPUTING = "torch mindspore engine primitives precision convolution pooling memory recompute gradcheck program tracing".split()

# What a parameter of one of these names is given; arrays become tensors of the dialect and dtype.
NAMED = {
    "input self x input_x tensor a A logits variable y tensor1 x1 input_data primals inputs0 out output label": "wide(3, 3)",
    "other input_y tensor2 x2 mat2 b target labels src source end vec2 tangents cotangents value v": "small(3, 3)",
    "input inputs": "wide(3, 3)", "tensors operands gradients grads series": "[small(3, 3), small(3, 3)]",
    "weight": "small(3, 3)", "bias vec": "small(3)", "mask condition": "mask(3, 3)", "index indices": "index(3, 3)",
    "dim axis dim0 axis0 diagonal offset start_dim axes split_size_or_sections k": "0", "dim1 axis1 dim2 end_dim": "1",
    "size shape sizes": "(3, 3)", "dims order": "(1, 0)", "repeats rep chunks n m depth split_size": "2",
    "shifts steps num_classes length kernel_size num_features in_features out_features in_channels out_channels ndim": "3",
    "exponent power p low start min clip_value max_norm total_norm fill_value decimals clip_norm": "1",
    "max high": "2", "equation": "'ij,jk->ik'", "seed": "3", "dtype type": "kinds[1]", "func fn fun f": "cubes",
    "params parameters input_params": "parameters()", "network net backbone module model": "network()",
    "optimizer": "optimizer()", "loss_fn": "loss()", "lr learning_rate": "0.1", "lr_lambda": "lambda epoch: 0.5 ** epoch",
    "step_size T_max total_step decay_steps decay_epoch step_per_epoch warmup_steps warmup_epoch update_decay_epoch": "3",
    "min_lr end_learning_rate": "0.01", "max_lr": "0.2", "decay_rate gamma": "0.9", "milestone": "[2, 5]",
    "learning_rates": "[0.1, 0.01]", "scale_sense loss_scale_value loss_scale": "4.0", "scale_factor scale_window beta": "2",
    "argnums grad_position": "0", "nonlinearity": "'relu'", "hook hook_fn": "lambda g: g", "name": "'name'",
    "ndarray data iterable obj": "np.arange(6.0).reshape(3, 2)", "legacy": "False", "dataset": "dataset()",
    "indices_or_sections": "3", "init": "'zeros'", "args": "wide(3, 3)", "pad": "(1, 1)", "running_mean": "small(3)",
    "running_var": "small(3)", "depth on_value": "5", "ckpt_file_name": "'kept.ckpt'", "save_obj": "network()",
}  # fmt: skip
OPTIONS = {  # what an optional parameter is set to where its default does not say
    "reduction": ["'sum'", "'none'"], "rounding_mode": ["'floor'", "'trunc'"], "approximate": ["'tanh'"], "alpha": ["2"],
    "dim": ["0", "-1"], "axis": ["0", "-1"], "dtype": ["kinds[0]"], "weight": ["small(3)"], "generator": [], "out": [],
    "indexing": ["'ij'"], "mode": ["'max'"], "padding": ["1", "'same'"], "correction": ["0"], "min": ["-0.5"], "max": ["0.5"],
    "pad_mode": ["'same'"], "stride": ["2"], "name": [], "fun": [], "momentum": ["0.9"], "weight_decay": ["0.01"],
    "ord": ["1"], "p": ["1"], "nan": ["1.0"], "device": [],
}  # fmt: skip
WRONG = {
    "nothing": (), "text": ("text",), "none": (None,), "a text besides": ("one", "text"), "shapes that do not fit": ("odd", "even"),
    "a number": (1.5,), "nine arguments": (1,) * 9,
}  # fmt: skip


# ---- public names ----


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
        if getattr(object, name, None) is not getattr(cls, name, None) and name not in ("__module__", "__doc__", "__dict__"):
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
    seen = {"kind": type(thing).__name__, "signature": clean(signature(thing)), "docstring": str(bool(inspect.getdoc(thing)))}
    if isinstance(thing, type):
        parts = {n: signature(getattr(thing, n)) if callable(getattr(thing, n, None)) else "" for n, _ in members(thing)}
        bases = ", ".join(c.__name__ for c in thing.__mro__[1:])
        seen |= {"bases": bases} | {f"member {n}": clean(s) for n, s in parts.items()}
    return seen


# ---- arguments ----


class Values:
    """What the words of `NAMED` are made of: arrays, and the dialect's own networks and optimizers."""

    def __init__(self, dialect):
        rng, self.np, self.kinds = np.random.default_rng(3), np, dialect.kinds
        self.small = lambda *shape: np.asarray(rng.uniform(0.2, 0.8, shape))
        self.wide = lambda *shape: np.asarray(rng.uniform(-3, 3, shape))
        self.index = lambda *shape: rng.integers(0, 3, shape).astype(dialect.whole)
        self.mask = lambda *shape: rng.random(shape) > 0.5
        self.cubes = lambda *xs: sum((x**3).sum() for x in xs)
        if dialect.name != "numpy":
            self.nn = importlib.import_module(f"{dialect.module.__name__}.nn")
            self.dialect = dialect
            self.network = lambda: dialect.seed() or getattr(self.nn, "Linear" if dialect.name == "torch" else "Dense")(3, 3)
            self.loss = lambda: self.nn.MSELoss()

    def parameters(self):
        network = self.network()
        if self.dialect.name == "mindspore":
            return network.trainable_params()
        (network(self.dialect.tensor(self.wide(2, 3), "float32")) ** 2).sum().backward()
        return list(network.parameters())

    def optimizer(self):
        torch = self.dialect.name == "torch"
        return self.dialect.module.optim.SGD(self.parameters(), 0.1) if torch else self.nn.SGD(self.parameters(), 0.1)

    def dataset(self):
        rows = {"x": np.arange(12, dtype="float32").reshape(4, 3)}
        return self.dialect.module.dataset.NumpySlicesDataset(rows, shuffle=False)


WORDS = {word: text for words, text in NAMED.items() for word in words.split()}


def meant(dialect, text):
    return eval(text, vars(Values(dialect)) | {n: getattr(Values(dialect), n) for n in ("parameters", "optimizer", "dataset")})


@cache
def pool(dialect_name):
    """The arguments that any op is tried with: those of `recipes`, and wrong ones."""
    dialect = DIALECTS[dialect_name]
    found = recipes(lambda array: array, dialect.kinds, 1, dialect.whole)
    odd = {"one": found["one"][0], "odd": np.ones((2, 3)), "even": np.ones((5, 4))}
    return found, {name: tuple(odd.get(a, a) if isinstance(a, str) else a for a in args) for name, args in WRONG.items()}


def parameters(fun):
    try:
        return [p for p in inspect.signature(fun).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    except (TypeError, ValueError):
        return []


def by_signature(dialect, fun):
    """The arguments that the names of the required parameters ask for; None where a name says nothing."""
    required = [p for p in parameters(fun) if p.default is p.empty]
    if not all(p.name in WORDS for p in required):
        return None
    try:
        return tuple(meant(dialect, WORDS[p.name]) for p in required)
    except Exception:  # what this dialect has not got
        return None


def options(fun):
    """`(name, text)` of each optional parameter and a value that is not its default."""
    for p in parameters(fun):
        if p.default is p.empty:
            continue
        changed = {bool: lambda d: [str(not d)], int: lambda d: [str(d + 1)], float: lambda d: [str(d / 2 + 0.25)]}
        by_type = changed.get(type(p.default), lambda d: [])(p.default)
        known = [WORDS[p.name]] if p.name in WORDS and p.default is None else []
        yield from ((p.name, text) for text in OPTIONS.get(p.name, by_type or known))


# ---- calls ----


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

    def all(self):
        good, wrong = pool(self.dialect.name)
        own = by_signature(self.dialect, self.fun)
        tried = ({"by its signature": own} if own is not None else {}) | good
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
                for dtype in self.dialect.floats[: 1 if label == "by its signature" else 2]:
                    self.ask(f"{label}, {name}={text}", tried[label], {name: text}, dtype)
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
    try:
        called.__signature__ = inspect.signature(getattr(cls, name))
    except (TypeError, ValueError):
        pass
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
    """What its objects answer, made in each way that the signature knows of: called, or asked by their own methods."""
    own, said = by_signature(dialect, cls), {}
    ways = [{}] + [{name: text} for name, text in options(cls)]
    first = None
    for way in ways:
        told_way = ", ".join(f"{n}={t}" for n, t in way.items())
        make = maker(dialect, cls, own, way)
        calls = Calls(dialect, make, 0)
        if not calls.ask(f"made({told_way})", ()) or own is None:
            said |= calls.said
            continue
        said |= calls.said
        if callable(getattr(cls, "__call__", None)) and "__call__" in dir(cls):
            asked = Calls(dialect, lambda *args, **kwargs: make()(*args, **kwargs), 2 if not way else 0)
            first = asked.all() and asked.taken if not way else first
            for label in (first or []) if way else []:
                asked.ask(label, pool(dialect.name)[0].get(label, ()))
            said |= {f"({told_way})({label}": fields for label, fields in asked.said.items()}
        if not way:
            said |= of_methods(dialect, cls, make)
    return said


def maker(dialect, cls, own, way):
    def make():
        dialect.seed()
        given = {name: made(dialect, meant(dialect, text)) for name, text in way.items()}
        return cls(*made(dialect, by_signature(dialect, cls) or ()), **given)

    return make


def made(dialect, tree):
    return replaced(tree, lambda a: dialect.tensor(a, "float32") if isinstance(a, np.ndarray) else a)


def of_methods(dialect, cls, make):
    """Each method of the class's own, called twice on a fresh object, and the object afterwards."""
    said = {}
    for name, part in members(cls):
        def twice(*args, name=name, part=part, **kwargs):
            thing = make()
            if isinstance(part, property):
                return getattr(thing, name)
            results = [getattr(thing, name)(*args, **kwargs) for _ in range(2)]
            state = [getattr(thing, s)() for s in ("state_dict", "parameters_dict") if hasattr(thing, s)]
            return [*results, *state, str(thing)]

        calls = Calls(dialect, twice, 0)
        try:
            needed = [p for p in parameters(getattr(make(), name)) if p.default is p.empty]
            args = tuple(meant(dialect, WORDS[p.name]) for p in needed)
        except Exception:
            args = ()
        calls.ask("", args)
        said |= {f".{name}{label}": fields for label, fields in calls.said.items()}
    return said


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
    return bool(seen & {"x", "y", "torch", "F"}) and seen <= {"x", "y", "torch", "F", "list", "len", "int", "float", "bool"} and (
        len(text) > 1
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
                f"{i}: {line}": {"printed": clean(out)} for i, (line, out) in enumerate(zip(s, runs.run(s, DIALECTS[f].module)))
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
