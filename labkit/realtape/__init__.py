"""The tape of the installed PyTorch as plain data: its nodes, and the gradients of an extra backward pass.

    tape = tape_of([loss], model)                       # runs nothing, changes nothing, keeps nothing alive
    print(tape)                                         # a line for each node, with what it saves
    tape = tape_of([loss], model, backward=True)        # with the gradients of an extra backward
    tape = tape_of_run(model, [x], "MLP")               # of a run, with the modules that it goes through

Nothing here imports PyTorch: what is one of its tensors was made by it. A `Tape` holds no tensor.
"""

from .flat import ENDS, Flat
from .holding import reached, touched
from .kinds import installed, is_real_module, is_real_tensor, tensors_in, unseen
from .names import Names
from .reading import nodes_of, op_of, read
from .replay import given_again
from .saved import fate_of, settings, slots
from .showing import tape_of, tape_of_run
from .spread import Spread
from .state import refill, unchanged
from .tape import CHANGED, FREED, KEPT, PACKED, UNKNOWN, BackStep, Saved, Tape, TapeNode, in_bytes
from .values import Value, array_of, dtype_of, value_of

__all__ = [
    "CHANGED", "ENDS", "FREED", "KEPT", "PACKED", "UNKNOWN", "BackStep", "Flat", "Names", "Saved", "Spread",
    "Tape", "TapeNode", "Value", "array_of", "dtype_of", "fate_of", "given_again", "in_bytes",
    "installed", "is_real_module", "is_real_tensor", "nodes_of", "op_of", "reached", "read", "refill", "settings",
    "slots", "tape_of", "tape_of_run", "tensors_in", "touched", "unchanged", "unseen", "value_of",
]  # fmt: skip
