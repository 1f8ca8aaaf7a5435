"""A site of the playground alone, served to this machine; and what more than one test of it runs there."""

import json
import shutil
from contextlib import contextmanager

from live_site import served

from labkit.live.runtime import LOCK
from labkit.widgets.playground import build

LINK = "#run&code=h+%3D+tanh(w*x)%0A(h+-+x)**2&dialect=numpy&in.x=2&in.w=0.5&at.step=6"
UNLEAVABLE = "x * sum(range(10**12))"  # one call into compiled code


@contextmanager
def playground(image, folder):
    """The address of a playground below `folder`; beside it, in `without/`, is one without the memory image."""
    build(folder / "playground", "../runtime")
    (folder / "runtime").symlink_to(image)
    shutil.copytree(image, folder / "plain", ignore=lambda *_: ["memory.bin"])
    lock = json.loads((image / LOCK).read_text(encoding="utf-8"))
    del lock["at_once"]["memory"]
    (folder / "plain" / LOCK).write_text(json.dumps(lock), encoding="utf-8")
    build(folder / "without", "../plain")
    with served(folder) as place:
        yield f"{place}/playground/"
