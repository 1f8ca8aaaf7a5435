"""The pictures of answers that a person grades, as the student's notebook holds them: plots, and what was pasted into a text."""

import base64
import json
from collections.abc import Collection, Iterator
from typing import Any

from ..desk import DAMAGED
from .added import TASK
from .opening import LIMIT

MOST, LARGEST = 4, 1_000_000  # of one answer, and characters of each
_PNG = b"\x89PNG\r\n\x1a\n"


def pictures_of(data: bytes, kinds: dict[str, str], known: Collection[str]) -> dict[str, list[str]]:
    """The PNG pictures, in Base64, of the questions in `kinds` (name -> kind), from the bytes of a notebook.

    Of a task they are those of all cells up to the next of the ids `known`. What is no picture is left out; nothing is raised.
    """
    try:
        cells = json.loads(data)["cells"] if kinds and len(data) <= LIMIT else []
        found, at = dict[str, list[str]](), ""
        for cell in cells:
            own = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id") or cell.get("id")
            at = own if own in known or (at and kinds.get(at) != TASK) else at
            if at in kinds:
                found[at] = [*found.get(at, []), *_pictures(cell)][:MOST]
    except DAMAGED:
        return {}
    return {name: pictures for name, pictures in found.items() if pictures}


def _pictures(cell: dict[str, Any]) -> Iterator[str]:
    outputs = [output.get("data", {}) for output in cell.get("outputs", [])]
    for bundle in (*outputs, *cell.get("attachments", {}).values()):
        text = bundle.get("image/png", "")
        text = "".join("".join(text).split())
        if len(text) <= LARGEST and base64.b64decode(text[:12]).startswith(_PNG):
            yield base64.b64encode(base64.b64decode(text)).decode()
