// Upstream gradients. data: {keys, names, columns, values, matrix, written, spelled, words}; nan and inf stand in strings.

// Each row times its upstream gradient, and their sum.
function gradientOf({ matrix, keys }, state) {
  const parts = matrix.map((row, i) => row.map((value) => asNumber(value) * state[keys[i]]));
  return { parts, sum: parts[0].map((_, j) => parts.slice(1).reduce((all, part) => all + part[j], parts[0][j])) };
}

const bracketed = (value) => (digits(value, 3).startsWith("−") ? `(${digits(value, 3)})` : digits(value, 3));
const listed = (values) => `[${values.map((value) => digits(asNumber(value), 3)).join(", ")}]`;

function sentenceOf(data, state) {
  const { words, keys, names, matrix, spelled } = data, { sum } = gradientOf(data, state), weights = keys.map((key) => state[key]), several = keys.length > 1;
  const rows = matrix.map((row, i) => (row.length > spelled ? filledIn(words.row, { name: names[i] }) : row.length > 1 ? listed(row) : digits(asNumber(row[0]), 3)));
  const terms = rows.map((row, i) => `${i ? bracketed(weights[i]) : digits(weights[i], 3)} × ${row}`).join(" + "), used = weights.flatMap((weight, i) => (weight ? [i] : []));
  const kind = !used.length ? "none" : !sum.some((value) => value !== 0) ? "zero" : !several ? "" : weights.every((weight) => weight === 1) ? "ones" : used.length === 1 ? "alone" : "";
  return filledIn(words.sum, { terms, sum: listed(sum) }) + (kind ? filledIn(words[kind], { name: names[used[0]] }) : "");
}

// The question: the gradient of the input whose column is largest.
function questionAt(data, state) {
  const { words, keys, columns, matrix } = data, { sum } = gradientOf(data, state), weights = keys.map((key) => state[key]);
  const sizes = columns.map((_, j) => matrix.reduce((all, row) => all + Math.abs(row[j]), 0)), j = sizes.indexOf(Math.max(...sizes)), column = matrix.map((row) => row[j]);
  const terms = weights.map((weight, i) => `${i ? bracketed(weight) : digits(weight, 3)} × ${bracketed(column[i])}`).join(" + "), answer = sum[j];
  return { question: filledIn(words.ask, { values: weights.map((weight) => digits(weight, 3)).join(", "), name: columns[j] }), answer, tolerance: 0.02, otherwise: words.otherwise,
    right: filledIn(words.right, { terms, sum: digits(answer, 3) }), slips: [[column.reduce((a, b) => a + b), words["ones slip"]], [answer / keys.length, words["mean slip"]], [-answer, words["sign slip"]]] };
}

const QUESTIONS = [[-1, 2, 1], [2, -1, 1], [-2, 1, 2], [1, -2, -1]], ROLES = ["fwd", "bwd", "g"], TEXTS = ["secantword", "tangentword", "word"];

export default { render({ model, el }) {
  const data = model.get("data"), { keys, names, columns, values, matrix, words } = data, m = keys.length, n = columns.length;
  const frame = new Frame({ model, el }, keys, data), stateOf = (weights) => Object.fromEntries(keys.map((key, i) => [key, weights[i]]));
  const examples = m > 1 ? [keys.map(() => 1), ...keys.map((_, i) => keys.map((_, k) => Number(i === k))), keys.map(() => 1)] : [[1], [2], [-1], [1]];
  let questions = 0;
  frame.player("Play", 1800 * (examples.length - 1), () => 0, (part) => {
    const at = part * (examples.length - 1), k = Math.min(Math.floor(at), examples.length - 2), way = clamped(2 * (at - k) - 1, 0, 1); // stays on each for a while
    frame.set(stateOf(examples[k].map((weight, i) => weight + (examples[k + 1][i] - weight) * way)), true);
  });
  if (matrix.flat().every(Number.isFinite)) {
    frame.predict(() => { const from = stateOf(QUESTIONS[questions++ % QUESTIONS.length]); return { ...questionAt(data, from), from }; });
  }

  const left = 118, across = axis(-2, 2, left + 10, 402), wide = Math.max(46, 12 + 7 * Math.max(...columns.map((name) => name.length))), right = left + n * wide, y = (i) => 92 + 74 * i, base = y(m) - 6;
  const held = frame.panel(words.drag, Math.max(420, right + 8), base + 38), added = frame.panel(words.added, 420, 40 + (30 + 12 * m) * n), named = 24 + 8 * Math.max(...columns.map((name) => name.length));
  keys.forEach((key, i) => frame.dial(held, filledIn(words.weight, { name: names[i] }), key, [-2, 2], { at: (state) => [across(state[key]), y(i)], from: (x) => { const weight = across.inverse(x); return Math.abs(weight - Math.round(weight)) < 0.03 ? Math.round(weight) : weight; }, step: 0.1 }));
  const reach = Math.max(...columns.map((_, j) => 2 * matrix.reduce((all, row) => all + (Number.isFinite(row[j]) ? Math.abs(row[j]) : 0), 0))) || 1, along = axis(-reach, reach, named, 360); // one scale for all inputs

  frame.begin((state) => {
    const { parts, sum } = gradientOf(data, state), weights = keys.map((key) => state[key]), number = (value) => digits(asNumber(value), 3), place = (j) => left + (j + 0.5) * wide;
    const tile = (top, role) => svg("rect", { class: role, x: left, y: top - 14, width: n * wide, height: 28, rx: 5 });
    held.ink.replaceChildren(written(8, 16, data.written, "word"), written(8, 36, words.calls, "note"), ...below(across, 66, [-2, -1, 0, 1, 2]),
      ...names.flatMap((name, i) => [written(8, y(i) + 4, `${name} = ${number(values[i])}`, TEXTS[i]), svg("path", { class: "lab-other", d: `M${across(-2)} ${y(i)}L${across(2)} ${y(i)}M${across(0)} ${y(i) - 8}l0 16` }),
        svg("path", { class: `lab-${ROLES[i]}`, d: `M${across(0)} ${y(i)}L${across(weights[i])} ${y(i)}` }), written(left - 8, y(i) + 38, `${number(weights[i])} ×`, TEXTS[i], "end"),
        tile(y(i) + 34, "lab-area"), ...matrix[i].map((value, j) => written(place(j), y(i) + 38, number(value), weights[i] && value ? "word" : "note", "middle"))]),
      svg("path", { class: "lab-other", d: `M8 ${base - 16}L${right} ${base - 16}` }), written(left - 8, base + 8, words.gradient, "word", "end"), tile(base + 4, "lab-backward"),
      ...sum.map((value, j) => written(place(j), base + 8, frame.asked ? "?" : number(value), "word", "middle")), ...columns.map((name, j) => written(place(j), base + 30, name, "note", "middle")));
    const end = 14 + (30 + 12 * m) * n;
    added.ink.replaceChildren(...below(along, end + 16, [-reach, -reach / 2, 0, reach / 2, reach], (v) => digits(v, 3)), svg("path", { class: "lab-grid", d: `M${along(0)} 8L${along(0)} ${end}` }), ...columns.flatMap((name, j) => {
      const low = (30 + 12 * m) * (j + 1);
      let from = 0;
      const arrows = parts.flatMap((part, i) => {
        const tip = from + part[j], level = low - 12 * (m - i) - 4, drawn = Number.isFinite(tip) && part[j] ? arrow([along(from), level], [along(tip), level], ROLES[i]) : [];
        from = Number.isFinite(tip) ? tip : from;
        return drawn;
      });
      return [written(8, low + 4, name, "word"), svg("path", { class: "lab-other", d: `M${named} ${low}L360 ${low}` }),
        ...(frame.asked ? [] : [...arrows, svg("circle", { class: "lab-bwd lab-head", cx: along(from), cy: low, r: 5 })]), written(412, low + 4, frame.asked ? "?" : number(sum[j]), "word", "end")];
    }));
    return sentenceOf(data, state);
  });
} };
