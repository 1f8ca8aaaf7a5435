"""Files that name or quote students, safely: text that can be written, names that stay in their folder.

A student's id is whatever a folder was called. It may hold a path, a control character or bytes that are no text.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable

PLAIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?")
DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)  # names that Windows keeps
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> str:
    r"""The text with what no file of text can hold written as an escape. Tabs and line ends stay.

    >>> print(printable("a\x00b \udcff"))
    a\x00b \udcff
    """
    return UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def safe_name(text: str) -> str:
    """A name for a file or folder: the text itself where it is plain, otherwise its plain letters and a digest.

    Never empty, never a path, no hidden file, no name that Windows keeps for a device. Different texts get different
    names: `~`, which stands before the digest, is in no plain name.

    >>> safe_name("s1234567"), safe_name("../../x")
    ('s1234567', 'x~9cdf6a50100a862e14286c7a')
    """
    if PLAIN.fullmatch(text) and not DEVICES.fullmatch(text):
        return text
    return _with_digest(text)


def safe_names(texts: Iterable[str]) -> dict[str, str]:
    """`safe_name` of each text; where two differ only in capital letters, which some disks do not tell apart, with digest.

    >>> safe_names(["ann", "bob"])
    {'ann': 'ann', 'bob': 'bob'}
    """
    names = {text: safe_name(text) for text in texts}
    folded = Counter(name.casefold() for name in names.values())
    return {text: name if folded[name.casefold()] == 1 else _with_digest(text) for text, name in names.items()}


def _with_digest(text: str) -> str:
    readable = re.sub(r"[^A-Za-z0-9]+", "_", text)[:40].strip("_") or "student"
    return f"{readable}~{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
