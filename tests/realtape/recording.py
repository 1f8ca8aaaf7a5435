"""Print, as JSON, the tapes of the ten models, most of them after an extra backward, and of a run of some modules."""

import json
import sys

import models
from stored_tapes import as_json

import labkit

RUN = ("checkpointing", "resnet")


def recorded():
    """The text of each tape, by name."""
    tapes = {}
    for name in models.MODELS:
        losses, modules, x = models.build(name)
        backward = name not in ("checkpointing", "transformer")  # these are as they are read
        tapes[name] = json.loads(as_json(labkit.show(*losses, model=modules, backward=backward).tape))
        if name in RUN:
            module = next(iter(modules.values()))
            tapes[f"{name}_run"] = json.loads(as_json(labkit.show(module, x, backward=True).tape))
    sum(losses).backward()
    tapes[f"{name}_freed"] = json.loads(as_json(labkit.show(*losses, model=modules).tape))
    return tapes


json.dump(recorded(), sys.stdout, separators=(",", ":"), ensure_ascii=False)
