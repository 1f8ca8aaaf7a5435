// The graph explorer. data: {ways, arrays, program, start, inputs, views, names, notice, more, source, words, ...} of `explorer.py`: cards and
// edges of each way of folding, and every number of the run as lines. A text has ⟦k|f⟧ for the k-th array in the format f of `FORMATS`.

const HIGH = 42, APART = 10, TRACK = -8; // px, as in `units.py`; how far within its card the track ends on which an input is dragged
const KNOB = 240; // px: where a disc multiplies all weights, below the norms
const TURNED = 1.25; // of the room: a wider graph goes from top to bottom
const MOST_CHOSEN = 16; // numbers of an array that are dragged one by one
const FEW = 4, ROOM = 22, FULL = 6; // numbers and letters, as in `words.py`

// ---- numbers in words, as `kit/words.py` writes them ----

const number = (value, most = 3) => digits(value, most);
const bracketed = (words) => (words.startsWith("−") ? `(${words})` : words);

function normOf(values) {
  const largest = values.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  return !largest || !Number.isFinite(largest) ? largest : largest * Math.sqrt(values.reduce((sum, one) => sum + (one / largest) ** 2, 0));
}

function brief({ shape, values }) {
  const dims = shape.join("×"), nans = values.filter(Number.isNaN).length, faulty = values.filter((one) => !Number.isFinite(one)).length;
  if (values.length === 1) return shape.length === 0 ? number(values[0]) : shape.length === 1 ? `[${number(values[0])}]` : `${dims}: ${number(values[0])}`;
  if (faulty) return `${dims}, ${nans || faulty} ${nans ? "nan" : "inf"}`;
  return `${dims} ‖${number(normOf(values))}‖`;
}

function nested(shape, values, most) {
  if (!shape.length) return number(values[0], most);
  const size = values.length / shape[0];
  return `[${Array.from({ length: shape[0] }, (_, i) => nested(shape.slice(1), values.slice(i * size, (i + 1) * size), most)).join(", ")}]`;
}

function onCard(array, short = false) {
  if (array.values.length > 1 && array.values.length <= FEW) {
    for (const most of [3, 2]) { const words = nested(array.shape, array.values, most); if (words.length <= ROOM) return words; }
  }
  const words = brief(array);
  return short && words.includes("‖") ? words.slice(words.indexOf("‖")) : words;
}

const inShort = (array) => (array.shape.length !== 1 || array.values.length > FULL ? brief(array) : nested(array.shape, array.values, 3));
const NONE = "∅ all 0", isNothing = ({ values }) => values.every((one) => one === 0);
const FORMATS = { n: ({ values }) => number(values[0]), "(": ({ values }) => bracketed(number(values[0])), b: brief, s: inShort, c: (array) => onCard(array), d: (array) => (array.values.length > 1 && isNothing(array) ? NONE : onCard(array, true)) };

// ---- the run for other inputs ----

const SPECIAL = { nan: NaN, inf: Infinity, "-inf": -Infinity };
const constant = (one) => (typeof one === "string" ? SPECIAL[one] : one);

const nearestIn = (values, to) => values.reduce((best, one, i) => (Math.abs(one - to) < Math.abs(values[best] - to) ? i : best), 0);

// All numbers of the program, the inputs first, or those of the nearest sample; [] where there is neither.
function numbersOf({ program, start, samples }, inputs) {
  if (!program) return [];
  if (samples) {
    const row = samples.find(({ entry }) => entry in inputs) || samples[0];
    return row.numbers[nearestIn(row.values, inputs[row.entry] ?? start[program.inputs.indexOf(row.entry)])].map(constant);
  }
  const found = program.inputs.map((name, i) => constant(inputs[name] ?? start[i]));
  for (const line of program.lines) found.push(resultOf(line, found));
  return found;
}

const arraysOf = ({ arrays }, numbers) => arrays.map(({ shape, at }) => ({ shape, values: at.map((one) => (Array.isArray(one) ? constant(one[0]) : numbers[one])) }));
const saidWith = (words, arrays) => words.replace(/⟦(\d+)\|(.)⟧/g, (_, k, form) => FORMATS[form](arrays[k]));
const worth = (parts, arrays) => (Array.isArray(parts) ? parts.reduce((sum, [sign, k]) => sum + sign * (Array.isArray(k) ? constant(k[0]) : arrays[k].values[0]), 0) : parts);
const latest = (changes, step) => changes.reduce((found, [when, words]) => (when <= step ? words : found), "");

// All that is said at a step of a way of folding.
function sentenceOf({ more }, way, { step, view }, arrays) {
  return saidWith([way.said[step], more, latest(way.besides[view] || [], step)].filter(Boolean).join(" "), arrays);
}

// The first card whose value is not finite while what it was computed from is, and what it holds.
function faultOf(way, arrays) {
  const bad = way.cards.find((card) => /⟦(\d+)/.test(card.value) && arrays[/⟦(\d+)/.exec(card.value)[1]].values.some((one) => !Number.isFinite(one)));
  return bad && { title: bad.title, what: arrays[/⟦(\d+)/.exec(bad.value)[1]].values.some(Number.isNaN) ? "nan" : "inf" };
}

// The title, the text and the line below of the card of a gradient in a view at a step; undefined where there is none yet.
function nodeOf(card, way, { step, view }) {
  const { gradient, tape } = card, value = gradient ? latest(gradient.texts, step) : "";
  if (view === "tape") {
    if (!tape || (step < card.ran && !way.retained)) return undefined;
    const released = tape.gone || (tape.frees && card.walked && step > card.walked);
    return { title: tape.title, value: tape.gone ? "released" : value, foot: tape.saves, released, tip: tape.tip };
  }
  if (!gradient || (step < way.seed && view !== "graph")) return undefined;
  return { title: gradient.title, value, foot: latest(gradient.sums, step), tip: gradient.tip, bad: gradient.bad };
}

// ---- what is drawn ----

const middle = (x, y, words, kind, more = {}) => svg("text", { x, y, class: `graph-${kind}`, "text-anchor": "middle", ...more }, words);

// A card at (x, y); `act` is what a click does.
function cardAt(x, y, wide, kinds, lines, { key, label, act, tip }) {
  const pile = kinds.includes("block") ? [6, 3].map((off) => svg("rect", { x: x + off, y: y - off, width: wide, height: HIGH, rx: 6, class: "graph-pile" })) : [];
  return svg("g", { class: `graph-card ${kinds.join(" ")}`, tabindex: 0, role: "button", "aria-label": label, "data-key": key, onclick: act,
    onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); } } },
    svg("title", {}, tip.join("\n")), ...pile, svg("rect", { x, y, width: wide, height: HIGH, rx: kinds.includes("leaf") || kinds.includes("chip") ? 20 : 6 }),
    middle(x + wide / 2, y + 17, lines[0], "name"), middle(x + wide / 2, y + 33, lines[1], "value"));
}

function graphOf(data, way, flow, upright, state, arrays, does) {
  const { step, view } = state, { wide } = way, drawn = [], fill = (words) => saidWith(words, arrays), pale = view === "graph";
  way.edges.forEach((edge, k) => {
    const ran = way.cards[edge.to].ran, back = flow.back[k], on = step >= edge.walked && edge.walked, nil = Array.isArray(edge.nil) ? edge.nil.every((k) => isNothing(arrays[k])) : edge.nil;
    drawn.push(svg("path", { d: flow.forward[k], class: `graph-edge ${edge.cut ? "cut" : step === ran && step ? "now" : step < ran ? "pale" : ""}`, "marker-end": "url(#graph-forward)" }));
    if (back && edge.walked && (on || step >= way.seed || pale || (way.retained && view === "tape"))) {
      drawn.push(svg("path", { d: back, class: `graph-back ${nil ? "nil" : ""} ${step === edge.walked ? "now" : on ? "" : "pale"}`, "marker-start": "url(#graph-backward)" }));
    }
    if (edge.cut) { const [x, y] = flow.boxes[edge.from]; drawn.push(middle(x + wide / 2, y + HIGH + 13, edge.cut, "cutword")); }
  });
  way.edges.forEach((edge, k) => {
    if (!edge.slope || !flow.labels[k].length || (step < way.seed && !pale)) return;
    const [x, y] = flow.labels[k];
    drawn.push(middle(x, y + 4, step < way.seed ? "" : fill(edge.slope), "slope"));
  });
  way.cards.forEach((card, i) => {
    const [x, y] = flow.boxes[i], seen = step >= card.ran, at = step && (step === card.ran || step === card.walked);
    const [bx, by] = upright ? [x + wide + APART, y] : [x, y + HIGH + APART];
    const value = fill(card.value), kinds = [card.kind, seen ? "" : "pale", step && step === card.ran ? "now" : "", card.marked ? "marked" : "", card.bad ? "bad" : ""].filter(Boolean);
    drawn.push(cardAt(x, y, wide, kinds, [card.title, seen ? value : ""], { key: `n${i}`, tip: card.tip, label: `${card.title}${seen ? `: ${value}` : ", has not run yet"}${card.opens && does.leads(card.opens) ? ", folded: unfold it" : ""}`, act: () => does.card(i) }));
    const node = nodeOf(card, way, state);
    if (card.told && !upright && !node?.foot) drawn.push(middle(x + wide / 2, y + HIGH + (card.gradient || card.tape ? 2 * APART + HIGH + 3 : 12), card.told, "note"));
    if (!node) return;
    const now = at && (step === card.walked || (card.gradient || { texts: [] }).texts.some(([when]) => when === step));
    const words = fill(node.value), states = ["gradient", words ? "" : "pale", now ? "now" : "", words === NONE || words === "0" ? "nil" : "", node.bad ? "bad" : ""].filter(Boolean);
    drawn.push(cardAt(bx, by, wide, states, [node.title, words], { key: `g${i}`, tip: node.tip, label: `${node.title}: ${words || "nothing yet"}`, act: () => does.gradient(i) }));
    const off = upright ? { x: bx + wide / 2 + 8, "text-anchor": "start" } : {}; // beside the edge that leaves there
    if (node.foot) drawn.push(middle(bx + wide / 2, by + HIGH + 12, fill(node.foot), node.released ? "note released" : "note", off));
  });
  const head = (id, kind, turn) => svg("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: turn, markerUnits: "userSpaceOnUse" }, svg("path", { d: "M0 0L8 4L0 8Z", class: kind }));
  return [svg("defs", {}, head("graph-forward", "graph-head", "auto"), head("graph-backward", "graph-backhead", "auto-start-reverse")), ...drawn];
}

// The norms of gradients on a logarithmic axis; the result is at the right.
function normsOf({ norms, last }, step, arrays, width, go) {
  const high = 210, points = norms.points.map((p) => ({ ...p, size: p.norm && typeof p.norm === "object" ? normOf(arrays[p.norm.norm].values) : constant(p.norm) }));
  const known = points.filter(({ size }) => size > 0 && Number.isFinite(size)).map(({ size }) => Math.log10(size));
  const low = Math.floor(Math.min(...known, 0)), top = Math.max(Math.ceil(Math.max(...known, low + 1)), low + 1), first = Math.min(...points.map(({ at }) => at)), end = Math.max(...points.map(({ at }) => at));
  const across = axis(end + 0.5, first - 0.5, 62, width - 12), up = axis(low, top, high - 34, 22), drawn = [];
  const place = ({ at, size }) => [across(at), size > 0 && Number.isFinite(size) ? up(Math.log10(size)) : size === 0 ? high - 20 : 10];
  drawn.push(svg("rect", { x: 62, y: 22, width: width - 74, height: high - 56, class: "lab-area" }));
  const every = Math.ceil((top - low) / 5);
  for (let power = low; power <= top; power += every) drawn.push(svg("line", { x1: 62, x2: width - 12, y1: up(power), y2: up(power), class: "lab-grid" }), written(56, up(power) + 4, number(10 ** power), "note", "end"));
  if (points.some(({ size }) => size === 0)) drawn.push(written(56, high - 16, "0", "note", "end"));
  if (points.some(({ size }) => !Number.isFinite(size))) drawn.push(written(56, 14, "nan, inf", "note", "end"));
  if (norms.band) {
    const [bottom, above] = norms.band.slice(0, 2).map((one) => up(Math.log10(one)));
    drawn.push(svg("rect", { x: 62, y: above - 3, width: width - 74, height: bottom - above + 6, class: "graph-band" }), written(width - 14, 15, norms.band[2], "note", "end"));
  }
  if (norms.trend) drawn.push(written(66, 15, norms.trend, "note"));
  const line = points.filter(({ main, leaf }) => main && !leaf).sort((a, b) => a.at - b.at), names = new Map();
  drawn.push(svg("path", { d: through(line.filter(({ when }) => when <= step).map(place)), class: "graph-curve" }));
  for (const p of points) {
    const [x, y] = place(p);
    drawn.push(svg("circle", { cx: x, cy: y, r: 4.5, class: `graph-dot ${p.leaf ? "leaf" : ""} ${p.when > step ? "pale" : ""}`, onclick: () => go(Math.min(p.when, last)) }, svg("title", {}, `${p.title}: ‖${number(p.size)}‖`)));
    if (p.main && !names.has(p.at)) names.set(p.at, p.title);
  }
  const room = (width - 74) / (end - first + 1);
  for (const [at, title] of names) if (room > 7 * title.length + 6) drawn.push(middle(across(at), high - 4, title, "note"));
  return { high, drawn };
}

// Arrays in a step, as tables with a colour for each number.
function insideOf(groups, arrays) {
  const tile = ({ name, array, text }) => {
    if (array === undefined || text !== undefined) return html("figure", { class: "graph-array" }, html("figcaption", {}, name), html("span", {}, text));
    const { shape, values } = arrays[array], columns = shape.length > 1 ? shape.at(-1) : shape.length ? values.length : 1, most = Math.max(...values.map(Math.abs).filter(Number.isFinite), 0) || 1;
    const cell = (one) => html("td", { style: `--strength: ${Number.isFinite(one) ? Math.round((60 * Math.abs(one)) / most) : 0}%`, class: one < 0 ? "below" : "" }, number(one));
    const rows = Array.from({ length: values.length / columns }, (_, i) => html("tr", {}, ...values.slice(i * columns, (i + 1) * columns).map(cell)));
    return html("figure", { class: "graph-array" }, html("figcaption", {}, name), html("table", {}, html("tbody", {}, ...rows)));
  };
  return (groups || []).map(({ words, parts }) => html("div", { class: "graph-group" }, html("p", {}, saidWith(words, arrays)), html("div", { class: "graph-parts" }, ...parts.map((part) => (typeof part === "string" ? html("span", {}, part) : tile(part))))));
}

// An input, or a whole array of them, as what is dragged: its name, its range, its value, and the inputs that give it another;
// undefined where there are no samples of it.
function draggedOf({ start, program, samples }, { name, entries }, entry) {
  const begin = (one) => constant(start[program.inputs.indexOf(one)]), row = samples?.find((one) => entries.includes(one.entry));
  if (samples && !row) return undefined;
  const whole = entry === "", lead = row?.entry ?? (whole ? entries.reduce((found, one) => (Math.abs(begin(one)) > Math.abs(begin(found)) ? one : found), entries[0]) : entry);
  const scale = (whole && begin(lead)) || 1, half = 1.5 * Math.max(1, Math.abs(begin(lead))); // a factor of the whole array
  const put = (value) => Object.fromEntries((whole ? entries : [entry]).map((one) => [one, whole ? begin(one) * value : value]));
  return { name: whole ? `${name} × ` : `${entry} = `, value: (inputs) => (inputs[lead] ?? begin(lead)) / scale,
    range: row ? [row.values[0] / scale, row.values.at(-1) / scale].sort((a, b) => a - b) : whole ? [-1, 3] : [begin(lead) - half, begin(lead) + half],
    inputs: (before, value) => (row ? put(row.values[nearestIn(row.values, value * scale)] / scale) : { ...before, ...put(value) }) };
}

// From where to where the inputs of sampled runs are dragged, in words.
function rangesOf(data) {
  const found = data.inputs.map((input) => draggedOf(data, input, input.entries.length > 1 ? "" : input.entries[0])).filter(Boolean);
  return found.map(({ name, range }) => `${name}${range.map((end) => number(end)).join(" … ")}`);
}

export default { render({ model, el }) {
  let data = model.get("data"), way, arrays, chosen = null, upright = false, predicting = false, shown = "", picked = {};
  const live = Boolean(model.get("still")), { words } = data;
  const frame = new Frame({ model, el }, ["step", "view", "opened", "inputs"], { title: data.title, about: filledIn(words.about, data) });
  frame.root.classList.add("graph");
  const wayOf = ({ opened }) => data.ways[opened] || way || Object.values(data.ways)[0];
  const stopAt = (step) => clamped(step, 0, wayOf(frame.state).last);
  const go = (step, dragging = false) => { chosen = null; frame.set({ step: stopAt(step) }, dragging); };
  const leads = (opens) => live || opens in data.ways;
  const fold = (opened) => { chosen = null; frame.set({ opened, step: placeIn(data.ways[opened]) }); };
  const placeIn = (next) => (next ? Math.max(next.places.findLastIndex((place) => place <= way.places[frame.state.step]), 0) : 0); // as much has happened as before

  frame.player("Play", () => 1100 * wayOf(frame.state).last, () => frame.state.step / wayOf(frame.state).last, (part) => {
    const step = Math.round(part * wayOf(frame.state).last);
    if (step !== frame.state.step) go(step, true);
  });
  const back = frame.button("Back", () => go(frame.state.step - 1)), next = frame.button("Next", forward);
  const predict = frame.button("Predict first", () => { predicting = !predicting; frame.redraw(); });
  if (data.views.length > 1) {
    const views = data.views.map((view) => html("button", { type: "button", onclick: () => frame.set({ view }) }, data.names[view]));
    frame.controls.push(() => views.forEach((button, i) => button.setAttribute("aria-pressed", data.views[i] === frame.state.view)));
    frame.menu.append(html("div", { class: "lab-choice", role: "group", "aria-label": "View" }, ...views));
  }
  frame.controls.push(() => {
    const focused = document.activeElement;
    back.disabled = !frame.state.step; next.disabled = frame.state.step >= way.last;
    predict.setAttribute("aria-pressed", predicting);
    if (focused === next && next.disabled) back.focus(); else if (focused === back && back.disabled) next.focus();
  });
  const several = data.samples ? [] : data.inputs.filter(({ entries }) => entries.length > 1);
  if (several.length) {
    const choices = several.flatMap(({ name, node, entries }) => [[`${node}|`, `all of ${name}`], ...entries.slice(0, MOST_CHOSEN).map((entry) => [`${node}|${entry}`, entry])]);
    const select = html("select", { "aria-label": "What the disc of an array changes", onchange: () => { const [node, entry] = select.value.split("|"); picked = { ...picked, [node]: entry }; shown = ""; frame.redraw(); } },
      ...choices.map(([value, label]) => html("option", { value }, label)));
    frame.menu.append(html("label", { class: "graph-pick" }, "Drag ", select));
  }
  if (data.inputs.length) frame.button("Start values", () => frame.set({ inputs: {} }), frame.menu);

  // The next step, asked for first where the reader predicts.
  function forward() {
    const { step } = frame.state, ask = way.asks[step + 1];
    if (!predicting || !ask || step >= way.last) { go(step + 1); return; }
    frame.ask({ question: saidWith(ask.question, arrays), answer: typeof ask.answer === "string" ? ask.answer : worth(ask.answer, arrays), tolerance: 0.015, right: saidWith(ask.because, arrays),
      slips: ask.slips.map(([value, said]) => [typeof value === "string" ? value : worth(value, arrays), saidWith(said, arrays)]), otherwise: words.otherwise, choices: ask.choices }, () => go(step + 1));
  }

  const notice = html("p", { class: "graph-notice", role: "note" }), folded = html("span", { class: "lab-bar graph-folds" }), tip = html("p", { class: "graph-tip" });
  const inside = html("div", { class: "graph-inside", role: "group", "aria-label": "Inside this step", tabindex: 0 }), code = html("details", { class: "graph-code" }, html("summary", {}, "The program of the gradient, as graph mode runs it"), html("pre", {}));
  const caption = () => (data.samples ? filledIn(words.sampled, { ranges: rangesOf(data).join("; ") }) : data.inputs.length ? words.dragged : words.graph);
  const plane = frame.panel(caption(), 100, 100), curve = frame.panel(words.norms, 100, 100);
  for (const [panel, label] of [[plane, "The graph"], [curve, "Gradient norms"]]) { panel.drawn.setAttribute("role", "group"); panel.drawn.setAttribute("aria-label", label); panel.drawn.parentNode.setAttribute("tabindex", -1); }
  curve.drawn.parentNode.classList.add("graph-norms");
  frame.root.insertBefore(notice, frame.panels);
  frame.menu.append(folded);
  frame.root.insertBefore(frame.said, frame.panels); // beside the controls, however high the graph is
  frame.root.append(tip, inside, code);
  code.hidden = !data.source && !data.why;
  const lines = (data.source || `There is none: ${data.why}.`).split("\n").map((line) => html("span", {}, `${line}\n`));
  code.lastChild.append(...lines);

  // A disc below the norms, on a logarithmic track, that multiplies all weights.
  function knob(width) {
    curve.front.replaceChildren();
    if (data.weights.length < 2 || !way.norms) return;
    const along = axis(-1, 1, 130, width - 30), level = KNOB, all = draggedOf(data, { name: words.weights, entries: data.weights.flat() }, "");
    const now = (inputs) => Math.log10(clamped(all.value(inputs), 0.1, 10)), set = (to) => ({ inputs: all.inputs(frame.state.inputs, Number((10 ** clamped(to, -1, 1)).toPrecision(3))) });
    curve.front.append(svg("line", { x1: along.start, x2: along.end, y1: level, y2: level, class: "graph-track" }), written(0, level + 4, words.weights, "note"), ...[0.1, 1, 10].map((one) => middle(along(Math.log10(one)), level - 12, `× ${one}`, "note")));
    frame.handle(curve, words.weights, { at: ({ inputs }) => [along(now(inputs)), level], move: (px) => set(along.inverse(px)), keys: (step) => set(now(frame.state.inputs) + step / 50), range: [0.1, 10], value: ({ inputs }) => all.value(inputs), words: ({ inputs }) => `${words.weights} × ${number(all.value(inputs))}` });
  }

  // Discs on the cards of the inputs.
  function handles(flow) {
    frame.handles.length = 0;
    plane.front.replaceChildren();
    for (const input of data.inputs) {
      const i = way.cards.findIndex(({ kind, node }) => kind === "leaf" && node === input.node);
      if (i < 0) continue;
      const [x, y] = flow.boxes[i], entry = input.entries.length > 1 ? picked[input.node] ?? "" : input.entries[0], dragged = draggedOf(data, input, entry);
      if (!dragged) continue;
      const { name, range: [low, high], value } = dragged;
      const along = axis(low, high, x + TRACK, x + way.wide - TRACK), level = y + HIGH + APART / 2, unit = 10 ** (Math.floor(Math.log10(high - low)) - 2);
      const set = (to) => ({ inputs: dragged.inputs(frame.state.inputs, Number((Math.round(clamped(to, low, high) / unit) * unit).toPrecision(12))) });
      plane.front.append(svg("line", { x1: along.start, x2: along.end, y1: level, y2: level, class: "graph-track" }));
      frame.handle(plane, entry || input.name, { at: ({ inputs }) => [along(clamped(value(inputs), low, high)), level], move: (px) => set(along.inverse(px)),
        keys: (step) => set(Number.isFinite(step) ? value(frame.state.inputs) + step * 5 * unit : step > 0 ? high : low), range: [low, high], value: ({ inputs }) => value(inputs), words: ({ inputs }) => `${name}${number(value(inputs))}` });
    }
  }

  function draw(state) {
    way = wayOf(state);
    const step = stopAt(state.step), at = { ...state, step }, focus = frame.root.contains(document.activeElement) && document.activeElement.dataset?.key;
    arrays = arraysOf(data, numbersOf(data, state.inputs));
    const flow = way.flows[Number(upright)], broad = clamped(curve.drawn.parentNode.clientWidth || 600, 320, 900), key = `${state.opened}|${upright}|${broad}|${JSON.stringify(picked)}`;
    const views = state.view === "both" ? ["tape", "graph"] : [state.view], [across, down] = upright ? [flow.width, 0] : [0, flow.height]; // beside or below each other
    const width = flow.width + (views.length - 1) * across, height = flow.height + (views.length - 1) * down;
    plane.drawn.setAttribute("viewBox", `0 0 ${width} ${height}`);
    plane.drawn.style.width = `${width}px`;
    plane.drawn.previousSibling.textContent = `${way.labels[step]}. ${caption()}`;
    const does = {
      leads, card: (i) => { const { opens, ran } = way.cards[i]; if (opens && leads(opens)) fold(opens); else { go(ran || frame.state.step); chosen = way.cards[i].tip; frame.redraw(); } },
      gradient: (i) => { const { walked, gradient, tape } = way.cards[i], when = gradient ? gradient.texts.at(-1)[0] : walked; go(when || frame.state.step); chosen = (gradient || tape).tip; frame.redraw(); },
    };
    plane.ink.replaceChildren(...views.map((view, i) => svg("g", { transform: `translate(${i * across} ${i * down})` }, ...graphOf(data, way, flow, upright, { ...at, view }, arrays, does))));
    plane.drawn.style.maxWidth = !upright && width <= TURNED * frame.root.clientWidth ? "100%" : "none";
    if (key !== shown) { shown = key; handles(flow); knob(broad); }
    if (focus) plane.ink.querySelector(`[data-key="${focus}"]`)?.focus({ preventScroll: true });
    const now = [...plane.ink.querySelectorAll(".now")].find((one) => one.matches(".graph-card"));
    if (now && !frame.dragging) follow(plane.drawn.parentNode, now);
    curve.drawn.parentNode.hidden = !way.norms;
    if (way.norms) {
      const { high, drawn } = normsOf(way, step, arrays, broad, go);
      curve.drawn.setAttribute("viewBox", `0 0 ${broad} ${curve.front.childNodes.length ? KNOB + 14 : high}`);
      curve.drawn.style.width = `${broad}px`;
      curve.ink.replaceChildren(...drawn);
    }
    const moved = Object.entries(state.inputs).some(([name, value]) => value !== constant(data.start[data.program.inputs.indexOf(name)])), fault = moved && faultOf(way, arrays);
    notice.textContent = moved ? (fault ? filledIn(words.bad, fault) : "") : data.notice;
    notice.hidden = !notice.textContent;
    folded.replaceChildren(...(way.boxes ? [html("span", {}, way.boxes)] : []), ...way.folds.filter(([, to]) => leads(to)).map(([title, to]) => html("button", { type: "button", class: "lab-button", onclick: () => fold(to) }, `Fold ${title}`)));
    folded.hidden = !folded.childNodes.length;
    tip.textContent = chosen ? chosen.join(" · ") : "";
    tip.hidden = !chosen;
    inside.hidden = !way.inside[step];
    inside.replaceChildren(...insideOf(way.inside[step], arrays));
    const here = new Set(way.cards.flatMap((card) => (!card.lines || !step ? [] : step === card.ran ? card.lines[0] : step === card.walked ? card.lines[1] : [])));
    lines.forEach((line, i) => line.classList.toggle("now", here.has(i + 1)));
    return sentenceOf(data, way, at, arrays);
  }

  // What runs now is scrolled into sight, sideways alone.
  function follow(box, card) {
    const seen = box.getBoundingClientRect(), one = card.getBoundingClientRect();
    if (one.left < seen.left || one.right > seen.right) box.scrollLeft += one.left - seen.left - (seen.width - one.width) / 2;
  }

  (document.documentElement.classList.contains("alone") ? document : frame.root).addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || event.target.closest("input, select, textarea, [role=slider], summary")) return;
    event.preventDefault();
    if (step === 1) forward(); else go(frame.state.step + step);
  });
  model.on("change:data", () => { data = model.get("data"); shown = ""; frame.redraw(); });
  frame.begin(draw);
  new ResizeObserver(() => {
    const room = frame.root.clientWidth, [across, down] = way.flows, turned = across.width > Math.max(room, 480) && down.width < across.width && across.width > TURNED * room;
    if (turned !== upright) { upright = turned; frame.redraw(); }
  }).observe(frame.root);
  if (data.plays && !frame.state.step && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
    const seen = new IntersectionObserver(([{ isIntersecting }]) => { if (isIntersecting) { seen.disconnect(); if (!frame.state.step) frame.bar.querySelector("button").click(); } }, { threshold: 0.4 });
    seen.observe(frame.panels);
  }
} };
