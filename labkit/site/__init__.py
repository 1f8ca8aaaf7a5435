"""The site: every notebook with widgets that play, the reference, a search, and, where it is asked for, cells that run.

It is built from a clone, by `labkit site`.
"""

from ..imports.exports import face

__all__, __getattr__ = face(__file__, __name__)
