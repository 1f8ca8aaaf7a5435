// What is taken hold of (`grips.py`): a handle over each grip, by pointer, touch and arrow keys. Dragged, it turns its dial to
// the nearest position; where Python listens, or a saved page has scenes for it, it sets free fields, one message a frame, the
// next when a scene has come back. What nobody answers has no handle.

import { make } from "./elements.js";
import { below, corners, handleOf, onTrack, put, wordsOf, yieldToWords } from "./handles.js";
import { holds } from "./look.js";
import { coordinates, furthest, levelAt, missed, nearest, neighbour, tidy, valueAt, whyNot } from "./places.js";

const NEEDS = "needs Python: open in a notebook";
const BETWEEN = "what is in between needs Python: open in a notebook";
const SILENCE = 3000; // ms without an answer
const FAR = 30; // px of the panel from a place that a saved page holds
const CAUGHT = 60; // px from a handle that moves by itself
const CLICK = 3; // px: what moves less was a click

export class Grabbing {
  // `held`: what the player before was dragging (`letGo`).
  constructor(player, held) {
    this.player = player;
    this.held = held?.drag;
    this.fresh = !held; // nobody has been here before: handles show themselves
    this.handles = new Map();
    this.stop = new AbortController();
    for (const grip of player.scene.grips || []) if (!this.handles.has(grip.name) && (grip.dial || this.sets(grip))) this.handle(grip);
    this.note = make("div", { className: "lk-needs", role: "status", hidden: true });
    const on = (type, act) => player.root.addEventListener(type, act, { signal: this.stop.signal });
    on("pointerdown", (event) => { this.hush(); this.catch(event); });
    on("pointermove", (event) => { if (event.pointerId === this.held?.pointer) this.drag(event); });
    on("pointerup", (event) => this.drop(event));
    on("pointercancel", (event) => this.drop(event));
    if (this.held && !this.now(this.held.name)) this.held = undefined;
    this.wanted = held?.wanted;
    this.aimed = { ...this.wanted?.value }; // what was asked for and is not in the scene yet
    this.soon();
  }

  // What goes on in the player that takes this one's place.
  letGo() {
    this.stop.abort();
    clearTimeout(this.waiting);
    cancelAnimationFrame(this.frame);
    const focused = [...this.handles].find(([, { knob }]) => knob === document.activeElement)?.[0];
    return { drag: this.held, focused, wanted: this.wanted };
  }

  // The handle of a name has the keyboard, at once: keys come faster than frames.
  focus(name) { this.handles.get(name)?.knob.focus({ preventScroll: true }); }

  // Whether a grip sets fields here.
  sets(grip) { return Boolean(grip.free) && (this.player.live || this.player.reach.has(grip)); }

  // ---- handles ----

  handle(grip) {
    const view = this.player.views.find((one) => one.panel.name === grip.panel);
    const layer = view.grips ||= make("div", { className: "lk-grips" });
    const { knob, area } = handleOf(grip);
    knob.classList.toggle("lk-fresh", this.fresh);
    for (const part of [area, knob].filter(Boolean)) {
      part.addEventListener("pointerdown", (event) => this.take(grip.name, event));
      part.addEventListener("pointermove", (event) => { if (!this.held) this.player.pointing.at(below(event), event.clientX, event.clientY); });
      part.addEventListener("pointerleave", () => this.player.pointing.at(undefined));
    }
    knob.addEventListener("keydown", (event) => this.key(grip.name, event));
    layer.append(...(area ? [area] : []), knob);
    view.scroller.append(layer);
    this.handles.set(grip.name, { view, knob, area });
  }

  // The grip of a name that is seen now, and where it stands.
  now(name) {
    const { scene, state } = this.player;
    for (const grip of scene.grips) {
      const spot = grip.dial ? this.player.moving.spotOf(grip, state[grip.dial]) : grip.at;
      if (grip.name === name && spot && holds(grip.when, state)) return { grip, spot };
    }
    return undefined;
  }

  place() {
    if (this.noted !== undefined && this.noted !== this.around(this.notedOf)) this.hush();
    const words = new Map(); // of each panel, measured once; not in a frame of what moves
    for (const view of this.player.views) {
      if (!view.grips || view.hidden) continue;
      put(view.grips, ...corners(view, 0, 0, view.panel.width, view.panel.height));
      view.grips.style.setProperty("--lk-scale", view.scale || 1);
    }
    for (const [name, { view, knob, area }] of this.handles) {
      const found = view.hidden ? undefined : this.now(name);
      knob.hidden = !found;
      if (area) area.hidden = !found;
      if (!found) continue;
      const { grip, spot } = found, [left, top] = view.spot([0, 0]);
      const [x, y] = view.spot(this.held?.name === name && !grip.stays && this.held.moved ? onTrack(grip, this.held.place, spot) : spot);
      knob.style.transform = `translate(${x - left}px, ${y - top}px)`;
      knob.classList.toggle("lk-held", this.held?.name === name);
      if (!this.player.moving.way && !grip.stays && !view.sight) {
        if (!words.has(view)) words.set(view, wordsOf(view));
        yieldToWords(knob, words.get(view));
      }
      if (area) {
        const [ax, ay, ...size] = corners(view, ...grip.area);
        put(area, ax - left, ay - top, ...size);
      }
      this.tell(knob, grip);
    }
  }

  // In a frame of what moves: the handles of a dial that turns go along; when it is over, all stand where they belong.
  follow(way) {
    if (!way || (this.player.scene.grips || []).some(({ dial }) => way.low[dial] !== way.high[dial])) this.place();
  }

  // What a screen reader says of it.
  tell(knob, grip) {
    const { player } = this, dial = player.dials.find((one) => one.name === grip.dial);
    const names = Object.values(grip.free || {}).map((along) => along.field);
    const said = (all) => all.map((field) => `${field} = ${player.scene.fields?.[field]}`).join(", ");
    const now = dial ? player.state[dial.name] : 0;
    knob.setAttribute("aria-valuemin", 0);
    knob.setAttribute("aria-valuemax", dial ? dial.values.length - 1 : 0);
    knob.setAttribute("aria-valuenow", now);
    const told = dial?.kind === "choice" ? names : [];
    const place = told.length ? `${said(told)}, ` : ""; // a choice, such as "yours", is not a place
    knob.setAttribute("aria-valuetext", dial ? place + dial.values[now] : said(names));
  }

  // ---- by pointer ----

  take(name, event) {
    const found = this.now(name);
    if (!found || (event.button ?? 0) !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.player.pause();
    this.player.root.setPointerCapture(event.pointerId);
    const { view, knob } = this.handles.get(name), [x, y] = view.place(event);
    knob.focus({ preventScroll: true });
    this.held = {
      name, grip: structuredClone(found.grip), pointer: event.pointerId, from: [event.clientX, event.clientY],
      offset: found.grip.jumps && event.currentTarget !== knob ? [0, 0] : [x - found.spot[0], y - found.spot[1]], spot: found.spot, place: found.spot, moved: false, before: this.given(), began: this.player.state[found.grip.dial],
    };
    this.place();
  }

  // What plays stops where the reader reaches for a handle that has moved on.
  catch(event) {
    const { player } = this, view = player.views.find((one) => one.svg.contains(event.target));
    if (!player.play.dial || !view) return;
    const far = ({ knob }) => { const box = knob.getBoundingClientRect(); return Math.hypot(box.left + box.width / 2 - event.clientX, box.top + box.height / 2 - event.clientY); };
    const seen = [...this.handles].filter(([, one]) => one.view === view && !one.knob.hidden).sort(([, a], [, b]) => far(a) - far(b));
    if (seen.length && far(seen[0][1]) < CAUGHT) this.take(seen[0][0], event);
  }

  drag(event) {
    const { held } = this, { view } = this.handles.get(held.name) || {};
    if (!view || view.hidden) return this.end();
    const by = [event.clientX - held.from[0], event.clientY - held.from[1]];
    held.moved ||= Math.hypot(...by) > CLICK;
    if (!held.moved) return;
    this.toEnds(held.grip);
    const [x, y] = view.place(event);
    held.place = held.grip.stays ? [held.spot[0] + by[0], held.spot[1] + by[1]] : [x - held.offset[0], y - held.offset[1]];
    this.aim(held.grip, held.place);
  }

  drop(event) {
    const { held } = this;
    if (!held || event.pointerId !== held.pointer) return;
    if (!held.moved && event.type === "pointerup") { // a click goes to what lies below; a first tap there says what it is
      const { player } = this, link = below(event);
      if (event.pointerType !== "touch" || !player.pointing.tapped(link, event)) player.follow(link);
    }
    this.end();
  }

  end() {
    const { held } = this;
    this.held = undefined;
    this.player.moving.end();
    const far = held?.moved && Math.hypot(held.place[0] - held.spot[0], held.place[1] - held.spot[1]) > FAR;
    if (held?.moved && held.value) {
      this.send(held.value, true);
      if (far && !this.player.live && held.before === this.given()) this.say(held.name, BETWEEN); // as it was
    } else if (far && held.grip.dial && !held.turned && !held.told) {
      this.say(held.name, [whyNot(held.grip, held.spot, held.place), ...(held.grip.free ? [BETWEEN] : [])].join("; "));
    }
    if (held?.turned) this.settle(held);
    this.place();
    const { later } = this;
    this.later = undefined;
    later?.();
  }

  // What was dragged more than a third of the way goes on to where it settles, or else back to where it began.
  settle({ grip, began }) {
    const { player } = this, dial = player.dials.find((one) => one.name === grip.dial), now = dial && player.state[dial.name];
    if (!dial?.settles?.length || dial.settles.includes(now)) return;
    const ahead = dial.settles.filter((stop) => (stop - began) * (now - began) > 0);
    const next = ahead.sort((a, b) => Math.abs(a - now) - Math.abs(b - now))[0];
    player.request(dial, Math.abs(now - began) * 3 > Math.abs(next - began) ? next : began);
  }

  // At once, or when what is being dragged is let go.
  whenLetGo(call) {
    this.later = this.held && call;
    if (!this.held) call();
  }

  // The fields as they are written.
  given() { return JSON.stringify(this.player.scene.fields); }

  // ---- by keyboard ----

  key(name, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const ways = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const ends = { Home: [-1, 1], End: [1, -1] }, found = this.now(name);
    if (!found || !(event.key in ways || event.key in ends)) return;
    event.preventDefault();
    event.stopPropagation();
    const { grip, spot } = found, way = ways[event.key] || ends[event.key], far = event.key in ends;
    this.toEnds(grip);
    if (this.sets(grip)) this.nudge(found, way, far, event.shiftKey ? 10 : 1);
    else {
      const next = far ? furthest(grip, way) : neighbour(grip, this.player.state[grip.dial], spot, way);
      if (next !== undefined) this.turn(grip, next);
    }
  }

  // A hundredth of the way along each axis, in a saved page to the next value that it has; to its very end if `far`.
  nudge({ grip, spot }, [right, down], far, times) {
    const value = {}, at = coordinates(grip, spot), across = right || -down; // what has one axis only takes both pairs of arrows
    for (const [axis, along] of Object.entries(grip.free)) {
      const one = Object.keys(grip.free).length === 1, way = one ? across : axis === "y" ? -down : right;
      const level = this.aimed[along.field] ?? (grip.stays ? Number(this.player.scene.fields?.[along.field]) : levelAt(along, at[axis]));
      const step = along.whole ? 1 : (along.high - along.low) / (grip.stays ? 1000 : 100), moved = level + way * times * step;
      if (way && !this.player.live && this.player.reach.next) value[along.field] = this.player.reach.next(along.field, level, way, far);
      else if (way) value[along.field] = tidy(along, far ? (way > 0 ? along.high : along.low) : moved);
    }
    if (Object.keys(value).length) this.send(value, true);
  }

  // ---- what comes of it ----

  // The place is aimed at: free fields where they are answered, the nearest position of the dial elsewhere.
  aim(grip, place) {
    const { player } = this;
    if (this.sets(grip)) {
      const value = {}, at = coordinates(grip, place);
      for (const [axis, along] of Object.entries(grip.free)) value[along.field] = valueAt(along, at[axis]);
      this.held.value = value;
      this.moveMarks();
      this.send(value);
    } else {
      const there = nearest(grip, place);
      const far = missed(grip, grip.spots[there], place) > FAR;
      if (far) { this.held.told = true; this.say(grip.name, `here it ${NEEDS}`); }
      this.turn(grip, there);
    }
    this.place();
  }

  turn(grip, position) {
    const { player } = this, dial = player.dials.find((one) => one.name === grip.dial);
    if (position === player.state[dial.name]) return;
    if (this.held) this.held.turned = true;
    player.request(dial, position);
    if (player.state[dial.name] !== position) { this.held = undefined; } // it asks first
  }

  // Dials go where all is seen that comes of a drag; not past what is to be predicted.
  toEnds(grip) {
    const { player } = this;
    if (player.predict || !this.sets(grip)) return;
    const there = Object.entries(grip.ends || {}).filter(([dial, [first]]) => player.state[dial] < first).map(([dial, [, last]]) => [dial, last]);
    if (there.length) player.set(Object.fromEntries(there));
  }

  // The marks that the grip moves stand where the finger is, until the scene comes that has them there.
  moveMarks() {
    const { grip, place, spot, name } = this.held;
    if (!grip.moves) return;
    const shift = `translate(${place[0] - spot[0]}px, ${place[1] - spot[1]}px)`;
    for (const node of this.handles.get(name).view.linked(grip.moves)) node.style.transform = shift;
  }

  // To Python: while dragged, at most one message a frame and one at a time; `last`: this is where it stays.
  send(value, last = false) {
    const written = JSON.stringify(value);
    if (!last && this.held?.sent === written) return;
    if (this.held) this.held.sent = written;
    this.wanted = { value, last };
    Object.assign(this.aimed, value);
    this.soon();
  }

  soon() {
    if (this.wanted && !this.busy && !this.frame) this.frame = requestAnimationFrame(() => this.post());
  }

  post() {
    this.frame = 0;
    const { value, last } = this.wanted;
    this.wanted = undefined;
    this.busy = !last;
    this.player.send(last ? { set: value } : { set: value, at: this.player.state });
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => { this.busy = false; this.say("", "Python does not answer."); }, SILENCE);
  }

  // Python has answered, with a scene or without.
  answered() {
    clearTimeout(this.waiting);
    this.busy = false;
    this.aimed = { ...this.wanted?.value };
    this.soon();
  }

  // A click on a link that sets fields.
  ask(sets, link) {
    if (this.player.live || this.player.reach.sceneAt) this.player.send({ set: sets, at: this.player.state });
    else this.say(link, NEEDS);
  }

  // A sentence where it is dragged or clicked, for a moment.
  say(name, words) {
    const { root, views } = this.player, knob = this.handles.get(name)?.knob || views.map((view) => view.seen(name)).find(Boolean);
    if (!this.note.isConnected) root.append(this.note);
    const box = root.getBoundingClientRect(), at = knob?.getBoundingClientRect() || box;
    this.note.textContent = words;
    this.note.hidden = false;
    this.note.style.left = `${Math.max(0, Math.min(at.left + at.width / 2 - box.left, box.width - this.note.offsetWidth))}px`;
    this.note.style.top = `${at.top - box.top - 30}px`;
    this.notedOf = name;
    this.noted = this.around(name);
    clearTimeout(this.silent);
    this.silent = setTimeout(() => this.hush(), 4000);
  }

  // What a note is said about: where all dials stand that its handle does not turn. When they turn, it goes.
  around(name) {
    const turns = new Set((this.player.scene.grips || []).filter((grip) => grip.name === name).map((grip) => grip.dial));
    return JSON.stringify(Object.entries(this.player.state).filter(([dial]) => !turns.has(dial)));
  }

  hush() {
    clearTimeout(this.silent);
    this.noted = undefined;
    this.note.hidden = true;
  }
}
