"""What the tape knows of each primitive: the name of its node, which arguments it saves. Ops are declared here."""

import re

import numpy as np


class Info:
    """What the tape knows of a primitive: the node's name, its arguments' names, and which of them it saves.

    `tensors` and `others` name the arguments in order; the node has an edge for each of `tensors`, but not for
    "-name", and for "?name" only where it needs a gradient; "*": one for every array. `saves` is a text such as
    `"result other<self"`: the result always, `other` where `self` needs a gradient.
    """

    def __init__(self, name, tensors="self", others="", saves=""):
        self.name, self.names = name, [n.lstrip("-?") for n in tensors.split()] + others.split()
        self.kinds = None if tensors == "*" else [n[0] for n in tensors.split()]
        self.saves = [s.partition("<")[::2] for s in saves.split()]

    def saved(self, argnums):
        """The names saved where the arguments at `argnums` need a gradient."""
        needing = {self.names[i] for i in argnums if i < len(self.names)}
        return [what for what, whose in self.saves if not whose or whose in needing]

    def places(self, args, argnums):
        """The positions of the arguments that the node has an edge for, constants included."""
        if self.kinds is None:
            return [i for i, a in enumerate(args) if i in argnums or isinstance(a, np.ndarray)]
        return [i for i, kind in enumerate(self.kinds) if i in argnums or kind not in "-?"]


INFO: dict = {}
_SHORT = {
    "power": "Pow",
    "multiply": "Mul",
    "subtract": "Sub",
    "divide": "Div",
    "negative": "Neg",
}  # as PyTorch spells them


def declare(fun, name, tensors="self", others="", saves=""):
    """Enter a primitive in the tape's table; returns it."""
    INFO[fun] = Info(name, tensors, others, saves)
    return fun


def info_of(fun):
    """What the tape knows of a primitive; one that was never declared saves everything."""
    found = INFO.get(fun)
    if found is None:
        words = re.split(r"[_ ]+", getattr(fun, "__name__", "op").strip("_"))
        found = INFO[fun] = Info(
            "".join(_SHORT.get(w, w.capitalize()) for w in words) + "Backward0", "*", saves="everything"
        )
    return found


def namesake(fun):
    """What was declared for a primitive, or for another one whose node has the same name; None for neither."""
    declared = info_of(fun)
    if declared.saves != [("everything", "")]:
        return declared
    return next((info for info in INFO.values() if info.name == declared.name and info.saves != declared.saves), None)


def grad_fn_name(fun, args, kwargs):
    """The name of the tape's node for a primitive applied to `args`, such as `AddBackward0`."""
    name = info_of(fun).name
    return name if isinstance(name, str) else name(args, kwargs)
