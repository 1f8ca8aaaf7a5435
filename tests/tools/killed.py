"""Kill `labkit grade` with SIGKILL at random moments, then go on: the same grades, and no process is left after two seconds.

    python tests/tools/killed.py [TIMES] [STUDENTS]

Each time a run with two jobs is killed at a random moment of those that a whole run takes, with all it has started being
watched; `--resume` then grades the rest, and the table must be that of a run that nobody has killed.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import psutil

HERE = Path(__file__).parents[1]
sys.path[:0] = [str(HERE / "grading"), str(HERE / "tools"), str(HERE)]
SECONDS = 2.0  # until nothing is left
UNREAD = 1  # the exit status where a file could not be read, as there is one in every such class


def made(folder, students):
    """A course, and what its students have handed in; some answers never end, and some cells take processes."""
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("grading_conftest", HERE / "grading" / "conftest.py")
    conftest = module_from_spec(spec)
    spec.loader.exec_module(conftest)
    (folder / "course").mkdir()
    handout = conftest.Handout(folder / "course", conftest.TOML)
    handout.class_of(folder / "submitted", students)
    forks = "import os, time\nfor _ in range(5):\n    if os.fork() == 0:\n        os.setsid(); time.sleep(1000)\ntime.sleep(0.2)"
    hangs = "def port(v):\n    while True: pass"
    for i in range(max(students // 10, 1)):
        handout.hand_in(folder / "submitted", f"y{i}", {"grad-slip": f"{forks}\nanswer_1 = 3"})
        handout.hand_in(folder / "submitted", f"z{i}", {"port-to-torch": hangs})
        with zipfile.ZipFile(folder / "submitted" / f"x{i}.zip", "w") as archive:
            archive.writestr("a1.ipynb", handout.notebook(student=f"x{i}"))
    return handout.source


def begun(folder, source, out, *more):
    command = [
        sys.executable,
        "-m",
        "labkit",
        "grade",
        str(folder / "submitted"),
        "--assignment",
        str(source),
        "--out",
        str(out),
    ]
    command += ["--jobs", "2", "--seed", "3", "--seconds", "1", *more]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def family(process):
    """All processes that a process has started, and what they have."""
    try:
        return set(psutil.Process(process.pid).children(recursive=True))
    except psutil.Error:
        return set()


def left(seen):
    return [p for p in seen if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]


def killed(process, moment):
    """Kill a run at a moment; returns the processes that were left after a while, and how long the last one took."""
    seen, began = set(), time.monotonic()
    while time.monotonic() < began + moment and process.poll() is None:
        seen |= family(process)
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGSTOP)  # so that it starts nothing that we do not see
    seen |= family(process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    began = time.monotonic()
    while left(seen) and time.monotonic() < began + SECONDS:
        for one in left(seen):  # what they started meanwhile
            seen |= family(one)
        time.sleep(0.01)
    return left(seen), time.monotonic() - began, len(seen)


def main(times=20, students=20):
    """Kill so many runs; returns how many things went wrong."""
    folder, wrong = Path(tempfile.mkdtemp()), 0
    source = made(folder, students)
    whole, start = folder / "whole" / "g.csv", time.monotonic()
    assert begun(folder, source, whole).wait() == UNREAD
    whole_run, rng = time.monotonic() - start, random.Random()
    print(f"a whole run takes {whole_run:.1f} s", flush=True)
    for i in range(times):
        out = folder / str(i) / "g.csv"
        stayed, seconds, number = killed(begun(folder, source, out), moment := rng.uniform(0.05, whole_run))
        resumed = begun(folder, source, out, "--resume")
        status = resumed.wait()
        same = all(
            out.with_suffix(e).read_bytes() == whole.with_suffix(e).read_bytes() for e in (".csv", ".questions.csv")
        )
        print(f"{i}: killed after {moment:.1f} s, {number} processes, gone after {seconds:.2f} s, left {stayed}, same {same}",
              flush=True)  # fmt: skip
        wrong += bool(stayed) + (not same) + (status != UNREAD)
    shutil.rmtree(folder)
    print(f"{wrong} went wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
