"""The same call in PyTorch and in MindSpore: small programs for every name that both have, and what each of them gives.

`programs()` makes them: each function and each method of a tensor that both dialects offer, called with whatever is in a
small pool of arguments, and its slopes at corners and ties; and the defaults of classes that both have. Nothing is listed by
hand. Run as a script, `PYTHON side_by_side.py torch|mindspore`, it answers such programs, one JSON a line, under an
interpreter that has the framework.
"""

import ast
import contextlib
import inspect
import io
import json
import linecache
import math
import signal
import sys
import warnings
from importlib import import_module

FLOATS, TABLE, WHOLE = "[3.0, 1.0, 2.0]", "[[1.0, -2.0, 3.0], [4.0, 0.5, -6.0]]", "[3, 1, 2]"
CORNERS, TIES, ODD = "[-1.0, 0.0, 1.0]", "[2.0, 1.0, 2.0]", "[float('nan'), float('inf'), 1.0]"
BITS, SQUARE = "[True, False, True]", "[[2.0, 1.0], [1.0, 3.0]]"
POOL = [  # arguments after the first: a text of numbers becomes a tensor, what begins with = stays as it is
    (FLOATS,), (TABLE,), (WHOLE,), (CORNERS,), (TIES,), (BITS,), (ODD,), (SQUARE,), ("[-3, 2, 0]",), ("0.5",),
    (TABLE, "=0"), (TABLE, "=1"), (FLOATS, "=2"), (FLOATS, "=2.5"), (WHOLE, "=2"), (TABLE, "=-1"), (TIES, "=0"),
    (FLOATS, "[1.0, 2.0, 4.0]"), (TIES, "[2.0, 3.0, 1.0]"), (WHOLE, "[2, 0, 4]"), ("[-7, 7, 5]", "[2, -2, 3]"),
    (WHOLE, FLOATS), (BITS, FLOATS), (CORNERS, "[0.0, 0.0, 0.0]"), (SQUARE, SQUARE), (ODD, CORNERS), (FLOATS, "[1]"),
    (FLOATS, "=1.0", "=2.5"), (CORNERS, "=-1.0", "=1.0"), (TABLE, "=0", "=1"), (FLOATS, FLOATS, TIES), (BITS, FLOATS, TIES),
    (TABLE, "=1", "[[0, 2], [1, 1]]"), (WHOLE, "=1", "=2"), (TABLE, "=(0, 1)"), (TABLE, "=(3, 2)"), (TABLE, "[0, 2]"),
]  # fmt: skip
SLOPES = [
    (CORNERS,),
    (TIES,),
    ("[0.0, 0.0]",),
    (CORNERS, "[0.0, 0.0, 1.0]"),
    (TIES, TIES),
    (CORNERS, "=-1.0", "=1.0"),
    (SQUARE,),
]
HEAD = {"torch": "import torch\n", "mindspore": "import mindspore as ms\n"}
HOMES = {"torch": {"": "torch", "nn.functional": "torch.nn.functional"}, "mindspore": {"ops": "ms.ops"}}
ROOMS = {"torch": {"nn": "torch.nn", "optim": "torch.optim"}, "mindspore": {"nn": "ms.nn"}}
TENSOR = {"torch": "torch.tensor", "mindspore": "ms.Tensor"}
MOST = 400  # characters of what is printed
SECONDS = 20


def programs():
    """`{title: {framework: program}}`; the last line of each is the `print` of one value."""
    found = {}
    for name, calls in _functions().items():
        for arguments in POOL:
            texts = {framework: _call(framework, call, arguments) for framework, call in calls.items()}
            found[f"{name}{_said(arguments)}"] = texts
        for arguments in SLOPES:
            texts = {framework: _slope(framework, call, arguments) for framework, call in calls.items()}
            found[f"slope of {name}{_said(arguments)}"] = texts
    for name, places in _classes().items():
        for parameter in _optional(name):
            found[f"{name}({parameter}=...)"] = {
                framework: f'{HEAD[framework]}import inspect\n\nof = inspect.signature({place}).parameters\n'
                f'print(of["{parameter}"].default)'
                for framework, place in places.items()
            }  # fmt: skip
    return found


def _optional(name):
    """The names of parameters with a default that a class has in both dialects; where and in what it is kept is left out."""
    homes = [home for home in ("nn", "optim") if hasattr(import_module(f"labkit.torch.{home}"), name)]
    both = [getattr(import_module(f"labkit.{place}"), name) for place in (f"torch.{homes[0]}", "mindspore.nn")]
    given = [{p.name for p in inspect.signature(one).parameters.values() if p.default is not p.empty} for one in both]
    return sorted((given[0] & given[1]) - {"device", "dtype"})


def _functions():
    """`{name: {framework: "torch.{name}({0})" or "{0}.{name}({1})"}}` of what both dialects have."""
    found = {}
    for name, places in _shared(HOMES).items():
        found[name] = {framework: place + "({})" for framework, place in places.items()}
    from labkit.dialects.unsupported import names

    tensors = [import_module(f"labkit.{framework}").Tensor for framework in HEAD]
    for name in sorted(set(names("torch")["Tensor:"]) & set(names("mindspore")["Tensor:"])):
        if (
            name not in found
            and all(name in dir(one) and callable(getattr(one, name)) for one in tensors)
            and name[-1] != "_"
        ):
            found[f".{name}"] = dict.fromkeys(HEAD, "{}." + name + "({})")
    return found


def _classes():
    return {name: places for name, places in _shared(ROOMS).items() if name[0].isupper()}


def _shared(homes):
    """Where each name stands that both real packages and both dialects have."""
    from labkit.dialects.unsupported import names

    found = {framework: {} for framework in homes}
    for framework, places in homes.items():
        for place, written in places.items():
            room = import_module(f"labkit.{framework}" + (f".{place}" if place else ""))
            for name in sorted(set(names(framework).get(place, ())) & set(dir(room))):
                with contextlib.suppress(AttributeError, NotImplementedError):
                    if callable(getattr(room, name)) and name[-1] != "_":
                        found[framework].setdefault(name, f"{written}.{name}")
    both = sorted(set(found["torch"]) & set(found["mindspore"]))
    return {name: {framework: found[framework][name] for framework in homes} for name in both}


def _given(framework, argument):
    return argument[1:] if argument[0] == "=" else f"{TENSOR[framework]}({argument})"


def _said(arguments):
    return "(" + ", ".join(argument.removeprefix("=") for argument in arguments) + ")"


def _called(call, first, others):
    if call.startswith("{}."):
        return call.format(first, ", ".join(others))
    return call.format(", ".join([first, *others]))


def _call(framework, call, arguments):
    others = [_given(framework, one) for one in arguments[1:]]
    return f"{HEAD[framework]}\nx = {_given(framework, arguments[0])}\nprint({_called(call, 'x', others)})"


def _slope(framework, call, arguments):
    others = [_given(framework, one) for one in arguments[1:]]
    called = _called(call, "x", others) + ".sum()"
    if framework == "torch":
        given = f"torch.tensor({arguments[0]}, requires_grad=True)"
        return f"{HEAD[framework]}\nx = {given}\n{called}.backward()\nprint(x.grad)"
    return f"{HEAD[framework]}\n\ndef f(x):\n    return {called}\n\n\nprint(ms.grad(f)(ms.Tensor({arguments[0]})))"


# ---- what a program gives ----


def answer(program):
    """`{"text": what it prints, "plain": its value as plain data}`; an error is `{"text": its words, "error": its type}`."""
    tree, file = ast.parse(program), f"program {hash(program)}"
    linecache.cache[file] = len(program), None, program.splitlines(keepends=True), file  # MindSpore reads its source
    names = {"__name__": "__main__"}
    said = io.StringIO()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), _in_time():
            warnings.simplefilter("ignore")
            exec(compile(ast.Module(tree.body[:-1], []), file, "exec"), names)
            value = eval(compile(ast.Expression(tree.body[-1].value.args[0]), file, "eval"), names)
            return {"text": str(value)[:MOST], "plain": plain(value)}
    except Exception as error:
        words = [line for line in str(error).splitlines() if any(map(str.isalpha, line))] or [""]
        return {"text": f"{type(error).__name__}: {words[0]}"[:MOST], "error": type(error).__name__}


@contextlib.contextmanager
def _in_time():
    def late(*_):
        raise TimeoutError("it took too long")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def plain(value):
    """A value without its framework: tensors as their type, shape and numbers."""
    if isinstance(value, (tuple, list)):
        return [plain(one) for one in value]
    if hasattr(value, "dtype") and (hasattr(value, "asnumpy") or hasattr(value, "detach")):
        raw = value.asnumpy() if hasattr(value, "asnumpy") else value.detach().numpy()
        return {
            "dtype": str(value.dtype).rpartition(".")[2].lower(),
            "shape": list(raw.shape),
            "numbers": _numbers(raw),
        }
    if value is None or isinstance(value, (bool, str)):
        return {"value": value}
    if isinstance(value, (int, float)):
        return {"number": _number(value)}
    return {"value": value.__name__ if inspect.isclass(value) else type(value).__name__}


def _numbers(raw):
    return [_number(one) for one in raw.reshape(-1).tolist()]


def _number(value):
    return value if not isinstance(value, float) or math.isfinite(value) else str(value)


def main(framework):
    import_module(framework)  # before the clock runs
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
