"""Print the functions of the real `torch` that take `out=`: `PYTHON outs.py`, by the package's own stubs."""

import inspect
import re
from contextlib import suppress
from pathlib import Path
from textwrap import fill

import torch

if __name__ == "__main__":
    stubs = (Path(torch.__file__).parent / "_C" / "_VariableFunctions.pyi").read_text(encoding="utf-8")
    heads = re.findall(r"^def (\w+)\((.*?)\) -> ", stubs, re.DOTALL | re.MULTILINE)
    found = {name for name, words in heads if re.search(r"\bout: ", words) and not name.startswith("_")}
    for name, thing in vars(torch).items():
        with suppress(ValueError, TypeError):
            if inspect.isfunction(thing) and not name.startswith("_") and "out" in inspect.signature(thing).parameters:
                found.add(name)
    print(fill(" ".join(sorted(found)), 120))
