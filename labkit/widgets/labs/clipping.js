// The clipping lab: `rules` and `descent` compute what the clips of mindspore.ops and the training of clipping.py give.

// The gradients g and h before a clip, and after each rule: each element, each gradient, all gradients together.
function rules({ g1, g2, h1, h2, limit }) {
  const before = [[g1, g2], [h1, h2]], norm = (v) => Math.hypot(...v), scaled = (by) => before.map((v) => v.map((x) => x * by(v))), whole = Math.hypot(g1, g2, h1, h2), factor = limit / Math.max(whole, limit);
  const after = [before.map((v) => v.map((x) => clamped(x, -limit, limit))), scaled((v) => Math.min(limit / (norm(v) + 1e-6), 1)), scaled(() => factor)];
  const angle = ([x, y], [a, b]) => (Math.atan2(Math.abs(x * b - y * a), x * a + y * b) * 180) / Math.PI, ratio = ([g, h]) => norm(g) / norm(h);
  return { before, norms: before.map(norm), ratio: ratio(before), whole, factor, clips: after.map((pair) => {
    const turned = pair.map((v, i) => angle(before[i], v)), at = ratio(pair);
    return { pair, norms: pair.map(norm), turned, straight: Math.max(...turned) < 0.05, ratio: at, kept: !(Math.abs(at - ratio(before)) > 0.001 * ratio(before)) };
  }) };
}

function descent({ times, target, rate, steps }, w, b, limit = Infinity) {
  const points = [];
  while (points.length <= steps) {
    const states = [0];
    for (let i = 0; i < times; i++) states.push(w * states[i] + b);
    let g = 2 * (states[times] - target), byW = 0, byB = 0;
    for (let i = times - 1; i >= 0; i--) { byW += g * states[i]; byB += g; g *= w; }
    const norm = Math.hypot(byW, byB), factor = Math.min(limit / (norm + 1e-6), 1) * rate;
    points.push({ w, b, loss: (states[times] - target) ** 2, norm });
    if (!Number.isFinite(norm)) break;
    w -= factor * byW; b -= factor * byB;
  }
  return points;
}

const LEVELS = [1, 10, 100, 1000, 1e4], PLOT = [30, 66, 412, 316], X = axis(-4, 4, 30, 414), Y = axis(-3, 3, 314, 26), SMALL = axis(0, 3.1, 64, 128), LONG = axis(0, 5, 14, 94);
const ROLES = ["bwd", "fwd", "saved"], TEXTS = ["tangentword", "secantword", "savedword"], COLOURS = ["backward", "forward", "saved"];
const W = axis(-1.4, 1.8, 30, 412), B = axis(-0.3, 1.9, 316, 66), MAX = axis(-1, 1, 206, 406), STEP = axis(0, 24, 44, 404), LOSS = axis(-3, 4, 288, 10);
const within = ({ w, b }) => w >= W.low && w <= W.high && b >= B.low && b <= B.high;

function sentenceOf(data, state) {
  const { words, parts } = data, { part, w, b, max_norm, step } = state, short = (value) => digits(value, 3);
  if (part === parts[0]) {
    const { ratio, whole, factor, clips: [value, norm] } = rules(state), keys = [value.straight ? "value kept" : "value turned", norm.kept ? "norm kept" : "norm changed", factor < 1 ? "global clipped" : "global free"];
    const given = { ...state, g: value.turned[0], h: value.turned[1], before: ratio, after: norm.ratio, whole, factor };
    return keys.map((key) => filledIn(words[key], Object.fromEntries(Object.entries(given).map(([name, number]) => [name, short(number)])))).join(" ");
  }
  const said = [["free", Infinity], ["clipped", max_norm]].map(([way, most]) => {
    const points = descent(data, w, b, most).slice(0, Math.floor(step) + 1), point = points[Math.floor(step)], limit = short(most);
    if (!point || !Number.isFinite(point.norm)) return filledIn(words[`${way} gone`], { limit });
    return filledIn(words[`${way} ${points.every(within) ? "there" : "out"}`], { limit, w: short(point.w), b: short(point.b), loss: short(point.loss), norm: short(point.norm) });
  });
  return [filledIn(words.step, { step: Math.floor(step) }), ...said].join(" ");
}

// The question of a part: which rule changes a gradient that is within the threshold, or how long the step is that leaves the picture.
function questionAt(data, { part, w, b }) {
  const { words, parts, rate } = data, answer = words["by global norm"];
  if (part === parts[0]) return { from: { g1: 3.5, g2: 1.5, h1: -0.6, h2: 1.2, limit: 1.5 }, question: words["ask rule"], choices: ["by value", "by norm", "by global norm", "none"].map((name) => words[name]), answer,
    right: words["rule right"], slips: ["by value", "by norm", "none"].map((name) => [words[name], words[`${name} slip`]]) };
  const points = descent(data, w, b), step = Math.max(0, points.findIndex(({ norm }) => norm > 3 * points[0].norm)), { norm } = points[step];
  return { from: { step }, to: { step: step + 1 }, question: filledIn(words["ask step"], { step, norm: digits(norm, 3), rate }), answer: rate * norm, tolerance: 0.03,
    right: words["step right"], slips: [[norm, words["step slip"]]], otherwise: words["step otherwise"] };
}

// The loss as bands and contour lines: for each w, the b between which it is below a level.
function relief({ times, target }) {
  const ws = Array.from({ length: 385 }, (_, i) => W.inverse(30 + (382 * i) / 384)), slope = (w) => Array.from({ length: times }).reduce((h) => w * h + 1, 0);
  const edge = (sign, level) => ws.map((w) => (target + sign * Math.sqrt(level)) / slope(w)), spots = (bs) => bs.map((b, i) => [W(ws[i]), B(b)]);
  const bands = [...LEVELS.keys()].reverse().map((k) => {
    const [one, other] = [-1, 1].map((sign) => edge(sign, LEVELS[k]).map((b) => clamped(b, B.low, B.high)));
    const [top, base] = [Math.max, Math.min].map((most) => spots(one.map((b, i) => most(b, other[i]))));
    return svg("path", { style: `fill: var(--lk-norm${k})`, d: `${through([...top, ...base.reverse()])}Z` });
  });
  const lines = LEVELS.flatMap((level) => [-1, 1].map((sign) => svg("path", { class: "lab-contour", d: through(spots(edge(sign, level)), PLOT) })));
  const names = ["0", "1", "10", "100", "10³", "10⁴"].map((name, k) => written(W(ws[edge(1, k && LEVELS[k - 1]).findIndex((b, i) => ws[i] > -1 && b <= B.high)]), 60, name, "note", "middle"));
  return [svg("rect", { x: 30, y: 66, width: 382, height: 250, style: "fill: var(--lk-norm5)" }), ...bands, ...lines, ...names, svg("path", { class: "lab-rim", d: through(spots(edge(0, 0)), PLOT) }),
    ...below(W, 332, [-1, -0.5, 0, 0.5, 1, 1.5]), ...leftOf(B, 25, 25, [0, 0.5, 1, 1.5]), written(406, 332, "w", "word", "middle"), written(25, 76, "b", "word", "end")];
}

export default { render({ model, el }) {
  const data = model.get("data"), { words, parts, steps } = data, at = ([x, y]) => [X(x), Y(y)];
  const frame = new Frame({ model, el }, ["part", "g1", "g2", "h1", "h2", "limit", "w", "b", "max_norm", "step"], { title: data.title, about: words.about });
  const onBall = () => frame.state.part === parts[0], ground = relief(data);
  let from;
  frame.choice("Part", "part", parts);
  frame.player("Play", 6000, () => { from = { ...frame.state }; return onBall() ? 0 : frame.state.step / steps; }, (part) => {
    const angle = Math.atan2(from.g2, from.g1) + 2 * Math.PI * part, [c, s] = [Math.cos(angle), Math.sin(angle)];
    const norm = Math.min(Math.hypot(from.g1, from.g2), 3 / Math.max(Math.abs(s), 0.1)); // as long as there is room for
    frame.set(!onBall() ? { step: steps * part } : part === 1 ? { g1: from.g1, g2: from.g2 } : { g1: clamped(norm * c, -4, 4), g2: norm * s }, true);
  });
  frame.predict((state) => questionAt(data, state));

  const ball = frame.panel(words.drag, 420, 336), left = frame.panel(words.after, 420, 336), cliff = frame.panel(words["drag start"], 420, 340), losses = frame.panel(words["drag step"], 420, 324);
  frame.point(ball, "Gradient g", ["g1", "g2"], [X, Y], 0.08);
  frame.point(ball, "Gradient h", ["h1", "h2"], [X, Y], 0.08);
  frame.dial(ball, "Threshold, at the edge of the ball", "limit", [0.1, 2.8], { at: ({ limit }) => at([-limit * Math.SQRT1_2, -limit * Math.SQRT1_2]), from: (x, y) => Math.hypot(X.inverse(x), Y.inverse(y)), step: 0.05 });
  frame.point(cliff, "Start (w, b)", ["w", "b"], [W, B], 0.025);
  frame.dial(cliff, "max_norm", "max_norm", [0.1, 10], { at: ({ max_norm }) => [MAX(Math.log10(max_norm)), 34], from: (x) => 10 ** MAX.inverse(x), step: 10 ** 0.05, log: true });
  frame.dial(losses, "Step", "step", [0, steps], { at: ({ step }) => [STEP(step), 300], from: (x) => STEP.inverse(x), step: 1, area: [44, 10, 404, 288] });

  function drawBall(state) {
    const { limit } = state, { before, norms, ratio, clips } = rules(state), unit = X(1) - X(0), size = limit * unit, [x, y] = at([0, 0]), short = (value) => digits(value, 3);
    const named = ([a, b], k, from, far) => { const long = Math.hypot(a, b) || 1; return written(from[0] + (far * a) / long, from[1] - (far * b) / long + 4, "gh"[k], "word", "middle"); };
    ball.ink.replaceChildren(svg("rect", { class: "lab-area", x: 30, y: 26, width: 384, height: 288 }), svg("rect", { class: "lab-backward", x: x - size, y: y - size, width: 2 * size, height: 2 * size, style: "stroke: var(--lk-backward)" }),
      svg("circle", { class: "lab-forward", cx: x, cy: y, r: size, style: "stroke: var(--lk-forward)" }), svg("path", { class: "lab-grid", d: `M30 ${y}L414 ${y}M${x} 26L${x} 314` }), ...below(X, 330, [-3, -2, -1, 1, 2, 3]), ...leftOf(Y, 25, 25, [-2, -1, 1, 2]),
      svg("rect", { class: "lab-backward", x: 30, y: 6, width: 12, height: 12, style: "stroke: var(--lk-backward)" }), written(48, 16, filledIn(words.box, { limit: short(limit) }), "tangentword"),
      svg("circle", { class: "lab-forward", cx: 236, cy: 12, r: 6, style: "stroke: var(--lk-forward)" }), written(248, 16, filledIn(words.ball, { limit: short(limit) }), "secantword"),
      ...before.flatMap((v, k) => [svg("path", { class: "lab-g", d: through([[x, y], at(v)]) }), named(v, k, [clamped(at(v)[0], 52, 392), clamped(at(v)[1], 48, 292)], 20)]));
    left.ink.replaceChildren(...clips.flatMap((clip, k) => {
      const start = 4 + 142 * k, role = ROLES[k], small = ([a, b]) => [SMALL(a), 128 - SMALL(b)], edge = SMALL(limit) - 64, word = (down, said, look) => written(start, down, said, look), verdict = (down, fine, key) => word(down, words[`${key} ${fine ? "kept" : "lost"}`], fine ? "fate2" : "fate3");
      const bars = clip.norms.flatMap((norm, i) => [word(236 + 19 * i, "gh"[i], "word"), svg("rect", { class: "lab-free", x: start + 14, y: 227 + 19 * i, width: LONG(norms[i]) - 14, height: 10 }), ...(frame.asked ? [] : [svg("rect", { x: start + 14, y: 227 + 19 * i, width: LONG(norm) - 14, height: 10, style: `fill: var(--lk-${COLOURS[k]})` })]),
        written(start + 128, 236 + 19 * i, frame.asked ? "?" : short(norm), "note", "end")]);
      const shape = k ? svg("circle", { class: "lab-forward", cx: 64, cy: 64, r: edge }) : svg("rect", { class: "lab-backward", x: 64 - edge, y: 64 - edge, width: 2 * edge, height: 2 * edge });
      return [word(14, words[["by value", "by norm", "by global norm"][k]], TEXTS[k]), word(30, words[["each element", "each gradient", "all together"][k]], "note"),
        svg("svg", { x: start, y: 40, width: 128, height: 128 }, svg("rect", { class: "lab-area", width: 128, height: 128 }), ...(k < 2 ? [shape] : []), ...before.map((v) => svg("path", { class: "lab-rim", d: through([[64, 64], small(v)]) })),
          ...(frame.asked ? [] : clip.pair.flatMap((v, i) => [...arrow([64, 64], small(v), role), named(v, i, small(v).map((px) => clamped(px, 18, 110)), 10)]))),
        ...(frame.asked ? [] : [verdict(188, clip.straight, "direction"), word(204, clip.straight ? "" : `g ${short(clip.turned[0])}°, h ${short(clip.turned[1])}°`, "note"), verdict(284, clip.kept, "ratio"), word(300, `${clip.norms.map(short).join(" : ")} = ${short(clip.ratio)}`, "note")]), ...bars];
    }), written(4, 328, filledIn(words.ratio, { norms: `${norms.map(short).join(" : ")} = ${short(ratio)}` }), "note"));
  }

  function drawCliff({ w, b, max_norm, step }) {
    const ways = [["lab-g", descent(data, w, b)], ["lab-fwd", descent(data, w, b, max_norm)]], between = (a, b, part) => a + (b - a) * part;
    const path = ([role, points]) => points.slice(0, points.findIndex((one, i) => i > step || !within(one)) >>> 0).flatMap((one, i) => {
      const next = points[i + 1] || one, leaves = Math.min(1, ...[["w", W], ["b", B]].map(([key, { low, high }]) => (next[key] === one[key] ? 1 : ((next[key] > one[key] ? high : low) - one[key]) / (next[key] - one[key]))));
      const part = Math.min(step - i, leaves), end = [W(between(one.w, next.w, part)), B(between(one.b, next.b, part))], said = filledIn(words.leads, { step: i + 1, w: digits(next.w, 3), b: digits(next.b, 3) });
      return [svg("path", { class: role, d: through([[W(one.w), B(one.b)], end]) }), svg("circle", { class: `${role} lab-head`, cx: W(one.w), cy: B(one.b), r: 2.6 }),
        ...(part === leaves && leaves < 1 ? [written(clamped(end[0], 140, 300), clamped(end[1] + 18, 84, 308), said, "roundword", "middle")] : [])];
    });
    cliff.ink.replaceChildren(...ground, ...ways.flatMap(path), written(W(w), B(b) + 26, words.start, "word", "middle"), svg("path", { class: "lab-g", d: "M30 12L60 12" }), svg("path", { class: "lab-fwd", d: "M30 34L60 34" }),
      written(66, 16, words.free, "word"), written(66, 38, filledIn(words.clipped, { limit: digits(max_norm, 3) }), "secantword"), svg("path", { class: "lab-other", d: "M206 34L406 34" }),
      ...below(MAX, 16, [-1, 0, 1], (v) => digits(10 ** v, 3)));
    const curve = ([role, points]) => {
      const far = points.findIndex(({ loss }) => !(loss < 1e4)) + 1 || points.length, spots = points.slice(0, far).map(({ loss }, i) => [STEP(i), LOSS(clamped(Math.log10(loss) || 4, -3, 4))]);
      const shown = spots.slice(0, Math.floor(step) + 1), [x, y] = shown.at(-1), [nextX, nextY] = spots[shown.length] || [x, y];
      return svg("path", { class: role, d: through([...shown, [between(x, nextX, step % 1), between(y, nextY, step % 1)]]) });
    };
    losses.ink.replaceChildren(svg("rect", { class: "lab-area", x: 44, y: 10, width: 360, height: 278 }), ...leftOf(LOSS, 39, 404, [-3, -2, -1, 0, 1, 2, 3, 4], (v) => digits(10 ** v, 3)),
      ...below(STEP, 322, [0, 4, 8, 12, 16, 20, 24]), ...ways.map(curve), svg("path", { class: "lab-rim", d: `M${STEP(step)} 10l0 278` }));
  }

  frame.begin((state) => {
    for (const panel of [ball, left, cliff, losses]) panel.figure.hidden = onBall() === [cliff, losses].includes(panel);
    (onBall() ? drawBall : drawCliff)(state);
    return sentenceOf(data, state);
  });
} };
