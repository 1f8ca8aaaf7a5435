"""A scene as a short text: compressed, its paths as the ways from point to point, whose numbers are small and often alike.

`page/unpacking.js` reads it.
"""

import base64
import gzip
import json
import re
from typing import Any

NUMBER = r"(?:0|-?(?:0\.[1-9]|[1-9]\d*(?:\.[1-9])?))"  # as `strokes` writes it, in tenths of a px
PATH = re.compile(rf"(?:[MLC]{NUMBER}(?: {NUMBER})*|Z)+")
MARK = "\x01"  # that no other text begins with


def packed(scene: Any, plain: int = 0) -> Any:
    """A scene as a short text, which the page unpacks; as it is where it has no more than `plain` letters."""
    text = json.dumps(scene, allow_nan=False, separators=(",", ":"))
    if len(text) <= plain:
        return scene
    text = json.dumps(_shorter(scene), allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _shorter(value):
    """What is in a scene, with its paths relative."""
    if isinstance(value, str):
        return relative(value) if PATH.fullmatch(value) else value
    if isinstance(value, dict):
        return {key: _shorter(one) for key, one in value.items()}
    return [_shorter(one) for one in value] if isinstance(value, list) else value


def relative(path: str) -> str:
    """A path with each coordinate as its difference from that of the point before, in tenths.

    >>> relative("M10 20.5L11 20.5L12 20Z")[1:]
    'm100 205l10 0l10 -5z'
    """
    last, turn = [0, 0], 1

    def moved(found):
        nonlocal turn
        turn = 1 - turn
        now = round(10 * float(found[0]))
        by, last[turn] = now - last[turn], now
        return str(by)

    return MARK + re.sub(NUMBER, moved, path).lower()
