"""A node of the tape, as `grad_fn` shows it: its name, its hooks, its edges; and the two ends of a backward pass.

`op_node` has the nodes of ops, `autograd.function` those of custom functions.
"""

import re
from collections.abc import Callable
from itertools import count
from types import MappingProxyType
from typing import Any

from ...dialects.class_paths import Placed
from ...dialects.provenance import place as here
from ...ops import op_of_node
from . import grad_mode, tensor_provenance

NONE: Any = MappingProxyType({})
_IN_AUTOGRAD = ("CopyBackwards", "CopySlices", "Error", "NotImplemented")
sequence = count()


class Node(metaclass=Placed):
    """A node of the backward graph, as `tensor.grad_fn` shows it."""

    outputs = 1
    shown_nr = 0  # which of its siblings this output is, where an op with several outputs has a node for each
    releases = False  # whether running it frees saved values
    released = False
    tensor_of: Any = None  # makes a tensor of a value; tensors, which stand on the tape, put it here
    tensor_hooks = retained = hooks = prehooks = _metadata = NONE  # until there are any: see `own`
    where: Any = None  # in the user's code
    asides: tuple = ()  # notes of what went in and is off the tape
    trail: Any = None  # the note of what it made, once somebody needed it

    def __init__(self):
        self.sequence: float = next(sequence)
        self.where = here()

    def op_name(self):
        """The plain name of the op, such as `sum`."""
        return op_of_node(type(self).__name__)

    def __engine_behind__(self):
        """The nodes behind this one and itself: leaves first, as they are met from here, then each op after what feeds it."""
        seen, stack = {self: None}, [self]
        while stack:
            found = [e.node for e in stack.pop().edges if e is not None and e.node not in seen]
            seen.update(dict.fromkeys(found))
            stack += reversed(found)
        leaves = [n for n in seen if not n.edges]
        return leaves + sorted((n for n in seen if n.edges), key=lambda n: n.sequence)

    def own(self, table):
        """The node's own table of this name, made when it is first needed."""
        return self.__dict__.setdefault(table, {})

    def name(self):
        """The node's name, such as `AddBackward0`."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in _IN_AUTOGRAD else name

    @property
    def metadata(self):
        return self.own("_metadata")

    edges: tuple = ()
    pull: Callable[..., list]  # the gradients to send along the edges, given those that arrived

    @property
    def next_functions(self):
        """The nodes that this one sends gradients to: a tuple of `(node, output number)`, `(None, 0)` for a constant."""
        return tuple(
            (None, 0) if e is None or isinstance(e.node, Nowhere) else (e.node, e.nr or e.node.shown_nr)
            for e in self.edges
        )

    def __call__(self, *gradients):
        """What this node alone sends back for these gradients: a tensor, or a tuple with None for each constant."""
        if len(gradients) != self.outputs:
            raise TypeError(f"expected {self.outputs} arguments, got {len(gradients)} instead")
        edges, create = self.edges, grad_mode.grad_enabled()
        values = [g._value if create else g._array for g in gradients]
        sent = iter(self.pull(values, [True for e in edges if e is not None], create))
        found = tuple(None if e is None else self.tensor_of(next(sent)) for e in edges)
        return found[0] if len(found) == 1 else found

    def register_hook(self, hook):
        """Call `hook(grad_inputs, grad_outputs)` whenever this node has run; what it returns replaces `grad_inputs`."""
        return Handle(self.own("hooks"), hook)

    def register_prehook(self, hook):
        """Call `hook(grad_outputs)` before this node runs; what it returns replaces `grad_outputs`."""
        return Handle(self.own("prehooks"), hook)


class Handle(metaclass=Placed):
    """What a `register_...` call returns: `remove()` takes the hook off again; usable under `with`."""

    _shown = "torch.utils.hooks.RemovableHandle"
    _ids = count()

    def __init__(self, hooks, hook=None, *, extra_dict=None):
        self.id, self._hooks, self._more = next(self._ids), hooks, extra_dict
        if hook is not None:
            hooks[self.id] = hook

    def remove(self):
        self._hooks.pop(self.id, None)
        for more in self._more if isinstance(self._more, list) else [self._more or {}]:
            more.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


class Nowhere(Node):
    """Where gradients end that are not needed: those of views made without recording of tensors that want one."""

    def pull(self, gradients, wanted, create):
        return []

    def release(self):
        pass


class AccumulateGrad(Node):
    """The end of the walk at a leaf: adds the gradient to `variable.grad`."""

    def __init__(self, variable):
        super().__init__()
        self.variable, self.sequence = variable, float("inf")
        self.trail = tensor_provenance.of_leaf(variable)

    @property
    def tensor_hooks(self):
        hooks = vars(self.variable).get("_hook_table")
        return {0: hooks} if hooks else NONE

    def name(self):
        return "torch::autograd::AccumulateGrad"

    def pull(self, gradients, wanted, create):
        self.variable._accumulate(gradients[0], create)
        return []

    def release(self):
        pass


def short_name(node):
    """The name of a node as error messages give it: `Exp` for `ExpBackward0`, `Max1` for `MaxBackward1`."""
    return re.sub(r"Backward0?(?=\d*$)", "", node.name())


AccumulateGrad.__module__ = "builtins"
