"""Simplifies a recorded run: constants folded, identities and dead code removed, equal ops shared."""

from .decisions import Decision
from .identities import identity, same_value
from .line import Line


def simplify(log) -> tuple[list[Line], dict]:
    """`(lines, found)`: the lines to keep, in order, and for every recorded node the line or constant that stands for it."""
    lines: list[Line] = []
    found: dict = {}
    shared: dict = {}
    for node in log:
        args = list(node.args)
        for argnum, parent in zip(node.argnums, node.parents, strict=True):
            args[argnum] = found[parent]
        line = Line(node, node.fun, tuple(args), node.kwargs, node.value)
        fixed = node.fun is None or type(node.fun) is Decision or getattr(node.fun, "communicates", False)
        result = line if fixed else same_value(line)
        if result is line and not fixed:
            result = shared.setdefault(identity(line), line)
        if result is line:
            lines.append(line)
        elif type(result) is Line:
            _inherit(result.node, node)
        found[node] = result
    return lines, found


def _inherit(kept, dropped):
    """The node that stands for another takes over its name, or the gradient it completes."""
    if kept.step is not None and kept.target is None:
        kept.target = dropped.target
    if kept.fun is not None and kept.name is None and dropped.step is None:
        kept.name = dropped.name


def needed(lines, ends) -> list[Line]:
    """The inputs, and the lines that an output or a decision depends on."""
    alive: set[Line] = set()
    stack = [end for end in ends if type(end) is Line] + [line for line in lines if type(line.fun) is Decision]
    while stack:
        line = stack.pop()
        if line not in alive:
            alive.add(line)
            stack.extend(line.parents)
    return [line for line in lines if line in alive or line.fun is None]
