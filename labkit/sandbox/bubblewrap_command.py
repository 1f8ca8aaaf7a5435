"""The command line of bubblewrap: a sandbox sees Python and its packages, read-only, and nothing else."""

import os
import shutil
import sys
from pathlib import Path

SYSTEM = tuple(  # of /usr what programs need, and no data of others, such as an exchange of nbgrader's in /usr/local/share
    f"/usr/{part}"
    for part in (
        "bin", "lib", "lib32", "lib64", "libexec", "local/bin", "local/lib", "share/fontconfig", "share/fonts",
        "share/zoneinfo", "local/share/fonts",
    )
)  # fmt: skip
FOLDER = "/student"  # a program's own, empty and in memory; it also finds it as /tmp, unless Python itself lives there
RIGHTS = ("CAP_SYS_ADMIN", "CAP_SETUID", "CAP_SETGID", "CAP_KILL")  # of the server; its programs have none


def environment() -> dict[str, str]:
    """The variables a sandbox sees: nothing of ours but where Python and labkit are."""
    home = Path(__file__).parents[2]
    return {
        "PATH": "/usr/bin:/bin", "HOME": FOLDER, "TMPDIR": FOLDER, "LANG": "C.UTF-8", "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(dict.fromkeys([str(home), *sites()])), "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": f"{FOLDER}/matplotlib",
    }  # fmt: skip


def sites() -> list[str]:
    """The folders of installed packages that this Python uses."""
    return [p for p in sys.path if Path(p).name in ("site-packages", "dist-packages") and Path(p).is_dir()]


def prefixes() -> set[str]:
    """Where this Python lives, and the one that a virtual environment is made from."""
    return {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}


def answers() -> list[str]:
    """The folders with the answers, in this labkit and in every other one that a program could see."""
    found = [Path(__file__).parents[1], *(Path(site) / "labkit" for site in sites())]
    for prefix in sorted({*prefixes(), "/usr", "/usr/local"}):
        found += sorted(Path(prefix).glob("lib*/python3*/*-packages/labkit"))
    copies = {copy.resolve(): copy for copy in reversed(found)}.values()  # lib64 is often a link to lib
    return sorted(str(copy / part) for copy in copies for part in ("classroom", "grading") if (copy / part).is_dir())


def view() -> list[str]:
    """The command that shows a program Python, its packages and labkit without the answers, read-only, and no more."""
    package = Path(__file__).parents[1]
    shown = [*SYSTEM, "/lib", "/lib32", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/fonts", "/etc/alternatives"]
    for prefix in prefixes():
        shown += [str(Path(prefix) / part) for part in ("bin", "lib", "lib64", "pyvenv.cfg")]
    shown += [*sites(), str(package)]
    command = [shutil.which("bwrap") or "bwrap", "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net"]
    command += ["--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox", "--cap-drop", "ALL"]
    command += [part for right in RIGHTS for part in ("--cap-add", right)]
    command += [] if os.geteuid() == 0 else ["--unshare-user", "--uid", "0", "--gid", "0"]
    for path in dict.fromkeys(shown):
        command += [part for up in list(Path(path).parents)[-2::-1] for part in ("--perms", "0755", "--dir", str(up))]
        if Path(path).is_symlink():
            command += ["--symlink", os.readlink(path), path]
        elif Path(path).exists():
            command += ["--ro-bind", path, path]
    for path in answers():
        command += ["--tmpfs", path, "--remount-ro", path]
    command += ["--dev", "/dev", "--dev-bind", "/dev/null", "/dev/zero"]  # what maps the real one has uncounted memory
    command += ["--remount-ro", "/dev", "--tmpfs", FOLDER]
    command += [] if any(path.startswith("/tmp/") for path in shown) else ["--symlink", FOLDER, "/tmp"]
    return [*command, "--remount-ro", "/", "--chdir", FOLDER]
