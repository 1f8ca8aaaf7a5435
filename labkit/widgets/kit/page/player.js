// Draws a scene and plays it. `render` is called by anywidget with a model, and by a saved page with a stand-in for one.

const SVG = "http://www.w3.org/2000/svg";
const PASSED_ON = new Set(["Escape", "Tab"]);

class Player {
  constructor(root, scene, { state, before, changed, send, live, scenes, predict }) {
    Object.assign(this, { root, scene, changed, send, live, scenes, predict: predict ?? scene.predict ?? false });
    this.state = {};
    for (const dial of scene.dials || []) {
      const kept = carried(dial, (before?.dials || []).find((old) => old.name === dial.name), (state || {})[dial.name]);
      this.state[dial.name] = kept !== undefined && kept < dial.values.length ? kept : dial.start || 0;
    }
    this.order = Object.keys(scene.links || {});
    this.build();
    this.afterwards();
  }

  // The slider that the arrow keys move: the first one that is offered now.
  get main() {
    return (this.scene.dials || []).find((dial) => (dial.kind || "slider") === "slider" && holds(dial.when, this.state));
  }

  // ---- building ----

  build() {
    const { scene, root } = this;
    this.controls = (scene.dials || []).map((dial) => {
      const control = CONTROLS[dial.kind || "slider"](dial, (position) => this.request(dial, position), this);
      return { dial, ...control };
    });
    this.say = make("p", { className: "lk-say", role: "status", "aria-live": "polite" });
    this.ask = askControl();
    this.tip = make("div", { className: "lk-tip", hidden: true });
    const bar = make("div", { className: "lk-controls" }, ...this.controls.map((c) => c.element));
    if ((scene.dials || []).some((dial) => Object.keys(dial.asks || {}).length)) bar.append(this.predictToggle());
    if (this.live) bar.append(...Object.entries(scene.fields || {}).map(([name, text]) => this.field(name, text)));
    this.index = {};
    this.panels = scene.panels.map((panel) => this.buildPanel(panel));
    root.replaceChildren(
      make(this.live ? "p" : "h1", { className: "lk-title" }, scene.title),
      ...(scene.notice ? [make("p", { className: "lk-notice", role: "alert" }, scene.notice)] : []),
      bar, this.say, this.ask.element,
      make("div", { className: "lk-panels" }, ...this.panels.map((p) => p.element)),
      make("p", { className: "lk-keys" }, this.keysHint()), this.tip);
  }

  keysHint() {
    const parts = this.main ? ["← → step, Home and End, space plays"] : [];
    if (this.order.length) parts.push("↑ ↓ visit the parts, Enter goes there");
    return `${parts.join("; ")}${parts.length ? "; " : ""}Ctrl+wheel, + and − zoom`;
  }

  predictToggle() {
    const box = make("input", { type: "checkbox", checked: this.predict, onchange: () => { this.predict = box.checked; this.afterwards(); } });
    return make("label", { className: "lk-dial lk-toggle" }, box, make("span", {}, "Predict first"));
  }

  field(name, text) {
    const input = make("input", { type: "text", value: text, size: 8, inputMode: "decimal" });
    input.onchange = () => this.send({ set: { [name]: input.value } });
    return make("label", { className: "lk-dial" }, make("span", { className: "lk-label" }, `${name} =`), input);
  }

  buildPanel(panel) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${panel.width} ${panel.height}`);
    svg.setAttribute("aria-hidden", "true");
    const scroller = make("div", {
      className: "lk-scroll", tabIndex: 0, role: "group", "data-lm-suppress-shortcuts": "true",
      "aria-label": `${panel.title || this.scene.title}. ${this.scene.description}`,
    }, svg);
    const element = make("figure", { className: "lk-panel" },
      ...(panel.title ? [make("figcaption", {}, panel.title)] : []), scroller);
    const built = { panel, element, scroller, svg, marks: null, zoom: 0 };
    this.listen(built);
    return built;
  }

  // A panel's marks are made when it is first seen.
  fill(built) {
    built.marks = built.panel.marks.map((mark) => {
      const node = document.createElementNS(SVG, mark.tag);
      for (const name in mark.at || {}) node.setAttribute(name, mark.at[name]);
      if (mark.link !== undefined) node.dataset.link = mark.link;
      built.svg.append(node);
      return { mark, node, text: "", name: null, at: {} };
    });
    indexMarks([built], this.index);
    this.refresh(built.marks);
  }

  listen(built) {
    const { svg, scroller } = built;
    if ((this.scene.dials || []).some((dial) => dial.kind === "plane" && dial.plane.panel === built.panel.name)) {
      Object.assign(svg.style, { touchAction: "none", userSelect: "none", cursor: "crosshair" });
    }
    const linkAt = (event) => event.target.closest?.("[data-link]")?.dataset.link;
    svg.addEventListener("pointermove", (event) => { this.point(linkAt(event), event); this.drag(built, event, false); });
    svg.addEventListener("pointerleave", () => this.point(undefined));
    svg.addEventListener("pointerdown", (event) => this.drag(built, event, true));
    svg.addEventListener("click", (event) => this.follow(linkAt(event)));
    scroller.addEventListener("keydown", (event) => this.key(event, built));
    scroller.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(built, event.deltaY < 0 ? 1.15 : 1 / 1.15);
    }, { passive: false });
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
    this.refresh(items);
    this.afterwards();
    if (tell) this.changed(this.state);
  }

  refresh(items) {
    for (const item of items) {
      const look = lookOf(item.mark, this.state);
      for (const name in look.at) {
        if (item.at[name] === look.at[name]) continue;
        item.at[name] = look.at[name];
        if (look.at[name] === undefined) item.node.removeAttribute(name);
        else item.node.setAttribute(name, look.at[name]);
      }
      if (item.mark.tag === "text" && item.text !== look.text) item.node.textContent = item.text = look.text;
      if (item.name !== look.name) {
        item.name = look.name;
        item.node.setAttribute("class", `lk-${item.mark.role}${look.name ? ` is-${look.name}` : ""}`);
      }
    }
  }

  afterwards() {
    this.root.classList.toggle("lk-predicting", Boolean(this.predict));
    for (const { dial, element, show } of this.controls) {
      element.hidden = !holds(dial.when, this.state);
      show(this.state[dial.name], this.playing === dial);
    }
    for (const built of this.panels) {
      built.element.hidden = !holds(built.panel.when, this.state);
      if (!built.element.hidden && !built.marks) this.fill(built);
    }
    const words = captionOf(this.scene, this.state);
    if (this.say.textContent !== words) this.say.textContent = words;
    this.fit();
    this.panToNow();
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
    }, 900);
    this.afterwards();
  }

  pause() {
    clearInterval(this.timer);
    if (!this.playing) return;
    this.playing = undefined;
    this.afterwards();
  }

  // ---- pointing, dragging, keys ----

  point(link, event) {
    if (link !== this.pointed) {
      const marked = (name, on) => name !== undefined && this.root.querySelectorAll(`[data-link="${CSS.escape(name)}"]`)
        .forEach((node) => node.classList.toggle("lk-hot", on));
      marked(this.pointed, false);
      marked(link, true);
      this.pointed = link;
      this.fillTip((this.scene.links || {})[link]);
    }
    if (event && !this.tip.hidden) this.placeTip(event.clientX, event.clientY);
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

  follow(link) {
    const found = (this.scene.links || {})[link];
    if (!found) return;
    if (found.opens !== undefined) {
      const other = this.scenes?.[found.opens];
      if (other === undefined) this.send({ open: found.opens });
      else unpacked(other).then((scene) => this.changed.scene(scene || this.changed.first));
    }
    if (found.go) { this.pause(); this.ask.hide(); this.set(found.go); }
  }

  drag({ panel, svg }, event, start) {
    const dial = (this.scene.dials || []).find((d) => d.kind === "plane" && d.plane.panel === panel.name);
    if (!dial || !holds(dial.when, this.state) || !(start || (event.buttons & 1))) return;
    if (start) svg.setPointerCapture(event.pointerId);
    const box = svg.getBoundingClientRect(), { columns, x, y, dx, dy } = dial.plane;
    const rows = dial.values.length / columns;
    const within = (value, count) => Math.min(count - 1, Math.max(0, Math.round(value)));
    const column = within((((event.clientX - box.left) / box.width) * panel.width - x) / dx, columns);
    const row = within((((event.clientY - box.top) / box.height) * panel.height - y) / dy, rows);
    this.request(dial, row * columns + column);
  }

  key(event, built) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowRight: (i) => i + 1, ArrowLeft: (i) => i - 1, Home: () => 0, End: () => Infinity };
    if (event.key in steps && this.main) {
      this.pause();
      const last = this.main.values.length - 1;
      this.request(this.main, Math.min(last, Math.max(0, steps[event.key](this.state[this.main.name]))));
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      this.visit(event.key === "ArrowDown" ? 1 : -1, built);
    } else if (event.key === "Enter") this.follow(this.pointed);
    else if (event.key === " " && this.main) this.toggle(this.main);
    else if (event.key === "+" || event.key === "-") this.zoom(built, event.key === "+" ? 1.15 : 1 / 1.15);
    else if (event.key === "Escape") { this.point(undefined); return; }
    else return;
    event.preventDefault();
  }

  visit(by, { svg, scroller }) {
    const shown = (name) => [...svg.querySelectorAll(`[data-link="${CSS.escape(name)}"]`)].find((n) => n.getClientRects().length);
    const seen = this.order.filter(shown);
    if (!seen.length) return;
    const at = seen.indexOf(this.pointed);
    const name = seen[at < 0 ? (by > 0 ? 0 : seen.length - 1) : (at + by + seen.length) % seen.length];
    this.point(name);
    this.say.textContent = this.scene.links[name].label;
    const box = shown(name).getBoundingClientRect();
    this.scrollTo(scroller, box);
    if (!this.tip.hidden) this.placeTip(box.right, box.bottom);
  }

  focusPanel() { this.panels.find((p) => !p.element.hidden)?.scroller.focus({ preventScroll: true }); }

  // ---- size and place ----

  fit() {
    const room = this.root.clientWidth;
    if (!room) return;
    for (const built of this.panels) {
      const { panel, svg, zoom } = built;
      const scale = zoom || Math.min(1, Math.max(0.82, (room - 8) / panel.width));
      if (built.scale === scale) continue;
      built.scale = scale;
      svg.style.width = `${panel.width * scale}px`;
      svg.style.height = `${panel.height * scale}px`;
    }
  }

  zoom(built, by) {
    built.zoom = Math.min(4, Math.max(0.2, (built.scale || 1) * by));
    this.fit();
  }

  panToNow() {
    for (const { element, scroller, svg } of this.panels) {
      if (element.hidden) continue;
      if (scroller.scrollWidth <= scroller.clientWidth && scroller.scrollHeight <= scroller.clientHeight) continue;
      const now = svg.querySelector("rect.is-now") || svg.querySelector(".is-now");
      if (now) this.scrollTo(scroller, now.getBoundingClientRect());
    }
  }

  scrollTo(scroller, box) {
    const frame = scroller.getBoundingClientRect(), edge = 40;
    const off = (low, high, start, end) => low < start + edge || high > end - edge ? (low + high - start - end) / 2 : 0;
    const left = off(box.left, box.right, frame.left, frame.right), top = off(box.top, box.bottom, frame.top, frame.bottom);
    if (left || top) scroller.scrollBy({ left, top, behavior: lessMotion() ? "auto" : "smooth" });
  }
}

// A scene that a saved page holds compressed (`packed` in picture.py).
async function unpacked(text) {
  if (!text) return null; // the scene that the page started with
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

function lessMotion() { return matchMedia("(prefers-reduced-motion: reduce)").matches; }

function hideStill(root, id) {
  if (!id) return;
  const still = `img[data-labkit="${id}"]`;
  root.append(make("style", {}, `${still}, .jp-OutputArea-child:has(${still}) { display: none; }`));
}

function render({ model, el }) {
  const frame = make("div", { className: "labkit", "data-lm-suppress-shortcuts": "true" });
  const root = make("div", { className: "lk-root" });
  frame.append(root);
  hideStill(frame, model.get("still"));
  for (const type of ["keydown", "keyup", "keypress"]) {
    frame.addEventListener(type, (event) => { if (!PASSED_ON.has(event.key)) event.stopPropagation(); });
  }
  el.append(frame);
  let player, telling;
  const changed = (state) => {
    clearTimeout(telling);
    telling = setTimeout(() => { model.set("state", { ...state }); model.save_changes(); }, 150);
  };
  const show = (scene) => {
    const { predict, state, scene: before } = player || {}, focused = root.contains(document.activeElement);
    player?.pause();
    player = new Player(root, scene, {
      state: state || model.get("state"), before, changed, send: (message) => model.send(message), live: model.get("live"),
      scenes: model.get("scenes"), predict,
    });
    if (focused) player.focusPanel();
  };
  Object.assign(changed, { scene: show, first: model.get("scene") });
  const onScene = () => { show(model.get("scene")); changed(player.state); };
  const onState = () => player.set(model.get("state"), false);
  model.on("change:scene", onScene);
  model.on("change:state", onState);
  show(model.get("scene"));
  if (model.get("plays") && player.main && !lessMotion()) player.toggle(player.main);
  const observer = new ResizeObserver(() => player.fit());
  observer.observe(root);
  return () => {
    player.pause();
    clearTimeout(telling);
    observer.disconnect();
    model.off("change:scene", onScene);
    model.off("change:state", onState);
  };
}

export default { render };
