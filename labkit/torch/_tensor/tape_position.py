"""A tensor's place on the tape: which output of which node it is, and whether operations on it are recorded."""

import threading
import weakref

from ...engine import TAPE, Forward, isbox, new_box
from .. import _rules
from .._error_texts import error, said
from .._tape import grad_mode
from .._tape.node import AccumulateGrad, Nowhere, short_name
from .._tape.op_node import Edge
from .attributes import Fields, part

_accumulators = threading.RLock()


@part
class OnTape(Fields):
    """The part of `Tensor` that knows its place on the tape: a leaf, an op's result, or a view whose base may have changed."""

    @property
    def _edge(self):
        if self._base is not None and self._seen != self._version_counter.number:
            self._look_again()
        return self._node_edge

    def _look_again(self, indirect=True):
        """The memory was changed in place: this view's history is now a look at the base's new one."""
        edge = None if isbox(self._data) else self._base._gradient_edge()
        if edge is None:
            self._seen = self._version_counter.number
            return
        if indirect and self._origin:
            refuse_view(self, "its base or another view of its base has been")
        self._seen = self._version_counter.number
        self._move_to(_rules.viewed(new_box(self._base._data, TAPE, edge), self._view)._node)

    def _move_to(self, edge):
        """An in-place op gave this tensor a new place on the tape; `retain_grad` goes along, hooks stay behind."""
        before = self._node_edge
        if self._retains and before is not None:
            before.node.retained.pop(before.nr, None)
            if edge is not None:
                edge.node.own("retained")[edge.nr] = weakref.ref(self)
        self._node_edge, self._retains = edge, self._retains and edge is not None

    def _placed_at(self, edge):
        """This new tensor, now at `edge` on the tape (None: off the tape), where it may stand for a leaf."""
        if edge is not None and isinstance(edge.node, AccumulateGrad):
            self._requires, self._accumulator = True, weakref.ref(edge.node)
        else:
            self._node_edge = edge
        return self

    def _gradient_edge(self):
        """Where gradients of this tensor go: its node, its accumulator if it is a leaf that wants one, or None."""
        base = self._base
        edge = self._node_edge if base is None else self._edge
        if edge is not None:
            return edge
        if not self._requires:
            if base is None or isbox(self._data) or not (base._node_edge or base._requires):
                return None
            return Edge.of(Nowhere(), 0, self.dtype.np, self.shape)
        node = self._accumulator() if self._accumulator else None
        if node is None:
            with _accumulators:  # two threads must find the same one
                node = self._accumulator() if self._accumulator else None
                if node is None:
                    node = AccumulateGrad(self)
                    self._accumulator = weakref.ref(node)
        return Edge.of(node, 0, self._array.dtype, self._array.shape)

    @property
    def _value(self):
        if isbox(self._data):
            return self._data
        edge = self._gradient_edge()
        return self._data if edge is None else new_box(self._data, TAPE, edge)

    def _recorded(self):
        """The value an op sees: on the tape if recording is on."""
        frozen = grad_mode.frozen_level()
        if frozen < 0:
            return self._value
        return _without_reverse(self._data, frozen)

    @property
    def requires_grad(self):
        """Whether operations on this tensor are recorded."""
        if self._node_edge is not None or self._requires or _is_recorded(self._data):
            return True
        return self._base is not None and self._base.requires_grad

    @requires_grad.setter
    def requires_grad(self, flag):
        if self._edge is not None and not flag:
            raise error("non_leaf_flag")
        if flag and not self.dtype.is_floating_point:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if self._edge is None:
            self._requires = bool(flag)

    def requires_grad_(self, requires_grad=True):
        """Make this leaf require a gradient (or not); returns the tensor."""
        grad_mode.refuse_in_transform(
            "requires_grad_() (or perhaps using torch.autograd.functional.* APIs)", "requires_grad_()"
        )
        self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self):
        """True for a tensor that no recorded operation made."""
        return self._edge is None and (self._requires or not _is_recorded(self._data))

    @property
    def grad_fn(self):
        """The node that made this tensor; None for a leaf."""
        edge = self._edge
        return None if edge is None else edge.node

    @property
    def output_nr(self):
        edge = self._edge
        return 0 if edge is None else edge.nr or edge.node.shown_nr


def _without_reverse(value, level):
    """`value` as a constant to the reverse passes up to this level; tangents stay, for no mode stops forward mode."""
    while isbox(value) and value._trace <= level:
        if type(value._node) is Forward:
            return new_box(_without_reverse(value._value, level), value._trace, value._node)
        value = value._value
    return value


def _is_recorded(value):
    """Whether a reverse pass records what is done with `value`."""
    while isbox(value):
        if type(value._node) is not Forward:
            return True
        value = value._value
    return False


def refuse_view(tensor, changed):
    """Raise because a view of this origin is changed in place."""
    edge, origin = tensor._node_edge, tensor._origin
    if edge is not None:
        begin = f"Output {edge.nr or edge.node.shown_nr} of {short_name(edge.node)} is a view and {changed} modified inplace. "
    else:
        made, now = ("inference", "in normal mode") if origin == "inference" else ("no_grad", "with grad mode enabled")
        begin = f"A view was created in {made} mode and {changed} modified inplace {now}. "
    of_several = {"siblings": "view_of_siblings", "function": "view_of_function"}
    block = {"no_grad": "no_grad", "inference": "inference_mode"}.get(origin)
    raise RuntimeError(begin + said(of_several.get(origin, "view_of_mode"), block=block))
