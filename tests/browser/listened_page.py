"""A page and what it says; and what axe-core, a checker of accessibility, says about it."""

import re

ITS_OWN = re.compile(  # what JupyterLab itself says
    r"Starting application in workspace|Error: widget model not found|"
    r"Starting WebSocket: |Kernel: \w+ \(|Connection lost, reconnecting in "
)
PATIENCE = 180_000  # milliseconds: how busy the machine is decides no test
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


class Listened:
    """A page with its `messages` (of the console, and errors nobody caught) and the addresses of its `requests`."""

    def __init__(self, page):
        self.page, self.messages, self.requests = page, [], []
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: self._heard(message.type, message.text))
        page.on("pageerror", lambda error: self._heard("error", str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def _heard(self, kind, words):
        if not ITS_OWN.match(words):
            self.messages.append(f"{kind}: {words}")


def axe_findings(page, context: str, rules: list[str] | None = None) -> list[str]:
    """What axe-core objects to inside the elements that the selector `context` names, by all its rules or by a few."""
    from axe_playwright_python.sync_playwright import Axe

    only = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": TAGS}
    options = {"resultTypes": ["violations"], "runOnly": only}
    found = Axe().run(page, context=context, options=options).response["violations"]
    return [f"{v['id']}: {n['html'][:200]} {n['failureSummary']}" for v in found for n in v["nodes"]]
