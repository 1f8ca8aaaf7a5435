"""What a call answers, as text: value, printed form, warnings, gradient, nodes, what is saved, graph, program, or the error.

Three dialects are asked alike: NumPy under the engine, and the two frameworks. Each makes its tensors from arrays and says
what a backward walk gives; labkit's front door (`trace`, `compile_program`, `memory_report`) tells the rest for all three.
"""

import ast
import contextlib
import hashlib
import importlib
import io
import re
import tempfile
import warnings
from functools import cache
from itertools import islice
from pathlib import Path
from types import FunctionType, GeneratorType, MethodType

import numpy as np

import labkit
import labkit.mindspore as ms
import labkit.torch as torch

ADDRESS, PLACE = re.compile(r"0x[0-9a-f]{6,}"), re.compile(r"(?:[\w.~-]*/)*(\w+\.py)(:|\", line )\d+")
NUMBER = re.compile(r"\b(?:9\d{13}|1[0-4]\d{13})\b")  # an address as it is: `data_ptr()`, `hash(tensor)`
MEASURED = re.compile(r"measured: peak [\s\S]*? of bookkeeping per node")  # by tracemalloc
FOLDER = re.compile(rf"{re.escape(tempfile.gettempdir())}/\w+")
MOST = 4000  # characters of one text: the rest is told by a digest


def clean(text):
    """Without addresses, paths and line numbers; what is very long is cut and ends with a digest."""
    text = MEASURED.sub("measured", NUMBER.sub("0x_", str(text)))
    text = FOLDER.sub("_", PLACE.sub(r"\1\2_", ADDRESS.sub("0x_", text)))
    return text if len(text) <= MOST else f"{text[:MOST]}... {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def is_tensor(x):
    return (
        not isinstance(x, type)
        and hasattr(x, "dtype")
        and hasattr(x, "shape")
        and (hasattr(x, "tolist") or hasattr(x, "asnumpy"))
    )


def is_float(x):
    return is_tensor(x) and "float" in str(x.dtype).lower()


def told(value):
    """A value, to the last digit; floats are written by `repr`, which no other float shares."""
    if is_tensor(value):
        plain = value.asnumpy() if hasattr(value, "asnumpy") else value.detach() if hasattr(value, "detach") else value
        return f"{type(value).__name__} {value.dtype} {tuple(value.shape)} {plain.tolist()!r}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {told(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}({', '.join(map(told, value))})"
    if isinstance(value, (FunctionType, MethodType)):
        return "function"
    if isinstance(value, GeneratorType):
        return f"generator of {told(list(islice(value, 5)))}"
    return f"{type(value).__name__} {value!s}" if not isinstance(value, type) else f"class {value.__name__}"


def flat(tree):
    """The leaves of nested tuples, lists and dictionaries."""
    if isinstance(tree, dict):
        tree = tuple(tree.values())
    return [leaf for branch in tree for leaf in flat(branch)] if isinstance(tree, (tuple, list)) else [tree]


def replaced(tree, fun):
    """The tree with `fun(leaf)` for each leaf of its tuples and lists."""
    if type(tree) in (tuple, list):
        return type(tree)(replaced(branch, fun) for branch in tree)
    return fun(tree)


class Dialect:
    """NumPy under the engine; the frameworks differ in what they override."""

    name, module, whole = "numpy", np, "int64"
    floats = ("float64", "float32", "float16")
    kinds = (np.float16, np.int32, np.bool_)

    def tensor(self, array, dtype):
        return array.astype(dtype) if array.dtype.kind == "f" else array.copy()

    def seed(self):
        np.random.seed(7)

    def pulled(self, function, leaves, outputs):
        _, pull = labkit.vjp(function, *leaves)
        return pull([self.ramp(o) for o in outputs])

    def ramp(self, like):
        """A cotangent that gives each element of an output a weight of its own."""
        size = int(np.prod(tuple(like.shape)))
        return self.tensor(np.linspace(0.5, 1, size).reshape(tuple(like.shape)), str(like.dtype).lower().split(".")[-1])

    def nodes(self, outputs, deep):
        """What the result itself says of how it came about; `{field: text}`."""
        return {}


class MindSpore(Dialect):
    name, module, whole = "mindspore", ms, "int32"
    floats = (*Dialect.floats, "bfloat16")
    kinds = (ms.float16, ms.int32, ms.bool_)

    def tensor(self, array, dtype):
        return ms.Tensor(array, getattr(ms, dtype)) if array.dtype.kind == "f" else ms.Tensor(array)

    def seed(self):
        ms.set_seed(7)

    def pulled(self, function, leaves, outputs):
        seeds = [self.ramp(o) for o in outputs]
        return ms.vjp(function, *leaves)[1](*seeds[:1] if len(seeds) == 1 else [tuple(seeds)])


class Torch(Dialect):
    name, module = "torch", torch
    floats = (*Dialect.floats, "bfloat16")
    kinds = (torch.float16, torch.int32, torch.bool)

    def tensor(self, array, dtype):
        if array.dtype.kind != "f":
            return torch.tensor(array)
        return torch.tensor(array, dtype=getattr(torch, dtype)).requires_grad_()

    def seed(self):
        torch.manual_seed(7)

    def ramp(self, like):
        return super().ramp(like).detach()

    def nodes(self, outputs, deep):
        taped = [o.grad_fn for o in outputs if getattr(o, "grad_fn", None) is not None]
        return {"node": [drawn(node) for node in taped], "saved": [saved(node) for node in taped if deep]}


def drawn(node, depth=3):
    """`Name(inputs)`, to a depth of three nodes."""
    if node is None:
        return "None"
    inputs = [drawn(following, depth - 1) for following, _ in node.next_functions] if depth else []
    return f"{node.name()}({', '.join(inputs)})"


def saved(node):
    """What a node and those behind it save, by the names under which PyTorch shows it, and of what shape."""
    found = {}
    for word in words():
        try:
            value = getattr(node, f"_saved_{word}")
            found[word] = f"{value.dtype} {tuple(value.shape)}" if is_tensor(value) else told(value)
        except AttributeError:
            continue
        except Exception as error:
            found[word] = f"{type(error).__name__}: {error}"
    behind = [saved(following) for following, _ in node.next_functions if following is not None]
    return f"{node.name()} {found}" + "".join(f" <- {b}" for b in behind if b)


@cache
def words():
    """The names that a node might save something under: all words in texts of labkit's source that are such names."""
    found = set()
    for file in Path(torch.__file__).parents[1].rglob("*.py"):
        if file.parts[-2] == "torch" or file.parts[-3] == "torch" or {"engine", "ops"} & {*file.parts}:
            texts = [n.value for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.Constant)]
            names = [t for t in texts if isinstance(t, str) and re.fullmatch(r"[-?*<a-z_0-9 ]{1,120}", t)]
            found |= {w for t in names for w in re.findall(r"[a-z]\w*", t)}
    return sorted(found)


DIALECTS = {d.name: d for d in (Dialect(), MindSpore(), Torch())}


def answer(dialect, function, args, kwargs, deep=False):
    """`{field: text}` of a call; `args` hold arrays where tensors are meant, already made into tensors here."""
    said, out = {}, io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        before = told(args)
        try:
            dialect.seed()
            result = function(*args, **kwargs)
            said["value"] = told(result)
            said |= called(dialect, result)
        except Exception as error:
            said["error"] = f"{type(error).__name__}: {error}"
        if told(args) != before:
            said["arguments after"] = told(args)
        if "value" in said:
            said |= around(dialect, function, args, kwargs, result, deep)
    said["printed meanwhile"] = out.getvalue()
    said["warned"] = sorted({f"{w.category.__name__}: {w.message}" for w in warned})
    return {field: clean(text) for field, text in said.items() if text}


def called(dialect, result):
    """What a function that a call returned answers to a vector."""
    if not isinstance(result, FunctionType):
        return {}
    try:
        return {"and called": told(result(dialect.tensor(np.array([1.5, -0.5]), "float64")))}
    except Exception as error:
        return {"and called": f"{type(error).__name__}: {error}"}


def around(dialect, function, args, kwargs, result, deep):
    """The fields of a call that went well."""
    said = {"printed": str(result)} if any(map(is_tensor, flat(result))) else {}
    outputs, leaves = [o for o in flat(result) if is_float(o)], [a for a in flat(args) if is_float(a)]
    said |= dialect.nodes(outputs, deep)
    if not outputs or not leaves:
        return said

    places = {id(leaf): i for i, leaf in enumerate(leaves)}

    def pure(*values):
        given = replaced(args, lambda leaf: values[places[id(leaf)]] if id(leaf) in places else leaf)
        found = tuple(o for o in flat(function(*given, **kwargs)) if is_float(o) or hasattr(o, "_trace"))
        return found[0] if len(found) == 1 else found

    asked = {"gradient": lambda: told(gradient(dialect, pure, leaves, outputs))}
    if deep:
        asked["graph"] = lambda: labkit.trace(pure)(*leaves)
        asked["keeps"] = lambda: [
            (r.label, r.op, r.shape, r.keeps, r.kept) for r in labkit.memory_report(pure, *leaves).rows
        ]
        asked["program"] = lambda: program(pure, leaves)
    for field, ask in asked.items():
        try:
            dialect.seed()
            said[field] = str(ask())
        except Exception as error:
            said[field] = f"{type(error).__name__}: {error}"
    return said


def gradient(dialect, pure, leaves, outputs):
    if dialect.name != "torch":
        return dialect.pulled(pure, leaves, outputs)
    outputs = [o for o in outputs if o.requires_grad]
    return torch.autograd.grad(
        outputs, leaves, [dialect.ramp(o) for o in outputs], allow_unused=True, retain_graph=True
    )


def program(pure, leaves):
    """The source of the program of a function of tensors and of its derivative."""
    arrays = [leaf.__engine_value__() if hasattr(leaf, "__engine_value__") else leaf for leaf in leaves]

    def lifted(*values):
        wrap = lambda like, v: like.__engine_wrap__(v) if hasattr(like, "__engine_wrap__") else v
        found = pure(*map(wrap, leaves, values))
        plain = tuple(o.__engine_value__() if hasattr(o, "__engine_value__") else o for o in flat(found))
        return plain[0] if len(plain) == 1 else plain

    def both(*values):
        output, pull = labkit.vjp(lifted, *values)
        return output, pull()

    return labkit.compile_program(both, *arrays, names=[f"x{i}" for i in range(len(arrays))]).source


def module(name):
    """A public module, or None where it asks for what is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
