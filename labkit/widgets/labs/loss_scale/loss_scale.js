// The loss-scale lab. data: {about, dots, size, formats, without, trainings}, as loss_scale.py writes it.

const COLOURS = ["backward", "leaf", "forward", "bad"], NAMES = ["zero", "subnormal", "normal"], NARROW = 340, WIDE = 860;
const FLOORS = [150, 288], HIGH = 76, HEIGHT = 388, TRACK = [334, 366], SIZES = [4, 3.2, 2.5, 2, 1.5];
const filling = (i, more = "") => `fill: var(--lk-${COLOURS[i]}${more})`;
const LOOKS = ["fill: none; stroke: var(--lk-backward)", filling(1), filling(2), "fill: none; stroke: var(--lk-bad)"];
const fateOf = (sign) => ({ 0: 0, n: 2, i: 3 })[sign] ?? 1;

function percent(share) {
  if (share === 0 || share === 1) return `${100 * share}%`;
  if (share >= 0.001 && share < 0.9995) return `${(100 * share).toFixed(1)}%`;
  return share < 0.5 ? "<0.1%" : ">99.9%";
}
const twoTo = (power) => (Number.isInteger(power) ? `2${String(power).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)])}` : `2^${power}`);

// Places of words of some widths near to those wanted, side by side between two ends.
function apart(wanted, widths, low, high) {
  const found = [...wanted];
  found.forEach((x, i) => { found[i] = Math.max(x, i ? found[i - 1] + (widths[i - 1] + widths[i]) / 2 : low + widths[0] / 2); });
  for (let i = found.length - 1; i >= 0; i--) found[i] = Math.min(found[i], i < found.length - 1 ? found[i + 1] - (widths[i] + widths[i + 1]) / 2 : high - widths[i] / 2);
  return found;
}

// The dots of a hill: their radius is the largest with which `[column, x]` of each, in columns of that width, are not piled higher than HIGH.
function radiusOf(columns) {
  return SIZES.find((r) => 2.2 * r * Math.max(...counted(columns(2.2 * r)).values()) <= HIGH) ?? SIZES.at(-1);
}
function counted(columns) {
  const counts = new Map();
  for (const [column] of columns) counts.set(column, (counts.get(column) ?? 0) + 1);
  return counts;
}
// The places of dots, `[x, px above the floor]`, piled up in their columns.
function piled(columns, r) {
  const most = counted(columns), next = new Map();
  return columns.map(([column, x]) => { const rank = next.get(column) ?? 0; next.set(column, rank + 1); return [x, rank * Math.min(2.2 * r, HIGH / most.get(column))]; });
}

const sum = (counts) => counts.reduce((a, b) => a + b);

// Level over each step, with a drop or rise between two, up to a place; a gap where there is no value.
const staircase = (values, across, up, until) => through(values.flatMap((value, i) => (i >= until ? [] : value === null ? [[NaN, NaN]] : [[across(i), up(value)], [across(Math.min(i + 1, until)), up(value)]])));

export default { render({ model, el }) {
  const data = model.get("data"), { dots, formats, trainings, without, words } = data, all = Object.values(formats), top = all[0].held.length - 1;
  const frame = new Frame({ model, el }, ["view", "format", "power", "first", "step"], { title: data.title, about: data.about, whole: ["power", "step"] });
  const training = ({ first }) => trainings.find((one) => one.first === first) ?? trainings[0], inTraining = ({ view }) => view === "training" && trainings.length > 0;
  frame.player("Play", 8000, () => { const { power, step } = frame.state; return inTraining(frame.state) ? step / (training(frame.state).steps.length - 1) : power / top; },
    (part) => frame.set(inTraining(frame.state) ? { step: part * (training(frame.state).steps.length - 1) } : { power: part * top }, true));
  if (trainings.length) frame.choice("View", "view", ["gradients", "training"]);
  if (all.length > 1) frame.select("Format", "format", Object.keys(formats), (state) => !inTraining(state), String, frame.menu);
  if (trainings.length > 1) frame.select("First scale", "first", trainings.map(({ first }) => first), inTraining, twoTo);
  frame.predict((state) => {
    if (!inTraining(state)) return { ...formats[state.format].ask, from: { power: 0 }, place: ({ power, format }) => (formats[format].ask.places.includes(power) ? "" : filledIn(words["not there"], { said: formats[format].said[power] })) };
    const { asks } = training(state), asked = asks.find(({ to }) => to > state.step) ?? asks[0];
    return asked && { ...asked, from: { step: asked.from }, to: { step: asked.to } };
  });

  const lanes = frame.panel(words.drag, NARROW, HEIGHT, WIDE), course = frame.panel(filledIn(words.course, data), NARROW, 330, WIDE);
  frame.root.append(html("small", { class: "lab-about" }, filledIn(words.size, { dots: dots.length, size: data.size.toLocaleString("en"), about: data.about })));

  // ---- gradients ----

  const least = Math.min(...dots), most = Math.max(...dots), median = [...dots].sort((a, b) => a - b)[dots.length >> 1], { zones } = all[0];
  let low = Math.floor(Math.min(least - 1, zones[0] - 4)), high = Math.ceil(Math.max(most + top + 0.5, zones[2] + 3));
  if (high - low > 120) [low, high] = [Math.floor(least - 1), Math.ceil(most + top + 0.5)];
  const scaleOf = ({ width }) => axis(low, high, 8, width - 8), onTrack = (power) => scaleOf(lanes)(median + power);
  frame.handle(lanes, "Loss scale", {
    at: ({ power }) => [onTrack(power), (TRACK[0] + TRACK[1]) / 2], move: (px) => ({ power: clamped(scaleOf(lanes).inverse(px) - median, 0, top) }),
    keys: (steps) => ({ power: clamped(Math.round(frame.state.power) + (Number.isFinite(steps) ? steps : steps * top), 0, top) }),
    range: [0, top], value: ({ power }) => Math.round(power), words: ({ power, format }) => `${twoTo(Math.round(power))}. ${frame.asked ? "" : formats[format].said[Math.round(power)]}`,
    area: () => [0, 0, lanes.width, HEIGHT], slides: true,
  });

  // Where the dots are that are held in a format at a scale, in columns of a width: times the scale, in the band that they are really in; and divided by it again.
  function columnsOf(format, power, across, wide) {
    const tick = (k) => format.least + Math.log2(k), unit = across(1) - across(0), seen = new Map(), [zero, normal, infinite] = format.zones;
    return dots.map((dot, i) => {
      const sign = format.held[power][i], x = dot + power, column = Math.floor(across(dot) / wide);
      if (sign >= "1" && sign <= "8") { // side by side as far as the next number
        const k = Number(sign), side = Math.max(1, Math.floor((0.75 * unit * Math.log2((k + 0.5) / (k - 0.5))) / wide)), rank = seen.get(k) ?? 0;
        seen.set(k, rank + 1);
        return [`${k} ${rank % side}`, across(tick(k)) + ((rank % side) - (side - 1) / 2) * wide];
      }
      if (sign === "i") { const from = across(infinite) + 6, px = from + ((across(dot) - across(least)) / (across(most) - across(least) || 1)) * (across(high) - 6 - from); return [`i ${Math.floor(px / wide)}`, px]; }
      return [column, across(sign === "0" ? Math.min(x, zero - 0.4) : sign === "9" ? clamped(x, tick(8.5), normal - 0.1) : clamped(x, normal, infinite))];
    });
  }
  // Between two scales the dots are on their way from one to the other; those that the format moves go in the middle half of it.
  function hillsOf(format, power, across, r) {
    const base = Math.floor(power), over = Math.min(base + 1, top), part = power - base, leap = clamped(2 * part - 0.5, 0, 1), wide = 2.2 * r, unit = across(1) - across(0);
    const [here, next] = [base, over].map((p) => {
      const columns = columnsOf(format, p, across, wide), back = columns.map(([column, x], i) => (fateOf(format.held[p][i]) === 1 ? [column, x - unit * p] : [Math.floor(across(dots[i]) / wide), across(dots[i])]));
      return [piled(columns, r), piled(back, r)];
    });
    return here.map((hill, k) => hill.map((spot, i) => spot.map((v, j) => v + (next[k][i][j] - v) * ([base, over].every((p) => "n9".includes(format.held[p][i])) ? part : leap))));
  }

  // The bands of a format with what is in them, and its smallest numbers as long as they can be told apart.
  function bands(format, across, counts) {
    const { width } = lanes, edges = [low, ...format.zones.map((at) => clamped(at, low, high)), high].map(across), names = [...NAMES, format.infinite];
    const shares = counts.map((count) => (count && !frame.asked ? percent(count / sum(counts)) : "")), widths = names.map((name, i) => Math.max(7 * name.length, 10 * shares[i].length) + 4);
    const xs = apart(edges.slice(1).map((edge, i) => (edge + edges[i]) / 2), widths, 0, width), ticks = [];
    for (let k = 1, last = -9; k <= 2 ** Math.min(format.bits, 12); k++) {
      const x = across(format.least + Math.log2(k));
      if (x - last < 1.5 && k > 1) break;
      if (x >= edges[0]) ticks.push((last = x));
    }
    return [...names.map((_, i) => svg("rect", { x: edges[i], y: 0, width: Math.max(edges[i + 1] - edges[i], 0), height: FLOORS[0] + 5, style: filling(i, "-fill") })),
      ...names.flatMap((name, i) => (edges[i + 1] - edges[i] < 2 ? [] : [written(xs[i], 16, name, "note", "middle"), written(xs[i], 34, shares[i], `fate${i}`, "middle")])),
      ...ticks.map((x) => svg("line", { class: "lab-other", x1: x, x2: x, y1: FLOORS[0] + 5, y2: FLOORS[0] + 12 }))];
  }

  // What every scale does: shares in bands from below, and which scales are safe.
  function track(format) {
    const half = (onTrack(1) - onTrack(0)) / 2, tall = TRACK[1] - TRACK[0], { safe } = format, drawn = ["", "", "", ""];
    format.counts.forEach((counts, power) => {
      let below = TRACK[1]; const highs = counts.map((count) => count && Math.max((tall * count) / sum(counts), 1)); // a rare one is seen as well
      for (const i of [2, 1, 0, 3].filter((k) => counts[k])) {
        const by = (tall * highs[i]) / sum(highs), x = onTrack(power) - half;
        drawn[i] += `M${x.toFixed(2)} ${below.toFixed(2)}h${(2 * half).toFixed(2)}v${-by.toFixed(2)}h${(-2 * half).toFixed(2)}z`;
        below -= by;
      }
    });
    const parts = frame.asked ? [] : drawn.map((d, i) => svg("path", { d, style: filling(i) }));
    const [from, to] = safe ? [onTrack(safe[0]) - half, onTrack(safe[1]) + half] : [0, 0], said = filledIn(words[!safe ? "unsafe" : safe[0] < safe[1] ? "safe" : "only"], { first: twoTo(safe?.[0]), last: twoTo(safe?.[1]) });
    const ground = [onTrack(0) - half, onTrack(top) + half];
    return [svg("rect", { class: "lab-area", x: ground[0], y: TRACK[0], width: ground[1] - ground[0], height: TRACK[1] - TRACK[0] }), svg("g", { opacity: 0.55 }, ...parts),
      ...(frame.asked ? [] : [svg("path", { class: "lab-curve", d: safe ? `M${from} ${TRACK[0] - 2}V${TRACK[0] - 7}H${to}V${TRACK[0] - 2}` : "" }), written(clamped((from + to) / 2 || ground[0] + 100, 80, lanes.width - 80), TRACK[0] - 12, said, "word", "middle")]),
      ...Array.from({ length: Math.floor(top / 10) + 1 }, (_, i) => written(onTrack(10 * i), TRACK[1] + 16, twoTo(10 * i), "note", "middle")), written(ground[0] - 6, TRACK[1] - 6, ground[0] > 90 ? "loss scale" : "", "note", "end")];
  }

  function drawLanes({ format: name, power }) {
    const format = formats[name], at = Math.round(power), across = scaleOf(lanes), by = (across(1) - across(0)) * power, { width } = lanes, counts = format.counts[at], fates = [...format.held[at]].map(fateOf);
    const plain = (wide) => dots.map((dot) => [Math.floor(across(dot) / wide), across(dot)]), r = radiusOf(plain), ghost = piled(plain(2.2 * r), r), hills = hillsOf(format, power, across, r);
    const drawn = (hill, floor, look) => hill.map(([x, up], i) => svg("circle", { cx: x.toFixed(2), cy: (floor - up).toFixed(2), r, style: look(i) })), pale = () => "fill: var(--lk-line)";
    const kind = counts[3] || format.skipped.includes(at) ? "over" : counts[0] ? "lost" : "survive", verdict = filledIn(words[kind], { infinite: format.infinite, share: percent(counts[0] / sum(counts)) });
    const from = across(median), high = FLOORS[0] - HIGH - 12, scale = at ? `× ${twoTo(at)}` : words.start, right = from + by + 10 + 8 * scale.length < width - 8, tens = Array.from({ length: Math.floor(across.high / 10) - Math.ceil(low / 10) + 1 }, (_, i) => 10 * (Math.ceil(low / 10) + i));
    lanes.ink.replaceChildren(...bands(format, across, counts), ...track(format),
      ...FLOORS.map((y) => svg("line", { class: "lab-other", x1: 8, x2: width - 8, y1: y + 5, y2: y + 5 })), ...tens.filter((e) => across(e) > 20 && across(e) < width - 20).map((e) => written(across(e), FLOORS[0] + 27, twoTo(e), "note", "middle")),
      ...drawn(at ? ghost : [], FLOORS[0], pale), ...drawn(frame.asked ? ghost.map(([x, up]) => [x + by, up]) : hills[0], FLOORS[0], (i) => (frame.asked ? "fill: var(--lk-ink)" : LOOKS[fates[i]])),
      ...(at ? arrow([from, high], [from + by, high], "g") : []), written(from + (at ? by : 0) + (right ? 8 : -by / 2), high + (right ? 4 : -8), scale, "word", right ? "start" : "middle"),
      written(8, FLOORS[1] - HIGH - 12, filledIn(words[at ? "again" : "stored"], { scale: twoTo(at) }), "word"), ...drawn(ghost, FLOORS[1], (i) => (frame.asked || fates[i] % 3 ? pale() : LOOKS[fates[i]])),
      ...(frame.asked ? [] : [...drawn(hills[1], FLOORS[1], (i) => (fates[i] % 3 ? LOOKS[fates[i]] : "display: none")), written(width - 8, FLOORS[1] - HIGH - 12, verdict, kind === "survive" ? "fate2" : "fate3", "end")]));
    return format.said[at];
  }

  // ---- training ----

  const TOP = 34, MIDDLE = 126, UPPER = 166, BASE = 282;
  const powers = trainings.flatMap(({ steps }) => steps.map(([power]) => power)), losses = [...trainings.flatMap((one) => one.losses), ...without].filter((loss) => loss !== null);
  const upTo = axis(Math.min(...powers) - 1, Math.max(...powers) + 2, BASE, UPPER), lossAt = axis(Math.min(0, ...losses), Math.max(...losses, 1e-300), MIDDLE, TOP);
  const stepsOf = (state) => axis(0, training(state).steps.length, 58, course.width - 10), there = (state) => Math.min(Math.round(state.step), training(state).steps.length - 1);
  if (trainings.length) {
    const last = (state) => training(state).steps.length - 1;
    frame.handle(course, "Training step", {
      at: (state) => [stepsOf(state)(state.step + 0.5), upTo(training(state).steps[there(state)][0])], move: (px) => ({ step: clamped(stepsOf(frame.state).inverse(px) - 0.5, 0, last(frame.state)) }),
      keys: (steps) => ({ step: clamped(there(frame.state) + (Number.isFinite(steps) ? steps : steps > 0 ? 1e9 : -1e9), 0, last(frame.state)) }),
      range: [1, powers.length], value: (state) => there(state) + 1, words: (state) => training(state).said[there(state)], area: () => [58, TOP - 8, course.width - 10, BASE],
    });
  }
  const cross = (x, y) => `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`, triangle = (x, y) => `M${x - 4} ${y - 3}h8l-4 -7z`;

  function drawCourse(state) {
    const { steps, losses: own, said, first } = training(state), across = stepsOf(state), at = there(state), until = state.step + 1, x = across(state.step + 0.5);
    const signs = (event, sign) => steps.map(([power, what], i) => (what === event && i < until ? sign(across(i + 0.5), upTo(power)) : "")).join(""), heights = steps.map(([power]) => power);
    const every = [1, 2, 5, 10, 20, 50, 100, 1000].find((n) => steps.length / n <= 12), span = upTo.high - upTo.low, apart = [1, 2, 5, 10, 20, 50].find((n) => span / n <= 6);
    const ticks = Array.from({ length: Math.floor(upTo.high / apart) - Math.ceil(upTo.low / apart) + 1 }, (_, i) => apart * (Math.ceil(upTo.low / apart) + i));
    const learnt = losses.length ? [written(58, 16, "loss", "word"), svg("line", { class: "lab-secant", x1: 100, x2: 124, y1: 12, y2: 12 }), written(129, 16, "with the scale", "note"), svg("line", { class: "lab-tangent", x1: 222, x2: 246, y1: 12, y2: 12 }), written(251, 16, "without", "note"),
      ...[0, lossAt.high].map((value) => written(52, lossAt(value) + 4, digits(value, 2), "note", "end")), svg("line", { class: "lab-other", x1: 58, x2: across.end, y1: MIDDLE, y2: MIDDLE }),
      svg("path", { class: "lab-tangent", d: staircase(without, across, lossAt, frame.asked ? until : Infinity) }), svg("path", { class: "lab-secant", d: staircase(own, across, lossAt, until) })] : [];
    course.ink.replaceChildren(svg("rect", { class: "lab-area", x: 58, y: UPPER, width: across.end - 58, height: BASE - UPPER }), ...learnt, written(58, UPPER - 10, "loss scale", "word"),
      ...ticks.flatMap((power) => [svg("line", { class: "lab-grid", x1: 58, x2: across.end, y1: upTo(power), y2: upTo(power) }), written(52, upTo(power) + 4, twoTo(power), "note", "end")]),
      ...(frame.asked ? [] : trainings.map((one) => svg("path", { class: "lab-other", d: staircase(one.steps.map(([power]) => power), across, upTo, one.steps.length) }))),
      svg("path", { class: "lab-curve", d: staircase(heights, across, upTo, until) }), svg("line", { class: "lab-curve", x1: x, x2: x, y1: TOP - 6, y2: BASE }),
      svg("path", { d: signs("skipped", cross), style: "stroke: var(--lk-bad); stroke-width: 2" }), svg("path", { d: signs("grown", triangle), style: "fill: var(--lk-saved)" }),
      ...steps.map((_, i) => (i + 1) % every ? "" : written(across(i + 0.5), BASE + 15, String(i + 1), "note", "middle")).filter(Boolean),
      svg("path", { d: triangle(64, 322), style: "fill: var(--lk-saved)" }), written(74, 320, "scale grows", "note"), svg("path", { d: cross(160, 316), style: "stroke: var(--lk-bad); stroke-width: 2" }), written(170, 320, "overflow: step skipped", "note"));
    return said[at];
  }

  frame.begin((state) => {
    lanes.figure.hidden = inTraining(state); course.figure.hidden = !inTraining(state);
    return inTraining(state) ? drawCourse(state) : drawLanes(state);
  });
} };
