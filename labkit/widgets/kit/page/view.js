// One panel in the page: its marks, made when it is first seen, and which part of it is seen how large.

import { indexMarks, lookOf } from "./look.js";
import { make } from "./elements.js";

const SVG = "http://www.w3.org/2000/svg";

export class View {
  constructor(panel, scene) {
    this.panel = panel;
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("viewBox", `0 0 ${panel.width} ${panel.height}`);
    this.svg.setAttribute("aria-hidden", "true");
    this.scroller = make("div", {
      className: "lk-scroll", tabIndex: 0, role: "group", "data-lm-suppress-shortcuts": "true",
      "aria-label": `${panel.title || scene.title}. ${scene.description}`,
    }, this.svg);
    this.element = make("figure", { className: "lk-panel" },
      ...(panel.title ? [make("figcaption", {}, panel.title)] : []), this.scroller);
    this.items = null;
    this.zoomed = 0; // 0: as it fits
  }

  get hidden() { return this.element.hidden; }

  // Shown or not; what is shown for the first time is filled, and its marks enter `index`.
  show(shown, index, state) {
    this.element.hidden = !shown;
    if (shown && !this.items) this.fill(index, state);
  }

  fill(index, state) {
    this.items = this.panel.marks.map((mark) => {
      const node = document.createElementNS(SVG, mark.tag);
      for (const name in mark.at || {}) node.setAttribute(name, mark.at[name]);
      if (mark.link !== undefined) node.dataset.link = mark.link;
      this.svg.append(node);
      return { mark, node, text: "", name: null, at: {} };
    });
    indexMarks([this], index);
    refresh(this.items, state);
  }

  // ---- which part is seen, how large ----

  fit(room) {
    const { panel, svg } = this;
    const scale = this.zoomed || Math.min(1, Math.max(0.82, (room - 8) / panel.width));
    if (this.scale === scale) return;
    this.scale = scale;
    svg.style.width = `${panel.width * scale}px`;
    svg.style.height = `${panel.height * scale}px`;
  }

  zoom(by) { this.zoomed = Math.min(4, Math.max(0.2, (this.scale || 1) * by)); }

  // The part that happens now comes into sight.
  follow() {
    const { scroller, svg } = this;
    if (this.hidden) return;
    if (scroller.scrollWidth <= scroller.clientWidth && scroller.scrollHeight <= scroller.clientHeight) return;
    const now = svg.querySelector("rect.is-now") || svg.querySelector(".is-now");
    if (now) this.scrollTo(now.getBoundingClientRect());
  }

  scrollTo(box) {
    const frame = this.scroller.getBoundingClientRect(), edge = 40;
    const off = (low, high, start, end) => low < start + edge || high > end - edge ? (low + high - start - end) / 2 : 0;
    const left = off(box.left, box.right, frame.left, frame.right), top = off(box.top, box.bottom, frame.top, frame.bottom);
    if (left || top) this.scroller.scrollBy({ left, top, behavior: lessMotion() ? "auto" : "smooth" });
  }

  // ---- the places of a pointer and of marks ----

  // A pointer's place in px of the panel.
  place(event) {
    const box = this.svg.getBoundingClientRect(), { width, height } = this.panel;
    return [((event.clientX - box.left) / box.width) * width, ((event.clientY - box.top) / box.height) * height];
  }

  // Where a place in px of the panel stands in its scroller.
  spot([x, y]) {
    const box = this.svg.getBoundingClientRect(), frame = this.scroller.getBoundingClientRect(), { width, height } = this.panel;
    const { scrollLeft, scrollTop, clientLeft, clientTop } = this.scroller;
    return [box.left - frame.left - clientLeft + scrollLeft + (x / width) * box.width,
      box.top - frame.top - clientTop + scrollTop + (y / height) * box.height];
  }

  linked(name) { return [...this.svg.querySelectorAll(`[data-link="${CSS.escape(name)}"]`)]; }

  seen(name) { return this.linked(name).find((node) => node.getClientRects().length); }
}

// Marks as they look at a state: only what has changed is written.
export function refresh(items, state) {
  for (const item of items) {
    const look = lookOf(item.mark, state);
    for (const name in look.at) {
      if (item.at[name] === look.at[name]) continue;
      item.at[name] = look.at[name];
      if (look.at[name] === undefined) item.node.removeAttribute(name);
      else item.node.setAttribute(name, look.at[name]);
    }
    if (item.mark.tag === "text" && item.text !== look.text) item.node.textContent = item.text = look.text;
    if (item.name !== look.name) {
      item.name = look.name;
      item.node.setAttribute("class", `lk-${item.mark.role}${look.name ? ` is-${look.name}` : ""}`);
    }
  }
}

export function lessMotion() { return matchMedia("(prefers-reduced-motion: reduce)").matches; }
