"""Why this machine refuses an isolation layer, according to its settings, and the commands that allow it."""

import os
import shutil
import sys
from pathlib import Path

from ..messages.install_hints import command_line

PROFILE = """sudo tee /etc/apparmor.d/bwrap <<'END'
abi <abi/4.0>,
include <tunables/global>
profile bwrap /usr/bin/bwrap flags=(unconfined) {
  userns,
}
END
sudo apparmor_parser --replace /etc/apparmor.d/bwrap"""
UNTRIED = "(The profile needs AppArmor 4, as Ubuntu 24.04 has it. These commands are untested: please report problems.)"
CONTAINER = (
    "this container is not allowed to create namespaces: grade on the host, or start it with podman run (or docker run) "
    "--cap-add SYS_ADMIN --cap-add NET_ADMIN --security-opt apparmor=unconfined; that was tried with podman 4.3 and "
    "runc, and not with Docker"
)
_NO_PYTHON = "bubblewrap cannot start Python ({error}): install it where every user may read it, or grade as root"
_APPARMOR = (
    "AppArmor forbids namespaces. Allow them for bubblewrap:\n{profile}\nor for every program: "
    "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0\n{untried}"
)
_UNKNOWN = (
    "the kernel refuses ({error}), and no setting that labkit knows explains it: grade as root, or on another machine"
)
KINDS = ("user", "pid", "mnt", "net", "ipc", "uts")
INSTALLERS = {"apt": "sudo apt install", "dnf": "sudo dnf install", "zypper": "sudo zypper install",
              "pacman": "sudo pacman -S", "apk": "sudo apk add"}  # fmt: skip


def refusal(error: str, root: Path = Path("/"), is_root: bool | None = None) -> str:
    """Why the kernel said `error` when namespaces were to be made, and what to do; `root` is where its settings are.

    >>> print(refusal("No space left", Path("/nowhere"), is_root=False))
    the kernel refuses (No space left), and no setting that labkit knows explains it: grade as root, or on another machine
    """
    if "execvp" in error:
        return _NO_PYTHON.format(error=error)
    is_root = os.geteuid() == 0 if is_root is None else is_root
    for kind in KINDS:
        if _setting(root, f"user/max_{kind}_namespaces") == "0":
            return "{name} is 0: sudo sysctl -w {name}=10000".format(name=f"user.max_{kind}_namespaces")
    if not is_root and _setting(root, "kernel/unprivileged_userns_clone") == "0":
        return "only root may create namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1"
    if not is_root and _setting(root, "kernel/apparmor_restrict_unprivileged_userns") == "1":
        return _APPARMOR.format(profile=PROFILE, untried=UNTRIED)
    if any((root / mark).exists() for mark in (".dockerenv", "run/.containerenv")):
        return f"{CONTAINER} ({error})"
    return _UNKNOWN.format(error=error)


def no_call_filter(root: Path = Path("/")) -> str:
    """Why system calls cannot be refused: the kernel cannot, or the package for it is not installed.

    >>> no_call_filter(Path("/nowhere"))
    'this kernel is built without seccomp, which no command changes: grade on another machine'
    """
    if not (root / "proc/sys/kernel/seccomp").exists():
        return "this kernel is built without seccomp, which no command changes: grade on another machine"
    pip = command_line([sys.executable, "-m", "pip", "install", "pyseccomp"])
    other = install("libseccomp2", "libseccomp")
    return "pyseccomp or libseccomp is not installed: {pip}, {other}".format(pip=pip, other=other)


def install(debian: str, elsewhere: str) -> str:
    """The command that installs a package on this system; `debian` is its name there."""
    for tool, command in INSTALLERS.items():
        if shutil.which(tool):
            return f"{command} {debian if tool == 'apt' else elsewhere}"
    return "sudo apt install {package} (or dnf, zypper, pacman, apk)".format(package=debian)


def _setting(root, name):
    try:
        return (root / "proc/sys" / name).read_text(encoding="ascii").strip()
    except OSError:
        return ""
