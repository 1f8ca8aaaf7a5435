// What all labs share: elements, numbers in words, axes, handles, the frame with its controls, questions, links and files.

const NS = "http://www.w3.org/2000/svg";

function filled(node, attributes, inside) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node[name] = value;
    else if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...inside);
  return node;
}

const svg = (tag, attributes = {}, ...inside) => filled(document.createElementNS(NS, tag), attributes, inside);
const html = (tag, attributes = {}, ...inside) => filled(document.createElement(tag), attributes, inside);
const written = (x, y, said, role, anchor = "start") => svg("text", { x, y, class: `lab-${role}`, "text-anchor": anchor }, said);
const clamped = (value, low, high) => Math.min(Math.max(value, low), high);

// A number with at most so many digits, as Python's format "g" writes it, and a true minus sign.
function digits(value, most = 7) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "−inf";
  if (!value) return "0";
  let [mantissa, power] = value.toExponential(most - 1).split("e"); // a half is rounded up there, to even in Python
  const whole = value.toExponential(Math.min(most + 50, 100)).split("e")[0], kept = most + 1 + (value < 0);
  if (most > 1 && /^50*$/.test(whole.slice(kept)) && /[13579]$/.test(mantissa)) mantissa = whole.slice(0, kept);
  const short = (text) => (text.includes(".") ? text.replace(/\.?0*$/, "") : text);
  const small = power < -4 || power >= most, signs = mantissa.replace(/[-.]/g, "");
  const fixed = power < 0 ? `0.${"0".repeat(-power - 1)}${signs}` : `${signs.slice(0, Number(power) + 1)}.${signs.slice(Number(power) + 1)}`;
  const said = small ? `${short(mantissa)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}` : `${value < 0 ? "-" : ""}${short(fixed)}`;
  return said.replaceAll("-", "−");
}

// A number as Python's `plain` wrote it: nan and inf stand in strings.
const asNumber = (value) => ({ nan: NaN, inf: Infinity, "-inf": -Infinity })[value] ?? value;

// A template with its placeholders replaced.
const filledIn = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);

// From values to px along a line; `inverse` leads back.
function axis(low, high, start, end) {
  const place = (value) => start + ((value - low) / (high - low)) * (end - start);
  return Object.assign(place, { low, high, start, end, inverse: (px) => low + ((px - start) / (end - start)) * (high - low) });
}

// The numbers of an axis: below it, or to the left of it at x with a line of the grid to `far`.
const below = (along, y, values, name = digits) => values.map((value) => written(along(value), y, name(value), "note", "middle"));
const leftOf = (along, x, far, values, name = digits) => values.flatMap((value) => [
  svg("line", { class: "lab-grid", x1: x + 5, x2: far, y1: along(value), y2: along(value) }),
  written(x, along(value) + 4, name(value), "note", "end")]);

// Round numbers from low to high, at most seven.
function ticks(low, high) {
  const rough = (high - low) / 6, power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= rough), first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
}

// An arrow between two places, in px; a short one has a short head.
function arrow([x, y], [toX, toY], role) {
  const long = Math.hypot(toX - x, toY - y) || 1, size = Math.min(long / 2, 11), ux = ((toX - x) / long) * size, uy = ((toY - y) / long) * size;
  return [svg("path", { class: `lab-${role}`, d: `M${x} ${y}L${toX - ux} ${toY - uy}` }),
    svg("path", { class: `lab-${role} lab-head`, d: `M${toX} ${toY}L${toX - ux - uy * 0.5} ${toY - uy + ux * 0.5}L${toX - ux + uy * 0.5} ${toY - uy - ux * 0.5}Z` })];
}

// A graph as `flow.py` places it: the heads of its wires, and a card with a value and its gradient below that.
const CARD = { wide: 112, half: 46, high: 92 };
function wireHeads() {
  const head = (id, role) => svg("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto-start-reverse", markerUnits: "userSpaceOnUse" }, svg("path", { d: "M0 0L8 4L0 8Z", class: `lab-${role} lab-head` }));
  return svg("defs", {}, head("lab-forward-head", "fwd"), head("lab-backward-head", "bwd"));
}
const wireForward = (d, more = "") => svg("path", { class: `lab-fwd lab-thin ${more}`, d, "marker-end": "url(#lab-forward-head)" });
const wireBack = (d, on, more = "") => svg("path", { class: `lab-back ${on ? "" : "lab-idle"} ${more}`, d, "marker-start": on && "url(#lab-backward-head)" });
function twinCard([x, y], { title, gradient, leaf }, value, words, look) {
  const line = (down, said, role) => written(x + CARD.wide / 2, y + down, said, role, "middle");
  return [svg("rect", { x, y, width: CARD.wide, height: CARD.half, class: leaf ? "lab-sample" : "lab-column" }), svg("rect", { x, y: y + CARD.half, width: CARD.wide, height: CARD.high - CARD.half, class: `lab-gradientcard ${look}` }),
    line(16, title, "name"), line(32, value, "word"), line(CARD.half + 21, gradient, "note"), line(CARD.half + 37, words, look.includes("none") ? "roundword" : "word")];
}

// The d of a path through points; where there is none, or it is outside of the box, it is interrupted.
function through(points, [left, top, right, base] = [-1e4, -1e4, 1e4, 1e4]) {
  let drawn = "", before = false;
  for (const [x, y] of points) {
    const inside = x >= left - 1 && x <= right + 1 && y >= top - 1 && y <= base + 1;
    if (inside) drawn += `${before ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    before = inside;
  }
  return drawn;
}

// The d of a straight line through a point, in px, from edge to edge of a box.
function straight(x, y, steep, [left, top, right, base]) {
  if (![x, y, steep].every(Number.isFinite)) return "";
  let from = left, to = right;
  if (steep) {
    const ends = [x + (top - y) / steep, x + (base - y) / steep].sort((a, b) => a - b);
    from = Math.max(from, ends[0]); to = Math.min(to, ends[1]);
  }
  if (from > to || (!steep && (y < top || y > base))) return "";
  return through([[from, y + steep * (from - x)], [to, y + steep * (to - x)]]);
}

// Whether what is rounded to 2 ** -bits of its size is within a format: the nearest number of it, ties to even.
function nearest(value, bits, least, most) {
  const size = Math.abs(value);
  if (!(size > 0) || !Number.isFinite(size)) return value;
  let power = Math.floor(Math.log2(size));
  if (2 ** power > size) power -= 1; else if (2 ** (power + 1) <= size) power += 1;
  const unit = 2 ** (Math.max(power, least) - bits), times = size / unit, below = Math.floor(times), rest = times - below;
  const rounded = (rest > 0.5 || (rest === 0.5 && below % 2) ? below + 1 : below) * unit;
  return Math.sign(value) * (rounded > most ? Infinity : rounded);
}
const ROUND = { float64: (value) => value, float32: Math.fround, float16: (value) => nearest(value, 10, -14, 65504) };

// The frame of a lab. `keys`: the traits that are its state, of which `whole` are whole numbers, but between two while something
// moves; `draw(state)` draws and returns the sentence that describes it.
class Frame {
  constructor({ model, el }, keys, { title, about, whole = [] }) {
    Object.assign(this, { model, keys, whole, state: {}, controls: [], handles: [], draw: () => "", shows: () => {} });
    for (const key of keys) {
      this.state[key] = model.get(key);
      model.on(`change:${key}`, () => { if (this.state[key] !== model.get(key)) { this.state[key] = model.get(key); this.redraw(); } });
    }
    this.bar = html("div", { class: "lab-bar" });
    this.asking = html("form", { class: "lab-ask", hidden: true });
    this.said = html("p", { class: "lab-say", role: "status" });
    this.panels = html("div", { class: "lab-panels" });
    this.menu = html("div", { class: "lab-items" });
    this.more = html("details", { class: "lab-menu" }, html("summary", {}, "More"), this.menu);
    const still = model.get("still") && `img[data-labkit="${model.get("still")}"]`;
    const hide = still ? [html("style", {}, `${still}, .jp-OutputArea-child:has(${still}) { display: none; }`)] : [];
    this.root = html("section", { class: "labkit lab", "aria-label": title }, ...hide,
      html("h2", { class: "lab-title" }, title), html("p", { class: "lab-hidden" }, about), this.bar, this.asking, this.panels, this.said);
    this.root.addEventListener("focusin", ({ target }) => target.setAttribute("data-lm-suppress-shortcuts", "true")); // else "d, d" deletes the cell in Jupyter
    el.append(this.root);
  }

  begin(draw) {
    this.draw = draw;
    this.button("Copy link", () => this.copyLink(), this.menu);
    for (const kind of this.panels.querySelector("svg") ? ["SVG", "PNG"] : []) this.button(`Save picture (${kind})`, () => this.savePicture(kind), this.menu);
    if (this.model.page) this.button("Save page", () => this.download(new Blob([this.model.page()], { type: "text/html" }), "html"), this.menu);
    this.bar.append(...(this.predictor ? [this.predictor] : []), this.more);
    const linked = /labkit=([^&]+)/.exec(location.hash);
    try { if (linked) this.take(JSON.parse(decodeURIComponent(linked[1]))); } catch { /* a link of something else */ }
    this.redraw();
  }

  take(given) {
    for (const key of this.keys) if (typeof given[key] === typeof this.state[key]) this.state[key] = given[key];
  }

  // Changes by the reader. While a handle is dragged Python hears nothing, then once.
  set(changes, dragging = false) {
    Object.assign(this.state, changes);
    if (dragging) this.redraw(); else this.settled();
  }

  settled() {
    for (const key of this.whole) this.state[key] = Math.round(this.state[key]);
    this.redraw();
    for (const key of this.keys) if (this.model.get(key) !== this.state[key]) this.model.set(key, this.state[key]);
    this.model.save_changes();
  }

  redraw() {
    const said = this.draw(this.state);
    this.said.textContent = this.asked ? "" : said;
    for (const follow of this.controls) follow();
    for (const follow of this.handles) follow();
  }

  // `widest`: the panel is as wide as there is room, at most so many px; its `width` says how wide.
  panel(caption, width, height, widest = 0) {
    const ink = svg("g"), front = svg("g"), drawn = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": caption }, ink, front);
    const figure = html("figure", width > 440 ? { style: `max-width: ${1.15 * width}px` } : {}, html("figcaption", {}, caption), drawn), made = { drawn, ink, front, figure, width };
    this.panels.append(figure);
    const fit = () => {
      const room = clamped(figure.clientWidth, width, widest);
      if (room === made.width || !figure.clientWidth) return;
      made.width = room;
      drawn.setAttribute("viewBox", `0 0 ${room} ${height}`);
      this.redraw();
    };
    if (widest) { Object.assign(figure.style, widest > 440 ? { maxWidth: "none", flexBasis: "100%" } : {}); fit(); new ResizeObserver(fit).observe(figure); }
    return made;
  }

  // ---- controls ----

  button(label, act, into = this.bar) {
    const made = html("button", { type: "button", class: "lab-button", onclick: act }, label);
    into.append(made);
    return made;
  }

  choice(label, key, values, into = this.bar) {
    const buttons = values.map((value) => html("button", { type: "button", onclick: () => this.set({ [key]: value }) }, value));
    this.controls.push(() => buttons.forEach((button, i) => button.setAttribute("aria-pressed", values[i] === this.state[key])));
    into.append(html("div", { class: "lab-choice", role: "group", "aria-label": label }, ...buttons));
  }

  // A list of values, where `when(state)`.
  select(label, key, values, when = () => true, named = String, into = this.bar) {
    const list = html("select", { onchange: () => this.set({ [key]: values[list.selectedIndex] }) }, ...values.map((value) => html("option", {}, named(value))));
    const made = html("label", {}, `${label} `, list);
    this.controls.push(() => { list.selectedIndex = values.indexOf(this.state[key]); made.hidden = !when(this.state); });
    into.append(made);
  }

  toggle(label, key, turned, into = this.bar) {
    const made = this.button(label, () => { this.set({ [key]: !this.state[key] }); if (turned) turned(); }, into);
    this.controls.push(() => made.setAttribute("aria-pressed", this.state[key]));
  }

  // Frames for so many milliseconds, `step(from 0 to 1)`; a reader who wants little motion sees the last one at once.
  animate(duration, step, done = () => {}) {
    cancelAnimationFrame(this.moving);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) { step(1); done(); return; }
    let first;
    const next = (now) => {
      first ??= now;
      const part = Math.min((now - first) / duration, 1);
      step(part);
      if (part < 1) this.moving = requestAnimationFrame(next); else done();
    };
    this.moving = requestAnimationFrame(next);
  }

  // A button that plays `step` from `start()`, which is between 0 and 1, to 1, and stops when it is pressed again.
  player(label, duration, start, step) {
    let on = false;
    const say = (playing) => { on = playing; made.textContent = playing ? "Stop" : label; };
    const made = this.button(label, () => {
      if (on) { cancelAnimationFrame(this.moving); say(false); this.settled(); return; }
      const from = start() > 0.98 ? 0 : start();
      say(true);
      this.animate((typeof duration === "function" ? duration() : duration) * (1 - from), (part) => step(from + part * (1 - from)), () => { say(false); this.settled(); });
    });
    this.root.addEventListener("pointerdown", ({ target }) => { if (on && target !== made) { cancelAnimationFrame(this.moving); say(false); } });
  }

  // ---- handles ----

  // `at(state)`: its place in px; `move(x, y, over)`: the changes of the state that bring it there, `over` when it is let go;
  // `keys(step, upward)`: those of so many steps, by keys that lead up and down if `upward`; `range`: the least and the greatest
  // value; `value(state)`, `words(state)`: its value for a screen reader.
  // `area()`: a box in which it is dragged from anywhere: it jumps there or, where it `slides`, goes as far as the hand.
  // Around each handle an unseen halo is as large as a finger. The nearest handle is taken; a press that does not move is a click on what lies below.
  handle({ drawn, front }, label, { at, move, keys, range, value, words, area, slides = false }) {
    const ring = svg("circle", { r: 9, class: "lab-handle", tabindex: 0, role: "slider", "aria-label": label, "aria-valuemin": range[0], "aria-valuemax": range[1] });
    const halo = svg("circle", { r: 24, class: "lab-halo" });
    let off = null, from, under;
    const place = (event) => { const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawn.getScreenCTM().inverse()); return [x, y]; };
    const drag = (event, over) => {
      if (!off) return;
      const [x, y] = place(event);
      if (Math.hypot(x - from[0], y - from[1]) > 3) under = null;
      this.set(move(x + off[0], y + off[1], over), !over);
    };
    const grab = (node, jumps) => (event) => {
      const [x, y] = place(event), here = at(this.state);
      from = [x, y];
      off = jumps ? [0, 0] : [here[0] - x, here[1] - y];
      under = node === ring && event.target === halo && document.elementsFromPoint(event.clientX, event.clientY).find((one) => !one.matches(".lab-halo, .lab-handle"));
      node.setPointerCapture(event.pointerId);
      event.preventDefault();
      ring.focus({ preventScroll: true });
      if (jumps) drag(event, false);
    };
    const listen = (node, grabbed) => Object.assign(node, {
      onpointerdown: grabbed, onpointermove: (event) => drag(event, false),
      onpointerup: (event) => { drag(event, true); off = null; under?.dispatchEvent(new MouseEvent("click", { bubbles: true })); }, onpointercancel: () => { off = null; this.settled(); },
    });
    const far = (one, [x, y]) => Math.hypot(one.getAttribute("cx") - x, one.getAttribute("cy") - y);
    const nearest = (event) => [...front.querySelectorAll(".lab-handle:not([hidden])")].reduce((a, b) => (far(b, place(event)) < far(a, place(event)) ? b : a)).grab(event);
    ring.grab = grab(ring, false);
    listen(ring, nearest);
    halo.onpointerdown = nearest;
    for (const node of [ring, halo]) node.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false }); // else the page scrolls
    const grasp = svg("rect", { class: "lab-grasp" });
    if (area) { drawn.insertBefore(listen(grasp, grab(grasp, !slides)), front); drawn.style.touchAction = "pan-y"; }
    ring.onkeydown = (event) => {
      const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity }[event.key];
      if (steps === undefined) return;
      event.preventDefault();
      this.set(keys(steps, /Up|Down/.test(event.key)));
    };
    this.handles.push(() => {
      const [x, y] = at(this.state), [left, top, right, base] = area ? area() : [0, 0, 0, 0], there = Number.isFinite(x) && Number.isFinite(y);
      for (const node of [ring, halo, grasp]) node.toggleAttribute("hidden", !there);
      if (there) for (const node of [ring, halo]) { node.setAttribute("cx", x.toFixed(2)); node.setAttribute("cy", y.toFixed(2)); }
      for (const [name, value] of Object.entries({ x: left, y: top, width: right - left, height: base - top })) grasp.setAttribute(name, value);
      ring.setAttribute("aria-valuenow", value(this.state));
      ring.setAttribute("aria-valuetext", words(this.state));
    });
    front.prepend(halo);
    front.append(ring);
    return ring;
  }

  // A handle of one number of the state: `from(x, y)` is what it is at a place; a key adds `step`, or multiplies by it if `log`;
  // `whole`: it is rounded when the reader lets go.
  dial(panel, label, key, range, { at, from, step, log, area, whole }) {
    const bounded = (value) => ({ [key]: clamped(whole ? Math.round(value) : value, ...range) }), now = () => this.state[key];
    return this.handle(panel, label, { at, area: area && (() => area), range, value: (state) => state[key],
      move: (x, y, over) => (over || !whole ? bounded(from(x, y)) : { [key]: clamped(from(x, y), ...range) }),
      keys: (by) => bounded(log ? now() * step ** by : now() + by * step), words: (state) => `${label}: ${digits(state[key], 3)}` });
  }

  // A handle of two numbers of the state, along two axes.
  point(panel, label, [a, b], [across, up], step) {
    const put = (x, y) => ({ [a]: clamped(x, across.low, across.high), [b]: clamped(y, up.low, up.high) });
    return this.handle(panel, label, { at: (state) => [across(state[a]), up(state[b])], range: [across.low, across.high], value: (state) => state[a],
      move: (x, y) => put(across.inverse(x), up.inverse(y)), words: (state) => `${label}: (${digits(state[a], 3)}, ${digits(state[b], 3)})`,
      keys: (by, upward) => put(this.state[a] + (upward ? 0 : by * step), this.state[b] + (upward ? by * step : 0)) });
  }

  // The numbers of the state's `inputs` as tracks: `place(k)` is where the k-th is from left to right in px, and its height, or undefined
  // where it is not shown. Returns what draws the tracks.
  tracks(panel, names, start, place) {
    const now = ({ inputs }, k) => inputs[names[k]] ?? start[k], nowhere = [0, 1, NaN];
    const along = (k) => { const [from, to] = place(k) ?? nowhere, half = 1.5 * Math.max(1, Math.abs(start[k])); return axis(start[k] - half, start[k] + half, from, to); };
    names.forEach((name, k) => {
      const { low, high } = along(k), unit = 10 ** (Math.floor(Math.log10((high - low) / 2)) - 2);
      const put = (value) => ({ inputs: { ...this.state.inputs, [name]: Number((Math.round(clamped(value, low, high) / unit) * unit).toPrecision(12)) } });
      this.handle(panel, name, { at: (state) => [along(k)(now(state, k)), (place(k) ?? nowhere)[2]], move: (x) => put(along(k).inverse(x)), keys: (by) => put(now(this.state, k) + by * 5 * unit),
        area: () => { const [from, to, y] = place(k) ?? [0, 0, 0]; return [from, y - 18, to, y + 18]; }, range: [low, high], value: (state) => now(state, k), words: (state) => `${name} = ${digits(now(state, k), 3)}` });
    });
    return (state) => names.flatMap((name, k) => { const [from, to, y] = place(k) ?? []; return from === undefined ? [] : [svg("path", { class: "lab-other", d: `M${from} ${y}L${to} ${y}` }), written(from - 16, y + 4, `${name} = ${digits(now(state, k), 3)}`, "name", "end")]; });
  }

  // ---- predict first ----

  // The last button of the bar of every lab: it asks `questionOf(state)` at once. `from` and `to` of a question are the changes of the state that lead to what is
  // asked about, and to what shows the answer; `next` is the question after it. While `asked`, a lab draws nothing that tells the answer.
  predict(questionOf) {
    const begin = (asked) => {
      this.asked = asked;
      this.set(asked?.from ?? {});
      this.asking.hidden = !asked;
      if (asked) this.ask(asked, () => { this.asked = null; this.set(asked.to ?? {}); if (asked.next) this.button("Next question", () => begin(asked.next()), this.asking); });
    };
    this.predictor = this.button("Predict first", () => begin(this.asked ? null : questionOf(this.state)));
    this.controls.push(() => this.predictor.setAttribute("aria-pressed", Boolean(this.asked)));
  }

  // `{ question, answer, tolerance, right, slips: [[value, words]], otherwise }`: a number is asked for; with `choices`, one of
  // these; with `place`, a function of the state, that this is brought to where it returns no objection. `then` follows when it is over.
  ask({ question, answer, tolerance = 0, right, slips = [], otherwise = "Not that.", choices = [], place }, then) {
    const reply = html("span", { role: "status" }), field = html("input", { type: "text", inputmode: "decimal", "aria-label": "Your prediction", size: 10 });
    const button = (label, onclick) => html("button", { type: "button", class: "lab-button", onclick }, label);
    const over = (said) => { this.asking.replaceChildren(html("span", {}, said), button("Close", () => { this.asking.hidden = true; })); then(); };
    const judge = (is) => { if (is(answer)) over(`Yes. ${right}`); else reply.textContent = slips.find(([value]) => is(value))?.[1] ?? otherwise; };
    const near = (given) => (other) => Math.abs(given - other) <= tolerance * Math.abs(other) + 1e-300;
    const parts = choices.length || place ? choices.map((choice) => button(choice, () => judge((other) => other === choice))) : [field];
    this.asking.replaceChildren(html("label", {}, question, " "), ...parts, ...(choices.length ? [] : [html("button", { class: "lab-button" }, "Check")]),
      button("Show", () => over(answer === undefined ? right : `It is ${typeof answer === "number" ? digits(answer, 3) : answer}. ${right}`)), reply);
    this.asking.hidden = false;
    this.asking.onsubmit = (event) => {
      event.preventDefault();
      const given = Number(field.value.trim().replace("−", "-").replace(",", "."));
      if (place) { const said = place(this.state); if (said) reply.textContent = said; else over(`Yes. ${right}`); }
      else if (Number.isFinite(given) && field.value.trim()) judge(near(given));
      else reply.textContent = "Please enter a number, such as 0.03.";
    };
    (choices.length || place ? this.asking.querySelector("button") : field).focus();
  }

  // ---- links and files ----

  copyLink() {
    const address = this.model.address?.() ?? `${location.href.split("#")[0]}#labkit=${encodeURIComponent(JSON.stringify(this.state))}`;
    const link = html("input", { type: "text", readonly: true, "aria-label": "Link with the state of this picture", value: address });
    this.menu.querySelector("input")?.remove();
    this.menu.append(link);
    link.select();
    navigator.clipboard?.writeText(address).catch(() => {}); // where that is not allowed, it is selected
  }

  // The panels above each other as one SVG that needs no style sheet.
  picture() {
    const drawn = [...this.panels.querySelectorAll("figure:not([hidden]) svg")], sizes = drawn.map((one) => one.viewBox.baseVal);
    const height = sizes.reduce((sum, size) => sum + size.height, 0), width = Math.max(...sizes.map((size) => size.width));
    const whole = svg("svg", { xmlns: NS, viewBox: `0 0 ${width} ${height}`, width, height });
    whole.append(svg("title", {}, this.said.textContent), svg("rect", { width, height, fill: getComputedStyle(this.root).getPropertyValue("--lk-page") || "white" }));
    let y = 0;
    drawn.forEach((one, i) => {
      const copy = one.cloneNode(true), nodes = [...copy.querySelectorAll("*")];
      [...one.querySelectorAll("*")].forEach((node, k) => {
        const look = getComputedStyle(node);
        for (const name of ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "font-weight", "text-anchor"]) nodes[k].style.setProperty(name, look.getPropertyValue(name));
        if (look.display === "none") nodes[k].style.display = "none";
      });
      whole.append(svg("g", { transform: `translate(${-sizes[i].x} ${y - sizes[i].y})` }, ...copy.childNodes));
      y += sizes[i].height;
    });
    return new XMLSerializer().serializeToString(whole);
  }

  async savePicture(kind) {
    let file = new Blob([this.picture()], { type: "image/svg+xml" });
    if (kind === "PNG") {
      const image = new Image(), canvas = document.createElement("canvas");
      image.src = `data:image/svg+xml,${encodeURIComponent(this.picture())}`;
      await image.decode();
      canvas.width = 2 * image.width; canvas.height = 2 * image.height;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      file = await new Promise((done) => { canvas.toBlob(done); });
    }
    this.download(file, kind.toLowerCase());
  }

  download(file, ending) {
    const link = html("a", { href: URL.createObjectURL(file), download: `lab.${ending}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000); // some browsers read it later
  }
}
