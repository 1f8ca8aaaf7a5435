"""A graph as text: a unique name for every node, and the run as a table."""

from itertools import count

import numpy as np

from .dtypes import getval
from .summary import LARGE, Summary, summarised


def label(forward, backward, targets) -> None:
    """Give every node a name of its own: the user's where there is one, `d_h` for the gradient of h, else v1, v2 ..."""
    owner = {node.site: node for node in forward if node.site}  # the last op inside one call owns the assigned name
    taken: dict[str, int] = {}
    unnamed = count(1)
    for node in forward:
        name = node.name if node.site is None or owner[node.site] is node else None
        node.value._node.label = node.label = _unique(name or f"v{next(unnamed)}", taken)
    for node in backward:
        node.label = _unique(f"d_{targets[node].label}" if node in targets else f"v{next(unnamed)}", taken)


def _unique(name, taken):
    """`name`, or `name_2` ... where there is one; `taken` counts the namesakes of each."""
    candidate = name
    while candidate in taken:
        taken[name] += 1
        candidate = f"{name}_{taken[name]}"
    taken[candidate] = 1
    return candidate


def table(graph, most) -> str:
    """A line per op, then for each step of the chain rule the upstream gradient, and a line per contribution; of more
    than `most` ops, or steps, the first and the last."""
    lines = [f"{graph.name}: forward", *_elided(graph.forward, most, _forward_lines)]
    nothing = "each output is an input" if graph.outputs else "no output depends on an input"
    lines.append(f"{graph.name}: backward" if graph.steps else f"{graph.name}: no backward pass, because {nothing}")
    lines += _elided(graph.steps, most, _step_lines)
    large = [node for node in graph.forward if np.size(node.value) > LARGE]
    if large:
        lines.append("(arrays of more than {size:,} numbers are summarised by their |norm|)".format(size=LARGE))
    return "\n".join(lines)


def _forward_lines(node):
    return [f"  {node.label:<10} = {_call(node):<32} {_brief(node.value)}"]


def _step_lines(step):
    lines = [f"  upstream gradient {_brief(step.gradient)} at {step.node.label} ({step.node.op})"]
    for c in step.contributions:
        total = "" if c.total is c.value else f"   running sum {_brief(c.total)}"
        lines.append(f"    to {c.parent.label:<8} {_brief(c.value)}{total}")
    return lines


def _elided(ops, most, lines_of):
    """The lines of the first and the last of `ops`, and how many are left out in between."""
    most = len(ops) if most is None else min(most, len(ops))
    first, rest = ops[: most - most // 2], ops[len(ops) - most // 2 :]
    out = "  ... ops left out here: {count:,}; print(graph.table(most=None)) shows all".format(count=len(ops) - most)
    lines = [[line for op in some for line in lines_of(op)] for some in (first, rest)]
    return [*lines[0], *([out] if most < len(ops) else []), *lines[1]]


def _call(node):
    """The op as a reader would write it: `matmul(x, w)`."""
    if not node.parents:
        return "input"
    by_argnum = dict(zip(node.argnums, node.parents, strict=True))
    shown = [by_argnum[i].label if i in by_argnum else _brief(a) for i, a in enumerate(node.args)]
    return f"{node.op}({', '.join(shown + [f'{k}={v}' for k, v in node.kwargs.items()])})"


def _brief(value):
    """A value on part of a line: the numbers of a small array, of a larger one dtype, shape and length."""
    raw = summarised(getval(value))
    if not hasattr(raw, "dtype"):
        return str(raw)
    if np.size(raw) > 8 or isinstance(raw, Summary):
        norm = raw.norm if isinstance(raw, Summary) else np.linalg.norm(np.ravel(raw).astype(float))
        return f"{raw.dtype}{list(raw.shape)} |{norm:.4g}|"
    return np.array2string(np.asarray(raw), precision=4, separator=", ").replace("\n", "")
