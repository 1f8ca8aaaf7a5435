"""Print what the real PyTorch answers about devices, on a machine without a GPU: `PYTHON answers.py`.

Each line: a module, a name, and what it is: `= literal` for a value, `= object` for another, `-> literal` for what a call
returns, `! Error: text` for what it raises. A function is called without arguments, or with as many zeros as it needs.
"""

import importlib
import inspect
import io
import warnings
from contextlib import redirect_stderr, redirect_stdout, suppress

PLACES = """
    accelerator backends backends.cpu backends.cuda backends.cudnn backends.mha backends.mkl backends.mkldnn backends.mps
    backends.openmp cuda cuda.random cuda.memory mps onnx version xpu
"""
LITERALS = (bool, int, float, str, type(None))
LEFT_OUT = ("cudart", "get_cpu_capability", "git_version", "graph_pool_handle", "set_per_process_memory_fraction")


def literal(value):
    """Whether a value can be written down, and does not tell of this machine or this build."""
    if isinstance(value, (list, tuple)):
        return all(map(literal, value))
    return isinstance(value, LITERALS) and "/" not in str(value)


def needed(thing):
    """How many arguments a call needs."""
    with suppress(ValueError, TypeError):
        given = inspect.signature(thing).parameters.values()
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return sum(p.kind in kinds and p.default is p.empty for p in given)
    return 0


def told(name, thing):
    """What is written of a name; None where there is nothing to say."""
    if inspect.ismodule(thing) or inspect.isclass(thing) or name in LEFT_OUT:
        return None
    if not inspect.isroutine(thing):
        return f"= {thing!r}" if literal(thing) else None if callable(thing) else "= object"
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            answer = thing(*[0] * needed(thing))
    except (AssertionError, RuntimeError) as error:
        text = str(error).partition("\n")[0]
        return f"! {type(error).__name__}: {text}" if len(text) < 120 and "got" not in text else None
    except Exception:
        return None
    return f"-> {answer!r}" if literal(answer) else None


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for place in PLACES.split():
        module = importlib.import_module(f"torch.{place}")
        behind = vars(module).get("m", module)  # some are objects in front of a module
        for name in sorted(vars(behind).get("__all__") or {*dir(behind), *vars(type(module))}):
            if not name.startswith("_") and (said := told(name, getattr(module, name, None))):
                print(place, name, said)
