"""Values and gradients at the edges, and the dtypes taken, of every function that a dialect has, as the real ones give them.

    LABKIT_TORCH_PYTHON=... LABKIT_MINDSPORE_PYTHON=... python tests/tools/edges.py

records them in `tests/real/edges.json.gz`, and in `labkit/mindspore/ops/refused_dtypes.txt` what MindSpore's kernels refuse;
`recorded.py` does so, too. `PYTHON edges.py torch|mindspore` answers calls, one JSON a line, under an interpreter that has
the framework; nothing of labkit is imported there.

A call is a function and an entry of `POOL`, its arguments; nothing is listed by hand for a function. What the dialect takes for
no call of it is not asked, and what the real one takes for no call of it is not kept.
"""

import gzip
import itertools
import json
import os
import re
import select
import subprocess
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

TESTS = Path(__file__).parent.parent
FILE = TESTS / "real" / "edges.json.gz"
REFUSED = TESTS.parent / "labkit" / "mindspore" / "ops" / "refused_dtypes.txt"
SECONDS = 20  # a call that takes longer hangs
inf, nan = float("inf"), float("nan")

# ---- the arguments ----

POINTS = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, 2, -2, 3, -3, 6, 20, 21, 100, -100, 1e-30, 1e30, inf, -inf, nan]
PAIR = [0.0, -0.0, 1, -1, 2, 0.5, inf, -inf, nan]
LEFT, RIGHT = ([pair[i] for pair in itertools.product(PAIR, PAIR)] for i in (0, 1))
TIES, ZEROS, ODD = [[2.0, 1, 2], [2, 2, 1]], [[0.0, 2, 3], [0, 0, 5]], [[1.0, nan, 3], [-inf, inf, inf]]
IMAGE = [[[[1.0, 1, 5, 0], [1, 1, 0, 0], [3, nan, 2, 2], [0, -0.0, 2, inf]]]]
DTYPES = {
    "bool": "Bool",
    "int32": "Int32",
    "int64": "Int64",
    "float16": "Float16",
    "float32": "Float32",
    "float64": "Float64",
}
VALUES = {"bool": [True, False, True], "int32": [2, 0, 3], "int64": [2, 0, 3]}
ARRAYS = {
    "ties": TIES, "zeros": ZEROS, "odd": ODD, "a zero": [3.0, 0, 2], "signed zeros": [[-0.0, 0, -0.0], [0, -0.0, 0]],
    "nan first": [nan, 1.0, 2], "nan last": [1.0, nan], "nans": [nan, nan], "low": [-inf, -inf], "infs": [inf, inf, -inf],
    "empty": [], "one": [2.0], "0-d": 2.0, "0-d zero": 0.0, "no columns": [[]], "four": [1.0, 2, 3, 4], "a row": [[1.0, 2, 3]],
    "a nan": [[nan]],
}  # fmt: skip


def T(numbers, dtype="float32"):
    """A tensor among the arguments."""
    return {"tensor": numbers, "dtype": dtype}


def typed(dtype):
    return T(VALUES.get(dtype, [0.5, 0, 2]), dtype)


def text(value):
    """A number as programs write it."""
    return f"float('{value}')" if value != value or abs(value) == inf else repr(value)


def pool():
    """`{title: arguments}`: tensors, and other arguments as text."""
    whole, index, norms = T([[0, 2], [1, 1]], "int64"), T([0, 2], "int64"), T([[3.0, 4], [0, 0]])
    found = {"points": [T(POINTS)], "pairs": [T(LEFT), T(RIGHT)]}
    found |= {f"points, {text(n)}": [T(PAIR), text(n)] for n in (0, 1, 2, 3, -1, -2, 0.0, 0.5, 1.5, -0.5, inf, nan)}
    found |= {f"{text(n)}, points": [text(n), T(PAIR)] for n in (0, 1, -1, 2.0, 0.5, inf)}
    found |= {a: [typed(a)] for a in DTYPES}
    found |= {f"{a}, 0": [typed(a), "0"] for a in DTYPES}
    found |= {f"{a} {b}": [typed(a), typed(b)] for a in DTYPES for b in DTYPES}
    found |= {f"{a}, {n}": [typed(a), n] for a in DTYPES for n in ("2", "2.5", "True")}
    found |= {
        f"{a}, 0-d {b}": [typed(a), T(1, b)] for a, b in itertools.permutations(("int64", "float16", "float32"), 2)
    }
    options = ((), ("0",), ("-1",), ("1",), ("(0, 1)",), ("0", "True"), ("None",))
    found |= {", ".join([name, *o]): [T(a), *o] for name, a in ARRAYS.items() for o in options}
    found |= {f"{name} twice": [T(a), T(a)] for name, a in ARRAYS.items()}
    return found | {
        "index": [T(ZEROS), index], "axis, index": [T(ZEROS), "1", whole], "index, axis": [T(ZEROS), index, "1"],
        "index, axis 0": [T(ZEROS), T([0, 1, 0], "int64"), "0"], "list": ["[a, a]", T(TIES)],
        "list, 1": ["[a, a]", "1", T(TIES)], "list with empty": ["[a, b]", T([1.0]), T([])],
        "-1.0, 1.0": [T([-2.0, -1, 0, 1, 2, inf, -inf, nan]), "-1.0", "1.0"],
        "1.0, -1.0": [T([-2.0, 0, 1, 2, nan]), "1.0", "-1.0"],
        "limits": [T([0.0, 1, 2, nan]), T([0.0, 2, 1, 0]), T([1.0, 1, 1, 1])],
        "condition": [T([True, False, True], "bool"), T([nan, 1, inf]), T([0.0, nan, 2])],
        "mask, 0": [T([nan, 1, inf]), T([True, False, False], "bool"), "0.0"],
        "mask": [T([nan, 1, 2]), T([True, False, True], "bool")], "singular": [T([[1.0, 2], [2, 4]])],
        "square zeros": [T([[0.0, 0], [0, 0]])], "identity": [T([[1.0, 0], [0, 1]])],
        "rank 2": [T([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]])], "rank 1": [T([[1.0, 1, 1]] * 3)],
        "a nan in it": [T([[nan, 1.0], [1, 2]])], "singular, right": [T([[1.0, 2], [2, 4]]), T([[1.0], [1]])],
        "a square, another": [T([[1.0, 2], [0, 3]]), T([[0.0, inf], [1, 0]])], "shape": [T(TIES), "(3, 2)"],
        "flat": [T(TIES), "(-1,)"], "empty shape": [T([]), "(0, 3)"], "sizes": [T(TIES), "3", "2"],
        "swap": [T(TIES), "0", "1"], "order": [T(TIES), "(1, 0)"], "wider": [T([1.0, 2]), "(2, 2)"],
        "classes": [T([[0.0, 0, 0], [inf, 1, 2]]), T([0, 2], "int64")],
        "classes int32": [T([[0.0, 1, -1], [100, 1, 2]]), T([0, 2], "int32")],
        "ignored": [T([[0.0, 1, -1], [100, 1, 2]]), T([-100, 2], "int64")],
        "all ignored": [T([[0.0, 1, -1]]), T([-100], "int64")],
        "ignored int32": [T([[0.0, 1, -1]]), T([-100], "int32")],
        "probabilities": [T([0.0, 1, 0, 1, 0.5]), T([0.0, 1, 1, 0, 0.5])],
        "logits": [T([0.0, 100, -100, 0.5]), T([0.0, 1, 1, 0.5])],
        "infinite logits": [T([inf, -inf, nan]), T([1.0, 0, 0.5])], "image": [T(IMAGE), "2"],
        "image, 3": [T(IMAGE), "3"], "image, kernel": [T(IMAGE), T([[[[0.0, 1], [inf, 0]]]])],
        "layer": [T([[2.0, 2, 2], [0, 0, 0]]), "(3,)"], "rows": [whole, T([[1.0, 2], [3, 4], [5, 6]])],
        "weights": [T([[1.0, inf], [0, nan]]), T([[0.0, 1], [1, 0]]), T([1.0, 2])],
        "ints, 3": [T([0, 2, 2], "int64"), "3"], "three": [T([1.0, 0, 0]), T([0.0, 1, 0])],
        "batches": [T([[[1.0, nan]]]), T([[[0.0], [1]]])], "close": [T([0.5, nan, inf, 0]), T([0.5, nan, inf, 1e-9])],
        "largest 2": [T(TIES), "2"], "nuclear": [T(ZEROS), "'nuc'"], "as int32": [T([1.7, -1.2, 2.5]), "int32"],
        **{f"norm {p} of rows": [norms, p, "1"] for p in ("3", "2.0", "1", "0", "float('inf')")},
    }  # fmt: skip


POOL = pool()
OF_DTYPES = {*DTYPES, *(f"{a}, 0" for a in DTYPES), *(f"{a} {b}" for a in DTYPES for b in DTYPES)}
OF_ARRAYS = {title for title in POOL if title.partition(",")[0] in ARRAYS} - {"empty", "0-d"}

# ---- the calls ----

PLACES = {
    "torch": {"torch": "torch", "F": "torch.nn.functional", "linalg": "torch.linalg"},
    "mindspore": {"ops": "mindspore.ops"},
}
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=")
# what draws numbers, reads files, takes functions, makes or describes tensors, or sets how the framework works
_LEFT_OUT = """
    FloatTensor LongTensor arange as_tensor assign assign_add assign_sub attributes backward compile contiguous converted cpu cuda
    depend detach dim dropout dropout2d dtype einsum empty empty_like expand eye from_numpy full
    get_autocast_dtype get_default_dtype get_rng_state grad identity import_module is_autocast_enabled
    is_contiguous is_floating_point is_grad_enabled is_inference is_tensor item linspace load manual_seed normal
    numel numpy off_tape ones partial rand rand_like randint randn randn_like randperm register_hook
    register_post_accumulate_grad_hook repeat retain_grad save select set_default_device set_default_dtype
    set_dtype set_rng_state shape size stop_gradient stride tensor to tolist type unsorted_segment_sum value
    value_and_grad view view_as vmap wraps with_words zeros asnumpy give_operators give_updates
    broadcast_tensors
"""
LEFT_OUT = set(_LEFT_OUT.split())


def functions(framework):
    """The functions that the dialect has, its operators and, as `.name`, the methods."""
    found = {}
    for place, module in PLACES[framework].items():
        home = import_module(module.replace(framework, f"labkit.{framework}", 1))
        names = [f"{place}.{name}" for name in sorted(dir(home)) if _is_op(home, name)]
        found |= {name: getattr(home, name.partition(".")[2]) for name in names}
    first = dict.fromkeys({fun: name for name, fun in reversed(found.items())}.values())  # one name of each
    found = {name: None for name in found if name in first}
    tensor = import_module(f"labkit.{framework}").Tensor
    return [
        *found,
        *(f".{name}" for name in sorted(dir(tensor)) if _is_op(tensor, name)),
        *(f" {sign}" for sign in OPERATORS),
    ]


def _is_op(place, name):
    thing = getattr(place, name, None)
    return name[0] != "_" != name[-1] and name not in LEFT_OUT and callable(thing) and not isinstance(thing, type)


def expression(function, arguments):
    """The call as a program, tensors by the names `a`, `b`, `c`."""
    listed, names = isinstance(arguments[0], str) and arguments[0][0] == "[", iter("abc")
    parts = [next(names) if isinstance(argument, dict) else argument for argument in arguments]
    parts = [part for part in parts if part not in ("a", "b")] if listed else parts
    if function[0] == " ":
        return f"{parts[0]}{function} {parts[1]}" if len(parts) == 2 else None
    return f"{parts[0]}{function}({', '.join(parts[1:])})" if function[0] == "." else f"{function}({', '.join(parts)})"


def call_of(title):
    """`(program, tensors)` of a call; its title is the function and, in brackets, that of the arguments."""
    function, _, arguments = (
        title[:-1].partition(" (")
        if title[0] != " "
        else (title[: title.index(" (")], "", title[title.index(" (") + 2 : -1])
    )
    return expression(function, POOL[arguments]), [one for one in POOL[arguments] if isinstance(one, dict)]


def calls(framework):
    """The titles of what is asked: for a method that is a function, too, only the dtypes; for a function of each element no
    arrays; and nothing that the dialect takes for no call."""
    side, found = side_of(framework, import_module(f"labkit.{framework}")), []
    homes = [
        import_module(module.replace(framework, f"labkit.{framework}", 1)) for module in PLACES[framework].values()
    ]
    known = {name for home in homes for name in dir(home)}
    for function in functions(framework):
        name = function.rpartition(".")[2]
        titles = [title for title in POOL if expression(function, POOL[title])]
        if function[0] == "." and name in known:
            titles = [title for title in titles if title in OF_DTYPES]
        ours = {title: answer(side, *call_of(f"{function} ({title})")) for title in titles}
        counts = {title: ours.get(title, "").partition("]")[0] for title in ("points", "pairs", "points, 2")}
        each = any(shape.endswith(f"[{n}") for shape, n in zip(counts.values(), (22, 81, 9), strict=True))
        titles = [title for title in titles if not (each and title in OF_ARRAYS) and not NO_CALL.match(ours[title])]
        found += [f"{function} ({title})" for title in titles]
    return found


NO_CALL = re.compile(
    r"(Syntax|Attribute|Name|NotImplemented)Error|TypeError: .*(positional|missing|unexpected|Failed calling)"
)
SIGNATURE = re.compile(
    r"TypeError: .*(positional|missing|unexpected|Failed calling|invalid combination|must be (Tensor|int|bool|tuple|Number)"
    r"|can not be converted|argument '|must be a Tensor|should be|unsupported operand|implicitly converted)|(Attribute|Name)Error"
)

# ---- what a call gives ----

CODES = {"bool": "b1", "int32": "i4", "int64": "i8", "float16": "f2", "float32": "f4", "float64": "f8"}


def shown(array):
    """An array as text: dtype, shape and numbers, one where all are the same."""
    numbers = [
        f"{n:.5g}".replace("e+", "e") if isinstance(n, float) else str(int(n)) for n in array.reshape(-1).tolist()
    ]
    if len(numbers) > 1 and len(set(numbers)) == 1:
        numbers = [f"*{numbers[0]}"]
    dtype = str(array.dtype)
    return f"{CODES.get(dtype, dtype)}[{','.join(map(str, array.shape))}] {' '.join(numbers)}".strip()


class Torch:
    def __init__(self, torch):
        self.torch, functional = torch, import_module(f"{torch.__name__}.nn.functional")
        self.names = {
            "torch": torch,
            "F": functional,
            "linalg": import_module(f"{torch.__name__}.linalg"),
            "int32": torch.int32,
        }

    def tensor(self, numbers, dtype):
        dtype = getattr(self.torch, dtype)
        return self.torch.tensor(numbers, dtype=dtype, requires_grad=dtype.is_floating_point)

    def array(self, tensor):
        return tensor.detach().numpy()

    def gradients(self, call, tensors, upstream):
        outs = [out for out in flat(call(*tensors)) if getattr(out, "requires_grad", False)]
        given = [t for t in tensors if t.requires_grad]
        back = [self.torch.full_like(out, upstream) for out in outs]
        return self.torch.autograd.grad(outs, given, back, allow_unused=True) if outs and given else []


class MindSpore:
    def __init__(self, mindspore):
        self.ms, self.names = mindspore, {"ops": mindspore.ops, "int32": mindspore.int32}

    def tensor(self, numbers, dtype):
        import numpy

        return self.ms.Tensor(numpy.array(numbers, dtype))

    def array(self, tensor):
        return tensor.asnumpy()

    def gradients(self, call, tensors, upstream):
        floats = lambda values: [v for v in values if "Float" in str(getattr(v, "dtype", ""))]
        places = tuple(i for i, t in enumerate(tensors) if floats([t]))
        if not places or not floats(flat(call(*tensors))):
            return []

        def total(*given):
            first, *more = [(out if upstream else out * 0.0).sum() for out in floats(flat(call(*given)))]
            return sum(more, first)

        found = self.ms.grad(total, places)(*tensors)
        return found if isinstance(found, tuple) else [found]


def side_of(framework, module):
    return {"torch": Torch, "mindspore": MindSpore}[framework](module)


def flat(value):
    return [leaf for one in value for leaf in flat(one)] if isinstance(value, (tuple, list)) else [value]


def answer(side, program, tensors):
    """What a call gives, as text: its results, the gradients for the upstream gradient 1 and, unless they are 0, for 0."""
    said = ""
    try:
        with warnings.catch_warnings(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            warnings.simplefilter("ignore")
            given = [side.tensor(one["tensor"], one["dtype"]) for one in tensors]
            call = eval(f"lambda {', '.join('abc'[: len(given)])}: {program}", side.names)
            said = " | ".join(
                shown(side.array(one)) if hasattr(one, "dtype") else str(one)[:40] for one in flat(call(*given))
            )
            for upstream in (1, 0):
                slopes = side.gradients(call, given, upstream)
                if upstream or any((side.array(g) != 0).any() for g in slopes if g is not None):
                    said += "".join(f" ; {'-' if g is None else shown(side.array(g))}" for g in slopes)
        return said
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line.strip(" -") and not line.startswith("- ")]
        return f"{said} ; {type(error).__name__}" if said else f"{type(error).__name__}: {lines[0] if lines else ''}"


# ---- asking the real ones ----


def asked(python, framework, titles):
    """The answers under an interpreter that has the framework; it starts again after a call that ends it, or that hangs."""
    found = []
    alone = os.environ | {"OMP_NUM_THREADS": "1", "GLOG_v": "4"}
    with TemporaryDirectory() as folder:  # MindSpore leaves files where it runs
        while len(found) < len(titles):
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
            with subprocess.Popen([python, __file__, framework], cwd=folder, env=alone, **pipes) as child:
                try:
                    while len(found) < len(titles):
                        child.stdin.write(json.dumps(call_of(titles[len(found)])) + "\n")
                        child.stdin.flush()
                        found.append(_line(child))
                except (BrokenPipeError, StopIteration):
                    found.append("crash")
                child.kill()
    return found


def _line(child):
    while select.select([child.stdout], [], [], SECONDS)[0]:
        line = child.stdout.readline()
        if line.startswith("= "):
            return json.loads(line[2:])
        if not line:
            break
    raise StopIteration


def record(pythons):
    """`{framework: {function: {arguments: answer}}}`; of an error its type is kept. The second value: what MindSpore refuses."""
    kept: dict = {}
    for framework, python in pythons.items():
        titles = calls(framework)
        answers = dict(zip(titles, asked(python, framework, titles), strict=True))
        rows = kept[framework] = {}
        for title, said in answers.items():
            function, arguments = title[: title.index(" (", 1)], title[title.index(" (", 1) + 2 : -1]
            error = re.match(r"\w+Error|Exception", said)
            if not error or (arguments in OF_DTYPES and not SIGNATURE.match(said)):
                rows.setdefault(function, {})[arguments] = error[0] if error else said
    return kept, refusals(answers)


def refusals(answers):
    """Lines `op | dtypes | error`: what MindSpore's function refuses, and its method, where there is one."""
    from labkit.mindspore.ops.op_table import OPS

    found: dict = {}
    for function in functions("mindspore"):
        if function[:4] != "ops." or function[4:] not in OPS:
            continue
        name = OPS[function[4:]].__name__
        of = lambda function, d: [
            answers.get(f"{function} ({form.format(d)})", "") for form in ("{0}", "{0} {0}", "{0}, 0")
        ]
        place = next(
            (i for i, said in enumerate(of(function, "float32")) if said and not re.match(r"\w+Error", said)), None
        )
        for dtype, shown_as in DTYPES.items() if place is not None else ():
            said, method = (of(one, dtype)[place] for one in (function, f".{name}"))
            own = re.match(r"(Type|Runtime)Error: (?!.*\[index\])", said)  # not by another argument's dtype
            if own and (not method or re.match(r"\w+Error", method)):
                words = re.sub(
                    rf"(got (?:dtype:|Tensor\[)?|'|, input\(|,|output\(|and ){shown_as}\b", r"\1{dtype}", said
                )
                found.setdefault((name, words), []).append(dtype)
    rows = (f"{name} | {' '.join(dict.fromkeys(dtypes))} | {words}\n" for (name, words), dtypes in found.items())
    return "".join(sorted(rows))


def stored():
    """`{framework: {function: {arguments: answer}}}` as it was recorded."""
    return json.loads(gzip.decompress(FILE.read_bytes()))


def main():
    kept, refused = record({framework: os.environ[f"LABKIT_{framework.upper()}_PYTHON"] for framework in PLACES})
    FILE.write_bytes(gzip.compress(json.dumps(kept).encode(), 9, mtime=0))
    REFUSED.write_text(refused, encoding="utf-8")


if __name__ == "__main__" and len(sys.argv) > 1:
    answering = side_of(sys.argv[1], import_module(sys.argv[1]))
    if sys.argv[1] == "mindspore":
        answering.ms.runtime.launch_blocking()  # else the error of one call may be raised by the next
    for line in sys.stdin:
        print("= " + json.dumps(answer(answering, *json.loads(line))), flush=True)
elif __name__ == "__main__":
    main()
