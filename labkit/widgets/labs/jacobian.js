// The Jacobian map. data: {about, tiles, total, zero, names, values, takes, turns, written, words}; nan and inf stand in strings.

// What a pass takes in and gives: weights of the lines (rows of a VJP, columns of a JVP), and their sum.
function passOf(data, { way, rows, columns, turn, angle }) {
  const back = way === "VJP", tiles = data.tiles.map((line) => line.map(asNumber)), lines = back ? tiles : tiles[0].map((_, j) => tiles.map((line) => line[j]));
  const at = back ? rows : columns, most = lines.length, plane = turn && data.turns[way], tip = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  const weight = (k) => (plane ? tip[plane.at.indexOf(k)] || 0 : at > most ? (k === most - 1 ? 1 : at - most) : Math.max(0, 1 - Math.abs(at - 1 - k)));
  const weights = lines.map((_, k) => weight(k)), sums = lines[0].map((_, j) => lines.reduce((sum, line, k) => (weights[k] ? sum + weights[k] * line[j] : sum), 0));
  return { back, lines, at, most, plane, tip, weights, result: !plane && at === most + 1 ? data.total.map(asNumber) : sums, image: plane && plane.part.map(([a, b]) => a * tip[0] + b * tip[1]) };
}

// A number of at most six characters, as far as it goes, so that it fits a tile.
const fitted = (value) => { const found = [3, 4, 5, 2, 1].map((most) => digits(value, most)); return found.find((said) => said.length <= 6) ?? found[4]; };

const spoken = (back) => ({ letter: back ? "v" : "t", made: back ? "vᵀJ" : "J t", line: back ? "row" : "column", pass: back ? "backward" : "forward" });

function sentenceOf(data, state) {
  const { words, takes, names } = data, { back, at, most, plane, tip, weights, result, image } = passOf(data, state), short = (value) => digits(value, 3), line = spoken(back).line;
  const said = { ...spoken(back), way: state.way, takes, most: data.counts[state.way].at(-1), k: data.counts[state.way][at - 1], numbers: `[${result.slice(0, 8).map(short).join(", ")}${result.length > 8 ? ", …" : ""}]` }, used = names[state.way];
  if (plane) {
    const sum = plane.at.map((k, i) => `${short(tip[i])} × ${line} of ${used[k]}`).join(" + ");
    return filledIn(words.turn, { ...said, sum, times: short(Math.hypot(...image)), least: short(plane.sizes[1]), most: short(plane.sizes[0]) });
  }
  const kind = at % 1 ? "mix" : !at ? "start" : at <= most ? "unit" : data.zero ? "zero" : "ones", there = weights.flatMap((weight, k) => (weight ? [`${short(weight)} × ${used[k]}`] : []));
  return filledIn(words[kind], { ...said, name: used[at - 1], weights: there.join(" + ") });
}

// The question before a pass: how many there are before the first, a number that it gives before the others.
function questionAt(data, state, k) {
  const { words, names, values } = data, { back, lines, most } = passOf(data, state), others = names[back ? "JVP" : "VJP"], said = { ...spoken(back), way: state.way, most: data.counts[state.way].at(-1), name: names[state.way][k] }, all = data.counts[back ? "JVP" : "VJP"].at(-1);
  const texts = (right, otherwise, slips) => ({ tolerance: 0.02, right: filledIn(words[right], said), otherwise: filledIn(words[otherwise], said), slips: slips.map(([value, name]) => [value, filledIn(words[name], said)]) });
  const place = (line) => line.reduce((best, value, j) => (Number.isFinite(value) && value && !(Math.abs(value) <= Math.abs(line[best])) ? j : best), -1);
  if (!k) return { question: filledIn(words["ask many"], said), answer: said.most, ...texts("many right", "many otherwise", [[all, "many slip"], [said.most * all, "many all"]]) };
  const line = k < most ? lines[k] : data.total.map(asNumber), j = place(line);
  if (j < 0) return undefined;
  said.other = others[j];
  const slips = k < most ? [[-line[j], "entry sign"], [lines[j]?.[k], "entry swapped"], [asNumber(values[state.way][k]), "entry value"]] : [[lines[k - 1][j], "sum last"], [line[j] / most, "sum mean"]];
  const kind = k < most ? "entry" : "sum";
  return { question: filledIn(words[`ask ${kind}`], said), answer: line[j], ...texts(`${kind} right`, `${kind} otherwise`, slips) };
}

export default { render({ model, el }) {
  const data = model.get("data"), { tiles, names, values, turns } = data, m = tiles.length, n = tiles[0].length, ones = m > 1 ? 1 : 0;
  const frame = new Frame({ model, el }, ["way", "rows", "columns", "turn", "angle"], data), numbers = tiles.flat().map(asNumber), key = () => (frame.state.way === "VJP" ? "rows" : "columns");
  const spelled = m <= 14 && n <= 10, wide = spelled ? 60 : clamped(480 / n, 9, 22), high = spelled ? 36 : clamped(480 / m, 9, 22);
  const head = Math.max(40, 7 * Math.max(...names.VJP.map((name) => name.length)) + (spelled ? 66 : 4)), left = 24 + wide + head, top = 92, right = left + n * wide, base = top + m * high, width = right + wide + 26;
  const most = numbers.reduce((size, value) => (Number.isFinite(value) ? Math.max(size, Math.abs(value)) : size), 1e-300), ends = { rows: m + ones, columns: n };
  frame.choice("Way", "way", ["VJP", "JVP"]);
  frame.player("Play", 1300 * Math.min(Math.max(m, n), 9), () => frame.state[key()] / ends[key()], (part) => frame.set({ turn: false, [key()]: ends[key()] * part }, true));
  if (turns.VJP || turns.JVP) frame.toggle("Any direction", "turn");
  const questionOf = (k) => {
    const question = k < ends[key()] && questionAt(data, frame.state, k);
    return question && { ...question, from: { turn: false, [key()]: k }, to: { [key()]: k + 1 }, next: () => questionOf(k + 1) };
  };
  frame.predict(() => questionOf(0));

  const map = frame.panel("Drag v, or t: a VJP gives vᵀJ, a JVP gives J t", width, 0), plane = frame.panel("Drag the tip: a circle becomes an ellipse", 420, 262);
  map.figure.append(html("small", {}, data.written));
  const hidden = [NaN, NaN], body = [left, top, right, base];
  frame.dial(map, "v, along the outputs", "rows", [0, ends.rows], { at: ({ way, turn, rows }) => (way === "VJP" && !turn ? [14, top + (rows - 0.5) * high] : hidden), from: (x, y) => (y - top) / high + 0.5, step: 1, area: body });
  frame.dial(map, "t, along the inputs", "columns", [0, ends.columns], { at: ({ way, turn, columns }) => (way === "JVP" && !turn ? [left + (columns - 0.5) * wide, 12] : hidden), from: (x) => (x - left) / wide + 0.5, step: 1, area: body });
  const planeOf = ({ way, turn }) => turn && turns[way], [X, Y] = [axis(-1.25, 1.25, 34, 204), axis(-1.25, 1.25, 212, 42)], tipOf = (angle) => [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  const turned = (angle) => ({ angle: ((angle % 360) + 360) % 360 });
  frame.handle(plane, "The tip", { at: (state) => (planeOf(state) ? [X(tipOf(state.angle)[0]), Y(tipOf(state.angle)[1])] : hidden), move: (x, y) => turned((Math.atan2(Y.inverse(y), X.inverse(x)) * 180) / Math.PI),
    keys: (by) => turned(Number.isFinite(by) ? Math.round(frame.state.angle) + 5 * by : 0), range: [0, 360], value: ({ angle }) => angle, words: ({ angle }) => `${digits(angle, 3)}°` });

  const cell = (x, y, value, scale = most, role = "") => [svg("rect", { class: role || "lab-cell", x, y, width: wide, height: high }), ...(value === 0 ? [] : [svg("rect", { x: x + 2, y: y + 2, width: wide - 4, height: high - 4, rx: value < 0 ? high / 2 - 2 : 2,
    style: `fill: var(--lk-${Number.isFinite(value) ? (value > 0 ? "forward" : "backward") : "bad"}); fill-opacity: ${Number.isFinite(value) ? 0.1 + 0.4 * Math.min(Math.abs(value) / scale, 1) : 0.4}` })]),
    ...(spelled ? [written(x + wide / 2, y + high / 2 + 4, fitted(value), value === 0 ? "note" : "word", "middle")] : [])];
  const named = (k) => spelled || k % Math.ceil((7 * names.JVP.at(-1).split(" …")[0].length) / wide) === 0, valued = (way, k) => (spelled ? ` = ${fitted(asNumber(values[way][k]))}` : "");
  function drawMap(state) {
    const { back, at, weights, result, plane: turning } = passOf(data, state), shown = (i, j) => turning || at >= (back ? i : j) + 1, off = (k) => (turning ? 1 : clamped(at - k, 0, 1));
    const grid = tiles.flatMap((line, i) => line.flatMap((value, j) => (shown(i, j) || off(back ? i : j) ? cell(left + j * wide, top + i * high, asNumber(value)) : [])));
    const covers = (back ? names.VJP : names.JVP).map((_, k) => svg("rect", back ? { class: "lab-area", x: left + off(k) * n * wide, y: top + k * high, width: (1 - off(k)) * n * wide, height: high }
      : { class: "lab-area", x: left + k * wide, y: top + off(k) * m * high, width: wide, height: (1 - off(k)) * m * high }));
    const lit = weights.map((weight, k) => (weight ? svg("rect", { class: "lab-lit", "fill-opacity": Math.min(Math.abs(weight), 1), ...(back ? { x: left - head - 2, y: top + k * high, width: head, height: high } : { x: left + k * wide, y: 60, width: wide, height: 30 }) }) : ""));
    const given = weights.flatMap((weight, k) => (back ? cell(24, top + k * high, weight, 1) : cell(left + k * wide, 24, weight, 1)));
    const taken = result.flatMap((value, k) => (back ? cell(left + k * wide, base + 10, value) : cell(right + 10, top + k * high, value)));
    map.ink.replaceChildren(...lit, ...names.JVP.flatMap((name, j) => (named(j) ? [written(left + (j + 0.5) * wide, spelled ? 72 : 86, name.split(" …")[0], "note", "middle"), written(left + (j + 0.5) * wide, 86, valued("JVP", j).slice(1), "note", "middle")] : [])),
      ...names.VJP.map((name, i) => (spelled || i % Math.ceil(14 / high) === 0 ? written(left - 6, top + (i + 0.5) * high + 4, `${name}${valued("VJP", i)}`, "note", "end") : "")), ...grid, ...covers, ...given, ...taken,
      svg("rect", { class: "lab-frame", x: left, y: top, width: n * wide, height: m * high }),
      turning ? "" : svg("path", { class: "lab-other", d: back ? `M14 ${top - high / 2}L14 ${base + (ones - 0.5) * high}` : `M${left - wide / 2} 12L${right - wide / 2} 12` }),
      ...(back ? [written(24 + wide / 2, top - 6, "v", "tangentword", "middle"), written(left - 6, base + 10 + high / 2 + 4, "vᵀJ", "tangentword", "end"),
        ones && !turning ? written(24, base + high / 2 + 4, "all ones", "note") : ""]
        : [written(left - 6, 24 + high / 2, "t", "secantword", "end"), written(right + 10 + wide / 2, top - 6, "J t", "secantword", "middle")]));
    map.drawn.setAttribute("viewBox", back ? `0 56 ${right + 14} ${base + high - 36}` : `0 0 ${width} ${base + 10}`);
  }

  function drawPlane(state) {
    const { back, plane: now, image, tip } = passOf(data, state), role = back ? "bwd" : "fwd";
    if (!now) return;
    const reach = 1.15 * now.sizes[0], [U, V] = [axis(-reach, reach, 240, 410), axis(-reach, reach, 212, 42)], around = Array.from({ length: 121 }, (_, i) => tipOf(3 * i)), of = ([a, b]) => now.part.map(([c, d]) => c * a + d * b);
    const { letter, made, line } = spoken(back), [ins, outs] = [names[state.way], names[back ? "JVP" : "VJP"]], kept = ins.length > 2 ? `the other ${back ? "outputs" : "inputs"} stay at 0` : "";
    const square = (A, B, text, note) => [svg("rect", { class: "lab-area", x: A.start, y: B.end, width: 170, height: 170 }), svg("path", { class: "lab-grid", d: `M${A.start} 127L${A.end} 127M${A(0)} 42L${A(0)} 212` }), written(A.start, 16, text, back ? "tangentword" : "secantword"), written(A.start, 32, note, "note")];
    plane.ink.replaceChildren(...square(X, Y, letter, `${ins[now.at[0]]} →, ${ins[now.at[1]]} ↑`), ...square(U, V, made, now.spanned ? `in the plane of both ${line}s` : `${outs[now.to[0]]} →, ${outs[now.to[1]]} ↑`),
      svg("path", { class: "lab-other", d: through(around.map(([a, b]) => [X(a), Y(b)])) }), svg("path", { class: "lab-other", d: through(around.map((one) => { const [a, b] = of(one); return [U(a), V(b)]; })) }),
      ...arrow([X(0), Y(0)], [X(tip[0]), Y(tip[1])], role), ...arrow([U(0), V(0)], [U(image[0]), V(image[1])], role), ...below(X, 226, [-1, 0, 1]), ...below(U, 226, [-now.sizes[0], 0, now.sizes[0]], (v) => digits(v, 3)), written(34, 250, kept, "note"));
  }

  frame.begin((state) => {
    plane.figure.hidden = !planeOf(state);
    drawMap(state);
    drawPlane(state);
    return sentenceOf(data, state);
  });
} };
