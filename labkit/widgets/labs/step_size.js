// The step-size lab. data: {name, x0, reach, lines, ends, words}: the function and its derivatives as lines of scalar operations.

const EPS = { float64: 2 ** -52, float32: 2 ** -23, float16: 2 ** -10 };
const EXPONENT = { float64: [52, -1022], float32: [23, -126], float16: [10, -14] };

// The value of a derivative of an order at x, every operation rounded in the format.
function valueAt({ lines, ends }, x, order = 0, format = "float64") {
  const round = ROUND[format], end = ends[order], found = [round(x)];
  if (Array.isArray(end)) return round(end[0]);
  for (let i = 0; i < end; i++) {
    const [name, args] = lines[i];
    found.push(round(resultOf([name, format === "float64" ? args : args.map((arg) => (Array.isArray(arg) ? [round(arg[0])] : arg))], found)));
  }
  return found[end];
}

// As `Function.quotient` of step_size.py.
function quotientAt(data, h, format, rule, x) {
  const round = ROUND[format], sides = rule === "central" ? 2 : 1, step = round(h), middle = round(x);
  const low = sides === 2 ? round(middle - step) : middle, high = round(middle + step), width = round(step * sides);
  const [first, second] = [low, high].map((place) => valueAt(data, place, 0, format));
  const value = width ? round(round(second - first) / width) : NaN;
  const [slope, bend, turn] = [1, 2, 3].map((order) => { const found = valueAt(data, middle, order); return order > 1 && !Number.isFinite(found) ? 0 : found; });
  const scale = Math.abs(slope) || 1, size = Math.abs(valueAt(data, middle, 0, format)) + (sides * Math.abs(middle * slope)) / 2;
  return {
    value, slope, bend, low, high, first, second, middle, alike: low === high, error: Math.abs(value - slope) / scale,
    truncation: (sides === 1 ? (h * Math.abs(bend)) / 2 : (h ** 2 * Math.abs(turn)) / 6) / scale,
    roundoff: (EPS[format] * size) / (sides * h) / scale,
  };
}

// Which sentence explains a quotient.
function reasonOf(q, h, format) {
  if (!ROUND[format](h)) return "zero";
  if (!Number.isFinite(q.value)) return "nan";
  if (q.alike) return "alike";
  if (!q.error) return "exact";
  if (q.truncation > 3 * q.roundoff) return "truncation";
  return q.roundoff > 3 * q.truncation ? "roundoff" : "balance";
}

function sentenceOf({ words }, { x, h, format, rule }, q) {
  const given = { x: digits(x, 5), h: digits(h, 3), format, rule, value: digits(q.value, 10), slope: digits(q.slope, 10), error: digits(q.error, 3) };
  return `${filledIn(words[!Number.isFinite(q.value) ? "none" : q.slope ? "head" : "flat"], given)} ${filledIn(words[reasonOf(q, h, format)], given)}`;
}

// The numbers of a format from low to high; none where there are more than `most`.
function storedBetween(low, high, format, most = 96) {
  const [bits, least] = EXPONENT[format], size = Math.max(Math.abs(low), Math.abs(high));
  const unit = 2 ** (Math.max(Math.floor(Math.log2(size || 2 ** least)), least) - bits), first = Math.floor(low / unit), last = Math.ceil(high / unit);
  if (last - first > most) return [];
  return [...new Set(Array.from({ length: 2 * (last - first) + 1 }, (_, k) => ROUND[format]((first + k / 2) * unit)))];
}

// The question that fits a state, if there is one: what to ask, and the h that answers it.
function questionAt(data, { x, format, rule }) {
  const { words } = data, [before, here] = [0.1, 0.01].map((h) => quotientAt(data, h, format, rule, x)), times = rule === "central" ? 100 : 10;
  const other = rule === "central" ? "forward" : "central";
  if ([before, here].every((q) => q.truncation > 20 * q.roundoff) && Math.abs(before.error / here.error / times - 1) < 0.1) {
    return { from: { h: 0.1 }, to: { h: 0.01 }, question: filledIn(words.tenth, { before: digits(before.error, 3) }), answer: here.error, tolerance: 0.15,
      right: filledIn(words["tenth right"], { rule, times }), otherwise: filledIn(words["tenth otherwise"], { rule }),
      slips: [[before.error / (1000 / times), filledIn(words["tenth slip"], { other })], [before.error, words["tenth same"]]] };
  }
  for (let power = 0; power <= 16; power++) {
    const h = Number(`1e-${power}`), q = quotientAt(data, h, format, rule, x);
    if (q.alike && Number.isFinite(q.value)) {
      return { from: { h: 10 * h }, to: { h }, question: filledIn(words.lost, { format, h: digits(h, 3) }), answer: 0, tolerance: 0.02, right: words["lost right"],
        otherwise: words["lost otherwise"], slips: [[q.slope, words["lost slip"]], [1, words["lost one"]]] };
    }
  }
  return undefined;
}

const WIDTH = 420, HEIGHT = 330, BOX = [8, 46, 412, 300], LENS = [164, 100], FORMATS = Object.keys(ROUND), LEAST = 1e-16;
const STEPS = Array.from({ length: 321 }, (_, i) => 10 ** (-i / 20));

export default { render({ model, el }) {
  const data = model.get("data"), { name, x0, reach, words } = data;
  const frame = new Frame({ model, el }, ["x", "h", "format", "rule", "zoom"], { title: data.title, about: filledIn(words.about, { name }) });
  frame.player("Shrink h", 9000, () => -Math.log10(frame.state.h) / 16, (part) => frame.set({ h: 10 ** (-16 * part) }, true));
  frame.choice("Format", "format", FORMATS);
  frame.choice("Difference", "rule", ["forward", "central"]);
  let zoomed = frame.state.zoom ? 1 : 0; // how far the window is zoomed
  frame.toggle("Zoom to h", "zoom", () => { const from = zoomed, to = frame.state.zoom ? 1 : 0; frame.animate(900, (part) => { zoomed = from + (to - from) * part; frame.redraw(); }); }, frame.menu);
  frame.predict((state) => questionAt(data, state));

  const plane = frame.panel(filledIn(words.curve, { name }), WIDTH, HEIGHT), errors = frame.panel(words.errors, WIDTH, HEIGHT);

  // A window around a place: from the plane to px. Its height is that of the curve's parabola there.
  function windowAt(centre, width, box, format) {
    const [left, top, right, base] = box, half = reach * width, y = valueAt(data, centre, 0, format);
    const slope = valueAt(data, centre, 1), bend = valueAt(data, centre, 2) || 0, level = bend ? clamped(-slope / bend, -half, half) : half;
    let found = [-half, half, level].flatMap((t) => [slope * t, slope * t + (bend * t * t) / 2]);
    if (!found.every(Number.isFinite) || Math.max(...found) === Math.min(...found)) found = [-half, half];
    const low = Math.min(...found), high = Math.max(...found), spare = 0.04 * (high - low), middle = (left + right) / 2;
    const across = (x) => middle + (((x - centre) / width) * (right - left)) / (2 * reach);
    const up = (value) => base - ((value - y - low + spare) / (high - low + 2 * spare)) * (base - top);
    return { across, up, box, inverse: (px) => centre + ((px - middle) * width * 2 * reach) / (right - left), steep: (s) => (up(y + s * half) - up(y)) / (across(centre + half) - middle) };
  }
  const shownWindow = ({ x, h, format }) => windowAt(x0 + (x - x0) * zoomed, h ** zoomed, BOX, format);

  // Curve, stored numbers, secant and tangent in a window.
  function drawnIn(view, q, format, samples) {
    const { across, up, box, inverse, steep } = view, [left, top, right, base] = box;
    const xs = Array.from({ length: samples + 1 }, (_, i) => inverse(left + ((right - left) * i) / samples)), dots = Number.isFinite(q.value) ? [[q.low, q.first], [q.high, q.second]] : [];
    // where the format has few numbers, the function is drawn at each of them
    const stored = storedBetween(xs[0], xs[samples], format).map((x) => [across(x), up(valueAt(data, x, 0, format))]).filter(([x]) => x >= left && x <= right), few = stored.length > 0 && stored.length <= 24;
    return [...(few ? stored : []).map(([x]) => svg("line", { class: "lab-grid", x1: x, x2: x, y1: top, y2: base })),
      ...(stored.length ? [] : [svg("path", { class: "lab-curve", d: through(xs.map((x) => [across(x), up(valueAt(data, x, 0, format))]), box) })]),
      svg("path", { class: "lab-secant", d: straight(across(q.low), up(q.first), steep(q.value), box) }),
      svg("path", { class: "lab-tangent", d: straight(across(q.middle), up(valueAt(data, q.middle, 0, format)), steep(q.slope), box) }),
      ...stored.filter(([, y]) => y >= top && y <= base).map(([x, y]) => svg("circle", { cx: x, cy: y, r: few ? 3 : 1.4, style: "fill: var(--lk-ink)" })),
      ...dots.map(([x, y]) => [across(x), up(y)]).filter(([x, y]) => x >= left && x <= right && y >= top && y <= base).map(([x, y]) => svg("circle", { class: "lab-dot", cx: x, cy: y, r: 3.5 })),
      written(q.slope < 0 ? left + 5 : right - 5, base - 6, few ? filledIn(words[stored.length > 1 ? "stored" : "one stored"], { format, count: stored.length }) : "", "note", q.slope < 0 ? "start" : "end")];
  }

  // The errors of every step, by format and rule, of one x.
  const known = new Map();
  function errorsOf(format, rule, x) {
    if (known.x !== x) { known.clear(); known.x = x; }
    const key = `${format} ${rule}`;
    if (!known.has(key)) known.set(key, STEPS.map((h) => quotientAt(data, h, format, rule, x).error));
    return known.get(key);
  }
  const first = FORMATS.flatMap((format) => ["forward", "central"].flatMap((rule) => errorsOf(format, rule, x0))).filter((error) => error > 0 && Number.isFinite(error));
  const lowest = first.reduce((a, b) => Math.min(a, b), 1), highest = first.reduce((a, b) => Math.max(a, b), 1);
  const right = axis(-16, 0, 398, 52), up = axis(clamped(Math.floor(Math.log10(lowest)), -18, -3), clamped(Math.ceil(Math.log10(highest)), 1, 5), 282, 30);
  const spot = (h, error) => [right(Math.log10(h)), up(clamped(Math.log10(error), up.low, up.high))];
  const box = [52, 30, 398, 282];

  frame.handle(plane, "x", {
    at: (state) => { const view = shownWindow(state); return [view.across(state.x), view.up(valueAt(data, state.x, 0, state.format))]; },
    move: (px) => place(shownWindow(frame.state).inverse(px)), keys: (steps) => place(Number.isFinite(steps) ? frame.state.x + steps / 50 : x0 + Math.sign(steps) * reach),
    range: [x0 - reach, x0 + reach], value: ({ x }) => x, words: ({ x }) => `x = ${digits(x, 4)}`,
  });
  function place(wanted) {
    const x = clamped(wanted, x0 - reach, x0 + reach);
    return Number.isFinite(valueAt(data, x)) && Number.isFinite(valueAt(data, x, 1)) ? { x } : {};
  }
  const step = (h) => ({ h: clamped(h, LEAST, 1) });
  const byKeys = (steps) => step(Number.isFinite(steps) ? frame.state.h * 10 ** (-steps / 10) : steps < 0 ? 1 : LEAST);
  const said = { range: [-16, 0], value: ({ h }) => Math.log10(h).toFixed(2), words: ({ h, format, rule, x }) => `h = ${digits(h, 3)}, error ${digits(quotientAt(data, h, format, rule, x).error, 3)}` };
  frame.handle(plane, "x + h", {
    at: (state) => { const view = shownWindow(state), there = state.x + state.h; return [view.across(there), clamped(view.up(valueAt(data, there, 0, state.format)), BOX[1], BOX[3])]; },
    // zoomed in, the window follows h: then the way from x counts
    move: (px) => (zoomed ? step(frame.state.h * 10 ** ((px - shownWindow(frame.state).across(frame.state.x + frame.state.h)) / 60)) : step(shownWindow(frame.state).inverse(px) - frame.state.x)),
    keys: (steps) => byKeys(-steps), ...said,
  });
  frame.handle(errors, "h", {
    at: ({ x, h, format, rule }) => { const { error } = quotientAt(data, h, format, rule, x); return Number.isNaN(error) ? [right(Math.log10(h)), up.start] : spot(h, error); },
    move: (px) => step(10 ** right.inverse(px)), keys: byKeys, area: () => box, ...said,
  });

  frame.begin((state) => {
    const { x, h, format, rule } = state, q = quotientAt(data, h, format, rule, x), view = shownWindow(state);
    // the lens goes into the upper corner on the side where the curve is low
    const lensLeft = q.slope < 0 ? BOX[2] - LENS[0] - 8 : BOX[0] + 8, lens = [lensLeft, BOX[1] + 8, lensLeft + LENS[0], BOX[1] + 8 + LENS[1]];
    const glass = zoomed ? [] : [svg("rect", { class: "lab-cover", x: lens[0], y: lens[1], width: LENS[0], height: LENS[1], rx: 3 }),
      ...drawnIn(windowAt(q.middle, h, lens, format), q, format, 60), written(lens[0] + 5, lens[1] + 14, filledIn(words.wide, { width: digits(2 * reach * h, 2) }), "note")];
    const ends = rule === "central" ? ["x − h", "x + h"] : ["x", "x + h"], [a, b] = [q.low, q.high].map((at) => clamped(view.across(at), BOX[0], BOX[2]));
    const names = q.alike ? [written(clamped((a + b) / 2, 80, 340), 318, filledIn(words.same, { start: ends[0] }), "word", "middle")]
      : [written(clamped(a, 24, b - 34), 318, ends[0], "word", "middle"), written(clamped(b, 60, 396), 318, ends[1], "word", "middle")];
    plane.ink.replaceChildren(svg("rect", { class: "lab-area", x: BOX[0], y: BOX[1], width: BOX[2] - BOX[0], height: BOX[3] - BOX[1] }), ...drawnIn(view, q, format, 160), ...glass, ...names,
      svg("line", { class: "lab-tangent", x1: 10, x2: 36, y1: 12, y2: 12 }), svg("line", { class: "lab-secant", x1: 10, x2: 36, y1: 32, y2: 32 }),
      written(42, 16, filledIn(words.tangent, { slope: digits(q.slope) }), "tangentword"), written(42, 36, filledIn(words[Number.isFinite(q.value) ? "secant" : "no secant"], { slope: digits(q.value) }), "secantword"));

    const every = Math.ceil((up.high - up.low) / 6), powers = Array.from({ length: 7 }, (_, i) => Math.floor(up.high / every) * every - every * i).filter((power) => power >= up.low);
    const guide = (role, error) => svg("path", { class: role, d: through(STEPS.map((one) => [right(Math.log10(one)), up(Math.log10(error(one)))]), box) });
    const scaled = { truncation: (one) => q.truncation * (one / h) ** (rule === "central" ? 2 : 1), roundoff: (one) => (q.roundoff * h) / one };
    const curve = (of, role) => {
      const points = errorsOf(of, rule, x).map((error, i) => (Number.isFinite(error) && STEPS[i] >= (frame.asked?.from.h ?? 0) ? spot(STEPS[i], error) : [NaN, NaN]));
      const full = points.findIndex(([, y]) => y <= up(-0.3) && y === y), last = points.findLastIndex(([y]) => y === y);
      const lowAt = points.reduce((best, [, y], i) => (y > (points[best]?.[1] ?? -1) ? i : best), 0);
      const at = points.findIndex(([, y], i) => i > lowAt && y <= up(-0.3)), [nx, ny] = points[at < 0 ? last : at] || [NaN, NaN];
      return [svg("path", { class: role, d: through(points) }), ...(nx === nx && full !== undefined ? [written(clamped(nx, 84, 372), clamped(ny - 12, 44, 270), of, role === "lab-curve" ? "secantword" : "note", "middle")] : [])];
    };
    errors.ink.replaceChildren(svg("rect", { class: "lab-area", x: 52, y: 30, width: 346, height: 252 }),
      ...[0, 4, 8, 12, 16].flatMap((p) => [svg("line", { class: "lab-grid", x1: right(-p), x2: right(-p), y1: 30, y2: 282 }), written(right(-p), 298, p ? `1e−${String(p).padStart(2, "0")}` : "1", "note", "middle")]),
      ...powers.flatMap((p) => [svg("line", { class: "lab-grid", x1: 52, x2: 398, y1: up(p), y2: up(p) }), written(46, up(p) + 4, p ? digits(10 ** p, 1).replace(/^10+$/, (all) => `1e+0${all.length - 1}`) : "1", "note", "end")]),
      written(225, 318, words.h, "note", "middle"), written(4, 16, words[q.slope ? "relative" : "absolute"], "note"),
      svg("line", { class: "lab-tangent", x1: 104, x2: 130, y1: 12, y2: 12 }), written(135, 16, words.short, "tangentword"), svg("line", { class: "lab-round", x1: 220, x2: 246, y1: 12, y2: 12 }), written(251, 16, words.rounded, "roundword"),
      ...FORMATS.filter((one) => one !== format && !frame.asked).flatMap((one) => curve(one, "lab-other")), guide("lab-tangent", scaled.truncation), guide("lab-round", scaled.roundoff), ...curve(format, "lab-curve"),
      ...(Number.isFinite(q.error) ? [] : [written(right(Math.log10(h)) - 14, 274, words.nowhere, "roundword", "end")]));
    return sentenceOf(data, state, q);
  });
} };
