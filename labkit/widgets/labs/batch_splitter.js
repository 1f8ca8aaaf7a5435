// The batch splitter. data: {samples, counts, shards, combine, words}; samples: the gradient of each.

// After which samples the batch is cut; each part has one at least.
function endsOf({ samples }, { parts, shards, ...cuts }) {
  const all = samples.length, ends = [0];
  for (let k = 1; k < parts; k++) ends.push(shards === "even" ? Math.floor((k * all) / parts) : shards === "uneven" ? k : clamped(Math.round(cuts[`cut${k}`]), ends[k - 1] + 1, all - parts + k));
  return [...ends, all];
}

// The sizes and gradients of the parts, how much each counts, what they make together, and the gradient of the whole batch.
function splitOf(data, state) {
  const ends = endsOf(data, state), { samples } = data, mean = (from, to) => samples.slice(from, to).reduce((a, b) => a + b, 0) / (to - from), count = ends.length - 1;
  const sizes = ends.slice(1).map((end, k) => end - ends[k]), parts = sizes.map((_, k) => mean(ends[k], ends[k + 1])), big = mean(0, samples.length);
  const weights = sizes.map((size) => ({ mean: 1 / count, sum: 1, weighted: size / samples.length })[state.combine]);
  return { ends, sizes, parts, weights, big, together: parts.reduce((sum, part, k) => sum + part * weights[k], 0), even: sizes.every((size) => size === sizes[0]) };
}

function sentenceOf(data, state) {
  const { sizes, big, together, even } = splitOf(data, state), { combine } = state, kind = sizes.length === 1 ? "one" : combine !== "mean" ? combine : even ? "even" : "uneven";
  return filledIn(data.words[kind], { size: sizes[0], count: sizes.length, error: digits(100 * Math.abs(together / big - 1), 3), times: digits(together / big, 3) });
}

function questionAt(data, state) {
  const { words } = data, { sizes, big, together, even } = splitOf(data, state), { combine } = state, said = { sizes: `${sizes.slice(0, -1).join(", ")} and ${sizes.at(-1)}`, how: words[`${combine} name`], count: sizes.length, big: digits(big, 3) };
  const text = (name) => filledIn(words[name], said);
  if (combine === "sum" && even) return { question: text("ask sum"), answer: together, tolerance: 0.02, right: text("sum right"), otherwise: text("sum otherwise"), slips: [[big, text("sum mean")], [big / sizes.length, text("sum share")]] };
  const answer = combine === "weighted" || (combine === "mean" && even) ? "yes" : "no", right = text(`${combine} ${answer}`);
  return { question: text("ask"), choices: [words.yes, words.no], answer: words[answer], right, otherwise: right };
}

export default { render({ model, el }) {
  const data = model.get("data"), { samples, words } = data, all = samples.length, keys = ["cut1", "cut2", "cut3", "cut4", "cut5"];
  const frame = new Frame({ model, el }, ["parts", "shards", "combine", ...keys], data), top = 40, base = 190, left = 34, tile = 28, gap = 9;
  frame.choice(words.combined, "combine", data.combine);
  frame.button(words.equal, () => frame.set({ shards: "even" }));
  frame.select(words.parts, "parts", data.counts, undefined, String, frame.menu);
  frame.predict((state) => { const from = { parts: Math.max(state.parts, 2) }; return { ...questionAt(data, { ...state, ...from }), from }; });

  const batch = frame.panel(words.drag, 424, 272), made = frame.panel(words.made, 424, 272);
  const own = axis(Math.min(0, ...samples), Math.max(...samples), base, top), gapAt = (end, k) => left + tile * end + gap * (k - 0.5) - 1.5;
  const span = (ends, k) => [left + tile * ends[k] + gap * k, left + tile * ends[k + 1] + gap * k - 3];
  keys.forEach((key, i) => {
    const k = i + 1, placeOf = (state) => (state.shards === "yours" ? state[key] : endsOf(data, state)[k]);
    const cut = (value, whole) => { // those in its way go along
      const { parts } = frame.state, ends = endsOf(data, frame.state), at = clamped(whole ? Math.round(value) : value, k, all - parts + k), other = (j) => (j < k ? Math.min : Math.max)(ends[j], Math.round(at) + j - k);
      return { ...Object.fromEntries(keys.slice(0, parts - 1).map((name, j) => [name, other(j + 1)])), shards: "yours", [key]: at };
    };
    frame.handle(batch, `Cut ${k}`, { at: (state) => (k < state.parts ? [gapAt(placeOf(state), k), base + 30] : [NaN, NaN]), move: (x, _, over) => cut((x - gapAt(0, k)) / tile, over),
      keys: (by) => cut(placeOf(frame.state) + by, true), range: [1, all - 1], value: placeOf, words: (state) => `after sample ${Math.round(placeOf(state))}` });
  });

  frame.begin((state) => {
    const { ends, sizes, parts, weights, big, together } = splitOf(data, state), { combine } = state, sum = combine === "sum", count = sizes.length, of = sizes.map((_, k) => span(ends, k));
    const bar = (along, x, width, from, to, role) => svg("rect", { class: `lab-${role}`, x, width, y: along(Math.max(from, to)), height: Math.max(Math.abs(along(from) - along(to)), 1), rx: 2 });
    batch.ink.replaceChildren(written(8, 16, words.sample, "note"), svg("path", { class: "lab-fwd", d: "M220 12l26 0" }), written(252, 16, words.mean_of_part, "secantword"),
      ...leftOf(own, left - 5, left + tile * all + gap * 5, ticks(own.low, own.high)), ...samples.map((value, i) => bar(own, left + tile * i + gap * ends.slice(1).filter((end) => end <= i).length, tile - 3, 0, value, "sample")),
      ...of.flatMap(([from, to], k) => [svg("path", { class: "lab-fwd", d: `M${from} ${own(parts[k])}L${to} ${own(parts[k])}` }), k ? svg("path", { class: "lab-g", d: `M${(of[k - 1][1] + from) / 2} ${top - 14}L${(of[k - 1][1] + from) / 2} ${base + 22}` }) : "",
        written((from + to) / 2, base + 20, sizes[k] > 2 ? filledIn(words.samples, { size: sizes[k] }) : `${sizes[k]}`, "note", "middle"), frame.asked ? "" : written((from + to) / 2, base + 60, `×${digits((weights[k] * all) / sizes[k], 2)}`, "word", "middle")]),
      written(left, base + 76, words.counts, "note"));
    const low = Math.min(own.low, together), up = axis(low, sum ? Math.max(1.5 * count * big, together) : own.high, base, top), room = 374, share = (k) => (sum ? 1 : weights[k]);
    let x = left, below = 0;
    const columns = parts.flatMap((part, k) => {
      const wide = share(k) * room, from = sum ? below : 0, drawn = [bar(up, x, Math.max(wide - 2, 2), from, from + part, "column"), sum ? "" : written(x + wide / 2, base + 16, combine === "mean" ? `1/${count}` : `${sizes[k]}/${all}`, "note", "middle")];
      x += sum ? 0 : wide;
      below += part;
      return drawn;
    });
    const off = Math.abs(together / big - 1), verdict = filledIn(words[off < 1e-9 ? "exact" : together > big ? "large" : "small"], { error: digits(100 * off, 3) });
    made.ink.replaceChildren(written(left, 16, words[`${combine} how`], "note"),
      ...(frame.asked ? [] : [...leftOf(up, left - 5, left + room, ticks(up.low, up.high)), ...columns, svg("rect", { class: "lab-backward", "fill-opacity": 0.45, x: left, width: room, y: up(Math.max(big, together)), height: Math.abs(up(big) - up(together)) }),
        svg("path", { class: "lab-bwd lab-thick", d: `M${left} ${up(together)}l${room} 0` }), svg("path", { class: "lab-g lab-dashed", d: `M${left} ${up(big)}l${room} 0` })]),
      svg("path", { class: "lab-g lab-dashed", d: `M${left} 232l26 0` }), written(68, 236, filledIn(words.whole, { value: digits(big, 3) }), "word"),
      svg("path", { class: "lab-bwd lab-thick", d: `M${left} 256l26 0` }), written(68, 260, filledIn(words.together, { value: frame.asked ? "?" : digits(together, 3) }), "tangentword"), written(left + room, 260, frame.asked ? "" : verdict, off < 1e-9 ? "fate2" : "fate3", "end"));
    return sentenceOf(data, state);
  });
} };
