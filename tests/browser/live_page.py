"""A widget in a page that Python listens to, as in a notebook, without a notebook: messages and scenes go to and fro."""

from labkit.widgets.kit.page import script, style
from labkit.widgets.kit.scene import to_json

PAGE = """<!doctype html><html lang="en" class="alone"><head><meta charset="utf-8"><title>live</title><style>{css}</style></head>
<body><main id="stage" data-widget="cell"></main><script type="module">
{script}
const listeners = {{}}, values = await window.begin();
const change = (name, value) => {{ values[name] = value; (listeners[`change:${{name}}`] || []).forEach((act) => act()); }};
const model = {{
  get: (name) => values[name], set: (name, value) => {{ values[name] = value; }}, off() {{}},
  save_changes() {{ window.turned(values.state); }}, on: (type, act) => (listeners[type] ||= []).push(act),
  send: async (message) => {{
    for (const scene of await window.python(message)) change("scene", scene);
    change("rest", await window.rest());
    listeners["msg:custom"].forEach((act) => act({{ answered: true }}));
  }},
}};
window.change = change;
player.render({{ model, el: document.getElementById("stage") }});
</script></body></html>"""


class Wire:
    """In the place of the Jupyter widget: what the picture sends is kept until the page takes it."""

    def __init__(self, picture):
        self.state, self.sent, self.closed = picture.scene.start(), [], False

    @property
    def scene(self):
        return self.sent[-1]

    @scene.setter
    def scene(self, scene):
        self.sent.append(scene)


class Live:
    """A picture in a page (of Playwright) that it answers. `messages`: all that came from the page."""

    def __init__(self, page, picture, folder, link=""):
        self.page, self.picture, self.messages = page, picture, []
        self.wire = picture._player = Wire(picture)
        page.expose_function("begin", self.begin)
        page.expose_function("python", self.answer)
        page.expose_function("turned", self.turned)
        page.expose_function("rest", lambda: picture.rest)
        file = folder / "live.html"
        file.write_text(
            PAGE.format(css=style(), script=script().replace("export default", "const player =")), encoding="utf-8"
        )
        page.goto(f"{file.as_uri()}{link}")
        page.locator(".lk-title").wait_for()

    def begin(self):
        """What the page knows at first."""
        known = {"scene": to_json(self.picture.scene), "state": self.wire.state, "rest": self.picture.rest}
        return known | {"live": True, "still": "", "scenes": {}}

    def answer(self, message):
        """The scenes that answer a message."""
        self.messages.append(message)
        self.wire.sent.clear()
        self.picture.hear(message)
        return list(self.wire.sent)

    def turned(self, state):
        """The dials were turned in the page."""
        self.wire.state = state
