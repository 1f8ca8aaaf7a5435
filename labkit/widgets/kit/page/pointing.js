// What is pointed at lights up wherever it is drawn, and says what it is: by pointer, and by the arrow keys.

import { make } from "./elements.js";

export class Pointing {
  constructor(root, links) {
    Object.assign(this, { root, links, order: Object.keys(links) });
    this.tip = make("div", { className: "lk-tip", hidden: true });
  }

  // `name` is pointed at (undefined: nothing is), by a pointer at (x, y) if one is given.
  at(name, x, y) {
    if (name !== this.name) {
      this.light(this.name, false);
      this.light(name, true);
      this.name = name;
      this.fillTip(this.links[name]);
    }
    if (x !== undefined && !this.tip.hidden) this.placeTip(x, y);
  }

  light(name, on) {
    if (name === undefined) return;
    this.root.querySelectorAll(`[data-link="${CSS.escape(name)}"]`).forEach((node) => node.classList.toggle("lk-hot", on));
  }

  fillTip(link) {
    this.tip.hidden = !(link && (link.tip || link.heat));
    if (this.tip.hidden) return;
    const heat = (link.heat || []).map((row) => make("div", { className: "lk-heat" }, ...row.map((v) => {
      const cell = make("i", { className: v === null ? "nan" : v < 0 ? "minus" : "plus" });
      cell.style.setProperty("--lk-strength", v === null ? 1 : Math.abs(v));
      return cell;
    })));
    this.tip.replaceChildren(...(link.tip || []).map((words, i) => make(i ? "div" : "b", {}, words)), ...heat);
  }

  placeTip(x, y) {
    const box = this.root.getBoundingClientRect();
    const left = Math.min(x - box.left + 14, Math.max(0, box.width - this.tip.offsetWidth - 4));
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${y - box.top + 18}px`;
  }

  // The part after (`by` 1) or before (-1) the one that is pointed at, among those seen in a view; returns its label.
  visit(by, view) {
    const seen = this.order.filter((name) => view.seen(name));
    if (!seen.length) return undefined;
    const at = seen.indexOf(this.name);
    const name = seen[at < 0 ? (by > 0 ? 0 : seen.length - 1) : (at + by + seen.length) % seen.length];
    this.at(name);
    view.scrollTo(view.seen(name).getBoundingClientRect());
    const box = view.seen(name).getBoundingClientRect();
    if (!this.tip.hidden) this.placeTip(box.right, box.bottom);
    return this.links[name].label;
  }
}
