"""The playground: a page that shows the graph of what is typed into it, computed in the browser.

`reading` makes a function of what was typed, `session` answers the page with plain data, `files` writes the page's files.
"""

from ...imports.exports import face

__all__, __getattr__ = face(__file__, __name__)
