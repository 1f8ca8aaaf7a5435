"""Saved pages of widgets as frames of the site's pages, with their addresses."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

DATA = re.compile(r'(<script type="application/json" id="data">)(.*?)(</script>)', re.DOTALL)


def knowing(page: Path, **facts: Any) -> None:
    """Tell a saved page of a widget more: `plays` as soon as it is seen, or the `home` that a link to what it shows leads to.

    Its scene is packed, if it is not yet.
    """

    def told(found):
        data = json.loads(found[2]) | facts
        if isinstance(data["scene"], dict):
            data["scene"] = base64.b64encode(
                gzip.compress(json.dumps(data["scene"], separators=(",", ":")).encode(), mtime=0)
            ).decode()
        return found[1] + json.dumps(data, separators=(",", ":")).replace("<", "\\u003c") + found[3]

    page.write_text(DATA.sub(told, page.read_text(encoding="utf-8")), encoding="utf-8")
