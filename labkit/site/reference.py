"""The reference: a page for each public module, from its docstrings."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from textwrap import fill
from types import ModuleType

MODULES = [
    "labkit", "labkit.engine", "labkit.program", "labkit.widgets", "labkit.classroom", "labkit.grading.grader",
    "labkit.sandbox.sandbox", "labkit.cases", "labkit.memory",
    "labkit.precision", "labkit.parallel", "labkit.mindspore", "labkit.mindspore.nn", "labkit.mindspore.ops",
    "labkit.mindspore.amp", "labkit.mindspore.train", "labkit.mindspore.dataset", "labkit.mindspore.dataset.transforms",
    "labkit.mindspore.dataset.vision", "labkit.mindspore.common.initializer", "labkit.mindspore.communication",
    "labkit.torch", "labkit.torch.autograd", "labkit.torch.nn", "labkit.torch.nn.functional", "labkit.torch.nn.utils",
    "labkit.torch.optim", "labkit.torch.optim.lr_scheduler", "labkit.torch.amp", "labkit.torch.func",
]  # fmt: skip
INDENT = 3 * " "


def public_names(module: ModuleType) -> list[str]:
    """What a module offers: its `__all__`, else what in it is labkit's own, loaded already or not."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    homes = {n: str(getattr(getattr(module, n), "__module__", "")) for n in dir(module) if n[0] != "_"}
    return [n for n, home in homes.items() if home.startswith("labkit.")]


def load(modules: Iterable[str]) -> None:
    """Put into each module what it offers: autodoc sees only what is there, and labkit loads much when it is first used."""
    for module in map(import_module, modules):
        for name in public_names(module):
            vars(module)[name] = getattr(module, name)


def write_reference(source: Path, modules: Sequence[str]) -> None:
    """One page for each of these modules; what several modules offer is described once, in the first of them."""
    (source / "api").mkdir()
    known: dict[int, str] = {}  # what is described, by identity: where
    for name in modules:
        module = import_module(name)
        described: list[str] = []
        bare: list[str] = []
        others: list[str] = []
        for public in sorted(public_names(module)):
            thing, full = getattr(module, public), f"{name}.{public}"
            if isinstance(thing, ModuleType) and thing.__name__ in modules:
                others.append(f"[`{public}`]({thing.__name__}.md)")
            elif not callable(thing):
                others.append(f"`{public}`")
            elif id(thing) in known:
                others.append(f"{{py:obj}}`{public} <{known[id(thing)]}>`")
            else:
                known[id(thing)] = full
                (described if thing.__doc__ else bare).append(public)
        # Without names, all members would be described; docutils takes no line of more than 10,000 characters.
        members = fill(f":members: {', '.join(described)}", 115, initial_indent=INDENT, subsequent_indent=2 * INDENT)
        text = f"# {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n{members if described else ''}\n\n"
        text += "".join(f".. autofunction:: {name}.{public}\n" for public in bare) + "```\n"
        text += f"\nAlso here: {', '.join(others)}.\n" if others else ""
        (source / "api" / f"{name}.md").write_text(text, encoding="utf-8")
