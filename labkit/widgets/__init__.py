"""Pictures to drive: the graph explorer and the labs. Each is a `Picture`: show it in a notebook, save it, describe it."""

from ..imports.exports import face

# A new widget needs a line in the stub beside this file.
__all__, __getattr__ = face(__file__, __name__)
