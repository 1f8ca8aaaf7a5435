// A small map of a panel that is much larger than its frame: which part is seen, to be dragged elsewhere. For keys and
// screen readers it is not there: they have the parts themselves.

import { make } from "./elements.js";

const MAP_WIDE = 140, MAP_HIGH = 90; // px, at most
const THIN = 8; // px, of a panel that is all width or height
const WORTHWHILE = 3; // times as large as its frame
const SPECK = 1; // px: less of a box is not drawn

export class Minimap {
  constructor(view) {
    this.view = view;
    this.seen = make("i");
    this.canvas = make("canvas");
    this.element = make("div", { className: "lk-map", hidden: true, "aria-hidden": "true" }, this.canvas, this.seen);
    const move = (event) => {
      if (!(event.buttons & 1)) return;
      this.element.setPointerCapture(event.pointerId);
      this.go(event);
      event.preventDefault();
    };
    this.element.addEventListener("pointerdown", move);
    this.element.addEventListener("pointermove", move);
  }

  // The middle of what is seen goes where the pointer is.
  go({ clientX, clientY }) {
    const { view, scale } = this, box = this.canvas.getBoundingClientRect(), { scroller } = view;
    const left = ((clientX - box.left) / scale[0]) * view.scale - scroller.clientWidth / 2;
    const top = ((clientY - box.top) / scale[1]) * view.scale - scroller.clientHeight / 2;
    view.moved = true;
    scroller.scrollTo({ left, top, behavior: "instant" });
  }

  // Shown where it is worth it, and then what it says.
  show() {
    const { scroller, panel, scale } = this.view, { clientWidth, clientHeight } = scroller;
    const shown = panel.width * panel.height * scale ** 2 > WORTHWHILE * clientWidth * clientHeight && clientWidth > 2 * MAP_WIDE;
    this.element.hidden = !shown;
    if (!shown) return;
    this.draw();
    const part = (length, by) => `${(length / scale) * by}px`, [across, down] = this.scale;
    Object.assign(this.seen.style, {
      left: part(scroller.scrollLeft, across), top: part(scroller.scrollTop, down),
      width: part(clientWidth, across), height: part(clientHeight, down),
    });
  }

  draw() {
    const dark = getComputedStyle(this.element).color; // changes with the theme
    if (this.drawn === dark) return;
    this.drawn = dark;
    const { panel } = this.view, fits = Math.min(MAP_WIDE / panel.width, MAP_HIGH / panel.height);
    const width = Math.max(THIN, panel.width * fits), height = Math.max(THIN, panel.height * fits), sharp = devicePixelRatio || 1;
    this.scale = [width / panel.width, height / panel.height];
    Object.assign(this.canvas, { width: width * sharp, height: height * sharp });
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    const ink = this.canvas.getContext("2d"), [across, down] = this.scale.map((by) => by * sharp);
    ink.fillStyle = dark;
    for (const { tag, link, at } of panel.marks) {
      if (tag !== "rect" || link === undefined) continue;
      ink.fillRect(at.x * across, at.y * down, Math.max(SPECK, at.width * across), Math.max(SPECK, at.height * down));
    }
  }
}
