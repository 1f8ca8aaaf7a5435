// Of a panel with very many marks those in sight have nodes: which these are, and the part of the panel that is seen.

import { Places } from "./culling.js";
import { forget, grouped, itemOf, made, momentsOf, refresh } from "./items.js";
import { holds } from "./look.js";

const AHEAD = 0.2; // how far beyond what is in sight marks are drawn, in parts of that
const EDGE = 40; // px of the frame in which nothing should happen

export class Sight {
  constructor(view, changing) {
    const { marks, far = [], near } = view.panel, items = [...marks, ...far].map(itemOf);
    Object.assign(this, { view, changing, near: [], frame: null, places: new Places(items, near) });
    this.linked = grouped(items, ({ mark }) => [mark.link]);
    this.happening = grouped(items, ({ mark }) => (mark.tag === "rect" && !mark.scale ? momentsOf(mark) : []));
    this.offers = [...new Set(items.flatMap(({ mark }) => Object.keys(mark.when || {})))]; // dials that hide marks
    view.svg.classList.add("lk-many");
  }

  // What is seen of the panel is known, so that a step need not ask the page, which would lay it out each time.
  measure() {
    const { scrollLeft: left, scrollTop: top, clientWidth: width, clientHeight: height } = this.view.scroller;
    this.frame = { left, top, width, height };
  }

  // At another state: what is hidden there has no node.
  turn(before, state) { if (this.offers.some((dial) => before[dial] !== state[dial])) this.draw(true); }

  // Marks that have come into sight get nodes, if they are seen at this state; those that have left it lose theirs.
  draw(anew = false, ahead = AHEAD) {
    const { frame, region: known, view: { hidden, scale, state, svg } } = this;
    if (hidden || !scale || !frame?.width) return;
    const [left, top, wide, high] = [frame.left, frame.top, frame.width, frame.height].map((px) => px / scale);
    if (!anew && known && known[0] <= left && known[1] <= top && known[2] >= left + wide && known[3] >= top + high) return;
    const [across, down] = [wide, high].map((size) => size * ahead + 2 / scale); // the page rounds where it has scrolled to
    this.region = [left && left - across, top && top - down, left + wide + across, top + high + down];
    const near = this.places.within(this.region, scale).filter(({ mark }) => holds(mark.when, state)), stays = new Set(near);
    for (const item of this.near) if (!stays.has(item)) { this.changing.leave(item); forget(item); }
    this.near = near;
    let next = svg.firstChild;
    for (const item of near) {
      if (item.sight) { if (item.node) next = item.node.nextSibling; continue; }
      item.sight = this;
      this.next = next;
      refresh([item], state);
      this.changing.enter(item);
    }
    this.next = undefined;
  }

  // An item in sight that is seen now gets its node, before that of the next one that has one.
  add(item) {
    let next = this.next;
    if (next === undefined) {
      let low = 0, high = this.near.length;
      while (low < high) { const middle = (low + high) >> 1; if (this.near[middle].place <= item.place) low = middle + 1; else high = middle; }
      while (low < this.near.length && !this.near[low].node) low++;
      next = this.near[low]?.node || null;
    }
    this.view.svg.insertBefore(made(item), next);
  }

  // What happens at a state comes into sight; returns whether it had to be moved for that.
  follow(state) {
    const item = Object.entries(state).flatMap((moment) => this.happening.get(moment.join(" ")) || [])[0];
    return Boolean(item) && this.show(this.places.boxOf(item));
  }

  // A box of the panel comes into sight, in the middle, if it is not there already.
  show([left, top, right, bottom]) {
    const { frame, view: { scale, panel, scroller } } = this;
    if (!frame) return false;
    const off = (low, high, start, size) => (low < start + EDGE || high > start + size - EDGE ? (low + high - size) / 2 : start);
    const within = (wanted, size, whole) => Math.max(0, Math.min(wanted, whole - size));
    const x = within(off(left * scale, right * scale, frame.left, frame.width), frame.width, panel.width * scale);
    const y = within(off(top * scale, bottom * scale, frame.top, frame.height), frame.height, panel.height * scale);
    if (x === frame.left && y === frame.top) return false;
    Object.assign(frame, { left: x, top: y });
    scroller.scrollTo({ left: x, top: y, behavior: "instant" });
    this.draw(false, 0); // the reader has not begun to scroll
    return true;
  }

  // Where a place in px of the panel stands in its scroller.
  spot([x, y]) {
    const { frame, view: { scale, panel } } = this;
    return [Math.max(0, (frame.width - panel.width * scale) / 2) + x * scale, y * scale];
  }

  // The mark of a link, and the scale from which on it is seen.
  markOf(name) {
    const item = this.linked.get(name)?.find(({ mark }) => mark.tag === "rect");
    return item && { item, box: this.places.boxOf(item), from: item.mark.scale ? 0 : this.places.fromOf(item) };
  }
}
