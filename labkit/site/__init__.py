"""The site: every notebook with interactive widgets, the reference, a search, and, if requested, live cells.

It is built from a clone, by `labkit site`.
"""

from ..imports.exports import face

__all__, __getattr__ = face(__file__, __name__)
