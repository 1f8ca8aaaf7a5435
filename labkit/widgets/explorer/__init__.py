"""The graph explorer: a run of a function, or the tape of a tensor, to step through.

`run` finds out what happened, `graph` is what the page draws, `words` and `asks` say it, `explorer` puts that together.
"""

from .explorer import Explorer, show
from .run.real import of_tape
from .run.recorded import of_graph
from .run.story import Node, Story

__all__ = ["Explorer", "Node", "Story", "of_graph", "of_tape", "show"]
