"""Print the public names of the real framework: `PYTHON names.py torch`, with a Python that has it.

Each line: a module (`-`: the package itself) and its names, or a class with a colon and its methods. A module counts its
names that are in none above it. Of what a dialect leaves out as a whole (`WHOLE`), and of what cannot be imported, there is
the module with a `*` for its names.
"""

import importlib
import inspect
import io
import pkgutil
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout, suppress

WHOLE = {
    "torch": """
        ao classes contrib export headeronly hub library masked monitor mps mtia
        multiprocessing nativert nested onnx package quantization signal sparse storage
        torch_version xpu version utils.backcompat utils.benchmark utils.bottleneck utils.bundled_inputs
        utils.collect_env utils.cpp_extension utils.hipify utils.jit utils.mobile_optimizer utils.model_dump
        utils.serialization utils.tensorboard utils.viz utils.data.datapipes
    """,
    "mindspore": """
        boost mindrecord multiprocessing ops_generate parallel profiler rewrite scipy dataset.audio dataset.core
        dataset.dataloader dataset.engine dataset.text dataset.transforms.validators dataset.vision.py_transforms_util
        dataset.vision.validators ops.auto_generate ops.composite ops.function ops.functional ops.functional_overload
        ops.operations ops.primitive ops.tensor_method train.anf_ir_pb2 train.checkpoint_pb2 train.summary
        train.summary_pb2
    """,
}
FLAT = {
    "torch": "compiler distributed futures fx jit overrides profiler types",
    "mindspore": "",
}  # of which no module inside is looked at
CLASSES = {
    "torch": "Tensor nn.Module optim.Optimizer Generator autograd.Function optim.lr_scheduler.LRScheduler",
    "mindspore": "Tensor Parameter nn.Cell nn.Optimizer train.Model ops.Primitive",
}


def names_of(framework, module):
    """The public names of a module, without other packages' and without modules; functions and classes also beside `__all__`."""
    listed = vars(module).get("__all__") or dir(module)
    for name in sorted({*listed, *dir(module)}):
        thing = getattr(module, name, None)
        home = getattr(thing, "__module__", None)
        own = name in listed if not isinstance(home, str) else home.partition(".")[0] in (framework, "builtins", "abc")
        if not name.startswith("_") and thing is not None and own and not inspect.ismodule(thing):
            yield name


def modules(framework):
    """`(place, module)` of the public modules, those above first; None for one that is left out or cannot be imported."""
    whole, flat, waiting = WHOLE[framework].split(), FLAT[framework].split(), [""]
    while waiting:
        place = waiting.pop(0)
        module = None
        if place not in whole and place.rpartition(".")[0] not in flat:
            with suppress(BaseException), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                module = importlib.import_module(f"{framework}.{place}".rstrip("."))
        yield place or "-", module
        inner = sorted({m.name for m in pkgutil.iter_modules(getattr(module, "__path__", ()))})
        if place == "":
            inner = sorted(
                {
                    *inner,
                    *(n for n, t in vars(module).items() if inspect.ismodule(t) and t.__name__ == f"{framework}.{n}"),
                }
            )
        waiting += [f"{place}.{name}".lstrip(".") for name in inner if not name.startswith("_")]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    seen: dict[tuple[str, int], int] = {}
    for place, module in modules(sys.argv[1]):
        if module is None:
            print(place, "*")
            continue
        found = list(names_of(sys.argv[1], module))
        depth = place.count(".") + (place != "-")
        fresh = [n for n in found if seen.setdefault((n, id(getattr(module, n))), depth) == depth]
        print(place, *fresh)
    for path in CLASSES[sys.argv[1]].split():
        place, _, name = path.rpartition(".")
        thing = getattr(importlib.import_module(f"{sys.argv[1]}.{place}".rstrip(".")), name)
        print(f"{path}:", *(n for n in dir(thing) if not n.startswith("_")))
