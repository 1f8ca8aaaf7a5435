// Marks of the page on their way: drawn frame by frame, at their end as soon as something else is to be seen.

import { STEP, between, part, token } from "./motion.js";
import { Covered } from "./covered.js";
import { lessMotion } from "./elements.js";
import { refresh, write } from "./items.js";

const FULL = 800, SHORT = 220; // ms: one step on, and the last one of a jump or of many steps in a row
const SOON = 450; // ms after a turn in which the next one is one of many
const SHORTEST = 50; // ms: less than a few frames is not seen

export class Moving {
  // `drawn()`: called after each frame.
  constructor(root, changing, drawn = () => {}) {
    Object.assign(this, { root, changing, drawn, turned: -Infinity, held: false });
    this.listening = new AbortController();
    const on = (type, call, where = root) => where.addEventListener(type, call, { capture: true, signal: this.listening.signal });
    for (const type of ["pointerdown", "keydown"]) on(type, () => (this.begun = true));
    on("pointerdown", (event) => (this.held = Boolean(event.target.closest?.(".lk-scroll")))); // what is dragged is at the finger
    for (const type of ["pointerup", "pointercancel"]) on(type, () => (this.held = false), window);
  }

  // From the state `before` to `after`, which differ in `dial`: `touched` marks are drawn; `length` in ms, if it is known.
  turn(dial, before, after, items, views, length) {
    const { name } = dial, now = performance.now(), many = now - this.turned < SOON;
    const step = (dial.kind || "slider") === "slider" && !dial.puts, by = Math.sign(after[name] - before[name]);
    const near = step ? { ...after, [name]: after[name] - by } : before; // of a jump only the last step is seen
    this.turned = now;
    const played = length !== undefined;
    length ??= many || near[name] !== before[name] ? SHORT : FULL;
    if (lessMotion() || this.held || (dial.kind === "plane" && !played) || length < SHORTEST) { refresh(items, after); return; }
    if (near !== before) refresh(items, near);
    const [low, high] = step && by < 0 ? [after, near] : [near, after];
    const last = step ? this.changing.touched(name, near[name], after[name]) : items;
    this.way = { dial: name, low, high, progress: by < 0 && step ? 1 : 0 };
    this.begin(last, after, length, by < 0 && step,
      [...last].map((item) => [item, between(item.mark, name, low, high, by < 0 && step)]).filter(([, way]) => way),
      step ? views.flatMap((view) => view.tokens(name, high)) : [], views);
  }

  begin(items, after, length, back, ways, tokens, views) {
    if (!ways.length && !tokens.length) { this.way = undefined; refresh(items, after); return; }
    this.last = () => { refresh([...items, ...ways.map(([item]) => item)], after); for (const one of tokens) one.node.remove(); covered.end(); };
    this.root.dataset.moving = "";
    const start = performance.now(), covered = new Covered(tokens, views);
    const draw = (progress) => {
      this.way.progress = progress;
      for (const [item, way] of ways) write(item, way(progress));
      for (const one of tokens) {
        const look = token(one.mark, one.dial, one.position, progress);
        write(one, look || { at: null, text: one.text, name: "hidden" });
      }
      covered.show();
      this.drawn();
    };
    const frame = () => {
      const over = (performance.now() - start) / length;
      if (over >= 1) { this.end(); return; }
      draw(back ? 1 - over : over);
      this.frame = requestAnimationFrame(frame);
    };
    draw(back ? 1 - 1e-6 : 1e-6);
    this.frame = requestAnimationFrame(frame);
  }

  // The spot of a grip: while its dial turns, by itself or along with another, on the way there, as the marks beside it are.
  spotOf(grip, position) {
    const { way } = this, there = grip.spots[position];
    if (!way || !there) return there;
    const [from, to] = [way.low, way.high].map((state) => grip.spots[state[grip.dial]]), p = part(way.progress, 0, STEP);
    return from && to ? to.map((n, i) => from[i] + (n - from[i]) * p) : there;
  }

  // All that moves is where it is going to be.
  end() {
    cancelAnimationFrame(this.frame);
    this.way = undefined;
    const last = this.last;
    this.last = undefined;
    if (last) { last(); this.drawn(); }
    delete this.root.dataset.moving;
  }

  leave() {
    this.end();
    this.listening.abort();
  }
}
