"""A Firefox to test with: the one that is installed, driven by WebDriver BiDi, which it speaks itself."""

import contextlib
import itertools
import json
import re
import subprocess
import tempfile
import time

import programs

PATIENCE = 180.0  # seconds: how busy the machine is decides no test
LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
QUIET = {  # what it would load by itself
    "app.update.enabled": False, "datareporting.policy.dataSubmissionEnabled": False, "browser.newtabpage.enabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False, "browser.startup.page": 0,
    "browser.safebrowsing.malware.enabled": False, "browser.safebrowsing.phishing.enabled": False,
    "services.settings.server": "data:,#", "extensions.update.enabled": False,
}  # fmt: skip


@contextlib.contextmanager
def page(width=1000, height=800):
    """A page of a running Firefox with a profile of its own."""
    with tempfile.TemporaryDirectory() as profile:
        settings = "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in QUIET.items())
        with open(f"{profile}/user.js", "w", encoding="utf-8") as file:
            file.write(settings)
        command = [programs.find("firefox"), "--headless", "--no-remote", "--profile", profile]
        command += ["--remote-debugging-port", "0", "about:blank"]
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            found = Page(next(found[1] for line in running.stderr if (found := LISTENING.search(line))))
            found.ask("browsingContext.setViewport", viewport={"width": width, "height": height})
            yield found
        finally:
            running.terminate()
            running.wait()
            running.stderr.close()


class Page:
    """A page, what it has said on the console (`messages`) and the addresses that it asked for (`requests`)."""

    def __init__(self, address):
        import websocket

        self.messages, self.requests, self._numbers = [], [], itertools.count(1)
        self._socket = websocket.create_connection(f"{address}/session", timeout=PATIENCE, suppress_origin=True)
        self._say("session.new", capabilities={})
        self._context = self._say("browsingContext.getTree")["contexts"][0]["context"]
        self._say("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])

    def _say(self, method, **parameters):
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while (got := json.loads(self._socket.recv())).get("id") != number:
            self._hear(got["method"], got["params"])
        assert got["type"] == "success", got
        return got["result"]

    def _hear(self, event, told):
        if event == "log.entryAdded" and told["level"] in ("warn", "error"):
            self.messages.append(f"{told['level']}: {told['text']}")
        elif event == "network.beforeRequestSent":
            self.requests.append(told["request"]["url"])

    def ask(self, method, **parameters):
        """What the page answers to a command of WebDriver BiDi."""
        return self._say(method, context=self._context, **parameters)

    def goto(self, address):
        """Open an address."""
        self.ask("browsingContext.navigate", url=address, wait="complete")

    def reload(self):
        """Load the page again."""
        self.ask("browsingContext.reload", wait="complete")

    def evaluate(self, expression):
        """The value of an expression of JavaScript, as JSON has it."""
        made = f"Promise.resolve({expression}).then((value) => JSON.stringify(value ?? null))"
        got = self._say("script.evaluate", expression=made, target={"context": self._context}, awaitPromise=True)
        assert got["type"] == "success", got
        return json.loads(got["result"]["value"])

    def wait_for(self, expression):
        """Wait until an expression of JavaScript is true."""
        ends = time.monotonic() + PATIENCE
        while not self.evaluate(f"Boolean({expression})"):
            assert time.monotonic() < ends, f"it never came true: {expression}"
            time.sleep(0.1)

    def _element(self, css, n):
        found = self.ask("browsingContext.locateNodes", locator={"type": "css", "value": css})["nodes"]
        assert len(found) > n, f"{len(found)} elements are {css}"
        return {"type": "element", "element": {"sharedId": found[n]["sharedId"]}}

    def click(self, css, n=0):
        """Press the mouse on an element: of those that the selector names, number `n`."""
        origin = self._element(css, n)
        self.evaluate(f"document.querySelectorAll({json.dumps(css)})[{n}].scrollIntoView({{ block: 'center' }})")
        moves = [{"type": "pointerMove", "x": 0, "y": 0, "origin": origin}]
        moves += [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self.ask("input.performActions", actions=[{"type": "pointer", "id": "mouse", "actions": moves}])

    def type(self, text):
        """Type text, or one key by its code point, where the focus is."""
        keys = [{"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]
        self.ask("input.performActions", actions=[{"type": "key", "id": "keys", "actions": keys}])
