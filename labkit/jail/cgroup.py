"""A control group for a jail, where there is one that may be used: the kernel then counts all memory, and shares the processors.

Every jail has a group of its own, below ours, in version 1 or 2 of the kernel's groups. The kernel counts there what no
process holds any more (pages of shared memory that were let go, tables, buffers), and gives each group the same part of
the processors, however many processes are in it. `cgroups(7)` describes them.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

PREFIX = "labkit-"
SPARE = 1.25  # of the memory that is watched: where the kernel itself ends a process
_FILES = {  # by version: the most memory, the most that is swapped, and what is written there (else the same)
    1: ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", ""),
    2: ("memory.max", "memory.swap.max", "0"),
}
_TRIES = 200  # looks whether a process that was ended has gone
_HELD = ("anon", "rss", "shmem", "kernel_stack", "pagetables", "sock")  # of memory.stat; files can be dropped any time


@dataclass(frozen=True)
class Group:
    """The folders of one group, by what each counts: "memory", "cpu", or both in one folder."""

    folders: dict[str, Path]

    def add(self, processes: list[int]) -> None:
        """Move processes into the group; what they start from now on is in it, too."""
        for folder in set(self.folders.values()):
            for process in processes:
                with suppress(OSError):  # it has ended
                    (folder / "cgroup.procs").write_text(str(process))

    def megabytes(self) -> float:
        """What all in the group hold, 0 where memory is not counted: no files, which are dropped where memory is short."""
        try:
            lines = (self.folders["memory"] / "memory.stat").read_text(encoding="ascii").splitlines()
        except (KeyError, OSError):
            return 0.0
        counted = dict(line.split() for line in lines)
        return sum(int(counted.get(name, 0)) for name in _HELD) / 2**20

    def remove(self) -> None:
        """End what still runs in the group, and remove it."""
        for folder in set(self.folders.values()):
            for _ in range(_TRIES):
                with suppress(OSError, ValueError):
                    for process in (folder / "cgroup.procs").read_text(encoding="ascii").split():
                        os.kill(int(process), signal.SIGKILL)
                with suppress(OSError):
                    folder.rmdir()
                if not folder.exists():
                    break
                time.sleep(0.01)


def new_group(megabytes: int, ours: Path = Path("/proc/self")) -> Group | None:
    """A group that may hold so much, or None where no group may be used; `ours` is where the kernel tells of this process."""
    name = f"{PREFIX}{os.getpid()}-{token_hex(4)}"
    folders: dict[str, Path] = {}
    for kind, above, version in _usable(ours):
        _sweep(above)
        folder = above / name
        try:
            folder.mkdir(exist_ok=True)
            if kind == "memory":
                _limit(folder, int(megabytes * SPARE) << 20, version)
        except OSError:
            with suppress(OSError):
                folder.rmdir()
        else:
            folders[kind] = folder
    return Group(folders) if folders else None


def _limit(folder, most, version):
    """Write the most bytes of a group, and of what is swapped, where it is."""
    name, swap, left = _FILES[version]
    (folder / name).write_text(str(most))
    with suppress(OSError):
        (folder / swap).write_text(left or str(most))


def _usable(process: Path) -> Iterator[tuple[str, Path, int]]:
    """("memory" or "cpu", folder below which groups can be made, version of the groups) for each that there is."""
    mounts = dict(_mounts(process))
    try:
        lines = (process / "cgroup").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        _, kinds, ours = line.split(":", 2)
        for kind in ("memory", "cpu"):
            mount = mounts.get(kind if kinds else "")
            if mount is None or (kinds and kind not in kinds.split(",")):
                continue
            here = mount / ours.lstrip("/")
            above = [here] if kinds else [here, *here.parents][: len(here.relative_to(mount).parts) + 1]
            for folder in above:
                if os.access(folder, os.W_OK) and (kinds or _gives(folder, kind)):
                    yield kind, folder, 1 if kinds else 2
                    break


def _gives(folder, kind):
    """True where groups below a folder (of version 2) have this kind of limit."""
    try:
        return kind in (folder / "cgroup.subtree_control").read_text(encoding="ascii").split()
    except OSError:
        return False


def _mounts(process: Path) -> Iterator[tuple[str, Path]]:
    """Where the groups of each kind are mounted; version 2 has the kind ""."""
    try:
        lines = (process / "mountinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        root, mount = before.split(" ")[3:5]
        if kind == "cgroup2" and root == "/":
            yield "", Path(mount)
        elif kind == "cgroup" and root == "/":
            for one in options.split(","):
                yield one, Path(mount)


def _sweep(above):
    """Remove the empty groups of jails whose process was killed."""
    for folder in above.glob(f"{PREFIX}*"):
        number = folder.name.removeprefix(PREFIX).split("-")[0]
        if number.isdecimal() and not Path("/proc", number).exists():
            with suppress(OSError):
                folder.rmdir()
