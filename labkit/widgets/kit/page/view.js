// One panel in the page: its marks, made when it is first seen, and which part of it is seen how large.

import { leastText } from "./arranging.js";
import { lessMotion, make, tallest } from "./elements.js";
import { drawnAs, grouped, itemOf, made, refresh } from "./items.js";
import { holds } from "./look.js";
import { Minimap } from "./minimap.js";
import { Sight } from "./sight.js";

const MOST_DRAWN = 1500; // marks that all have nodes; of more those in sight
const FARTHEST = 0.2, NEAREST = 4; // scales
const NEAR = 0.5; // the scale at which what a cover stands for is seen
const CLOSER = 2.5; // times, at least
const FINGER = 44; // px
const LITTLE_MORE = 3; // times as high as what is in sight: shown whole, as the page scrolls

export class View {
  constructor(panel, scene) {
    this.panel = panel;
    this.svg = drawnAs("svg");
    this.svg.setAttribute("viewBox", `0 0 ${panel.width} ${panel.height}`);
    this.svg.setAttribute("aria-hidden", "true");
    this.scroller = make("div", {
      className: "lk-scroll", tabIndex: 0, role: "group", "data-lm-suppress-shortcuts": "true",
      "aria-label": `${panel.title || scene.title}. ${scene.description}`,
    }, this.svg);
    this.head = make("figcaption", {}, make("span", {}, panel.title || ""));
    this.head.hidden = !panel.title;
    this.map = new Minimap(this);
    this.element = make("figure", { className: "lk-panel" }, this.head, this.scroller, this.map.element);
    this.sight = null; // of a panel of very many marks
    this.zoomed = 0; // 0: as it is arranged
    this.moved = false; // whether the reader has moved it since it last moved by itself
    this.scroller.addEventListener("scroll", () => {
      if (!this.sight) this.shade();
      else this.scrolled ||= requestAnimationFrame(() => { this.scrolled = 0; this.shade(); this.draw(); });
    });
  }

  // With what stands above the panel (`tools.js`).
  equip(tools) {
    this.tools = tools;
    this.head.append(tools.element);
    this.equipped(false);
  }

  equipped(larger) {
    this.tools?.show(larger);
    this.head.hidden = !this.panel.title && (!this.tools || this.tools.element.hidden);
  }

  get hidden() { return this.element.hidden; }

  // Shown or not; what is shown for the first time is filled, and its marks enter the index of those that change.
  show(shown, changing, state) {
    this.element.hidden = !shown;
    if (!shown) return;
    const before = this.state;
    this.state = { ...state };
    if (!before) this.fill(changing);
    else this.sight?.turn(before, state);
  }

  fill(changing) {
    const { marks } = this.panel;
    if (marks.length > MOST_DRAWN) { this.sight = new Sight(this, changing); return; }
    this.all = marks.map(itemOf);
    this.svg.append(...this.all.map(made));
    for (const item of this.all) changing.enter(item);
    refresh(this.all, this.state);
  }

  // Its marks, of very many those in sight.
  get items() { return this.sight?.near || this.all || []; }

  draw(anew) {
    this.sight?.measure();
    this.sight?.draw(anew);
  }

  // Before a step is drawn: what is in sight then gets nodes, at its new state.
  ahead(state) {
    if (this.hidden || !this.sight) return;
    this.sight.turn(this.state, (this.state = { ...state }));
    if (this.sight.follow(state)) this.moved = false;
  }

  // The tokens that travel to a state by a dial, put on top of all marks.
  tokens(dial, state) {
    if (this.hidden || !this.items) return [];
    const position = state[dial];
    const going = (mark) => holds(mark.when, state) && mark.moves.some((move) => move.dial === dial && move.position === position);
    return (this.panel.tokens || []).filter(going).map((mark) => {
      const node = drawnAs(mark.tag);
      for (const name in mark.at) node.setAttribute(name, mark.at[name]);
      this.svg.append(node);
      return { mark, node, dial, position, text: "", name: null, at: {} };
    });
  }

  // ---- which part is seen, how large ----

  // The place in a row of panels: `wide` px, and the scale that this gives, unless the reader has zoomed.
  arrange(scale, wide) {
    this.arranged = scale;
    this.element.style.width = `${Math.min(wide, Math.ceil(this.panel.width * scale))}px`;
    this.resize(this.zoomed === "whole" ? this.wholeScale() : this.zoomed || scale);
  }

  resize(scale) {
    const { panel, svg, scroller } = this;
    if (this.scale === scale) { this.shade(); this.draw(); return; }
    this.scale = scale;
    svg.style.width = `${panel.width * scale}px`;
    svg.style.height = `${panel.height * scale}px`;
    svg.style.setProperty("--lk-least", `${leastText(this.zoomed ? 1 : scale)}px`);
    scroller.style.maxHeight = this.zoomed || panel.height * scale > LITTLE_MORE * tallest() ? "" : "none";
    this.resized?.(); // before it is measured: what lies over the picture is as large as it
    this.draw(true);
    const larger = this.larger = scroller.scrollWidth > scroller.clientWidth + 1 || scroller.scrollHeight > scroller.clientHeight + 1;
    scroller.classList.toggle("lk-larger", larger);
    this.equipped(larger);
    this.shade();
  }

  // A shadow at each side on which there is more.
  shade() {
    this.map.show();
    const { scroller, element } = this, { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = scroller;
    const more = { left: scrollLeft > 1, right: scrollLeft + clientWidth < scrollWidth - 1, top: scrollTop > 1, bottom: scrollTop + clientHeight < scrollHeight - 1 };
    const sides = JSON.stringify([more, scroller.offsetTop]);
    if (sides === this.shaded) return;
    this.shaded = sides;
    element.style.setProperty("--lk-head", `${scroller.offsetTop}px`);
    for (const side in more) element.style.setProperty(`--lk-${side}`, more[side] ? "14px" : "0px");
  }

  // The scale at which all of it is in sight.
  wholeScale() {
    const { panel, scroller, arranged } = this;
    const tall = Math.max(Math.min(panel.height * arranged, tallest()), 80);
    return Math.min((scroller.clientWidth - 1) / panel.width, tall / panel.height, NEAREST);
  }

  // All of it in sight, or, if it is already, as it was arranged.
  whole() {
    this.zoomed = this.zoomed === "whole" ? 0 : "whole";
    this.resize(this.zoomed ? this.wholeScale() : this.arranged);
  }

  // Larger or smaller; the part at the point `at` (of the page; default: the middle) stays where it is.
  zoom(by, at) {
    const { scroller } = this, frame = scroller.getBoundingClientRect();
    const x = at ? at.clientX - frame.left : frame.width / 2, y = at ? at.clientY - frame.top : frame.height / 2;
    const before = this.scale || 1, left = scroller.scrollLeft + x, top = scroller.scrollTop + y;
    this.zoomed = Math.min(NEAREST, Math.max(Math.min(FARTHEST, this.wholeScale()), before * by));
    this.resize(this.zoomed);
    const grown = this.zoomed / before;
    scroller.scrollTo({ left: left * grown - x, top: top * grown - y, behavior: "instant" });
    this.draw();
  }

  // What a link says of the part that the reader has chosen to see: the scale and the middle, or that it is the whole.
  part() {
    const { scroller, scale, zoomed } = this;
    if (this.hidden || (!zoomed && !this.moved)) return undefined;
    if (zoomed === "whole") return zoomed;
    const x = (scroller.scrollLeft + scroller.clientWidth / 2) / scale, y = (scroller.scrollTop + scroller.clientHeight / 2) / scale;
    return [Math.round(scale * 100) / 100, Math.round(x), Math.round(y)].join(",");
  }

  see(part) {
    const { scroller } = this, [scale, x, y] = part;
    this.zoomed = part === "whole" ? part : Math.min(NEAREST, Math.max(Math.min(FARTHEST, this.wholeScale()), scale));
    this.resize(part === "whole" ? this.wholeScale() : this.zoomed);
    if (part !== "whole") scroller.scrollTo({ left: x * this.scale - scroller.clientWidth / 2, top: y * this.scale - scroller.clientHeight / 2, behavior: "instant" });
    this.draw();
  }

  // The part that happens now comes into sight.
  follow() {
    const { svg, sight } = this;
    if (this.hidden || !this.larger) return;
    if (sight) { if (sight.follow(this.state)) this.moved = false; return; }
    const now = svg.querySelector("rect.is-now") || svg.querySelector(".is-now");
    if (now) this.scrollTo(now.getBoundingClientRect());
  }

  scrollTo(box) {
    const { scroller } = this, frame = scroller.getBoundingClientRect(), edge = 40;
    const off = (low, high, start, end) => low < start + edge || high > end - edge ? (low + high - start - end) / 2 : 0;
    const left = off(box.left, box.right, frame.left, frame.right), top = off(box.top, box.bottom, frame.top, frame.bottom);
    const near = Math.abs(left) < 3 * frame.width;
    if (left || top) this.moved = false;
    if (left || top) scroller.scrollBy({ left, top, behavior: near && !lessMotion() ? "smooth" : "instant" });
  }

  // ---- the places of a pointer and of marks ----

  // A pointer's place in px of the panel.
  place(event) {
    const box = this.svg.getBoundingClientRect(), { width, height } = this.panel;
    return [((event.clientX - box.left) / box.width) * width, ((event.clientY - box.top) / box.height) * height];
  }

  // The link at a point of the page, or else the nearest one within a finger's width.
  near({ target, clientX, clientY }) {
    const there = target.closest?.("[data-link]")?.dataset.link;
    if (there !== undefined) return there;
    let nearest, least = FINGER / 2;
    for (const node of this.svg.querySelectorAll("[data-link]")) {
      const box = node.getBoundingClientRect();
      const off = Math.hypot(Math.max(box.left - clientX, clientX - box.right, 0), Math.max(box.top - clientY, clientY - box.bottom, 0));
      if (box.width && off < least) { least = off; nearest = node.dataset.link; }
    }
    return nearest;
  }

  // A click on what stands for many parts seen from afar goes near enough to see them; returns whether it was one.
  enter(event) {
    const cover = event.target.closest?.(".lk-cover");
    if (!cover) return false;
    const box = cover.getBoundingClientRect(), { scroller } = this;
    this.zoom(Math.min(Math.max(scroller.clientWidth / box.width, CLOSER), Math.max(NEAR / this.scale, 1.5)), event);
    return true;
  }

  // Where a place in px of the panel stands in its scroller.
  spot([x, y]) {
    if (this.sight?.frame) return this.sight.spot([x, y]);
    const box = this.svg.getBoundingClientRect(), frame = this.scroller.getBoundingClientRect(), { width, height } = this.panel;
    const { scrollLeft, scrollTop, clientLeft, clientTop } = this.scroller;
    return [box.left - frame.left - clientLeft + scrollLeft + (x / width) * box.width,
      box.top - frame.top - clientTop + scrollTop + (y / height) * box.height];
  }

  linked(name) { return [...this.svg.querySelectorAll(`[data-link="${CSS.escape(name)}"]`)]; }

  seen(name) { return this.linked(name).find((node) => node.getClientRects().length); }

  // The names of the links that can be pointed at.
  names() {
    if (this.sight) return new Set(this.sight.linked.keys());
    const nodes = [...this.svg.querySelectorAll("[data-link]")].filter((node) => node.getClientRects().length);
    return new Set(nodes.map((node) => node.dataset.link));
  }

  // A link's mark comes into sight; returns its node, if it can be seen.
  reveal(name) {
    const found = this.sight?.markOf(name);
    if (found) {
      if (this.scale < found.from) this.zoom(this.arranged / this.scale);
      this.sight.show(found.box);
      return found.item.node;
    }
    const node = this.seen(name);
    if (node) this.scrollTo(node.getBoundingClientRect());
    return node;
  }
}
