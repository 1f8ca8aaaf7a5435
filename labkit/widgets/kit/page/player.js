// Plays a scene: where its dials stand, what that shows, and what turns them.

import { arrange, widest, stick } from "./arranging.js";
import { askControl } from "./asking.js";
import { turned } from "./bound.js";
import { Changing } from "./changing.js";
import { CONTROLS } from "./controls.js";
import { lessMotion, make } from "./elements.js";
import { foldChoices } from "./folding.js";
import { Grabbing } from "./grabbing.js";
import { briefly, captionOf, carried, holds, inSteps, onTheWay, placeOnTrack, plays, trackOf } from "./look.js";
import { Moving } from "./moving.js";
import { panning } from "./panning.js";
import { Playing } from "./playing.js";
import { Pointing } from "./pointing.js";
import { toolsOf } from "./tools.js";
import { refresh, renew } from "./items.js";
import { View } from "./view.js";

const LIT = 900; // ms
const LEAST = 720; // px: a page is at least so wide, where there is room
const MOST_READ = 200; // steps whose words are measured

// Whether a choice turns others back to where nothing is told of what it does.
function turnsBack(dial) { return !inSteps(dial) && Object.keys(dial.resets || {}).length > 0; }

export class Player {
  // `state`, `before`, `predict`: of the scene shown before; `turned`: where dials stand in this one whatever was before.
  // `told(state)`: the dials were turned here. `send(message)`: to Python. `open(part)`: a part was folded or unfolded. `live`:
  // whether Python listens; `reach`: what a saved page answers in its place. `held`: what is being dragged.
  constructor(root, scene, { state, turned, before, predict, told, send, open, live, reach, held }) {
    Object.assign(this, { root, scene, told, send, open, live, reach, predict: predict ?? scene.predict ?? false });
    this.play = new Playing(this);
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
    this.grabbing.focus(held?.focused);
  }

  // The dial that is played, and that the arrow keys move: the first one that is offered now.
  get main() { return this.dials.find((dial) => plays(dial) && holds(dial.when, this.state)); }

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
    this.pointing.keepsBack = (link) => this.predict && Boolean(link) && this.keepsBack(link);
    this.changing = new Changing();
    this.moving = new Moving(root, this.changing, () => this.grabbing?.follow(this.moving.way));
    const layouts = (panel) => (panel ? [this.listen(new View(panel, scene)), ...layouts(panel.narrow)] : []);
    this.layouts = scene.panels.map(layouts);
    this.views = this.layouts.flat();
    this.notice = make("p", { className: "lk-notice", role: "alert" }, (this.noticed = scene.notice_link ? this.toldButton() : make("span", {}, scene.notice || "")));
    root.replaceChildren(
      make(this.live ? "p" : "h1", { className: "lk-title" }, scene.title),
      this.notice,
      this.bar(), this.say, this.ask.element,
      make("div", { className: "lk-panels" }, ...this.layouts.map(([view]) => view.element)),
      ...this.controls.map(({ below }) => below).filter(Boolean), this.pointing.details, this.more,
      make("p", { className: "lk-keys" }, this.keysHint()), this.pointing.tip);
  }

  bar() {
    const bar = make("div", { className: "lk-controls" }, ...this.controls.map((c) => c.element));
    if (this.dials.some((dial) => Object.keys(dial.asks || {}).length)) bar.append(this.predictToggle());
    this.fields = this.live ? Object.entries(this.scene.fields || {}).map(([name, text]) => this.field(name, text)) : [];
    bar.append(...this.fields.map(({ element }) => element));
    return bar;
  }

  // What is told leads to where it is.
  toldButton() {
    const { notice, notice_link: name, links } = this.scene, title = links[name].tip[0];
    return make("button", { type: "button", className: "lk-told", title, onclick: () => this.follow(name) }, notice);
  }

  keysHint() {
    const parts = this.main ? ["← → step, Home and End, space plays"] : [];
    if (this.pointing.order.length) parts.push("↑ ↓ visit the parts, Enter goes there");
    if (this.views.some((view) => view.tools.search)) parts.push("/ searches");
    return [...parts, "Ctrl+wheel, + and − zoom, 0 shows all"].join("; ");
  }

  predictToggle() {
    const box = make("input", { type: "checkbox", checked: this.predict });
    box.onchange = () => {
      this.predict = box.checked;
      this.pause();
      this.ask.hide();
      this.afterwards();
      if (!this.predict) this.set(Object.fromEntries(this.dials.filter(({ kind }) => kind === "told").map(({ name }) => [name, 1])));
      else if (!this.leadsUp()) this.poses();
    };
    this.predicting = box;
    return make("label", { className: "lk-dial lk-toggle lk-predict" }, box, make("span", {}, "Predict first"));
  }

  field(name, text) {
    const input = make("input", { type: "text", value: text, size: 8, inputMode: "decimal" });
    input.onchange = () => this.send({ set: { [name]: input.value } });
    return { name, element: make("label", { className: "lk-dial" }, make("span", { className: "lk-label" }, `${name} =`), input) };
  }

  listen(view) {
    const { svg, scroller } = view;
    const linkAt = (event) => event.target.closest?.("[data-link]")?.dataset.link;
    svg.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "touch") this.pointing.at(linkAt(event), event.clientX, event.clientY);
    });
    svg.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") this.pointing.at(undefined); });
    svg.addEventListener("pointerdown", (event) => { this.touched = event.pointerType === "touch"; });
    svg.addEventListener("click", (event) => {
      if (this.touched && this.pointing.tapped(view.near(event), event)) return; // a first tap shows what a pointer over it shows
      if (!view.enter(event)) this.follow(this.touched ? view.near(event) : linkAt(event));
    });
    scroller.addEventListener("keydown", (event) => this.key(event, view));
    panning(view);
    view.resized = () => this.grabbing?.place();
    view.equip(toolsOf(view, this.pointing.among(view.panel), (name) => this.pointing.nameOf(name), (name) => this.pointing.goTo(name, view)));
    return view;
  }

  // ---- turning dials ----

  request(dial, position) {
    const now = this.state[dial.name];
    if (this.predict) {
      for (const i of onTheWay(dial, now, position)) {
        const ask = this.askedAt(dial, i);
        if (!ask) continue;
        this.pose(dial, i, ask);
        return;
      }
    }
    this.ask.hide();
    this.turn(dial, position);
  }

  // A question is put before a step; before a choice, or where that turns back all that gives it away, after it.
  pose(dial, i, ask) {
    this.pause();
    this.turn(dial, inSteps(dial) ? i - 1 : turnsBack(dial) ? i : this.state[dial.name]);
    this.ask.ask(ask, () => { this.ask.hide(); this.turn(dial, i); this.playsOn(dial); this.focusPanel(); });
    this.says();
  }

  turn(dial, position) {
    const along = this.along(dial);
    this.set({ ...along, [dial.name]: position });
    if (this.predict) this.asksAgain(along);
  }

  // What an answer turned back, and nothing is asked of, plays to where it is seen whether the answer is right.
  playsOn({ shows = {} }) {
    const back = this.dials.find((dial) => dial.name in shows && plays(dial) && !this.next([dial]));
    if (back && this.state[back.name] < shows[back.name]) this.play.toggle(back);
  }

  // Where other dials go when one is turned: back to where one predicts from, or to where all is seen.
  along(dial) { return this.predict ? dial.resets : dial.shows; }

  // The numbers in the scene are others: what is seen is written anew, and nothing is built. `without`: panels that do not follow.
  renewed(without = []) {
    this.moving.end();
    this.without = without;
    for (const view of this.views) renew(view.items, this.state);
    this.pointing.renewed();
    const unlit = () => this.root.querySelectorAll("[data-turned]").forEach((node) => delete node.dataset.turned);
    clearTimeout(this.calm); // what has turned is lit for a moment, not while it plays
    if (this.play.dial) unlit(); else this.calm = setTimeout(unlit, LIT);
    this.afterwards();
    if (this.asking) this.asksOn();
  }

  // What was turned back while the reader predicts is asked for again, once nothing is dragged; what nobody asks for is told.
  asksAgain(along = {}) {
    const back = this.dials.filter((dial) => dial.name in along && inSteps(dial));
    if (!back.length) return;
    this.grabbing.whenLetGo(() => {
      for (const dial of back) if (dial.kind === "told" && !this.next([dial])) this.set({ [dial.name]: 1 });
      this.poses(back);
    });
  }

  // Whether a question is open, or comes when what is dragged is let go: then the scene that takes this one's place asks, too.
  get asking() { return !this.ask.element.hidden || Boolean(this.grabbing.later); }

  asksOn() { this.grabbing.whenLetGo(() => this.poses()); }

  set(wanted, tell = true) {
    const items = new Set(), before = { ...this.state }, after = turned(this.dials, before, wanted);
    const moved = this.dials.filter(({ name }) => after[name] !== before[name]), asked = moved.filter(({ name }) => wanted[name] !== undefined);
    if (moved.length) this.moving.end(); // what still moves from the turn before
    Object.assign(this.state, after);
    for (const view of this.views) view.ahead(this.state);
    for (const { name } of moved) this.changing.touched(name, before[name], after[name]).forEach((item) => items.add(item));
    if (asked.length === 1) this.moving.turn(asked[0], before, { ...this.state }, items, this.views, this.play.moves(asked[0]));
    else refresh(items, this.state);
    this.afterwards();
    if (tell) this.told(this.state);
  }

  afterwards() {
    this.notice.hidden = !this.scene.notice || this.predict && Object.entries(this.scene.told_at || {}).some(([dial, at]) => this.state[dial] < at);
    this.tells();
    this.root.classList.toggle("lk-predicting", Boolean(this.predict));
    if (this.predicting) {
      this.predicting.checked = this.predict;
      this.predicting.parentNode.hidden = !this.predict && !this.next(); // such as while a cause is still looked for
    }
    for (const { dial, element, show } of this.controls) {
      element.hidden = !holds(dial.when, this.state);
      show(this.state[dial.name], this.play.dial === dial);
    }
    this.showViews();
    this.says();
    this.fit(this.room || undefined); // a step does not measure: where the room changes, `render.js` says so
    for (const view of this.views) view.follow();
  }

  // What is told first, or what stands there instead where something is put right.
  tells() {
    const instead = Object.entries(this.scene.notice_at || {}).map(([dial, words]) => words[this.state[dial]]).find(Boolean);
    const words = instead || this.scene.notice || "";
    this.notice.classList.toggle("lk-good", Boolean(instead));
    if (this.noticed.textContent !== words) this.noticed.textContent = words;
  }

  // What is told of where the dials stand; while something is asked, the question stands in its place.
  says() {
    this.say.hidden = !this.ask.element.hidden;
    const [words, rest] = this.say.hidden ? ["", ""] : briefly(captionOf(this.scene, this.state));
    if (this.say.textContent !== words) this.say.textContent = words;
    this.more.hidden = !rest;
    this.more.lastChild.textContent = rest;
  }

  // The picture stays where it is when the words grow longer: there is room for the longest of the steps.
  holdsRoomForWords() {
    const { main, say, scene, state } = this, track = main ? trackOf(main) : [], every = Math.ceil(track.length / MOST_READ);
    const steps = track.filter((_, at) => at % every === 0 || at === track.length - 1);
    const told = steps.map((i) => briefly(captionOf(scene, { ...state, [main.name]: i }))[0]);
    const longest = ["", ...told].sort((a, b) => b.length - a.length).slice(0, 4); // the highest are among them
    const probes = longest.map((words) => make("p", { className: "lk-say lk-probe" }, words));
    say.after(...probes);
    say.style.minHeight = `${Math.ceil(Math.max(...probes.map((probe) => probe.getBoundingClientRect().height)))}px`;
    for (const probe of probes) probe.remove();
  }

  // Of a panel with several layouts one is in the page, the widest that there is room for.
  showViews() {
    const room = this.room || this.root.clientWidth || Infinity; // measured once a step, in `fit`
    for (const views of this.layouts) {
      const fits = widest(views, room), before = views.find(({ out }) => !out);
      for (const view of views) view.out = view !== fits;
      if (fits !== before) before.element.replaceWith(fits.element);
    }
    const stale = new Set(this.without?.flatMap((i) => this.layouts[i]));
    for (const view of this.views) view.show(!view.out && !stale.has(view) && holds(view.panel.when, this.state), this.changing, this.state);
  }

  toggle(dial) { this.play.toggle(dial); }

  pause() { this.play.pause(); }

  leave() {
    this.pause();
    this.pointing.leave();
    this.moving.leave();
  }

  // ---- clicks, keys ----

  follow(name) {
    const link = (this.scene.links || {})[name], hunt = this.controls.find((control) => control.takes?.(name));
    if (hunt) { this.pause(); hunt.suspect(name); this.pointing.hush(); return; }
    if (!link) return;
    this.pointing.pin(link);
    if (link.opens !== undefined) this.open(link.opens);
    if (link.sets) this.grabbing.ask(link.sets, name);
    if (!link.go) return;
    this.pause();
    this.pointing.hush();
    this.ask.hide();
    const asked = this.predict && this.dials.find((dial) => dial.name in link.go && this.asksUntil(dial, link.go[dial.name]));
    const turned = this.dials.filter((dial) => dial.name in link.go && link.go[dial.name] !== this.state[dial.name]);
    const along = Object.assign({}, ...turned.map((dial) => this.along(dial)));
    const go = { ...along, ...link.go };
    if (!asked) {
      this.set(go);
      if (link.reveals) this.reveal(...link.reveals);
      if (link.plays) this.play.begins();
      if (this.predict) this.asksAgain(along);
      return;
    }
    const { [asked.name]: position, ...others } = go;
    this.set(others);
    this.request(asked, position);
  }

  // A part comes into sight in a panel.
  reveal(panel, name) {
    const views = this.layouts.find(([view]) => view.panel.name === panel) || [], view = views.find((one) => !one.hidden && !one.out);
    view?.reveal(name)?.scrollIntoView({ block: "center", behavior: lessMotion() ? "auto" : "smooth" });
  }

  // ---- questions ----

  // The question before a position of a dial, as the others stand.
  askedAt(dial, position) { return [(dial.asks || {})[position] || []].flat().find((one) => holds(one.when, this.state)); }

  // The position before which the next question is: of what is played, or else of another dial; the first, where all are behind.
  next(dials = [this.main, ...this.dials].filter(Boolean)) {
    for (const dial of dials.filter((one) => holds(one.when, this.state))) {
      const asked = Object.keys(dial.asks || {}).map(Number).filter((i) => this.askedAt(dial, i)), now = this.state[dial.name];
      const here = turnsBack(dial) && asked.includes(now) ? now : asked.find((i) => i !== now);
      const position = inSteps(dial) ? asked.find((i) => i > now) ?? asked[0] : here;
      if (position !== undefined) return [dial, position];
    }
    return undefined;
  }

  // The next question is asked; what was seen behind it is out of sight again.
  poses(dials) {
    const [dial, position] = this.next(dials) || [];
    if (!dial) return;
    if (inSteps(dial) && position <= this.state[dial.name]) this.set({ ...this.along(dial), [dial.name]: position - 1 });
    if (position === this.state[dial.name]) this.pose(dial, position, this.askedAt(dial, position));
    else this.request(dial, position);
  }

  // Whether the steps before the first question play, for they tell nothing of its answer.
  leadsUp() {
    const [dial, position] = this.next() || [];
    if (dial !== this.main || !dial || !inSteps(dial) || dial.stops || position - 1 <= this.state[dial.name] || lessMotion()) return false;
    this.toggle(dial);
    return true;
  }

  // Whether a question lies between here and a position of a dial.
  asksUntil(dial, position) {
    return onTheWay(dial, this.state[dial.name], position).some((at) => (dial.asks || {})[at]);
  }

  keepsBack({ known = {}, go = {} }) {
    return Object.entries(known).some(([dial, position]) => this.state[dial] < position)
      || this.dials.some((dial) => dial.name in go && this.asksUntil(dial, go[dial.name]));
  }

  key(event, view) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowRight: (i) => i + 1, ArrowLeft: (i) => i - 1, Home: () => 0, End: () => Infinity };
    if (event.key in steps && this.main) {
      this.pause();
      const track = trackOf(this.main), next = steps[event.key](placeOnTrack(this.scene, this.main, this.state[this.main.name]));
      this.request(this.main, track[Math.min(track.length - 1, Math.max(0, next))]);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const label = this.pointing.visit(event.key === "ArrowDown" ? 1 : -1, view);
      if (label !== undefined) Object.assign(this.say, { hidden: false, textContent: label });
    } else if (event.key === "Enter") this.follow(this.pointing.name);
    else if (event.key === " " && this.main) this.toggle(this.main);
    else if (event.key === "0") view.whole();
    else if (event.key === "/" && view.tools.search) view.tools.search.focus();
    else if (event.key === "+" || event.key === "-") view.zoom(event.key === "+" ? 1.15 : 1 / 1.15);
    else if (event.key === "Escape") { this.pointing.at(undefined); this.pointing.pin(undefined); return; }
    else return;
    event.preventDefault();
  }

  focusPanel() { this.views.find((view) => !view.hidden)?.scroller.focus({ preventScroll: true }); }

  // ---- size ----

  fit(room = this.root.clientWidth) {
    if (!room) return;
    this.room = room;
    if (this.layouts.some((views) => widest(views, room).out)) this.showViews();
    const seen = [room, innerHeight, ...this.views.map((view) => view.hidden), ...this.controls.map(({ element }) => element.hidden)].join();
    if (seen !== this.fitted) {
      this.fitted = seen;
      const wide = (most) => this.root.parentNode.style.setProperty("--lk-wide", `${most}px`);
      wide(room); // so that nothing is measured in the room that there was before
      const others = this.wide?.room === room ? this.wide.most : LEAST; // what was wider stays so: controls stay where they are
      this.wide = { room, most: Math.min(room, Math.max(others, arrange(this.views, room))) };
      wide(this.wide.most);
      foldChoices(this.controls, room);
      this.holdsRoomForWords();
      stick(this.root.querySelector(".lk-controls"));
    }
    this.grabbing.place();
  }
}
