// What is pointed at lights up wherever it is drawn, and says what it is: by pointer, and by the arrow keys.

import { make } from "./elements.js";

const UNKNOWN = "Not known yet: predict first.";

export class Pointing {
  // `keepsBack(link)`: whether what a link tells is to be predicted first.
  constructor(root, links) {
    Object.assign(this, { root, links, order: Object.keys(links), keepsBack: () => false });
    this.tip = make("div", { className: "lk-tip", hidden: true });
    this.stop = new AbortController();
    const elsewhere = ({ target }) => { if (!root.contains(target) || !target.closest(".lk-scroll")) this.at(undefined); };
    document.addEventListener("pointerdown", elsewhere, { signal: this.stop.signal });
    this.details = make("section", { className: "lk-details", hidden: true, "aria-label": "Details", "aria-live": "polite" });
  }

  // `name` is pointed at (undefined: nothing is), by a pointer at (x, y) if one is given.
  at(name, x, y) {
    if (name !== this.name) {
      this.light(this.name, false);
      this.light(name, true);
      this.name = name;
      this.fillTip(this.links[name], this.keepsBack(this.links[name]));
    }
    if (x !== undefined && !this.tip.hidden) this.placeTip(x, y);
  }

  // What is said of the parts is another: of the one that is pointed at, and of the one that is pinned.
  renewed() {
    if (!this.tip.hidden) this.fillTip(this.links[this.name], this.keepsBack(this.links[this.name]));
    if (!this.details.hidden) this.pin(this.pinned);
  }

  // What was clicked is known: its words are out of the way until something else is pointed at.
  hush() { this.tip.hidden = true; }

  leave() { this.stop.abort(); }

  // A tap on `name`: whether it is the first one there, which only says what it is, if anything is said of it.
  tapped(name, { clientX, clientY }) {
    if (name !== undefined && name === this.name) return false;
    this.at(name, clientX, clientY);
    if (this.tip.hidden) return false;
    const { go, opens, sets } = this.links[name], again = go || opens !== undefined ? "Tap again to go there." : sets && "Tap again.";
    if (again) this.tip.append(make("i", {}, again));
    this.placeTip(clientX, clientY);
    return true;
  }

  // The links with words on them in a panel, in the order in which they are visited.
  among(panel) {
    const there = new Set(panel.marks.map((mark) => (mark.tag === "text" ? mark.link : undefined)));
    return this.order.filter((name) => there.has(name));
  }

  // What a part is called; without what the reader is to predict.
  nameOf(name) {
    const link = this.links[name];
    return this.keepsBack(link) ? [link.name, UNKNOWN].filter(Boolean).join(": ") : link.label;
  }

  light(name, on) {
    if (name === undefined) return;
    this.root.querySelectorAll(`[data-link="${CSS.escape(name)}"]`).forEach((node) => node.classList.toggle("lk-hot", on));
  }

  fillTip(link, secret) {
    this.tip.hidden = !(link && (link.tip || link.heat));
    if (this.tip.hidden) return;
    if (secret) {
      this.tip.replaceChildren(...(link.name ? [make("b", {}, link.name)] : []), make("div", {}, UNKNOWN));
      return;
    }
    const heat = (link.heat || []).map((row) => make("div", { className: "lk-heat" }, ...row.map((v) => {
      const cell = make("i", { className: v === null ? "nan" : v < 0 ? "minus" : "plus" });
      cell.style.setProperty("--lk-strength", v === null ? 1 : Math.abs(v));
      return cell;
    })));
    this.tip.replaceChildren(...(link.tip || []).map((words, i) => make(i ? "div" : "b", {}, words)), ...heat);
  }

  // What is said of a part that was clicked stays below the picture.
  pin(link) {
    const { details } = this, shut = () => { details.hidden = true; };
    this.pinned = link;
    details.hidden = !(link && (link.details || []).length) || this.keepsBack(link);
    if (details.hidden) return;
    const close = make("button", { type: "button", className: "lk-button", title: "Close", "aria-label": "Close the details", onclick: shut }, "\u00d7");
    const lines = [...(link.tip || []).slice(1), ...link.details].map((words) => make("li", {}, words));
    details.replaceChildren(make("b", {}, link.tip[0]), close, make("ul", {}, ...lines));
    this.tip.hidden = true; // what it says stands below now
  }

  placeTip(x, y) {
    const box = this.root.getBoundingClientRect();
    const left = Math.min(x - box.left + 14, Math.max(0, box.width - this.tip.offsetWidth - 4));
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${y - box.top + 18}px`;
  }

  // A part comes into sight in a view, and is pointed at.
  goTo(name, view) {
    const node = view.reveal(name);
    this.at(undefined);
    this.at(name);
    const box = node?.getBoundingClientRect();
    if (box && !this.tip.hidden) this.placeTip(box.right, box.bottom);
  }

  // The part after (`by` 1) or before (-1) the one that is pointed at, among those seen in a view; returns its label.
  visit(by, view) {
    const names = view.names(), seen = this.order.filter((name) => names.has(name));
    if (!seen.length) return undefined;
    const at = seen.indexOf(this.name);
    const name = seen[at < 0 ? (by > 0 ? 0 : seen.length - 1) : (at + by + seen.length) % seen.length];
    this.goTo(name, view);
    return this.nameOf(name);
  }
}
