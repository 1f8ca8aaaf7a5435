"""The memory that a grader holds, with all that it has started outside the jails, while it grades what takes much of it.

    python tests/tools/held.py

One job grades a class of files made to take memory, and archives with tens of thousands of entries. Pages that processes share
are counted once (PSS). Prints the most, and the grades.
"""

import json
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from io import BytesIO
from pathlib import Path

import psutil

HERE = Path(__file__).parents[1]
sys.path[:0] = [str(HERE / "grading"), str(HERE / "tools"), str(HERE)]
MOST = 400  # MB


def archive_of(entries, data):
    """An archive with the notebook, and a table of so many other files."""
    with zipfile.ZipFile(held := BytesIO(), "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("work/some/folder/a1.ipynb", data)
    made = held.getvalue()
    at, end = made.index(b"PK\x01\x02"), made.index(b"PK\x05\x06")
    table = made[at:end] + b"".join(made[at:end].replace(b"a1.ipynb", b"%08x" % i) for i in range(entries))
    count = (entries + 1) % 2**16
    return made[:at] + table + struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, count, count, len(table), at, 0)


def files(right):
    """What is handed in, by student."""
    deep = json.loads(right)
    deep["cells"] += [{"cell_type": "code", "source": "x = 1", "metadata": {"a": [[]] * 200}}] * 4000
    lines = json.dumps(deep | {"cells": [{"cell_type": "code", "source": ["x\n"] * 2_000_000}]})
    return {
        "lists.ipynb": b'{"cells": [' + b"[]," * 6_600_000 + b"[]]}", "cells.ipynb": json.dumps(deep).encode(),
        "lines.ipynb": lines.encode()[: 20 * 2**20], "page.ipynb": b"<html>" + b'<div class="highlight hl-x"><pre>' * 600_000,
        "broken.ipynb": right[:-3] + b',"x": ["' + b"\\u00e9" * 3_000_000, "wide.ipynb": "😀".encode("utf-16") * 2_600_000,
        "script.py": b"# %%\nx = 1\n" * 1_500_000, "many.zip": archive_of(49_000, right),
        "zeros.zip": archive_of(10, bytes(20 * 2**20)),
        "right.ipynb": right,
    }  # fmt: skip


def pss(process):
    """MB of a process, its part of what is shared; 0 where it has ended."""
    try:
        text = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0.0
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1024


def outside(process):
    """A process and those that it has started, without jails."""
    family = [process]
    for child in process.children():
        try:
            jailed = "bwrap" in child.name() or "labkit.jail.server" in child.cmdline()
        except psutil.Error:
            continue
        family += [] if jailed else outside(child)
    return family


def main():
    """Grade, and look; returns 1 where it was too much."""
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("grading_conftest", HERE / "grading" / "conftest.py")
    conftest = module_from_spec(spec)
    spec.loader.exec_module(conftest)
    folder = Path(tempfile.mkdtemp())
    (folder / "course").mkdir()
    handout = conftest.Handout(folder / "course", conftest.TOML)
    (folder / "in").mkdir()
    for name, data in files(handout.notebook()).items():
        (folder / "in" / name).write_bytes(data)
    command = ["grade", folder / "in", "--assignment", handout.source, "--out", folder / "g.csv", "--jobs", "1"]
    run = subprocess.Popen([sys.executable, "-m", "labkit", *map(str, command)])
    most, grader = 0.0, psutil.Process(run.pid)
    while run.poll() is None:
        try:
            found = {process: pss(process) for process in outside(grader)}
        except psutil.Error:
            continue
        if sum(found.values()) > most:
            most, parts = sum(found.values()), sorted(map(round, found.values()), reverse=True)
        time.sleep(0.02)
    print(f"{most:.0f} MB at most, by process {parts}; exit status {run.returncode}")
    print((folder / "g.csv").read_text())
    return int(most > MOST)


if __name__ == "__main__":
    sys.exit(main())
