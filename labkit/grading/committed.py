"""When a file was committed in a checkout of Git, asked without a look at the student's own settings of Git.

A repository's settings can name programs that Git then runs. So an empty repository of ours borrows its objects alone. These
may be made to take all memory or time: Git is asked in a `reader`, whose limits it has as well.
"""

import os
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..jail import die_with
from .opening import SubmissionError, open_below

_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def commit_time(kept: Any, checkout: Path, file: str) -> float | None:
    """Seconds of the last commit that changed `file` (a path in the checkout, with /); None where Git does not tell.

    Nothing is told of a shallow clone, whose commits are not the ones that changed a file.
    """
    git = shutil.which("git")
    head = _head(checkout) if git and (checkout / ".git").is_dir() else None
    if git is None or head is None or (checkout / ".git" / "shallow").exists():
        return None
    with TemporaryDirectory() as empty:
        _borrower(Path(empty), "sha256" if len(head) == 64 else "sha1")
        objects = checkout.resolve() / ".git" / "objects"
        ours = {
            "GIT_DIR": empty,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "PATH": os.environ["PATH"],
        }
        asked = ["log", "-1", "--format=%ct", head, "--", f":(literal){file}"]
        try:
            told = subprocess.run(
                [git, *asked], env={**ours, "GIT_OBJECT_DIRECTORY": str(objects)}, cwd=empty,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=20,
                preexec_fn=partial(die_with, os.getpid()),
            ).stdout.strip()  # fmt: skip
        except (OSError, subprocess.SubprocessError):
            return None
    return float(told) if told.isdecimal() and len(told) < 12 else None


def _borrower(folder: Path, kind: str) -> None:
    """An empty repository, which takes no process to make."""
    for name in ("objects", "refs"):
        (folder / name).mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/none\n")
    more = f"\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = {kind}\n"
    (folder / "config").write_text(
        "[core]\n\tbare = true\n\tpackedGitWindowSize = 1m\n\tpackedGitLimit = 32m\n"
        + (more if kind != "sha1" else "\trepositoryformatversion = 0\n")
    )


def _head(checkout: Path) -> str | None:
    """The hash of the commit that is checked out, read from the files of the repository."""
    said = _read(checkout, ".git", "HEAD")
    if _HASH.fullmatch(said):
        return said
    name = said.removeprefix("ref: ")
    if name == said or not re.fullmatch(r"refs(?:/[\w.+#@-]+)+", name) or ".." in name:
        return None
    loose = _read(checkout, ".git", *name.split("/"))
    if _HASH.fullmatch(loose):
        return loose
    packed = re.search(rf"^({_HASH.pattern}) {re.escape(name)}$", _read(checkout, ".git", "packed-refs"), re.MULTILINE)
    return packed[1] if packed else None


def _read(checkout: Path, *parts: str) -> str:
    try:
        return open_below(checkout, parts, 2**20).decode("utf-8", "replace").strip()
    except SubmissionError:
        return ""
