"""labkit: understand automatic differentiation by running it.

    import labkit
    graph = labkit.trace(lambda x, y: x**2 + y)(1.0, 2.0)   # print it; ask .steps, .backward, .gradients
    labkit.show(lambda x, y: x**2 + y, 1.0, 2.0)            # in a notebook: the run to step through
    labkit.check_gradient(lambda x: x**3, 2.0)              # is the derivative right?
    labkit.why(loss, w)                                     # why is this gradient None, zero, nan or so small?
    labkit.assert_gradients(loss, model)                    # in a test: does every parameter get a gradient?
    labkit.compare(torch_model, ms_model, inputs)           # is my port right? the first layer that differs
    labkit.compile_program(labkit.grad(f), x)               # the same as NumPy source: print it, call it
    labkit.check("grad-slip", answer)                      # answer an exercise
    labkit.explain()                                        # more about the last answer, where it was wrong
    labkit.progress()                                       # which are answered, and which comes next
    labkit.predict("05-scalar", "b")                        # keep a prediction before you run the code
    labkit.predictions("05")                                # how many of a unit's predictions were right

    import labkit.mindspore as ms                           # the MindSpore dialect
    import labkit.torch as torch                            # the PyTorch dialect

Importing labkit needs NumPy and autograd alone; each name below is loaded when it is first used.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .classroom import check, explain, hint, solution
    from .classroom.predicting import predict, predictions
    from .classroom.progress import progress
    from .engine import custom_vjp, grad, hvp, jacfwd, jacrev, jvp, stop_gradient, value_and_grad, vjp
    from .memory import checkpoint, memory_report
    from .porting import compare
    from .program import compile_program
    from .reasons import assert_gradients, why
    from .tracing import check_gradient, trace
    from .widgets import show

__version__ = "0.3.0"

_HOMES = {
    **dict.fromkeys(("trace", "check_gradient"), "tracing"),
    **dict.fromkeys(("checkpoint", "memory_report"), "memory"),
    **dict.fromkeys(("compare",), "porting"),
    **dict.fromkeys(("compile_program",), "program"),
    **dict.fromkeys(("check", "explain", "hint", "solution"), "classroom"),
    **dict.fromkeys(("predict", "predictions"), "classroom.predicting"),
    **dict.fromkeys(("progress",), "classroom.progress"),
    **dict.fromkeys(("assert_gradients", "why"), "reasons"),
    **dict.fromkeys(("show",), "widgets"),
    **dict.fromkeys(
        ("custom_vjp", "grad", "hvp", "jacfwd", "jacrev", "jvp", "stop_gradient", "value_and_grad", "vjp"), "engine"
    ),
}

_PACKAGES = ("mindspore", "torch", "parallel", "program", "widgets")

__all__ = [
    "assert_gradients", "check", "check_gradient", "checkpoint", "compare", "compile_program", "custom_vjp",
    "explain", "grad", "hint", "hvp", "jacfwd", "jacrev", "jvp", "memory_report", "predict",
    "predictions", "progress", "show", "solution", "stop_gradient", "trace", "value_and_grad", "vjp", "why",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        if find_spec(f"{__name__}.{name}"):
            return import_module(f"{__name__}.{name}")
        from .messages.suggestions import did_you_mean

        suggestion = did_you_mean(name, [*__all__, *_PACKAGES])
        raise AttributeError("labkit has no {name!r}. {suggestion}".format(name=name, suggestion=suggestion))
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
