"""An extra backward pass over a real tape, with hooks on its nodes: their upstream gradients and the gradients they return.

`torch.autograd.grad` with `retain_graph=True` runs it, so nothing is accumulated in any `.grad` and nothing is freed. Where
something on the tape refuses that, a reentrant checkpoint or a hook on several gradients, it is `backward`, and whatever stands
in `.grad` is set aside meanwhile. The user's own hooks run, and so does what a checkpoint computes again: `state.unchanged` is
there for that.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import ref

from .kinds import installed, unseen
from .reading import nodes_of
from .saved import fate_of
from .state import alive
from .tape import FREED, BackStep, Tape
from .values import Value, value_of

RAN = (
    "labkit ran an extra backward pass for this picture, with your hooks and the recomputation of checkpoints; "
    ".grad, buffers, modes and random numbers are as before."
)
REFUSED = "incompatible with .grad()", "currently running autograd.grad()"  # as PyTorch says it
USED_UP = (
    "backward() has already run on this tape, or on part of it, and freed its saved tensors: no gradient can be "
    "computed again. backward(retain_graph=True) would have kept them."
)


def walk_back(tape: Tape, tensors: Sequence[Any]) -> None:
    """Add the steps of an extra backward from `tensors` to their `tape`: its `steps`, `gradients`, and `failed`.

    Where that raises (freed tensors, one changed in place, an error in a hook), the tape has the steps until then, and says
    what came.
    """
    order = nodes_of(tensors)
    watch, handles = _Watch(), []
    tape.backward, tape.notices = True, [*tape.notices, RAN]
    try:
        for i, node in enumerate(order):
            if tape.nodes[i].leaf:
                handles.append(node.register_prehook(watch.collect(i)))
            else:
                handles += [node.register_prehook(watch.begin(i)), node.register_hook(watch.end(i))]
        with unseen():
            seeds = [_seed(tensor) for tensor in tensors]
        with installed().inference_mode(False):
            tape.gradients = _gradients(tape, order, list(tensors), seeds, watch)
    except Exception as error:  # whatever the user's hooks and functions raise is shown in place
        tape.failed = _failure(error, tape, watch.running)
    finally:
        for handle in handles:
            handle.remove()
    tape.steps = watch.steps


def _gradients(tape, order, tensors, seeds, watch):
    """What the leaves get, by index."""
    autograd = installed().autograd
    leaves = [(i, node) for i, node in enumerate(order) if tape.nodes[i].leaf]
    inputs = [autograd.graph.GradientEdge(node, 0) for _, node in leaves]
    try:
        given = autograd.grad(tensors, inputs, seeds, retain_graph=True, allow_unused=True)
    except RuntimeError as error:
        if not any(words in str(error) for words in REFUSED):
            raise
        watch.again()
        with _set_aside():
            autograd.backward(tensors, seeds, retain_graph=True)
        return watch.collected
    with unseen():
        read = {i: watch.value(g) for (i, _), g in zip(leaves, given, strict=True) if g is not None}
    return {i: value for i, value in read.items() if value is not None}


@contextmanager
def _set_aside() -> Iterator[None]:
    """While this is in force, all leaves there are have an empty `.grad`."""
    with unseen():
        leaves = [t for t in alive(installed().Tensor) if t.is_leaf and t.requires_grad]
        held = [(leaf, leaf.grad) for leaf in leaves]
        for leaf in leaves:
            leaf.grad = None
    try:
        yield
    finally:
        with unseen():
            for leaf, grad in held:
                leaf.grad = grad


def _seed(tensor):
    """Ones; for a single real number PyTorch takes them itself."""
    return None if tensor.numel() == 1 and not tensor.is_complex() else installed().ones_like(tensor)


class _Watch:
    """Notes what passes the hooks, as plain data."""

    def __init__(self):
        self.steps: list[BackStep] = []
        self.running: int | None = None
        self.collected: dict[int, Value] = {}  # what came to leaves, where it is to be accumulated
        self.seen: dict[int, tuple[Any, Any, Value | None]] = {}  # what one node sends arrives at the next

    def again(self):
        """Start over."""
        self.steps, self.running, self.collected = [], None, {}

    def collect(self, index):
        def prehook(arrived):
            with unseen():
                value = self.value(arrived[0])
            if value is not None:
                self.collected[index] = value

        return prehook

    def begin(self, index):
        def prehook(_):
            self.running = index

        return prehook

    def end(self, index):
        def hook(sent, arrived):
            with unseen():
                values = {nr: value for nr, g in enumerate(arrived) if (value := self.value(g)) is not None}
                self.steps.append(BackStep(index, values, tuple(map(self.value, sent))))
            self.running = None

        return hook

    def value(self, tensor: Any) -> Value | None:
        """What a gradient holds; None for none."""
        if tensor is None:
            return None
        if tensor.is_inference():
            return value_of(tensor)
        sent, version, value = self.seen.get(id(tensor), (None, None, None))
        if sent is not None and sent() is tensor and version == tensor._version:
            return value
        value = value_of(tensor)
        self.seen[id(tensor)] = ref(tensor), tensor._version, value
        return value


def _failure(error, tape, running):
    if fate_of(error) == FREED:
        return USED_UP
    text = str(error).partition(" Hint:")[0]
    text = text if type(error) is RuntimeError else f"{type(error).__name__}: {text}"
    if running is None:
        return "The backward pass of this tape fails: {error}".format(error=text)
    return "The backward pass of this tape fails in {node}: {error}".format(node=tape.nodes[running].name, error=text)
