"""Print the words of the real Tensor's methods: `PYTHON methods.py`, with a Python that has MindSpore.

Each line: a method and its overloads in the order in which they are tried, as the error for a word that none of them has
lists them, each word with its types and, from the docstring, its default.
"""

import inspect
import re
import sys
from functools import partial

from mindspore import Tensor


def overloads(name, method, tensor):
    """The texts of a method's overloads; none for one that says nothing of its words."""
    try:
        getattr(tensor, name)(labkit_no_such_word=1)
    except Exception as error:
        said = re.findall(rf'^"Tensor\.{name}\((.*)\)"$', str(error), re.MULTILINE)
    else:
        said = []
    document = inspect.getdoc(method) or ""
    heads = document.splitlines()[:1] + re.findall(r"^\.\. method:: (.*)$", document, re.MULTILINE)
    told = [dict(re.findall(r"(\w+)(?:=([^,)]+))?", head.partition("(")[2].partition("->")[0])) for head in heads]
    if not said and heads and "*" not in heads[0].replace("*, ", ""):
        words = heads[0].partition("(")[2].rpartition(")")[0]
        said = [re.sub(r"(\w+)(=[^,]+)?(?=,|$)", lambda m: f"{m[1]}=<Any>", words)] if words else []
    for text in dict.fromkeys(said):
        words = re.findall(r"(\w+)=<", text)
        fitting = sorted(told, key=lambda head: -sum(word in head for word in words))
        defaults = {word: value for head in fitting[::-1] for word, value in head.items() if value}
        yield re.sub(r"(\w+)=<[^>]*>", partial(with_default, defaults), text)


def with_default(defaults, match):
    """What is told of a word, and its default."""
    return match[0] + (f"={defaults[match[1]]}" if match[1] in defaults else "")


if __name__ == "__main__":
    tensor = Tensor([[1.0, 2.0], [3.0, 4.0]])
    for name in sorted(dir(Tensor)):
        method = inspect.getattr_static(Tensor, name)
        if not name.startswith("_") and type(method).__name__ == "method_descriptor":
            found = list(overloads(name, method, tensor))
            if found:
                sys.stdout.write(" | ".join([name, *found]) + "\n")
