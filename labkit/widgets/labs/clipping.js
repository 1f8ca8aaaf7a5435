// The clipping lab: `both` and `descent` compute what ops.clip_by_norm, ops.clip_by_value and the training of training.py give.

function both([x, y], limit) {
  const norm = Math.hypot(x, y), factor = Math.min(limit / (norm + 1e-6), 1), byNorm = [x * factor, y * factor];
  const byValue = [x, y].map((v) => clamped(v, -limit, limit)), side = x * byValue[1] - y * byValue[0];
  const turned = (Math.atan2(Math.abs(side), x * byValue[0] + y * byValue[1]) * 180) / Math.PI;
  return { norm, byNorm, byValue, norms: [norm, norm * factor, Math.hypot(...byValue)], side, turned };
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

const LEVELS = [1, 10, 100, 1000, 1e4], PLOT = [30, 66, 412, 316], X = axis(-4, 4, 30, 414), Y = axis(-3, 3, 296, 8), UNIT = 48;
const W = axis(-1.4, 1.8, 30, 412), B = axis(-0.3, 1.9, 316, 66), MAX = axis(-1, 1, 250, 400), STEP = axis(0, 24, 44, 404), LOSS = axis(-3, 4, 288, 10);
const LONG = axis(0, 5, 30, 400), DIRECTION = axis(0, 90, 44, 400), TURN = axis(0, 45, 296, 186), at = ([x, y]) => [X(x), Y(y)];
const within = ({ w, b }) => w >= W.low && w <= W.high && b >= B.low && b <= B.high;

function sentenceOf(data, { part, g1, g2, limit, w, b, max_norm, step }) {
  const { words, parts } = data, short = (value) => digits(value, 3), pair = (vector) => vector.map(short).join(", ");
  if (part === parts[0]) {
    const { norms, byNorm, byValue, turned } = both([g1, g2], limit), [norm, norm_norm, value_norm] = norms.map(short);
    return filledIn(words.ball, { g: pair([g1, g2]), limit: short(limit), by_norm: pair(byNorm), by_value: pair(byValue), norm, norm_norm, value_norm, turned: turnOf(words, turned) });
  }
  const [free, clipped] = [Infinity, max_norm].map((most) => {
    const points = descent(data, w, b, most).slice(0, Math.floor(step) + 1), point = points[Math.floor(step)];
    if (!point || !Number.isFinite(point.norm)) return words.gone;
    return filledIn(words[points.every(within) ? "there" : "out"], { w: short(point.w), b: short(point.b), loss: short(point.loss), norm: short(point.norm) });
  });
  return filledIn(words.cliff, { step: Math.floor(step), limit: short(max_norm), free, clipped });
}
const turnOf = (words, turned) => (turned > 0.05 ? filledIn(words.turned, { angle: digits(turned, 3) }) : words.kept);

// The question of a part: where this gradient is turned most, or how long the step is that leaves the picture.
function questionAt(data, { part, g1, g2, limit, w, b }) {
  const { words, parts, rate } = data;
  if (part === parts[0]) {
    const clips = Math.hypot(g1, g2) > limit, choices = ["axis", "diagonal", "between", "nowhere"].map((name) => words[name]);
    return { question: words["ask turn"], choices, answer: words[clips ? "between" : "nowhere"], right: words[clips ? "turn right" : "inside"], otherwise: words["turn otherwise"] };
  }
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
  const data = model.get("data"), { words, parts, steps } = data;
  const frame = new Frame({ model, el }, ["part", "g1", "g2", "limit", "w", "b", "max_norm", "step"], { title: data.title, about: words.about });
  const onBall = () => frame.state.part === parts[0], ground = relief(data);
  let from;
  frame.choice("Part", "part", parts);
  frame.player("Play", 6000, () => { from = { ...frame.state }; return onBall() ? 0 : frame.state.step / steps; }, (part) => {
    const angle = Math.atan2(from.g2, from.g1) + 2 * Math.PI * part, [c, s] = [Math.cos(angle), Math.sin(angle)];
    const norm = Math.min(Math.hypot(from.g1, from.g2), 3 / Math.max(Math.abs(s), 0.1)); // as long as there is room for
    frame.set(!onBall() ? { step: steps * part } : part === 1 ? { g1: from.g1, g2: from.g2 } : { g1: clamped(norm * c, -4, 4), g2: norm * s }, true);
  });
  frame.predict((state) => questionAt(data, state));

  const ball = frame.panel("Drag g, or the edge of the ball", 420, 324), left = frame.panel("What is left of g", 420, 324);
  const cliff = frame.panel("Drag the start, or max_norm", 420, 340), losses = frame.panel("The loss at each step, log scale: drag the step", 420, 324);
  frame.point(ball, "Gradient g", ["g1", "g2"], [X, Y], 0.08);
  frame.dial(ball, "Threshold, at the edge of the ball", "limit", [0.1, 2.8], { at: ({ limit }) => at([-limit * Math.SQRT1_2, -limit * Math.SQRT1_2]), from: (x, y) => Math.hypot(X.inverse(x), Y.inverse(y)), step: 0.05 });
  frame.point(cliff, "Start (w, b)", ["w", "b"], [W, B], 0.025);
  frame.dial(cliff, "max_norm", "max_norm", [0.1, 10], { at: ({ max_norm }) => [MAX(Math.log10(max_norm)), 34], from: (x) => 10 ** MAX.inverse(x), step: 10 ** 0.05, log: true });
  frame.dial(losses, "Step", "step", [0, steps], { at: ({ step }) => [STEP(step), 300], from: (x) => STEP.inverse(x), step: 1, area: [44, 10, 404, 288] });

  function drawBall({ g1, g2, limit }) {
    const g = [g1, g2], { norms, byNorm, byValue, turned, side } = both(g, limit), size = limit * UNIT, [x, y] = at([0, 0]), tip = at(byValue);
    const of = (degrees) => both([norms[0] * Math.cos((degrees * Math.PI) / 180), norms[0] * Math.sin((degrees * Math.PI) / 180)], limit), turn = turnOf(words, turned);
    const around = Array.from({ length: 361 }, (_, i) => of(i)), away = Math.atan2(byValue[1], byValue[0]) + (Math.sign(side) * Math.PI) / 2;
    const results = frame.asked ? [] : [svg("path", { class: "lab-bwd lab-thin", d: through(around.map((one) => at(one.byValue))) }), svg("circle", { class: "lab-fwd lab-thin", cx: x, cy: y, r: norms[1] * UNIT }),
      svg("path", { class: "lab-rim", d: through([at(g), tip]) }), ...arrow([x, y], tip, "bwd"), ...arrow([x, y], at(byNorm), "fwd"),
      written(tip[0] + 26 * Math.cos(away), tip[1] - 18 * Math.sin(away) + 4, turned > 0.05 ? `${digits(turned, 3)}°` : "", "tangentword", "middle")];
    ball.ink.replaceChildren(svg("rect", { class: "lab-area", x: 30, y: 8, width: 384, height: 288 }), svg("rect", { class: "lab-backward", x: x - size, y: y - size, width: 2 * size, height: 2 * size }),
      svg("circle", { class: "lab-forward", cx: x, cy: y, r: size }), svg("path", { class: "lab-grid", d: `M30 ${y}L414 ${y}M${x} 8L${x} 296` }), ...below(X, 312, [-3, -2, -1, 1, 2, 3]),
      ...leftOf(Y, 25, 25, [-2, -1, 1, 2]), svg("path", { class: "lab-g", d: through([[x, y], at(g)]) }), ...results,
      written(x, g2 > 0 ? y + size + 15 : y - size - 6, `threshold ${digits(limit, 3)}`, "note", "middle"), written(...at([g1 + (g1 > 3.7 ? -0.4 : 0.33), g2]), "g", "word", "middle"));
    const bars = [["word", "ink", "g", ""], ["secantword", "forward", "ops.clip_by_norm", `, ${words.kept}`], ["tangentword", "backward", "ops.clip_by_value", `, ${turn}`]].slice(0, frame.asked ? 1 : 3);
    const folded = (Math.atan2(Math.abs(g2), Math.abs(g1)) * 180) / Math.PI;
    left.ink.replaceChildren(...bars.flatMap(([role, colour, name, said], k) => [written(30, 18 + 42 * k, `${name}: norm ${norms[k].toFixed(2)}${said}`, role),
      svg("rect", { x: 30, y: 24 + 42 * k, width: LONG(norms[k]) - 30, height: 13, style: `fill: var(--lk-${colour})` }), svg("path", { class: "lab-rim", d: `M${LONG(limit)} ${21 + 42 * k}l0 19` })]),
      ...below(LONG, 140, [0, 1, 2, 3, 4, 5]), written(44, 176, frame.asked ? "turned how far?" : "by value: how far each direction is turned", "tangentword"),
      svg("rect", { class: "lab-area", x: 44, y: 186, width: 356, height: 110 }), ...leftOf(TURN, 39, 400, [0, 15, 30, 45], (v) => `${v}°`),
      ...below(DIRECTION, 314, [2, 45, 87], (v) => (v === 45 ? "diagonal, 45°" : `axis, ${v < 45 ? 0 : 90}°`)), svg("path", { class: "lab-rim", d: `M${DIRECTION(folded)} 186l0 110` }),
      ...(frame.asked ? [] : [svg("path", { class: "lab-bwd", d: through(around.slice(0, 91).map((one, i) => [DIRECTION(i), TURN(one.turned)])) }), svg("circle", { class: "lab-bwd lab-head", cx: DIRECTION(folded), cy: TURN(turned), r: 5 })]));
  }

  function drawCliff({ w, b, max_norm, step }) {
    const ways = [["lab-g", descent(data, w, b)], ["lab-fwd", descent(data, w, b, max_norm)]], between = (a, b, part) => a + (b - a) * part;
    const path = ([role, points]) => points.slice(0, points.findIndex((one, i) => i > step || !within(one)) >>> 0).flatMap((one, i) => {
      const next = points[i + 1] || one, leaves = Math.min(1, ...[["w", W], ["b", B]].map(([key, { low, high }]) => (next[key] === one[key] ? 1 : ((next[key] > one[key] ? high : low) - one[key]) / (next[key] - one[key]))));
      const part = Math.min(step - i, leaves), end = [W(between(one.w, next.w, part)), B(between(one.b, next.b, part))], said = `step ${i + 1} leads to w = ${digits(next.w, 3)}, b = ${digits(next.b, 3)}`;
      return [svg("path", { class: role, d: through([[W(one.w), B(one.b)], end]) }), svg("circle", { class: `${role} lab-head`, cx: W(one.w), cy: B(one.b), r: 2.6 }),
        ...(part === leaves && leaves < 1 ? [written(clamped(end[0], 140, 300), clamped(end[1] + 18, 84, 308), said, "roundword", "middle")] : [])];
    });
    cliff.ink.replaceChildren(...ground, ...ways.flatMap(path), written(W(w), B(b) + 26, "start", "word", "middle"), svg("path", { class: "lab-g", d: "M30 12L60 12" }), svg("path", { class: "lab-fwd", d: "M30 34L60 34" }),
      written(66, 16, "without clipping", "word"), written(66, 38, `clipped, max_norm ${digits(max_norm, 3)}`, "secantword"), svg("path", { class: "lab-other", d: "M250 34L400 34" }),
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
