"""A grip in a page, taken hold of as a reader would: with the mouse, with a finger, with the arrow keys."""


class Dragged:
    """The grips of a widget that is `Shown`. Places are in px of the panel."""

    def __init__(self, shown):
        self.shown, self.page, self.scene = shown, shown.page, shown.scene

    def knob(self, name: str):
        """The handle."""
        return self.shown.frame.get_by_role("slider", name=self.grip(name).label, exact=True).and_(
            self.shown.frame.locator(".lk-grip")
        )

    def grip(self, name: str):
        """The grip of a name that is seen now, in the state that is expected."""
        for grip in self.scene.grips:
            if grip.name == name and all(self.shown.state[dial] in where for dial, where in grip.when.items()):
                return grip
        raise KeyError(name)

    def centre(self, name: str) -> tuple[float, float]:
        """Where the handle stands in the window."""
        self.knob(name).scroll_into_view_if_needed()
        box = self.knob(name).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def scale(self, name: str) -> float:
        """How many px of the window a px of the handle's panel is."""
        panels = list(dict.fromkeys(panel.name for panel in self.scene.panels))
        return self.shown.frame.evaluate(SCALE, panels.index(self.grip(name).panel))

    def to_spot(self, name: str, position: int, way: str = "mouse") -> None:
        """Drag a handle to the spot of a position of its dial, which it then turns."""
        grip = self.grip(name)
        now, there = grip.spots[self.shown.state[grip.dial]], grip.spots[position]
        self.by(name, there[0] - now[0], there[1] - now[1], way)
        self.shown.goes({grip.dial: position})

    def by(self, name: str, across: float, down: float, way: str = "mouse") -> None:
        """Drag a handle by so many px of its panel, however large that is shown."""
        x, y = self.centre(name)
        across, down = across * self.scale(name), down * self.scale(name)
        if way == "mouse":
            self.page.mouse.move(x, y)
            self.page.mouse.down()
            self.page.mouse.move(x + across, y + down, steps=4)
            self.page.mouse.up()
            return
        session = self.page.context.new_cdp_session(self.page)

        def touch(kind, *points):
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

        touch("touchStart", {"x": x, "y": y})
        for k in range(1, 5):
            touch("touchMove", {"x": x + across * k / 4, "y": y + down * k / 4})
        touch("touchEnd")

    def off(self, name: str) -> list[float]:
        """How far the handle stands from its grip's spot, in px of the window; once the page is drawn."""
        grip = self.grip(name)
        spot = grip.spots[self.shown.state[grip.dial]] if grip.dial else grip.at
        return self.knob(name).evaluate(OFF, list(spot))

    def press(self, name: str, *keys: str) -> None:
        """Press keys on the handle."""
        for key in keys:
            self.knob(name).press(key)


SCALE = """(frame, i) => {
  const svg = frame.querySelectorAll("figure.lk-panel svg")[i];
  return svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
}"""
OFF = """async (knob, [x, y]) => {
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const svg = knob.closest(".lk-scroll").querySelector("svg"), box = svg.getBoundingClientRect();
  const at = knob.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
  return [at.x + at.width / 2 - box.x - x * scale, at.y + at.height / 2 - box.y - y * scale];
}"""
