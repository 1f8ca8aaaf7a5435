"""Assignments made from the course's exercises, and the grades of submissions.

`course` makes assignments; `grader` grades one submission, in a sandbox (`labkit.sandbox`) that holds neither checks nor answers.
"""

from ..imports.exports import face

__all__, __getattr__ = face(__file__, __name__)
