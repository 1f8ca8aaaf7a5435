// One panel in the page: its marks, made when it is first seen, and which part of it is seen how large.

import { Places } from "./culling.js";
import { lessMotion, make, tallest } from "./elements.js";
import { drawnAs, forget, grouped, itemOf, made, momentsOf, refresh } from "./items.js";
import { changed, holds, indexMarks } from "./look.js";
import { Minimap } from "./minimap.js";

const MOST_DRAWN = 1500; // marks that all have nodes, wherever they are
const FARTHEST = 0.2, NEAREST = 4; // scales
const NEAR = 0.5; // the scale at which what a cover stands for is seen
const CLOSER = 2.5; // times, at least
const FINGER = 44; // px
const LITTLE_MORE = 3; // times as high as what is in sight: shown whole, as the page scrolls
const AHEAD = 0.2; // how far beyond what is in sight marks are drawn, in parts of that

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
    this.items = null;
    this.places = null; // of the marks of a panel of very many
    this.zoomed = 0; // 0: as it is arranged
    this.moved = false; // whether the reader has moved it since it last moved by itself
    this.scroller.addEventListener("scroll", () => {
      this.shade();
      if (this.places) this.frame ||= requestAnimationFrame(() => { this.frame = 0; this.draw(); });
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

  // Shown or not; what is shown for the first time is filled, and its marks enter `index`.
  show(shown, index, state) {
    this.element.hidden = !shown;
    if (!shown) return;
    const before = this.state;
    this.state = { ...state };
    if (!this.items) this.fill(index);
    else if (this.places) refresh(this.drawn.filter(({ mark }) => changed(mark, before, state)), state);
  }

  fill(index) {
    const { marks, far = [], near } = this.panel;
    this.items = marks.map(itemOf);
    if (marks.length > MOST_DRAWN) {
      this.items.push(...far.map(itemOf));
      this.places = new Places(this.items, near);
      this.linkedItems = grouped(this.items, ({ mark }) => [mark.link]);
      this.happening = grouped(this.items, ({ mark }) => (mark.tag === "rect" && !mark.scale ? momentsOf(mark) : []));
      this.drawn = [];
      this.svg.classList.add("lk-many");
      return;
    }
    this.svg.append(...this.items.map(made));
    indexMarks([this], index);
    refresh(this.items, this.state);
  }

  // Marks that have come into sight get nodes, those that have left it lose theirs.
  draw(anew = false) {
    const { scroller, scale, places } = this;
    if (!places || this.hidden || !scale || !scroller.clientWidth) return;
    const left = scroller.scrollLeft / scale, top = scroller.scrollTop / scale;
    const right = left + scroller.clientWidth / scale, bottom = top + scroller.clientHeight / scale;
    const known = this.region;
    if (!anew && known && known[0] <= left && known[1] <= top && known[2] >= right && known[3] >= bottom) return;
    const across = (right - left) * AHEAD, down = (bottom - top) * AHEAD;
    this.region = [left && left - across, top && top - down, right + across, bottom + down];
    const wanted = places.within(this.region, scale), stays = new Set(wanted);
    for (const item of this.drawn) if (!stays.has(item)) forget(item);
    const fresh = [];
    let next = this.svg.firstChild;
    for (const item of wanted) {
      if (item.node) next = item.node.nextSibling;
      else { fresh.push(item); this.svg.insertBefore(made(item), next); }
    }
    this.drawn = wanted;
    refresh(fresh, this.state);
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
    scroller.style.maxHeight = this.zoomed || panel.height * scale > LITTLE_MORE * tallest() ? "" : "none";
    this.resized?.(); // before it is measured: what lies over the picture is as large as it
    this.draw(true);
    const larger = scroller.scrollWidth > scroller.clientWidth + 1 || scroller.scrollHeight > scroller.clientHeight + 1;
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
    const { scroller, svg } = this;
    if (this.hidden) return;
    if (scroller.scrollWidth <= scroller.clientWidth && scroller.scrollHeight <= scroller.clientHeight) return;
    if (this.places) {
      const item = Object.entries(this.state).flatMap((moment) => this.happening.get(moment.join(" ")) || [])[0];
      if (item) this.scrollTo(this.onScreen(this.places.boxOf(item)));
      return;
    }
    const now = svg.querySelector("rect.is-now") || svg.querySelector(".is-now");
    if (now) this.scrollTo(now.getBoundingClientRect());
  }

  scrollTo(box) {
    const { scroller } = this, frame = scroller.getBoundingClientRect(), edge = 40;
    const off = (low, high, start, end) => low < start + edge || high > end - edge ? (low + high - start - end) / 2 : 0;
    const left = off(box.left, box.right, frame.left, frame.right), top = off(box.top, box.bottom, frame.top, frame.bottom);
    const near = Math.abs(left) < 3 * frame.width && !this.places;
    if (left || top) this.moved = false;
    if (left || top) scroller.scrollBy({ left, top, behavior: near && !lessMotion() ? "smooth" : "instant" });
    this.draw();
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

  onScreen([left, top, right, bottom]) {
    const box = this.svg.getBoundingClientRect(), { scale } = this;
    return { left: box.left + left * scale, right: box.left + right * scale, top: box.top + top * scale, bottom: box.top + bottom * scale };
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

  // The names of the links that can be pointed at.
  names() {
    if (this.places) return new Set(this.linkedItems.keys());
    const nodes = [...this.svg.querySelectorAll("[data-link]")].filter((node) => node.getClientRects().length);
    return new Set(nodes.map((node) => node.dataset.link));
  }

  // A link's mark comes into sight; returns its node, if it can be seen.
  reveal(name) {
    const item = this.places && this.linkedItems.get(name)?.find(({ mark }) => mark.tag === "rect");
    if (item) {
      const [from] = this.places.scales[this.places.items.indexOf(item)];
      if (!item.mark.scale && this.scale < from) this.zoom(this.arranged / this.scale);
      this.scrollTo(this.onScreen(this.places.boxOf(item)));
      return item.node;
    }
    const node = this.seen(name);
    if (node) this.scrollTo(node.getBoundingClientRect());
    return node;
  }
}
