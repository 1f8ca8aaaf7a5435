"""The story of a tensor of the PyTorch dialect: its tape, with a backward pass that changes no `.grad`."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....engine import dense, getval, match_dtype
from ....ops import name_of, words_of
from .findings import notice
from .recorded import checked_slope, kept_in, saved_on_tape, title_of
from .story import Layer, Node, Sent, Step, Story

USED_UP = (
    "backward() has already run on this tape and freed its saved tensors, so no gradient can be computed again. "
    "backward(retain_graph=True) would have kept them."
)


def is_taped(value: Any) -> bool:
    """Whether `value` is a tensor of the PyTorch dialect."""
    return hasattr(type(value), "grad_fn") and hasattr(type(value), "__engine_value__")


@dataclass
class Known:
    """The user's variables, by the `id` of what they hold: `leaves` (tensors without history), of those without gradient
    `data`, the name and the array, by the `id` of that; and `results`, the name and the array of a tensor, by its node on the
    tape."""

    leaves: dict[int, str] = field(default_factory=dict)
    data: dict[int, tuple[str, np.ndarray]] = field(default_factory=dict)
    results: dict[Any, tuple[str, np.ndarray]] = field(default_factory=dict)

    @classmethod
    def among(cls, variables: Mapping[str, Any]) -> "Known":
        """What is known from variables by name; parameters of networks among them as `net.fc.weight`."""
        known = cls()
        for name, value in variables.items():
            if name.startswith("_"):
                continue
            if is_taped(value) and value.grad_fn is not None:
                known.results.setdefault(value.grad_fn, (name, _array(value)))
            elif is_taped(value):
                known.leaves[id(value)] = name
                if not value.requires_grad:
                    array = _array(value)
                    known.data[id(array)] = name, array
            elif hasattr(type(value), "__engine_parameters__"):
                for inside, parameter in value.__engine_parameters__():
                    known.leaves.setdefault(id(parameter), f"{name}.{inside}")
        return known


def of_tensor(tensor: Any, known: Known | None = None) -> Story:
    """The story of the tape behind `tensor`.

    Values that neither the tape nor a variable in `known` keeps are unknown (None). Where the saved values have been
    released by `backward()`, or changed in place, the story has no steps, and says so. Raises ValueError for a tensor
    without a history.
    """
    known = known or Known()
    if tensor.grad_fn is None:
        raise ValueError(
            "show: this tensor has no history: nothing with requires_grad=True led to it. "
            "Make the leaves with requires_grad=True, and compute outside of no_grad."
        )
    order = tensor.grad_fn.__engine_behind__()
    data = {i: known.data[i] for node in order for i in _given(node) if i in known.data}
    index = {node: i for i, node in enumerate(order, len(data))}
    nodes = _story_nodes(order, known, data, index)
    _into_layers(nodes)
    end = nodes[index[tensor.grad_fn]]
    end.value = _array(tensor)
    end.seed = np.ones(end.value.shape)
    story = Story(known.results.get(tensor.grad_fn, ("a tensor",))[0], nodes, [], taped=True)
    story.released = any(node.released and node.releases for node in order)
    if story.released:
        story.notices = [USED_UP]
    else:
        _add_steps(story, tensor, order, index)
    return story


def _add_steps(story, tensor, order, index):
    """Walk the tape back, or say why that cannot be done."""
    try:
        story.steps = _walk(tensor, order, index)
    except RuntimeError as error:  # such as a saved value that was changed in place
        story.notices = [f"The backward pass of this tape fails: {error}"]
        return
    notice(story)
    if any(node.tensor_hooks.get(0) or node.hooks or node.prehooks for node in order):
        story.notices.append("Hooks on this tape are not run here, so gradients are shown as they are without them.")


def _array(tensor):
    return np.asarray(getval(tensor.__engine_value__()))


def _story_nodes(order, known, data, index):
    """The nodes of a story: `data`, what the tape made no node for, then those of the tape."""
    places = {found: i for i, found in enumerate(data)}
    kinds = {e.node: e for node in order for e in node.edges if e is not None}  # shape and dtype of what each one made
    nodes: list[Node] = [_constant(i, *given) for i, given in enumerate(data.values())]
    for node in order:
        i = index[node]
        if not node.edges:
            nodes.append(_leaf(i, node, known, i - len(data)))
            continue
        name, value = known.results.get(node, ("", None))
        kind: Any = kinds.get(node, getattr(node, "value", None))
        shape, dtype = kind.shape if node in kinds else np.shape(getval(kind)), str(getattr(kind, "dtype", ""))
        given = dict.fromkeys(places[i] for i in _given(node) if i in places)
        parents = (*(index[e.node] for e in node.edges if e is not None), *given)
        op = getattr(
            getattr(node, "fun", None), "__name__", node.name().rpartition("::")[2].removesuffix("Backward")
        ).strip("_")
        story_node = Node(
            i, _written(op, node.name()), op, name, parents, value, tuple(shape), dtype, grad_fn=node.name()
        )
        if hasattr(node, "info"):
            _add_saved(story_node, node, nodes)
        nodes.append(story_node)
    return nodes


def _written(op, node):
    """The name of an op with the breaks between words that its node has.

    >>> _written("mseloss", "MseLossBackward0"), _written("conv2d", "Conv2DBackward0")
    ('mse_loss', 'conv2d')
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", node.removesuffix("Backward0")).lower()
    return words if words.replace("_", "") == op else op


def _into_layers(nodes):
    """Write into ops the module whose parameters they use, by the names of these; also into what turns one alone before."""
    owners, calls, last = dict[int, str](), Counter[str](), ""
    for node in nodes:
        if node.leaf:
            owners[node.index] = node.title.rpartition(".")[0]
            continue
        found = {owners[p] for p in node.parents if owners.get(p)}
        name = found.pop() if len(found) == 1 else ""
        if len(node.parents) == 1 and nodes[node.parents[0]].leaf:
            owners[node.index] = name
        calls[name] += name != last
        last, node.scope = name, (Layer(name, "", calls[name]),) if name else ()


def _given(node):
    """The `id` of each argument of an op to which no gradient goes."""
    return [id(arg) for k, arg in enumerate(getattr(node, "args", None) or ()) if k not in node.argnums]


def _constant(i, name, value):
    facts = ("It requires no gradient.", "No gradient goes there.")
    return Node(i, name, "input", "", (), value, np.shape(value), str(value.dtype), grad_fn="", facts=facts)


def _leaf(i, node, known, count):
    variable = getattr(node, "variable", None)
    value: Any = None if variable is None else _array(variable)
    name = known.leaves.get(id(variable)) or getattr(variable, "name", None) or f"leaf {count + 1}"
    return Node(i, name, "input", "", (), value, np.shape(value), str(getattr(value, "dtype", "")))


def _add_saved(story_node, node, nodes):
    """The title of an op of the library, what its node saves, and the values that are known from it."""
    if node.released and node.releases:
        return
    story_node.title = title_of("", node.fun, story_node.title, node.args, node.argnums)
    story_node.slots = saved_on_tape(node.info, node.args, node.argnums, story_node.parents, story_node.index)
    story_node.keeps = kept_in(story_node.slots)
    story_node.saved = tuple(i for i in story_node.keeps if isinstance(i, int))
    for place, parent in zip(node.argnums, story_node.parents, strict=False):
        if parent in story_node.keeps and nodes[parent].value is None:
            nodes[parent].value = np.asarray(getval(node.args[place]))
    if story_node.index in story_node.keeps and story_node.value is None:
        story_node.value = np.asarray(getval(node.value))


def _walk(tensor, order, index):
    """The chain rule on the tape, as `backward` runs it, but with nothing accumulated and nothing released."""
    from ....torch import set_grad_enabled

    totals = {node: [None] * node.outputs for node in order}
    totals[tensor.grad_fn][tensor.output_nr if tensor.grad_fn.outputs > 1 else 0] = np.ones_like(_array(tensor))
    steps = []
    with set_grad_enabled(False), np.errstate(all="ignore"):
        for node in reversed([n for n in order if n.edges]):
            if any(g is not None for g in totals[node]):
                steps.append(_step(node, totals, index))
    return steps


def _step(node, totals, index):
    gradients, edges = totals[node], [e for e in node.edges if e is not None]
    arrived = np.asarray(next(g for g in gradients if g is not None))
    slopes, sent = _slopes(node, gradients, arrived), []
    for place, (edge, g) in enumerate(zip(edges, _pull(node, gradients), strict=True)):
        if g is not None:  # a function of one's own may answer None
            g, slots = np.asarray(getval(match_dtype(dense(g), edge.dtype))), totals[edge.node]
            slots[edge.nr] = g if slots[edge.nr] is None else slots[edge.nr] + g
            slope = None if slopes[place] is None else checked_slope(arrived, slopes[place], g)
            sent.append(Sent(index[edge.node], place, g, slots[edge.nr], slope))
    return Step(index[node], arrived, tuple(sent), words_of(name_of(getattr(node, "fun", None))))


def _pull(node, gradients):
    return node.pull(list(gradients), [True] * sum(e is not None for e in node.edges), False)


def _slopes(node, gradients, arrived):
    """What the node answers to a one, where everything is one number."""
    edges = [e for e in node.edges if e is not None]
    if len(gradients) > 1 or arrived.size != 1 or any(np.prod(e.shape) != 1 for e in edges):
        return [None] * len(edges)
    return [None if g is None else dense(g) for g in _pull(node, [np.ones_like(arrived)])]
