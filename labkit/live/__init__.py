"""labkit in the browser: the folder of files that runs it there, and the notebook that a page of the site becomes.

Nothing here is needed to use labkit in Python.
"""

from ..imports.exports import face

__all__, __getattr__ = face(__file__, __name__)
