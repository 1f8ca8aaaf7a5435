"""The graph explorer and the labs: show one in a notebook, drag what it shows, save it, describe it."""

from ..imports.exports import face

# A new widget needs a line in the stub beside this file.
__all__, __getattr__ = face(__file__, __name__)
