// The graph explorer. data: {ways, arrays, program, start, inputs, views, names, notice, more, source, words, ...} of `explorer.py`: cards and
// edges of each way of folding, and every number of the run as lines. A text has ⟦k|f⟧ for the k-th array in the format f of `FORMATS`.

const HALF = 46, HIGH = 42; // px: from a value to its gradient, as in `flow.py`, and of the card of each
const LEAST = 0.75, MOST = 1.3; // of its size: how a graph is drawn at least, going from top to bottom before it is smaller, and at most
const LONG = 19; // letters of a line that is made as wide as its card
const MOST_CHOSEN = 16, MOST_ROW = 4; // numbers of an array that are dragged one by one: when they are chosen, and at once
const CELL = 150, ROW = 62, REST = 8; // px: of what is dragged above the graph, its least width and its height; of a track beyond its card
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

// All numbers of the program, the inputs first; [] where there is none.
function numbersOf({ program, start }, inputs) {
  if (!program) return [];
  const found = program.inputs.map((name, i) => constant(inputs[name] ?? start[i]));
  for (const line of program.lines) found.push(resultOf(line, found));
  return found;
}

const arraysOf = ({ arrays }, numbers) => arrays.map(({ shape, at }) => ({ shape, values: at.map((one) => (Array.isArray(one) ? constant(one[0]) : numbers[one])) }));
const saidWith = (words, arrays) => words.replace(/⟦(\d+)\|(.)⟧/g, (_, k, form) => FORMATS[form](arrays[k]));
const worth = (parts, arrays) => (Array.isArray(parts) ? parts.reduce((sum, [sign, k]) => sum + sign * (Array.isArray(k) ? constant(k[0]) : arrays[k].values[0]), 0) : parts);
const latest = (changes, step) => changes.reduce((found, [when, words]) => (when <= step ? words : found), "");

// All that is said at a step of a way of folding.
function sentenceOf(way, { step, view }, arrays) {
  return saidWith([way.said[step], view === "tape" ? latest(way.taped, step) : ""].filter(Boolean).join(" "), arrays);
}

// The first card whose value is not finite while what it was computed from is, and what it holds.
function faultOf(way, arrays) {
  const bad = way.cards.find((card) => /⟦(\d+)/.test(card.value) && arrays[/⟦(\d+)/.exec(card.value)[1]].values.some((one) => !Number.isFinite(one)));
  return bad && { title: bad.title, what: arrays[/⟦(\d+)/.exec(bad.value)[1]].values.some(Number.isNaN) ? "nan" : "inf" };
}

// The title, the text and the line below of the card of a gradient in a view at a step; undefined where there is none yet. Where the
// graph is `upright`, edges begin below it, so that it is there from the start.
function nodeOf(card, way, { step, view, upright }) {
  const { gradient, tape } = card, value = gradient ? latest(gradient.texts, step) : "";
  if (view === "tape") {
    if (!tape || (step < card.ran && !way.retained && !upright)) return undefined;
    const released = tape.gone || (tape.frees && card.walked && step > card.walked);
    return { title: tape.title, value: tape.gone ? "released" : value, foot: tape.saves, released, tip: tape.tip };
  }
  if (!gradient || (step < way.seed && !upright)) return undefined;
  return { title: gradient.title, value, foot: latest(gradient.sums, step), tip: gradient.tip, bad: gradient.bad };
}

// ---- what is drawn ----

const middle = (x, y, words, kind, more = {}) => svg("text", { x, y, class: `lab-${kind}`, "text-anchor": "middle", ...more }, words);

// A card at (x, y); `act` is what a click does.
function cardAt(x, y, wide, kinds, lines, { key, label, act, tip }) {
  const pile = kinds.includes("block") ? [6, 3].map((off) => svg("rect", { x: x + off, y: y - off, width: wide, height: HIGH, rx: 6, class: "graph-pile" })) : [];
  return svg("g", { class: `graph-card ${kinds.join(" ")}`, tabindex: 0, role: "button", "aria-label": label, "data-key": key, onclick: act,
    onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); } } },
    svg("title", {}, tip.join("\n")), ...pile, svg("rect", { x, y, width: wide, height: HIGH, rx: kinds.includes("leaf") ? 20 : 6 }),
    middle(x + wide / 2, y + 17, lines[0], "name"), middle(x + wide / 2, y + 33, lines[1], "word", lines[1].length > LONG ? { textLength: wide - 10, lengthAdjust: "spacingAndGlyphs" } : {}));
}

function graphOf(way, flow, state, arrays, does) {
  const { step, view, upright } = state, { wide, cards } = way, drawn = [wireHeads()], fill = (words) => saidWith(words, arrays);
  way.edges.forEach((edge, k) => {
    const { ran } = cards[edge.to], on = edge.walked && step >= edge.walked, taped = way.retained && view === "tape" && cards[edge.from].tape && cards[edge.to].tape;
    const nil = edge.walked && Array.isArray(edge.nil) ? edge.nil.every((place) => isNothing(arrays[place])) : edge.walked && edge.nil;
    drawn.push(wireForward(flow.forward[k], step && step === ran ? "graph-now" : step < ran ? "graph-pale" : ""));
    if ((edge.walked && step >= way.seed) || taped) drawn.push(wireBack(flow.back[k], on || taped, `${nil ? "graph-nil" : ""} ${step === edge.walked ? "graph-now" : ""}`));
  });
  if (step >= way.seed) way.edges.forEach((edge, k) => { if (edge.slope && !(does.asked() && edge.walked > step)) drawn.push(written(flow.labels[k][0], flow.labels[k][1] + 4, fill(edge.slope), "slope", "middle")); });
  cards.forEach((card, i) => {
    const [x, y] = flow.boxes[i], seen = step >= card.ran, value = fill(card.value), opens = card.opens && does.leads(card.opens);
    const kinds = [card.kind, seen ? "" : "pale", step && step === card.ran ? "now" : "", card.marked ? "marked" : "", card.bad ? "bad" : ""].filter(Boolean);
    const label = `${card.title}${seen ? `: ${value}` : ", has not run yet"}${opens ? ", folded: unfold it" : ""}`;
    const alone = upright && card.kind === "leaf" && !card.gradient && !card.tape; // it stands where its edge begins
    drawn.push(cardAt(x, alone ? y + HALF : y, wide, kinds, [card.title, seen ? value : ""], { key: `n${i}`, tip: card.tip, label, act: () => (opens ? does.fold(card.opens) : does.tell(card.tip)) }));
    const node = nodeOf(card, way, state), foot = node?.foot;
    if (foot) drawn.push(middle(x + wide / 2, y + (card.gradient || card.tape ? HALF : 0) + HIGH + 13, fill(foot), node?.released ? "note graph-released" : "note"));
    if (!node) return;
    const now = step && (step === card.walked || card.gradient?.texts.some(([when]) => when === step)), words = fill(node.value);
    const states = ["gradient", words ? "" : "pale", now ? "now" : "", words === NONE || words === "0" ? "nil" : "", node.bad ? "bad" : ""].filter(Boolean);
    drawn.push(cardAt(x, y + HALF, wide, states, [node.title, words], { key: `g${i}`, tip: node.tip, label: `${node.title}: ${words || "nothing yet"}`, act: () => does.tell(node.tip) }));
  });
  return drawn;
}

// The norm of the gradient of each weight, on a logarithmic axis, from the first layer to the last.
function normsOf({ norms, last }, words, step, arrays, width, go) {
  const high = 210, left = 62, right = width - 20, points = norms.map((p) => ({ ...p, size: p.norm && typeof p.norm === "object" ? normOf(arrays[p.norm.norm].values) : constant(p.norm) }));
  const known = points.filter(({ size }) => size > 0 && Number.isFinite(size)).map(({ size }) => Math.log10(size));
  const low = Math.floor(Math.min(...known, 0)), top = Math.max(Math.ceil(Math.max(...known, low + 1)), low + 1), every = Math.ceil((top - low) / 5);
  const across = axis(0, points.length - 1, left + 40, right - 40), up = axis(low, top, high - 34, 24), powers = [];
  for (let power = low; power <= top; power += every) powers.push(power);
  const place = ({ size }, i) => [across(i), size > 0 && Number.isFinite(size) ? up(Math.log10(size)) : size === 0 ? high - 20 : 12];
  const seen = points.map((p, i) => (p.when <= step ? place(p, i) : [NaN, NaN])), room = across(1) - across(0);
  const shown = points.map(({ title }, i) => [title, across(i), i]).filter(([title, , i]) => room > 6.2 * title.length || i === 0 || i === points.length - 1);
  return [svg("rect", { x: left, y: 24, width: right - left, height: high - 58, class: "lab-area" }), ...leftOf(up, left - 6, right, powers, (power) => number(10 ** power)),
    written(0, 12, words.norm, "note"),
    ...(points.some(({ size }) => size === 0) ? [written(left - 6, high - 16, "0", "note", "end")] : []), ...(points.some(({ size }) => !Number.isFinite(size)) ? [written(left - 6, 24, "nan, inf", "note", "end")] : []),
    svg("path", { d: through(seen), class: "lab-bwd" }),
    ...points.map((p, i) => svg("circle", { cx: across(i), cy: place(p, i)[1], r: 4.5, class: `graph-dot ${p.when > step ? "pale" : ""}`, onclick: () => go(Math.min(p.when, last)) }, svg("title", {}, `${p.title}: ‖${number(p.size)}‖`))),
    ...shown.map(([title, x, i]) => (i === 0 ? written(left, high - 4, title, "note") : i === points.length - 1 ? written(right, high - 4, title, "note", "end") : middle(x, high - 4, title, "note")))];
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

// An input, or a whole array of them (""), as what is dragged: its label, its range, its value, and the inputs that give it another.
// A whole array is multiplied, on a logarithmic scale.
function draggedOf({ start, program }, { name, node, entries }, entry) {
  const begin = (one) => constant(start[program.inputs.indexOf(one)]), whole = entry === "";
  const lead = whole ? entries.reduce((found, one) => (Math.abs(begin(one)) > Math.abs(begin(found)) ? one : found), entries[0]) : entry;
  const scale = (whole && begin(lead)) || 1, half = 1.5 * Math.max(1, Math.abs(begin(lead)));
  return { label: entry || name, sign: whole ? "×" : "=", log: whole, node, place: entries.indexOf(entry), value: (inputs) => (inputs[lead] ?? begin(lead)) / scale,
    range: whole ? [0.1, 10] : [begin(lead) - half, begin(lead) + half],
    inputs: (before, value) => ({ ...before, ...Object.fromEntries((whole ? entries : [entry]).map((one) => [one, whole ? begin(one) * value : value])) }) };
}

// What is dragged above the graph: numbers of short arrays, other arrays as a whole, all weights together, and what was `picked`.
function rowOf(data, picked) {
  const own = data.inputs.filter(({ name, entries }) => entries.length > 1 && !name.includes("."));
  const found = own.flatMap((input) => (input.entries.length > MOST_ROW ? [[input, ""]] : input.entries.map((entry) => [input, entry])));
  if (data.weights.length > 1) found.push([{ name: data.words.weights, entries: data.weights.flat() }, ""]);
  if (picked && !found.some(([{ node }, entry]) => node === picked[0].node && entry === picked[1])) found.push(picked);
  return found.map(([input, entry]) => draggedOf(data, input, entry));
}

export default { render({ model, el }) {
  let data = model.get("data"), way, arrays, chosen = null, upright = false, shown = "", picked = null, cells = [], followed = 0;
  const live = Boolean(model.get("still")), { words } = data;
  const frame = new Frame({ model, el }, ["step", "view", "opened", "inputs"], { title: data.title, about: filledIn(words.about, data) });
  frame.root.classList.add("graph");
  const wayOf = ({ opened }) => data.ways[opened] || way || Object.values(data.ways)[0];
  const stopAt = (step) => clamped(step, 0, wayOf(frame.state).last);
  const go = (step, dragging = false) => { chosen = frame.asked = null; frame.asking.hidden = true; frame.set({ step: stopAt(step) }, dragging); };
  const placeIn = (next) => (next ? Math.max(next.places.findLastIndex((place) => place <= way.places[frame.state.step]), 0) : 0); // as much has happened as before
  const does = {
    asked: () => frame.asked, leads: (opens) => live || opens in data.ways, tell: (tip) => { chosen = tip; frame.redraw(); },
    fold: (opened) => { chosen = null; frame.set({ opened, step: placeIn(data.ways[opened]) }); },
  };

  frame.player("Play", () => 1100 * wayOf(frame.state).last, () => frame.state.step / wayOf(frame.state).last, (part) => {
    const step = Math.round(part * wayOf(frame.state).last);
    if (step !== frame.state.step) go(step, true);
  });
  const back = frame.button("Back", () => go(frame.state.step - 1)), next = frame.button("Next", () => go(frame.state.step + 1));
  frame.predict(({ step }) => questionAt(step));
  const views = Object.entries(data.views).map(([view, name]) => html("button", { type: "button", "data-view": view, onclick: () => frame.set({ view }) }, name));
  frame.controls.push(() => views.forEach((button) => button.setAttribute("aria-pressed", button.dataset.view === frame.state.view)));
  frame.menu.append(html("div", { class: "lab-choice", role: "group", "aria-label": "View" }, ...views));
  frame.controls.push(() => {
    const focused = document.activeElement;
    back.disabled = !frame.state.step; next.disabled = frame.state.step >= way.last;
    frame.predictor.hidden = !Object.keys(way.asks).length;
    if (focused === next && next.disabled) back.focus(); else if (focused === back && back.disabled) next.focus();
  });
  const several = data.inputs.filter(({ name, entries }) => entries.length > 1 || name.includes("."));
  if (several.length) {
    const choices = several.flatMap((input) => [...(input.entries.length > 1 ? [[input, ""]] : []), ...input.entries.slice(0, MOST_CHOSEN).map((entry) => [input, entry])]);
    const select = html("select", { "aria-label": "Also drag", onchange: () => { picked = choices[select.selectedIndex - 1]; shown = ""; frame.redraw(); } },
      html("option", {}, "…"), ...choices.map(([{ name }, entry]) => html("option", {}, entry || `all of ${name}`)));
    frame.menu.append(html("label", {}, "Also drag ", select));
  }
  if (data.inputs.length) frame.button("Start values", () => frame.set({ inputs: {} }), frame.menu);

  // The question before the next step that has one.
  function questionAt(after) {
    const asked = Object.keys(way.asks).map(Number), step = asked.find((one) => one > after) ?? asked[0], ask = way.asks[step];
    return ask && { question: saidWith(ask.question, arrays), answer: typeof ask.answer === "string" ? ask.answer : worth(ask.answer, arrays), tolerance: 0.015, right: saidWith(ask.because, arrays),
      slips: ask.slips.map(([value, said]) => [typeof value === "string" ? value : worth(value, arrays), saidWith(said, arrays)]), otherwise: words.otherwise, choices: ask.choices,
      from: { step: step - 1 }, to: { step }, next: step < asked.at(-1) && (() => questionAt(step)) };
  }

  const notice = html("p", { class: "graph-notice", role: "note" }), folded = html("span", { class: "lab-bar graph-folds" }), tip = html("p", { class: "graph-tip" });
  const inside = html("div", { class: "graph-inside", role: "group", "aria-label": "Inside this step", tabindex: 0 }), code = html("details", { class: "graph-code" }, html("summary", {}, "The program of the gradient, as graph mode runs it"), html("pre", {}, data.source || `There is none: ${data.why}.`));
  const caption = () => (frame.state.view === "tape" ? words.taped : data.inputs.length ? words.dragged : words.graph);
  const row = frame.panel(data.inputs.some(({ seed }) => seed) ? words["seeded row"] : words.row, 100, 100), plane = frame.panel(caption(), 100, 100), curve = frame.panel(words.norms, 100, 100);
  for (const [panel, label] of [[row, "What is dragged"], [plane, "The graph"], [curve, "Gradient norms"]]) { panel.drawn.setAttribute("aria-label", label); panel.figure.setAttribute("tabindex", -1); }
  for (const [panel, kind] of [[row, "row"], [curve, "norms"]]) panel.figure.classList.add(`graph-${kind}`);
  frame.root.insertBefore(notice, frame.panels);
  frame.menu.append(folded);
  frame.root.insertBefore(frame.said, frame.panels); // beside the controls, however high the graph is
  frame.root.append(tip, inside, code);
  code.hidden = !data.source && !data.why;

  // A disc on a track in a panel.
  function disc(panel, { label, sign, range, log, value, inputs }, from, to, y) {
    const [low, high] = range.map((end) => (log ? Math.log10(end) : end)), along = axis(low, high, from, to), unit = log ? 0.005 : 10 ** (Math.floor(Math.log10(high - low)) - 2);
    const now = (state) => clamped(log ? Math.log10(value(state.inputs)) : value(state.inputs), low, high);
    const set = (to) => ({ inputs: inputs(frame.state.inputs, Number((log ? 10 ** clamped(to, low, high) : Math.round(clamped(to, low, high) / unit) * unit).toPrecision(log ? 3 : 12))) });
    panel.front.append(svg("line", { x1: from, x2: to, y1: y, y2: y, class: "lab-other" }));
    frame.handle(panel, label, { at: (state) => [along(now(state)), y], move: (px) => set(along.inverse(px)), range, value: (state) => value(state.inputs),
      keys: (step) => set(Number.isFinite(step) ? now(frame.state) + step * 5 * unit : step > 0 ? high : low), words: (state) => `${label} ${sign} ${number(value(state.inputs))}` });
  }

  // Discs above the graph, and on the cards of single numbers.
  function handles(flow, room) {
    frame.handles.length = 0;
    for (const panel of [row, plane]) panel.front.replaceChildren();
    const many = Math.max(Math.floor(room / CELL), 1), wide = Math.min(room / Math.min(many, Math.max(rowOf(data, picked).length, 1)), 260);
    cells = rowOf(data, picked).map((dragged, i) => ({ dragged, x: (i % many) * wide, y: Math.floor(i / many) * ROW }));
    for (const { dragged, x, y } of cells) disc(row, dragged, x + 12, x + wide - 18, y + 34);
    row.figure.hidden = !cells.length;
    row.drawn.setAttribute("viewBox", `0 0 ${room} ${cells.length ? cells.at(-1).y + ROW : 0}`);
    for (const input of data.inputs.filter(({ name, entries }) => entries.length === 1 && !name.includes("."))) {
      const i = way.cards.findIndex(({ kind, node }) => kind === "leaf" && node === input.node);
      if (i >= 0) disc(plane, draggedOf(data, input, input.entries[0]), flow.boxes[i][0] - REST, flow.boxes[i][0] + way.wide + REST, flow.boxes[i][1] + (HALF + HIGH) / 2);
    }
  }

  // What is written next to the discs above the graph: the number, and the gradient for it once that is there.
  function labelled({ dragged, x, y }, { step, inputs }) {
    const { label, sign, place, node, value } = dragged, gradient = place >= 0 && way.cards.find((card) => card.kind === "leaf" && card.node === node)?.gradient;
    const open = gradient && /⟦(\d+)/.exec(latest(gradient.texts, step)), said = open && number(arrays[open[1]].values[place]);
    return [written(x + 12, y + 16, `${label} ${sign} ${number(value(inputs))}`, "name"), ...(said ? [svg("text", { x: x + 12, y: y + 53, class: "lab-tangentword" }, filledIn(words.gradient, { value: said }))] : [])];
  }

  function draw(state) {
    way = wayOf(state);
    const step = stopAt(state.step), at = { ...state, step, upright }, focus = frame.root.contains(document.activeElement) && document.activeElement.dataset?.key;
    arrays = arraysOf(data, numbersOf(data, state.inputs));
    const flow = way.flows[Number(upright)], room = frame.panels.clientWidth || 600, broad = Math.min(room, 900), key = `${state.opened}|${upright}|${room}`;
    plane.drawn.setAttribute("viewBox", `0 0 ${flow.width} ${flow.height}`);
    plane.drawn.style.width = `${clamped(room, LEAST * flow.width, (upright ? 1 : MOST) * flow.width)}px`;
    plane.drawn.previousSibling.textContent = `${step}/${way.last} ${caption()}`;
    plane.ink.replaceChildren(...graphOf(way, flow, at, arrays, does));
    if (key !== shown) { shown = key; handles(flow, broad); }
    row.ink.replaceChildren(...cells.flatMap((cell) => labelled(cell, at)));
    if (focus) plane.ink.querySelector(`[data-key="${focus}"]`)?.focus({ preventScroll: true });
    const now = plane.ink.querySelector(".graph-card.now");
    if (now && step !== followed) follow(plane.figure, now);
    followed = step;
    curve.figure.hidden = !way.norms.length;
    if (way.norms.length) {
      curve.drawn.setAttribute("viewBox", `0 0 ${broad} 210`);
      curve.ink.replaceChildren(...normsOf(way, words, step, arrays, broad, go));
    }
    const moved = Object.entries(state.inputs).some(([name, value]) => value !== constant(data.start[data.program.inputs.indexOf(name)])), fault = moved && faultOf(way, arrays);
    notice.textContent = moved ? (fault ? filledIn(words.bad, fault) : "") : data.notice;
    notice.hidden = !notice.textContent;
    folded.replaceChildren(...(way.boxes ? [html("span", {}, way.boxes)] : []), ...way.folds.filter(([, to]) => does.leads(to)).map(([title, to]) => html("button", { type: "button", class: "lab-button", onclick: () => does.fold(to) }, `Fold ${title}`)));
    folded.hidden = !folded.childNodes.length;
    tip.textContent = chosen ? chosen.join(" · ") : data.more;
    tip.hidden = !tip.textContent;
    inside.hidden = !way.inside[step];
    inside.replaceChildren(...insideOf(way.inside[step], arrays));
    return sentenceOf(way, at, arrays);
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
    go(frame.state.step + step);
  });
  model.on("change:data", () => { data = model.get("data"); shown = ""; frame.redraw(); });
  frame.begin(draw);
  new ResizeObserver(() => {
    const [across, down] = way.flows;
    upright = LEAST * across.width > frame.panels.clientWidth && down.width < across.width;
    frame.redraw();
  }).observe(frame.root);
  if (data.plays && !frame.state.step && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
    const seen = new IntersectionObserver(([{ isIntersecting }]) => { if (isIntersecting) { seen.disconnect(); if (!frame.state.step) frame.bar.querySelector("button").click(); } }, { threshold: 0.4 });
    seen.observe(frame.panels);
  }
} };
