"""One widget in a page: turn its dials as a reader would, and compare what stands there with what its scene says."""

import json
from collections.abc import Sequence

from labkit.widgets.kit.bound import turned
from labkit.widgets.kit.scene import Dial, Scene, holds, looks

READ = """frame => JSON.stringify({
  said: frame.querySelector(".lk-say").textContent,
  dials: [...frame.querySelectorAll(".lk-controls > .lk-dial")].map(node => node.getClientRects().length > 0),
  panels: [...frame.querySelectorAll("figure.lk-panel")].map(figure => ({
    hidden: figure.hidden, width: figure.querySelector("svg").viewBox.baseVal.width,
    marks: [...figure.querySelector("svg").children].map(node => ({
      at: Object.fromEntries([...node.attributes].map(a => [a.name, a.value])),
      text: node.tagName === "text" ? node.textContent : "",
    })),
  })),
})"""
LINKS = """frame => [...new Set([...frame.querySelectorAll("[data-link]")]
  .filter(node => node.getClientRects().length).map(node => node.dataset.link))]"""
HIT = """(frame, name) => {
  for (const node of frame.querySelectorAll(`[data-link="${CSS.escape(name)}"]`)) {
    node.scrollIntoView({block: "nearest", inline: "nearest"});
    const box = node.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    const hit = document.elementsFromPoint(x, y).find(one => !one.closest(".lk-grips"));  // a click passes through a handle
    if (box.width && hit?.closest("[data-link]")?.dataset.link === name) return [x, y];
  }
}"""


def track(dial: Dial) -> Sequence[int]:
    """The positions that a dial plays, in their order."""
    return dial.plays or range(len(dial.values))


MOMENT, TRIES = 5_000, 36  # milliseconds for a control that may be replaced, and how often it is looked for


class Shown:
    """The widget in `frame` (a locator of its outermost element), which shows `scene`. `state` is what is expected."""

    def __init__(self, frame, scene: Scene):
        self.frame, self.scene, self.page, self.state = frame, scene, frame.page, scene.start()
        frame.locator(".lk-title").wait_for()
        if scene.predict:
            frame.get_by_label("Predict first").uncheck()

    # ---- what a reader does ----

    def control(self, dial: Dial):
        return self.frame.locator(".lk-controls > .lk-dial").nth(list(self.scene.dials).index(dial))

    def turn(self, dial: Dial, position: int):
        """Turn a dial with its own control."""
        control = self.control(dial)
        if dial.kind == "slider" and not dial.plays:
            control.locator("input").fill(str(position))
        elif dial.plays:
            position = min(max(position, dial.plays[0]), dial.plays[-1])
            control.locator("input").fill(str(dial.plays.index(position)))
        elif dial.kind == "plane":
            down, across = divmod(position, dial.plane["columns"])
            rows = len(dial.values) // dial.plane["columns"]
            control.locator("input").nth(0).fill(str(across))
            control.locator("input").nth(1).fill(str(rows - 1 - down))
        elif dial.kind == "toggle":
            control.locator("input").set_checked(bool(position))
        elif dial.kind == "hunt":
            over = position == len(dial.values) - 1
            control.get_by_role("button", name="Show me" if over else "Again").click()
            self.state |= dict.fromkeys(dial.hunt.goes, 0) if not over else dial.hunt.goes
        elif dial.kind == "told":
            return  # by an answer alone
        elif dial.kind == "inside":
            self._drag(dial, position)
        else:
            self._choose(control, position)
        self.goes({**dial.shows, dial.name: position} if position != self.state[dial.name] else {})

    def goes(self, wanted):
        """What is expected when dials are turned, and with them what is bound to them."""
        self.state = turned(self.scene.dials, self.state, wanted)

    def _choose(self, control, position):
        """Choose with a button or from a list: a page that was made narrow replaces one by the other in its next frames."""
        from playwright.sync_api import TimeoutError as Replaced

        for left in reversed(range(TRIES)):
            try:
                if control.locator("select").count():
                    control.locator("select").select_option(index=position, timeout=MOMENT)
                else:
                    control.locator("input").nth(position).check(timeout=MOMENT)
                return
            except Replaced:
                if not left:
                    raise

    def _drag(self, dial, position):
        """Move the handle of a dial in the picture, with the arrow keys."""
        label = next(grip.label for grip in self.scene.grips if grip.dial == dial.name)
        knob = self.frame.locator(".lk-grip").and_(self.frame.get_by_role("slider", name=label, exact=True))
        for _ in dial.values:
            off = position - int(knob.get_attribute("aria-valuenow"))
            if off:
                knob.press("ArrowRight" if off > 0 else "ArrowLeft")

    def panel(self, i=0):
        """A visible panel, which takes the keyboard."""
        return self.frame.locator("figure.lk-panel:not([hidden]) .lk-scroll").nth(i)

    def press(self, key: str):
        """Press a key where the focus is, in a panel."""
        self.page.keyboard.press(key)
        if self.main:
            places = track(self.main)
            here, last = self.state[self.main.name], len(places) - 1
            now = places.index(here) if here in places else -1
            wanted = {"ArrowRight": now + 1, "ArrowLeft": now - 1, "Home": 0, "End": last}.get(key, now)
            self.goes({self.main.name: places[min(last, max(0, wanted))]})

    def click(self, link: str) -> bool:
        """Click a mark of a link with the mouse; False if none of them can be hit."""
        place = self.frame.evaluate(HIT, link)
        if place:
            plays = link in self.scene.links and self.scene.links[link].plays
            self.page.emulate_media(reduced_motion="reduce" if plays else None)  # then its end is seen at once
            self.page.mouse.click(*place)
            go = self._suspected(link) or self.scene.links[link].go
            for dial in self.scene.dials:
                self.state |= dial.shows if dial.name in go and go[dial.name] != self.state[dial.name] else {}
            self.state |= go
            if plays and self.main and self.state[self.main.name] == track(self.main)[0]:
                self.state[self.main.name] = track(self.main)[-1]
        return bool(place)

    def _suspected(self, link) -> dict[str, int]:
        """Where dials go when a suspect is clicked."""
        for dial in self.scene.dials:
            if dial.hunt and link in dial.hunt.choices and holds(dial.when, self.state):
                misses, last = self.state[dial.name] + 1, len(dial.values) - 1
                over = link == dial.hunt.answer or misses == last
                return {} if misses > last else {**dial.hunt.goes, dial.name: last} if over else {dial.name: misses}
        return {}

    # ---- what is there ----

    def links(self) -> list[str]:
        """The names of the links that can be seen."""
        return self.frame.evaluate(LINKS)

    @property
    def main(self) -> Dial | None:
        """The dial that the keyboard steps."""
        shown = (d for d in self.scene.dials if holds(d.when, self.state))
        return next((d for d in shown if d.kind == "slider" or d.plays), None)

    def position(self, dial: Dial) -> int:
        """Where the control of a slider stands, or that along what a dial plays."""
        return track(dial)[int(self.control(dial).locator("input").input_value())]

    def differences(self) -> list[str]:
        """Where the page differs from the scene in the expected state, once nothing moves: none, it is hoped."""
        self.frame.locator("[data-moving]").wait_for(state="detached")
        found, there = [], json.loads(self.frame.evaluate(READ))
        for panel, read in zip(self.scene.panels, there["panels"], strict=True):
            if read["hidden"] != (not holds(panel.when, self.state)):
                found.append(f"panel {panel.name}: hidden is {read['hidden']}")
            if read["hidden"] and not read["marks"]:  # they are made when the panel is first seen
                continue
            panel = next((one for one in _layouts(panel) if abs(one.width - read["width"]) < 0.5), panel)
            for i, (mark, seen) in enumerate(zip(panel.marks, read["marks"], strict=True)):
                found += [f"{panel.name}, mark {i}: {words}" for words in self._of_mark(mark, seen)]
        for dial, seen in zip(self.scene.dials, there["dials"], strict=False):
            if seen != (dial.kind not in ("inside", "told") and holds(dial.when, self.state)):
                found.append(f"dial {dial.name} is shown where it should not be, or not where it should be")
        asked = self.frame.locator("form.lk-ask").is_visible()  # then the question stands in the place of what is said
        if there["said"] != ("" if asked else self.scene.said(self.state)):
            found.append(f"says {there['said']!r}")
        return found

    def _of_mark(self, mark, seen):
        at, words, name = looks(mark, self.state)
        if not holds(mark.when, self.state):
            name = "hidden"
        classes = set(seen["at"].pop("class").split()) - {"lk-hot"}
        if classes != ({f"lk-{mark.role}", f"is-{name}"} if name else {f"lk-{mark.role}"}):
            yield f"looks {classes}, not {mark.role} {name}"
        if seen["text"] != (words if mark.tag == "text" else ""):
            yield f"reads {seen['text']!r}, not {words!r}"
        for key in ("data-link", "data-turned"):  # the latter is lit for a moment
            seen["at"].pop(key, None)
        for key in at.keys() | seen["at"].keys():
            if not _same(seen["at"].get(key), at.get(key)):
                yield f"{key} is {seen['at'].get(key)!r}, not {at.get(key)!r}"


def _layouts(panel):
    """A panel, and what it may be in a narrower page."""
    return [panel, *_layouts(panel.narrow)] if panel else []


def _same(shown, wanted):
    if isinstance(wanted, (int, float)) and shown is not None:
        return float(shown) == wanted
    return shown == wanted
