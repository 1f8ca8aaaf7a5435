"""Programs and what they print: run under an interpreter of their own, kept, and compared.

`torch_rows.txt` and `mindspore_rows.txt` hold programs with titles; random ones are drawn by `torch_programs.py` and
`mindspore_programs.py`. `printed.json` is what the real frameworks print for all that are kept, and the seeds that are
known to differ. `PYTHON compared.py torch SEED ...` keeps these seeds as well (`LABKIT_TORCH_PYTHON` names the interpreter
that has PyTorch; `tests/tools/recorded.py` asks it for all that is kept); `PYTHON compared.py torch --differ FIRST LAST`
notes the seeds that differ.
"""

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
KEPT = HERE / "printed.json"
NUMBER = re.compile(r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)")


def load(name):
    """A module of this folder."""
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kept():
    return json.loads(KEPT.read_text())


def rows(framework):
    """`{title: statements}` of the programs with titles, and of those made for each row of the table of ops."""
    parts = (HERE / f"{framework}_rows.txt").read_text().split("### ")[1:]
    titled = dict(part.partition("\n")[::2] for part in parts)
    return {title: statements(code) for title, code in (titled | of_the_table(framework)).items()}


_PROGRAMS = {
    "torch": """x = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in {points}]
y = {name}(*x); show(y, y.dtype); print(y.grad_fn.name(), [n for n in dir(y.grad_fn) if n.startswith("_saved_")])
slopes = torch.autograd.grad(y.sum(), x, create_graph=True); show(slopes); print([g.grad_fn and g.grad_fn.name() for g in slopes])
show([None if g is None else g + 0 for g in torch.autograd.grad(sum(g.sum() for g in slopes), x, allow_unused=True)])
show({name}(*[v.detach().half() for v in x]), {name}(*[v.detach().float() for v in x]))
""",
    "mindspore": """x = [mindspore.Tensor(v, mindspore.float32) for v in {points}]
f, places = lambda *x: {name}(*x), tuple(range(len(x)))
show(f(*x)); show(mindspore.grad(f, places)(*x))
""",
}
_HOMES = {"torch": ("torch", "torch.nn.functional"), "mindspore": ("mindspore.ops",)}


def of_the_table(framework):
    """`{title: code}`: a program for each function of one and of two numbers that the dialect takes from `labkit.ops`."""
    try:
        from labkit import ops
    except ImportError:  # another checkout is asked, from before there was a table
        return {}
    dialect = importlib.import_module(f"labkit.{framework}")
    points = {name: [[row.at[0], row.at[0] * 0.9]] for name, row in ops.FUNCTIONS.items()}
    points |= {name: [[0.5, -1.5], [2.0, 0.25]] for name in ops.PAIRS}
    found = {}
    for name, values in points.items():
        homes = [
            home for home in _HOMES[framework] if hasattr(attrgetter(home)(Namespace(**{framework: dialect})), name)
        ]
        if homes:
            found[f"{name}, from the table"] = _PROGRAMS[framework].format(name=f"{homes[0]}.{name}", points=values)
    return found


def statements(code):
    """The statements of a program, those of one line together."""
    lines, found, done = code.splitlines(), [], 0
    for node in ast.parse(code).body:
        if node.end_lineno > done:
            found.append("\n".join(lines[done : node.end_lineno]))
            done = node.end_lineno
    return found


def programs(framework, names):
    """`{name: statements}`: titles of rows, and seeds as text."""
    titled, draw = rows(framework), load(f"{framework}_programs").program
    return {name: titled[name] if name in titled else draw(int(name)) for name in names}


def printed(python, framework, wanted):
    """What the programs print under `python`, a list of texts each; None for one that ends the interpreter."""
    found: list = []
    while len(found) < len(wanted):
        given = "".join(json.dumps(p) + "\n" for p in wanted[len(found) :])
        command = [python, HERE / "run_programs.py", framework]
        with TemporaryDirectory() as folder:  # MindSpore leaves files where it runs
            done = subprocess.run(command, input=given, cwd=folder, capture_output=True, text=True)
        answered = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
        found += answered
        if done.returncode:
            assert answered or len(found) < len(wanted) - 1, done.stderr
            found.append(None)
    return found[: len(wanted)]


def same(a, b):
    """Whether two texts agree but for the last digits of their numbers."""
    if a == b:
        return True
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    pairs = [(float(p), float(q)) for p, q in zip(NUMBER.findall(a), NUMBER.findall(b), strict=True)]
    return all(p == q or (p != p and q != q) or abs(p - q) <= 1e-3 * max(abs(p), abs(q)) + 2e-5 for p, q in pairs)


def difference(program, real, ours):
    """The first statement for which two runs differ, with what each printed; None if there is none."""
    for statement, a, b in zip(program, real or (), ours or (), strict=False):
        if not same(a, b):
            return f"{statement}\n    real: {a}\n    here: {b}"
    return None


def real_python(framework):
    """The interpreter that has the real framework, or None."""
    return os.environ.get(f"LABKIT_{framework.upper()}_PYTHON")


def differing(framework, seeds, batch=500):
    """`{seed: difference}` of random programs, run by the real framework and by the dialect side by side."""
    draw, found = load(f"{framework}_programs").program, {}
    with ThreadPoolExecutor() as pool:
        for begin in range(0, len(seeds), batch):
            some = seeds[begin : begin + batch]
            texts = [draw(seed) for seed in some]
            real = pool.submit(printed, real_python(framework), framework, texts)
            ours = printed(sys.executable, f"labkit.{framework}", texts)
            for seed, text, a, b in zip(some, texts, real.result(), ours, strict=True):
                said = difference(text, a, b)
                if said:
                    found[seed] = said
    return found


def recorded(framework, python, names):
    """`{name: texts}` of all rows and of the seeds among the names, as the framework under `python` prints them."""
    names = [*rows(framework), *sorted((n for n in names if n.isdigit()), key=int)]
    answers = printed(python, framework, list(programs(framework, names).values()))
    return dict(zip(names, answers, strict=True))


def as_text(record):
    """What `printed.json` holds."""
    return json.dumps(record, indent=1) + "\n"


def main(framework, *more):
    record = kept() if KEPT.exists() else {}
    mine = record.setdefault(framework, {"printed": {}, "differ": []})
    if more[:1] == ("--differ",):
        found = differing(framework, range(int(more[1]), int(more[2])))
        mine["differ"] = sorted({*mine["differ"], *found})
        print(len(found), "differ", *found.items(), sep="\n")
    else:
        mine["printed"] = recorded(framework, real_python(framework), {*mine["printed"], *more})
    KEPT.write_text(as_text(record))


if __name__ == "__main__":
    main(*sys.argv[1:])
