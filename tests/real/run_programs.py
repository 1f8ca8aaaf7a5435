"""Runs small programs and tells what each printed: `PYTHON run_programs.py torch|mindspore`, one JSON list a line.

A program is a list of statements. They run one after the other in one namespace; a statement that raises adds the
error's type and first line to what is printed, and the next one runs. Nothing of labkit is imported unless the
framework is asked for as `labkit.torch` or `labkit.mindspore`, for the real frameworks live under other interpreters.
"""

import contextlib
import importlib
import io
import json
import linecache
import re
import sys
import warnings
from types import ModuleType

MOST = 110  # characters of an error's first line


def number(x):
    return f"{x:.5g}" if isinstance(x, float) else str(x)


def shown(value):
    """A value as text that does not depend on how a framework prints."""
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(map(shown, value)) + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {shown(v)}" for k, v in value.items()) + "}"
    if hasattr(value, "asnumpy"):
        return shown_numbers(value.asnumpy().tolist()) + f" {value.dtype}"
    if hasattr(value, "requires_grad"):
        return shown_tensor(value)
    return number(value)


def shown_numbers(value):
    return "[" + " ".join(map(shown_numbers, value)) + "]" if isinstance(value, list) else number(value)


def shown_tensor(tensor):
    """The numbers of a PyTorch tensor, and whether it is on the tape."""
    parts = [shown_numbers(tensor.detach().tolist())]
    if str(tensor.dtype) != "torch.float32":
        parts.append(str(tensor.dtype))
    if tensor.requires_grad:
        parts.append("leaf" if tensor.is_leaf else "grad")
    return " ".join(parts)


def state(tensor):
    """All that can be asked of a PyTorch tensor."""
    said = [shown(tensor), f"v{tensor._version}"]
    if tensor.grad_fn is not None:
        said.append(tensor.grad_fn.name())
    if tensor.retains_grad:
        said.append("retains")
    if tensor.grad is not None:
        said.append(f"grad {shown(tensor.grad)}")
    return ", ".join(said)


def run(statements, framework):
    """What each statement printed, as a list of texts."""
    numbers = lambda *v: print(re.sub(" (grad|leaf)", "", ", ".join(map(shown, v))))
    short = framework.__name__.rpartition(".")[2]
    module = ModuleType("__main__")  # MindSpore looks there for what a graph's source names
    names = vars(module)
    names |= {
        short: framework,
        "show": lambda *v: print(*map(shown, v)),
        "state": state,
        "numbers": numbers,
    }
    here = re.compile(rf"^( *)(from {short}\b|import {short}(?=\.))", re.MULTILINE)  # imports of what is inside
    with imported_as(short, framework), imported_as("__main__", module):
        found = [here.sub(lambda m: m[0].replace(short, framework.__name__), s) for s in statements]
        return [printed_by(statement, names) for statement in found]


@contextlib.contextmanager
def imported_as(name, module):
    """`import NAME` gives `module`; what is imported meanwhile stays."""
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        yield
    finally:
        if before is None:
            del sys.modules[name]
        else:
            sys.modules[name] = before


def printed_by(statement, names):
    out, file = io.StringIO(), f"program {hash(statement)}"
    linecache.cache[file] = (
        len(statement),
        None,
        statement.splitlines(keepends=True),
        file,
    )  # MindSpore reads its source
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(statement, file, "exec"), names)
        except Exception as e:
            print(f"{type(e).__name__}: {str(e).strip().partition(chr(10))[0][:MOST]}")
    return out.getvalue().strip()


def main(name):
    warnings.simplefilter("ignore")
    framework = importlib.import_module(name)
    if name == "torch":
        framework.set_num_threads(1)
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line), framework)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
