// Plays a scene: where its dials stand, what that shows, and what turns them.

import { askControl } from "./asking.js";
import { CONTROLS } from "./controls.js";
import { make } from "./elements.js";
import { Grabbing } from "./grabbing.js";
import { briefly, captionOf, carried, holds, touched } from "./look.js";
import { Pointing } from "./pointing.js";
import { View, refresh } from "./view.js";

const PACE = 900; // ms from one position to the next

export class Player {
  // `state`, `before`, `predict`: of the scene shown before; `turned`: where its dials stand in this one whatever was before. `told(state)`: the dials were turned here. `send(message)`: to
  // Python. `open(part)`: a part was folded or unfolded. `live`: whether Python listens. `held`: what is being dragged.
  constructor(root, scene, { state, turned, before, predict, told, send, open, live, held }) {
    Object.assign(this, { root, scene, told, send, open, live, predict: predict ?? scene.predict ?? false });
    this.dials = scene.dials || [];
    this.state = {};
    for (const dial of this.dials) {
      const old = (before?.dials || []).find((one) => one.name === dial.name);
      const kept = turned?.[dial.name] ?? carried(dial, old, (state || {})[dial.name]);
      this.state[dial.name] = kept !== undefined && kept < dial.values.length ? kept : dial.start || 0;
    }
    this.build();
    this.grabbing = new Grabbing(this, held);
    this.afterwards();
  }

  // The slider that the arrow keys move: the first one that is offered now.
  get main() {
    return this.dials.find((dial) => (dial.kind || "slider") === "slider" && holds(dial.when, this.state));
  }

  // ---- building ----

  build() {
    const { scene, root } = this;
    this.controls = this.dials.map((dial) => {
      const control = CONTROLS[dial.kind || "slider"](dial, (position) => this.request(dial, position), this);
      return { dial, ...control };
    });
    this.say = make("p", { className: "lk-say", role: "status", "aria-live": "polite" });
    this.more = make("details", { className: "lk-more" }, make("summary", {}, "more"), make("p"));
    this.ask = askControl();
    this.pointing = new Pointing(root, scene.links || {});
    this.index = {};
    this.views = scene.panels.map((panel) => this.listen(new View(panel, scene)));
    root.replaceChildren(
      make(this.live ? "p" : "h1", { className: "lk-title" }, scene.title),
      ...(scene.notice ? [make("p", { className: "lk-notice", role: "alert" }, scene.notice)] : []),
      this.bar(), this.say, this.more, this.ask.element,
      make("div", { className: "lk-panels" }, ...this.views.map((view) => view.element)),
      make("p", { className: "lk-keys" }, this.keysHint()), this.pointing.tip);
  }

  bar() {
    const bar = make("div", { className: "lk-controls" }, ...this.controls.map((c) => c.element));
    if (this.dials.some((dial) => Object.keys(dial.asks || {}).length)) bar.append(this.predictToggle());
    this.fields = this.live ? Object.entries(this.scene.fields || {}).map(([name, text]) => this.field(name, text)) : [];
    bar.append(...this.fields.map(({ element }) => element));
    return bar;
  }

  keysHint() {
    const parts = this.main ? ["← → step, Home and End, space plays"] : [];
    if (this.pointing.order.length) parts.push("↑ ↓ visit the parts, Enter goes there");
    return `${parts.join("; ")}${parts.length ? "; " : ""}Ctrl+wheel, + and − zoom`;
  }

  predictToggle() {
    const box = make("input", { type: "checkbox", checked: this.predict, onchange: () => { this.predict = box.checked; this.afterwards(); } });
    return make("label", { className: "lk-dial lk-toggle" }, box, make("span", {}, "Predict first"));
  }

  field(name, text) {
    const input = make("input", { type: "text", value: text, size: 8, inputMode: "decimal" });
    input.onchange = () => this.send({ set: { [name]: input.value } });
    return { name, element: make("label", { className: "lk-dial" }, make("span", { className: "lk-label" }, `${name} =`), input) };
  }

  listen(view) {
    const { svg, scroller } = view;
    const linkAt = (event) => event.target.closest?.("[data-link]")?.dataset.link;
    svg.addEventListener("pointermove", (event) => this.pointing.at(linkAt(event), event.clientX, event.clientY));
    svg.addEventListener("pointerleave", () => this.pointing.at(undefined));
    svg.addEventListener("click", (event) => this.follow(linkAt(event)));
    scroller.addEventListener("keydown", (event) => this.key(event, view));
    scroller.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(view, event.deltaY < 0 ? 1.15 : 1 / 1.15);
    }, { passive: false });
    return view;
  }

  // ---- turning dials ----

  request(dial, position) {
    const now = this.state[dial.name];
    if (this.predict && position > now) {
      for (let i = now + 1; i <= position; i++) {
        const ask = [(dial.asks || {})[i] || []].flat().find((one) => holds(one.when, this.state));
        if (!ask) continue;
        this.pause();
        this.turn(dial, i - 1);
        this.ask.ask(ask, () => { this.ask.hide(); this.turn(dial, i); this.focusPanel(); });
        return;
      }
    }
    this.ask.hide();
    this.turn(dial, position);
  }

  turn(dial, position) { this.set({ [dial.name]: position, ...(this.predict ? dial.resets : {}) }); }

  set(wanted, tell = true) {
    const items = new Set();
    for (const name in wanted) {
      const from = this.state[name];
      if (from === undefined || from === wanted[name]) continue;
      this.state[name] = wanted[name];
      touched(this.index, name, from, wanted[name]).forEach((item) => items.add(item));
    }
    refresh(items, this.state);
    this.afterwards();
    if (tell) this.told(this.state);
  }

  afterwards() {
    this.root.classList.toggle("lk-predicting", Boolean(this.predict));
    for (const { dial, element, show } of this.controls) {
      element.hidden = !holds(dial.when, this.state);
      show(this.state[dial.name], this.playing === dial);
    }
    for (const { name, element } of this.fields) element.hidden = !holds((this.scene.fields_at || {})[name], this.state);
    for (const view of this.views) view.show(holds(view.panel.when, this.state), this.index, this.state);
    const [words, rest] = briefly(captionOf(this.scene, this.state));
    if (this.say.textContent !== words) this.say.textContent = words;
    this.more.hidden = !rest;
    this.more.lastChild.textContent = rest;
    this.fit();
    for (const view of this.views) view.follow();
  }

  toggle(dial) {
    const playing = this.playing === dial;
    this.pause();
    if (playing) return;
    const last = dial.values.length - 1;
    if (this.state[dial.name] === last) this.turn(dial, 0);
    this.playing = dial;
    this.timer = setInterval(() => {
      this.request(dial, Math.min(last, this.state[dial.name] + 1));
      if (this.state[dial.name] === last) this.pause();
    }, PACE);
    this.afterwards();
  }

  pause() {
    clearInterval(this.timer);
    if (!this.playing) return;
    this.playing = undefined;
    this.afterwards();
  }

  // ---- clicks, keys ----

  follow(name) {
    const link = (this.scene.links || {})[name], hunt = this.controls.find((control) => control.takes?.(name));
    if (hunt) { this.pause(); hunt.suspect(name); return; }
    if (!link) return;
    if (link.opens !== undefined) this.open(link.opens);
    if (link.sets) this.grabbing.ask(link.sets, name);
    if (link.go) { this.pause(); this.ask.hide(); this.set(link.go); }
  }

  key(event, view) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowRight: (i) => i + 1, ArrowLeft: (i) => i - 1, Home: () => 0, End: () => Infinity };
    if (event.key in steps && this.main) {
      this.pause();
      const last = this.main.values.length - 1;
      this.request(this.main, Math.min(last, Math.max(0, steps[event.key](this.state[this.main.name]))));
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const label = this.pointing.visit(event.key === "ArrowDown" ? 1 : -1, view);
      if (label !== undefined) this.say.textContent = label;
    } else if (event.key === "Enter") this.follow(this.pointing.name);
    else if (event.key === " " && this.main) this.toggle(this.main);
    else if (event.key === "+" || event.key === "-") this.zoom(view, event.key === "+" ? 1.15 : 1 / 1.15);
    else if (event.key === "Escape") { this.pointing.at(undefined); return; }
    else return;
    event.preventDefault();
  }

  focusPanel() { this.views.find((view) => !view.hidden)?.scroller.focus({ preventScroll: true }); }

  // ---- size ----

  fit() {
    const room = this.root.clientWidth;
    if (!room) return;
    for (const view of this.views) view.fit(room);
    this.grabbing.place();
  }

  zoom(view, by) {
    view.zoom(by);
    this.fit();
  }
}
