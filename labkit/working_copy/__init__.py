"""A learner's working copy of the course's notebooks, the record of right answers, and JupyterLab to work in.

Nothing here knows what an exercise is, only how its cell is called: `answer-NAME`. NumPy is not needed.
"""

from ..imports.exports import face

__all__, __getattr__ = face(__file__, __name__)
