"""Views that may not be changed in place."""

from ._node import short_name

_EITHER = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the "
    "view and the inplace either both inside the {} block (if you don't want the inplace to be tracked) or both outside (if "
    "you want the inplace to be tracked)."
)
REFUSED = {  # of views: how they came to be, and why they may not be changed in place
    "no_grad": _EITHER.format("no_grad"),
    "inference": _EITHER.format("inference_mode"),
    "siblings": (
        "This view is the output of a function that returns multiple views. Such functions do not allow the output "
        "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
    ),
    "function": (
        "This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
        "logic to handle view+inplace would override the custom backward associated with the custom Function, leading "
        "to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
        "Function."
    ),
}


_MODES = {"no_grad": ("no_grad", "with grad mode enabled"), "inference": ("inference", "in normal mode")}


def refuse_view(tensor, changed):
    """Raise because a view of this origin is changed in place."""
    edge = tensor._node_edge
    if edge is not None:
        said = f"Output {edge.nr or edge.node.shown_nr} of {short_name(edge.node)} is a view and {changed} modified inplace. "
    else:
        made, now = _MODES.get(tensor._origin, _MODES["no_grad"])
        said = f"A view was created in {made} mode and {changed} modified inplace {now}. "
    raise RuntimeError(said + REFUSED[tensor._origin])
