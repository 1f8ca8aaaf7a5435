// The loss landscape. data: {axes, names, steps, rates, box, ground, lines, most, words} of `landscape.py`: `lines` has the loss and its gradient as
// scalar lines.

// One step of a parameter p with gradient g at rate r: the new p, and what the optimizer keeps; t counts the steps from 1.
const RULES = {
  SGD: (p, g, r) => [p - r * g],
  Momentum(p, g, r, [velocity = 0]) { const v = 0.9 * velocity + g; return [p - r * v, v]; },
  Adam(p, g, r, [mean = 0, square = 0], t) {
    const m = 0.9 * mean + 0.1 * g, v = 0.999 * square + 0.001 * g * g, rate = (r * Math.sqrt(1 - 0.999 ** t)) / (1 - 0.9 ** t);
    return [p - (rate * m) / (Math.sqrt(v) + 1e-8), m, v];
  },
};

// The loss and its gradient at a place.
function slopeAt({ lines, ends }, place) {
  const found = [...place];
  for (const line of lines) found.push(resultOf(line, found));
  return ends.map((end) => (Array.isArray(end) ? end[0] : found[end]));
}

// The waypoints of an optimizer, the start included; fewer where something is not finite any more.
function descend({ lines, steps }, name, start, rate) {
  const found = [];
  let place = start, kept = [[], []];
  for (let step = 0; step <= steps; step++) {
    const [loss, ...gradient] = slopeAt(lines, place);
    if (![loss, ...gradient].every(Number.isFinite)) break;
    found.push({ place, loss, gradient, kept });
    if (step === steps) break;
    const stepped = place.map((p, i) => RULES[name](p, gradient[i], Math.fround(rate), kept[i], step + 1)); // an optimizer has its rate in float32
    place = stepped.map(([p]) => p);
    kept = stepped.map(([, ...k]) => k);
  }
  return found;
}

const walksOf = (data, { x, y, rate }) => Object.fromEntries(data.names.map((name) => [name, descend(data, name, [x, y], rate)]));
const shownOf = ({ names }, show) => (names.includes(show) ? [show] : names);
const holds = ([x, y], [left, right, low, high]) => x >= left && x <= right && y >= low && y <= high;
const dot = ([a, b], [c, d]) => a * c + b * d;

// The rate times the curvature along the last step; undefined where that was no step of rate × gradient.
function curved(moments, rate, step) {
  if (!(step > 0 && step < moments.length)) return undefined;
  const { gradient, place } = moments[step - 1], after = moments[step], size = dot(gradient, gradient);
  const plain = gradient.every((g, i) => Math.abs(after.place[i] - place[i] + rate * g) <= 1e-12 + 1e-4 * Math.abs(rate * g));
  return plain && size ? 1 - dot(after.gradient, gradient) / size : undefined;
}

function sentenceOf(data, state) {
  const { words, ground, most } = data, walks = walksOf(data, state), step = Math.floor(state.step), names = shownOf(data, state.show);
  const said = [filledIn(words.head, { step, rate: digits(state.rate, 3) }), ...names.map((name) => {
    const moments = walks[name], moment = moments[step];
    if (!moment) return filledIn(words.gone, { name, step: moments.length });
    return filledIn(words[holds(moment.place, ground.frame) && moment.loss <= most ? "inside" : "outside"], { name, loss: digits(moment.loss, 3) });
  })];
  const times = names.length === 1 ? curved(walks[names[0]], state.rate, Math.min(step, walks[names[0]].length - 1)) : undefined;
  if (times !== undefined) said.push(filledIn(words[times < 0 ? "steeper" : times < 1 ? "short" : times < 2 ? "zigzag" : "flies"], { times: digits(times, 3) }));
  return said.join(" ");
}

// What is asked of the optimizers that are shown: how far a first step goes, or what Momentum keeps after the second.
function questionAt(data, state) {
  const { words, axes: [axis] } = data, names = shownOf(data, state.show), name = names.includes("Adam") ? "Adam" : names[0], [first, next, later] = name ? walksOf(data, state)[name] : [];
  if (!next || (name === "Momentum" && !later)) return undefined;
  const ask = (step, { gradient: [g], kept: [[kept = 0]] }, answer, slips) => ({ step, answer, tolerance: 0.02, otherwise: words.otherwise, right: words[`${name} right`],
    question: filledIn(words[name], { axis, gradient: digits(g, 3), rate: digits(state.rate, 3), kept: digits(kept, 3) }), slips: slips.map(([value, key]) => [value, words[key]]) });
  const [g] = first.gradient, moved = next.place[0] - first.place[0];
  if (name === "Adam") return ask(1, first, moved, [[-state.rate * g, "Adam slip"], [-moved, "up"]]);
  if (name === "SGD") return ask(1, first, -state.rate * g, [[state.rate * g, "up"], [g, "SGD slip"]]);
  return ask(2, next, later.kept[0][0], [[next.gradient[0], "Momentum slip"], [next.kept[0][0] + next.gradient[0], "Momentum sum"]]);
}

const ROLES = ["g", "fwd", "bwd"], TEXTS = ["word", "secantword", "tangentword"], SIGNS = ["0 -6L6 0L0 6L-6 0Z", "-5 -5L5 -5L5 5L-5 5Z", "-6 5L6 5L0 -6Z"];
const RATE_AT = 54, TOP = 118, BASE = 288;

export default { render({ model, el }) {
  const data = model.get("data"), { axes, names, steps, rates, box, ground, words } = data, [left, top, right, base] = box, [low, high, deep, tall] = ground.frame;
  const frame = new Frame({ model, el }, ["x", "y", "rate", "step", "show"], data), X = axis(low, high, left, right), Y = axis(deep, tall, base, top);
  const RATE = axis(Math.log10(Math.min(...rates)) - 0.15, Math.log10(Math.max(...rates)) + 0.15, 60, 396), STEP = axis(0, steps, 60, 396);
  const log = ground.least > 0, level = (loss) => (log ? (loss > 0 ? Math.log10(loss) : -Infinity) : loss), spread = 0.05 * (ground.most - ground.least || 1);
  const LOSS = log ? axis(Math.floor(Math.log10(Math.max(ground.least, ground.most * 1e-6))), Math.ceil(Math.log10(ground.most) + 1e-9), BASE, TOP) : axis(ground.least - spread, ground.most + spread, BASE, TOP);
  const until = () => (frame.asked ? frame.asked.step - 1 : Infinity); // the last step that is shown while one is asked about
  frame.player("Play", Math.min(7500, 900 * steps), () => frame.state.step / steps, (part) => frame.set({ step: part * steps }, true));
  frame.choice("Show", "show", ["all", ...names]);
  frame.predict((state) => { const asked = questionAt(data, state); return asked && { ...asked, from: { step: asked.step - 1 }, to: { step: asked.step } }; });

  const plane = frame.panel(words.plane, 420, 374), beyond = frame.panel(words.losses, 420, 330);
  frame.dial(beyond, "Learning rate", "rate", [10 ** RATE.low, 10 ** RATE.high], { at: ({ rate }) => [RATE(Math.log10(rate)), RATE_AT], from: (x) => 10 ** RATE.inverse(x), step: 1.05, log: true, area: [52, 38, 404, 70] });
  frame.dial(beyond, "Step", "step", [0, steps], { at: ({ step }) => [STEP(step), BASE + 12], from: (x) => Math.min(STEP.inverse(x), until()), step: 1, area: [60, TOP, 396, BASE] });
  frame.point(plane, `Start (${axes.join(", ")})`, ["x", "y"], [X, Y], (high - low) / 100);

  const spot = ([x, y]) => [X(x), Y(y)], between = (a, b, part) => a.map((one, i) => one + (b[i] - one) * part), sign = (k, [x, y]) => svg("path", { class: `lab-${ROLES[k]} lab-head`, d: `M${SIGNS[k]}`, transform: `translate(${x} ${y})` });

  // The places of a path in px up to a step, which may be between two, or up to where it leaves the frame; and whether it does.
  function trackOf(moments, step) {
    const places = moments.slice(0, Math.floor(step) + 1).map(({ place }) => place), next = moments[places.length];
    if (step % 1 && next) places.push(between(places.at(-1), next.place, step % 1));
    const out = places.findIndex((place) => !holds(place, ground.frame));
    if (out < 1) return { points: out ? places.map(spot) : [], out: out === 0 };
    const leaves = Math.min(...[[0, low, high], [1, deep, tall]].map(([i, least, most]) => { const step = places[out][i] - places[out - 1][i]; return step ? ((step > 0 ? most : least) - places[out - 1][i]) / step : 1; }));
    return { points: [...places.slice(0, out), between(places[out - 1], places[out], Math.min(leaves, 1))].map(spot), out: true };
  }

  function pathOf(name, moments, step) {
    const k = names.indexOf(name), { points, out } = trackOf(moments, step), here = points.at(-1);
    return [svg("path", { class: `lab-${ROLES[k]} lab-thin lab-past`, d: through(points) }), svg("path", { class: `lab-${ROLES[k]}`, d: through(points.slice(-6)) }), ...points.slice(0, -1).slice(-6).map(([x, y]) => svg("circle", { class: `lab-${ROLES[k]} lab-head`, cx: x, cy: y, r: 2.2 })),
      ...(here && !out ? [sign(k, here)] : [])];
  }

  // From where the only optimizer is: rate × gradient, and what it adds to that.
  function arrowsOf(name, moments, { step, rate }) {
    const moment = moments[Math.floor(step)], next = moments[Math.floor(step) + 1];
    if (step % 1 || !moment || Math.floor(step) > until() - 1) return [];
    const downhill = moment.place.map((p, i) => p - rate * moment.gradient[i]), adds = next && curved(moments, rate, Math.floor(step) + 1) === undefined, inside = (place) => holds(place, ground.frame);
    return [...(inside(moment.place) && inside(downhill) ? arrow(spot(moment.place), spot(downhill), "add") : []), ...(adds && inside(downhill) && inside(next.place) ? arrow(spot(downhill), spot(next.place), "bwd") : []),
      written(left + 6, base - 8, words.downhill, "addword"), ...(adds ? [written(left + 6, base - 24, filledIn(words.adds, { name }), "tangentword")] : [])];
  }

  function curveOf(name, moments, step) {
    const k = names.indexOf(name), seen = moments.slice(0, Math.floor(step) + 1).map(({ loss }) => level(loss)), out = seen.findIndex((one) => one > LOSS.high), points = seen.slice(0, out < 0 ? undefined : out + 1).map((one, i) => [STEP(i), LOSS(clamped(one, LOSS.low, LOSS.high))]);
    return [svg("path", { class: `lab-${ROLES[k]}`, d: through(points) }), ...(out < 0 ? [sign(k, points.at(-1))] : [])];
  }

  const room = 366 / names.length, lowest = ground.lowest && spot(ground.lowest);
  const still = [svg("rect", { class: "lab-area", x: left, y: top, width: right - left, height: base - top }), ...ground.levels.map(({ path }) => svg("path", { class: "lab-height", d: path })),
    ...ground.levels.flatMap(({ name, spot: at }) => (at ? [written(...at, name, "level", "middle")] : [])), ...below(X, base + 16, ticks(low, high).filter((v) => X(v) < right - 24), (v) => digits(v, 3)), ...leftOf(Y, left - 5, left - 5, ticks(deep, tall).filter((v) => Y(v) > top + 20), (v) => digits(v, 3)),
    written(right, base + 16, axes[0], "word", "end"), written(left - 6, top + 9, axes[1], "word", "end"), ...(lowest ? [svg("path", { class: "lab-g", d: `M${lowest[0] - 5} ${lowest[1] - 5}l10 10m0 -10l-10 10` })] : [])];

  frame.begin((state) => {
    const step = Math.min(state.step, until(), steps), walks = walksOf(data, state), shown = shownOf(data, state.show), start = [X(state.x), Y(state.y)], losses = (moments) => moments[Math.floor(step)];
    plane.ink.replaceChildren(...still, ...shown.flatMap((name) => pathOf(name, walks[name], step)), ...(shown.length === 1 ? arrowsOf(shown[0], walks[shown[0]], { ...state, step }) : []), written(start[0], start[1] + (start[1] > base - 30 ? -14 : 24), words.start, "word", "middle"),
      ...shown.flatMap((name) => {
        const k = names.indexOf(name), x = left + room * k, moment = losses(walks[name]), inside = moment && moment.loss <= data.most && holds(moment.place, ground.frame);
        return [sign(k, [x + 8, 12]), written(x + 20, 17, name, TEXTS[k]), written(x + 20, 34, inside ? filledIn(words.now, { loss: digits(moment.loss, 3) }) : words[moment ? "beyond" : "not finite"], "note")];
      }));
    beyond.ink.replaceChildren(written(60, 18, words.rate, "word"), written(396, 18, digits(state.rate, 3), "word", "end"), svg("path", { class: "lab-other", d: `M60 ${RATE_AT}L396 ${RATE_AT}` }), ...rates.map((rate) => svg("path", { class: "lab-other", d: `M${RATE(Math.log10(rate))} ${RATE_AT - 5}l0 10` })),
      ...below(RATE, RATE_AT + 24, rates.map(Math.log10).filter((one, i, all) => all.slice(i + 1).every((other) => RATE(other) - RATE(one) > 30)), (v) => digits(10 ** v, 3)),
      written(60, TOP - 10, words[log ? "log" : "loss"], "word"), svg("rect", { class: "lab-area", x: 60, y: TOP, width: 336, height: BASE - TOP }), ...leftOf(LOSS, 52, 396, ticks(LOSS.low, LOSS.high).filter((v) => !log || Number.isInteger(v)), (v) => digits(log ? 10 ** v : v, 5)),
      ...shown.flatMap((name) => curveOf(name, walks[name], step)), svg("path", { class: "lab-rim", d: `M${STEP(step)} ${TOP}L${STEP(step)} ${BASE + 12}` }), written(clamped(STEP(step), 84, 372), BASE + 36, filledIn(words.step, { step: Math.floor(step) }), "word", "middle"));
    return sentenceOf(data, { ...state, step });
  });
} };
