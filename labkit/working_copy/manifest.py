"""The notebooks that were put into a working copy: a small hidden file, which shows what the learner has changed since."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .files import DAMAGED, write_whole
from .places import MANIFEST

Marks = dict[str, list[str]]  # file -> its marks: for a notebook one for each cell, otherwise one


@dataclass
class Manifest:
    """The marks of what was laid, and of newer notebooks that the learner did not want yet."""

    laid: Marks = field(default_factory=dict)
    declined: Marks = field(default_factory=dict)


_DAMAGED = "{file} was damaged and has been rewritten: notebooks that differ from the course count as edited by you."


def read(folder: Path) -> tuple[Manifest, str]:
    """`(manifest, "")`; where the file is damaged, an empty manifest and a sentence."""
    try:
        data = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        manifest = Manifest(_marks(data["laid"]), _marks(data["declined"]))
    except FileNotFoundError:
        return Manifest(), ""
    except DAMAGED:
        return Manifest(), _DAMAGED.format(file=MANIFEST)
    return manifest, ""


def write(folder: Path, manifest: Manifest) -> None:
    """Write the file where that changes it."""
    content = (json.dumps(asdict(manifest)) + "\n").encode()
    file = folder / MANIFEST
    if not file.exists() or file.read_bytes() != content:
        write_whole(file, content)


def _marks(data: dict) -> Marks:
    return {str(name): [str(mark) for mark in marks] for name, marks in data.items()}
