// The precision microscope. data: {name, about, lines, said, formats, words}. Exact numbers are [numerator, denominator], whole.

const ONE = [1n, 1n], MOST_FACTORS = 64n, MOST = 1.7976931348623157e308;
const size = (n) => (n < 0n ? -n : n), length = (n) => size(n).toString(2).length;
function divisor(a, b) { while (b) [a, b] = [b, a % b]; return size(a); }
function over(n, d) { const by = divisor(n, d) * (d < 0n ? -1n : 1n); return [n / by, d / by]; }
const plus = ([a, b], [c, d]) => over(a * d + c * b, b * d), times = ([a, b], [c, d]) => over(a * c, b * d), minus = ([a, b]) => [-a, b];
const twoTo = (e) => (e >= 0 ? [1n << BigInt(e), 1n] : [1n, 1n << BigInt(-e)]), divided = (a, [c, d]) => (c ? times(a, over(d, c)) : null);
const less = ([a, b], [c, d]) => a * d < c * b, same = ([a, b], [c, d]) => a === c && b === d, sign = ([a]) => (a < 0n ? -1 : a > 0n ? 1 : 0), absolute = ([a, b]) => [size(a), b];
const floor = ([a, b]) => (a >= 0n || a % b === 0n ? a / b : a / b - 1n);

// From text such as "0.1", "1/3" or "1e-8", and from a float.
function exactOf(value) {
  const [top, base = "1"] = String(value).split("/"), [, lead, whole, part = "", power = "0"] = /^\s*([-+]?)(\d*)\.?(\d*)(?:e([-+]?\d+))?\s*$/i.exec(top);
  return times([BigInt(whole + part) * (lead === "-" ? -1n : 1n), BigInt(base)], tenTo(Number(power) - part.length));
}
const tenTo = (e) => (e >= 0 ? [10n ** BigInt(e), 1n] : [1n, 10n ** BigInt(-e)]);
function ofFloat(value) {
  let e = 0;
  for (; !Number.isInteger(value) && e < 1100; e++) value *= 2;
  return times([BigInt(value), 1n], twoTo(-e));
}
// The nearest float: of numbers of a format it is they themselves.
function float(value) {
  const kept = stored(value, FORMATS.float64);
  return finite(kept) ? Number(divided(kept, gapAt(kept, FORMATS.float64))[0]) * 2 ** -52 * 2 ** (kept[0] ? Math.max(exponentOf(kept), -1022) : 0) : kept;
}

const format = ([exponentBits, bits, infinity]) => {
  const bias = 2 ** (exponentBits - 1) - 1, least = 1 - bias, highest = bias + (infinity ? 0 : 1), count = 1 + exponentBits + bits;
  return { exponentBits, bits, infinity, bias, least, highest, count, max: times(plus([2n, 1n], minus(times([infinity ? 1n : 2n, 1n], twoTo(-bits)))), twoTo(highest)) };
};
const FORMATS = { float64: format([11, 52, true]) };

function exponentOf(x) {
  const e = length(x[0]) - length(x[1]);
  return less(absolute(x), twoTo(e)) ? e - 1 : e;
}
const gapAt = (x, of) => twoTo(Math.max(x[0] ? exponentOf(x) : of.least, of.least) - of.bits);

// The number of a format that is nearest to x, ties to even; a float where it is infinite or nan.
function stored(x, of) {
  const gap = gapAt(x, of), [n, d] = divided(x, gap), low = floor([n, d]), rest = 2n * (n - low * d) - d, steps = rest > 0n || (rest === 0n && low % 2n) ? low + 1n : low;
  const kept = times([steps, 1n], gap);
  return less(of.max, absolute(kept)) ? (of.infinity ? sign(x) * Infinity : NaN) : kept;
}
const finite = (value) => typeof value !== "number";

// Which number of the format it is, counted from 0; infinity is the one after the largest.
const lastPlace = (of) => placeOf(of.max, of) + 1n;
function placeOf(x, of) {
  if (!finite(x)) return Number.isNaN(x) ? lastPlace(of) : lastPlace(of) * BigInt(Math.sign(x));
  if (!x[0]) return 0n;
  const e = Math.max(exponentOf(x), of.least);
  return BigInt(sign(x)) * (divided(absolute(x), gapAt(x, of))[0] + (BigInt(e - of.least) << BigInt(of.bits)));
}
function atPlace(n, of) {
  const field = size(n) >> BigInt(of.bits), part = size(n) & ((1n << BigInt(of.bits)) - 1n), hidden = field ? 1n << BigInt(of.bits) : 0n;
  const found = times([hidden + part, 1n], twoTo(Math.max(Number(field) - 1, 0) + of.least - of.bits));
  return n < 0n ? minus(found) : found;
}
function bitsOf(x, of) {
  if (Number.isNaN(x)) return `0${"1".repeat(of.exponentBits)}${of.infinity ? "1".padEnd(of.bits, "0") : "1".repeat(of.bits)}`;
  return `${finite(x) ? Number(x[0] < 0n) : Number(x < 0)}${size(placeOf(x, of)).toString(2).padStart(of.count - 1, "0")}`;
}

// A number with as many digits as place it well within a gap, as `digits` of landing.py.
function placed(x, gap) {
  if (!finite(x)) return digits(x);
  if (x[1] === 1n && size(x[0]) < 10n ** 7n) return String(x[0]).replace("-", "−");
  const value = float(x);
  if (!Number.isFinite(value)) return `${x[0] < 0n ? "−" : ""}${powerOf(exponentOf(x))}`;
  const all = Array.from({ length: 15 }, (_, i) => digits(value, i + 3)), exact = (said) => exactOf(said.replaceAll("−", "-"));
  return all.find((said) => said.length <= 8 && same(exact(said), x)) ?? all.find((said) => !less(gap, times([20n, 1n], absolute(plus(exact(said), minus(x)))))) ?? all.at(-1);
}
const powerOf = (e) => `2${String(e).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)])}`;

// ---- what becomes of a number, as `landing` of landing.py ----

const EXACTLY = {
  add: plus, subtract: (a, b) => plus(a, minus(b)), multiply: times, divide: divided, negative: minus, absolute, maximum: (a, b) => (less(a, b) ? b : a), minimum: (a, b) => (less(b, a) ? b : a),
  power: (a, [n, d]) => (d !== 1n || size(n) > MOST_FACTORS ? undefined : n >= 0n ? over(a[0] ** n, a[1] ** n) : divided(ONE, over(a[0] ** -n, a[1] ** -n))),
};
const number = (value) => (finite(value) ? float(value) : value);

// Exact where that is possible, else {about} of a float, or null where there is no number.
function computed(name, given) {
  if (given.includes(null)) return null;
  if (EXACTLY[name] && given.every(Array.isArray)) {
    const exact = EXACTLY[name](...given);
    if (exact !== undefined) return exact;
  }
  const value = PRIMITIVES[name](...given.map((one) => (Array.isArray(one) ? float(one) : one.about)));
  return Number.isFinite(value) ? { about: value } : null;
}

function landingOf({ lines, said }, x, of) {
  const held = [stored(x, of)], exact = [lines.length ? (finite(held[0]) ? held[0] : null) : x];
  let given = [], args = [], name = "";
  for ([name, args] of lines) {
    given = args.map((arg) => (Array.isArray(arg) ? (Number.isFinite(arg[0]) ? stored(ofFloat(arg[0]), of) : arg[0]) : held[arg]));
    const whole = given.map((one) => (finite(one) ? one : null)), found = computed(name, whole), rough = PRIMITIVES[name](...given.map(number));
    held.push(Array.isArray(found) ? stored(found, of) : Number.isFinite(rough) ? stored(ofFloat(rough), of) : of.infinity ? rough : NaN);
    exact.push(computed(name, args.map((arg, i) => (Array.isArray(arg) ? whole[i] : exact[arg]))));
  }
  const result = held.at(-1), last = exact.at(-1), target = Array.isArray(last) ? last : last && ofFloat(last.about);
  const terms = ["add", "subtract"].includes(name) && given.every(finite) ? [given[0], name === "add" ? given[1] : minus(given[1])] : null;
  const one = terms && terms.every(([n]) => n) && finite(result) ? terms.findIndex((term) => same(term, result)) : -1, other = args[1 - one];
  const absorbed = one < 0 ? "" : Array.isArray(other) ? digits(other[0], 6) : said[other], gap = target && gapAt(target, of);
  const around = target && !less(of.max, absolute(target)) ? [0n, 1n].map((up) => times([up ? -floor(divided(minus(target), gap)) : floor(divided(target, gap)), 1n], gap)) : null;
  return { x, input: held[0], result, target, exact: Array.isArray(last), absorbed, terms: lines.length === 1 ? terms : null, around, ops: lines.length,
    nearest: target ? stored(target, of) : NaN, tie: around !== null && !same(...around) && same(plus(...around), times([2n, 1n], target)) };
}

// The function of the number itself, which is not stored first; constants are. A fraction or null.
function exactAt({ lines }, x, of) {
  const found = [x];
  for (const [name, args] of lines) found.push(computed(name, args.map((arg) => (Array.isArray(arg) ? stored(ofFloat(arg[0]), of) : found[arg]))));
  const last = found.at(-1);
  return last && !Array.isArray(last) ? ofFloat(last.about) : last;
}

function kindOf(f) {
  if (!finite(f.result)) return finite(f.nearest) ? "left" : "beyond";
  if (!same(f.result, f.nearest)) return "several";
  if (same(...f.around)) return "number";
  return f.tie ? "tie" : f.result[0] ? "nearer" : "zero";
}

// As `sentence` of microscope.py.
function sentenceOf({ words, name, said }, f, of, called) {
  const said1 = (value) => placed(value, finite(value) ? gapAt(value, of) : ONE), part = (value, by) => divided(value, [BigInt(by), 1n]);
  const gap = finite(f.result) ? gapAt(f.result, of) : part(of.max, 1000), min = (a, b) => (less(a, b) ? a : b), bits = bitsOf(f.result, of), field = parseInt(bits.slice(1, 1 + of.exponentBits), 2);
  const fraction = BigInt(`0b${bits.slice(1 + of.exponentBits)}`), whole = 1n << BigInt(of.bits);
  const values = { format: called, name, words: said.at(-1), ops: f.ops, absorbed: f.absorbed, bits: of.bits, x: placed(f.x, f.x[0] ? min(gapAt(f.x, of), part(absolute(f.x), 1000)) : ONE), max: said1(of.max),
    input: said1(f.input), result: placed(f.result, gap), exponent: bits.slice(1, 1 + of.exponentBits), field, bias: of.bias, power: String(Math.max(field, 1) - of.bias).replace("-", "−"), part: fraction,
    whole, lead: Number(field > 0), size: placed(plus(over(fraction, whole), [BigInt(field > 0), 1n]), over(1n, whole)) };
  const keys = [f.ops && !(finite(f.input) && same(f.x, f.input)) ? "stored" : "given"];
  if (f.ops) keys.push(!f.target ? "none" : f.exact ? "exactly" : "about");
  if (f.target) {
    const off = finite(f.nearest) ? absolute(plus(f.target, minus(f.nearest))) : [0n, 1n];
    values.exact = placed(f.target, off[0] ? off : part(gap, 20));
    keys.push(kindOf(f));
    if (f.around) {
      const [low, high] = f.around.map(said1);
      Object.assign(values, { low, high, off: placed(off, part(gap, 4)), other: sign(f.target) > 0 ? high : low, nearest: said1(f.nearest) });
      if (finite(f.result)) { const gaps = divided(absolute(plus(f.result, minus(f.nearest))), gapAt(f.nearest, of)); values.gaps = placed(gaps, part(gaps, 100)); }
    }
  }
  if (finite(f.result) && f.result[0] && exponentOf(f.result) < of.least) { values.kept = exponentOf(f.result) - (of.least - of.bits); keys.push("subnormal"); }
  if (f.absorbed) keys.push("absorbed");
  keys.push(finite(f.result) ? (field ? "bits" : "small") : Number.isNaN(f.result) ? "nan" : "inf");
  return keys.map((key) => filledIn(words[key], values)).join(" ");
}

// A sum as it is written by hand, in binary: rows of digits from the place `top` down, as long as there is room.
function sumOf({ terms, result }, of, most) {
  const total = plus(...terms), last = exponentOf(gapAt(total, of)), rows = [...terms, total, finite(result) ? result : [0n, 1n]];
  const top = Math.max(last, ...rows.filter(([n]) => n).map(exponentOf)), end = Math.min(last, ...rows.map(([, d]) => 1 - length(d))), behind = Math.min(last - end, Math.max(most - (top - last + 1), 0));
  const digit = (x, k) => floor(divided(absolute(x), twoTo(k))), shown = (x) => Array.from({ length: top - last + 1 + behind }, (_, i) => { const whole = digit(x, top - i); return whole || i === top ? String(whole % 2n) : " "; }).join("");
  return { top, last, kept: top - last + 1, cut: last - end > behind, rows: rows.map((x) => (x[0] ? shown(x) : "0".padStart(top - last + 1))).map((row) => row.slice(0, top - last + 1) + row.slice(top - last + 1).replace(/0+$/, "")) };
}

// ---- the picture ----

const NARROW = 340, WIDE = 860, HALF = 440, LINE = 92, STRIP = [176, 196], IN_A_ROW = 16;

export default { render({ model, el }) {
  const data = model.get("data"), { name, lines, words } = data, called = Object.keys(data.formats), formats = Object.fromEntries(called.map((one) => [one, format(data.formats[one])]));
  const frame = new Frame({ model, el }, ["format", "x", "power", "table"], { title: data.title, about: data.about, whole: ["power"] });
  const valueOf = ({ x, power }) => times(exactOf(x), twoTo(Math.round(power))), landed = (state) => landingOf(data, valueOf(state), formats[state.format]);
  // The state of a number, k units of a power of 2; and of a float by 3 digits and a power of 2.
  const dyadic = ([n, d]) => ({ x: String(n), power: 1 - length(d) }), rough = (e, negative) => ({ x: `${negative ? "-" : ""}${(2 ** (e - Math.floor(e))).toFixed(2)}`, power: Math.floor(e) });
  const logOf = (x) => (x[0] ? exponentOf(x) + Math.log2(float(divided(absolute(x), twoTo(exponentOf(x))))) : -Infinity);
  const rangeOf = (of) => { const low = of.least - of.bits, high = of.highest + 1, more = (high - low) / 8; return [low - more, low, of.least, high, high + more]; };
  frame.player("Play", 9000, () => { const [low, , , , high] = rangeOf(formats[frame.state.format]), at = (logOf(valueOf(frame.state)) - low) / (high - low); return Number.isFinite(at) ? clamped(at, 0, 1) : 0; },
    (part) => { const [low, , , , high] = rangeOf(formats[frame.state.format]), x = valueOf(frame.state); if (x[0]) frame.set({ power: Math.round(frame.state.power + low + part * (high - low) - logOf(x)) }, true); });
  frame.select("Format", "format", called);
  frame.predict(questionAt);
  frame.toggle("Every format", "table", undefined, frame.menu);

  const ruler = frame.panel(filledIn(words.ruler, { name }), NARROW, 228, WIDE);
  const bits = frame.panel(words[lines.length ? "bits of result" : "bits to click"], NARROW, 90, HALF), table = frame.panel(words.every, NARROW, 172, HALF);
  const sum = lines.length === 1 && ["add", "subtract"].includes(lines[0][0]) ? frame.panel(words.sum, NARROW, 136, HALF) : null;

  // ---- the number line ----

  let centre = 0n; // the place in the middle of the line, which stands still as long as the result is near
  function windowOf(f, of) {
    const at = finite(f.result) || !Number.isNaN(f.result) ? placeOf(f.result, of) : lastPlace(of), last = lastPlace(of);
    if (size(at - centre) > 2n) centre = at;
    const places = Array.from({ length: 7 }, (_, i) => centre + BigInt(i - 3)).filter((n) => size(n) <= last), ends = [places[0], places.at(-1)].map((n) => atPlace(n, of)), unit = plus(ends[1], minus(ends[0]));
    const part = (x) => float(divided(plus(x, minus(ends[0])), unit)), left = 40, wide = ruler.width - 80;
    return { places, at, across: (x) => left + wide * part(x), inverse: (px) => plus(ends[0], times(unit, over(BigInt(Math.round(((px - left) / wide) * 8192)), 8192n))) };
  }
  // The input that brings the exact result to a place: along the secant.
  function inputFor(target, state) {
    const x = valueOf(state), of = formats[state.format], unit = divided(gapAt(target, of), [64n, 1n]), whole = (value, by) => times([floor(plus(divided(value, by), [1n, 2n])), 1n], by);
    if (!lines.length) return dyadic(whole(target, unit));
    const gap = gapAt(x, of), here = exactAt(data, x, of), more = exactAt(data, plus(x, gap), of), slope = here && more && divided(plus(more, minus(here)), gap);
    return slope && slope[0] ? dyadic(whole(plus(x, divided(plus(target, minus(here)), slope)), divided(gap, [256n, 1n]))) : {};
  }
  const there = (state) => { const f = landed(state), of = formats[state.format], view = windowOf(f, of), exact = exactAt(data, valueOf(state), of); return exact && f.target && finite(f.result) ? [clamped(view.across(exact), 10, ruler.width - 10), LINE - 24] : [NaN, NaN]; };
  const spoken = (state) => sentenceOf(data, landed(state), formats[state.format], state.format);
  frame.handle(ruler, "The exact result", {
    at: there, move: (px) => inputFor(windowOf(landed(frame.state), formats[frame.state.format]).inverse(px), frame.state),
    keys: (steps) => { const of = formats[frame.state.format], x = valueOf(frame.state), by = Number.isFinite(steps) ? steps : Math.sign(steps) * 20; return dyadic(plus(x, divided(times([BigInt(by), 1n], gapAt(x, of)), [lines.length ? 1n : 4n, 1n]))); },
    range: [-1e9, 1e9], value: (state) => { const { target } = landed(state); return target ? clamped(float(target), -1e9, 1e9) : 0; }, words: spoken,
  });
  const strip = (of) => { const [low, , , , high] = rangeOf(of); return axis(low, high, 8, ruler.width - 8); };
  frame.handle(ruler, `${name}, along the range of the format`, {
    at: (state) => { const along = strip(formats[state.format]), x = valueOf(state); return [clamped(x[0] ? along(logOf(x)) : 14, 14, ruler.width - 14), (STRIP[0] + STRIP[1]) / 2]; },
    move: (px) => { const along = strip(formats[frame.state.format]); return rough(clamped(along.inverse(px), along.low, along.high), frame.state.x.startsWith("-")); },
    keys: (steps) => { const [low, , , , high] = rangeOf(formats[frame.state.format]), x = valueOf(frame.state), e = x[0] ? exponentOf(x) : 0; return { power: Math.round(frame.state.power + (Number.isFinite(steps) ? steps : (steps > 0 ? high : low) - e)) }; },
    range: [-1200, 1200], value: (state) => clamped(logOf(valueOf(state)), -1200, 1200).toFixed(2), words: spoken, area: () => [0, STRIP[0] - 4, ruler.width, STRIP[1] + 4],
  });

  function drawRuler(f, of) {
    const { places, at, across } = windowOf(f, of), { width } = ruler, staggered = width < 620, last = lastPlace(of), numbers = places.map((n) => atPlace(n, of)), xs = numbers.map(across), middle = (i) => (i < 0 ? 0 : i >= xs.length - 1 ? width : (xs[i] + xs[i + 1]) / 2);
    const long = numbers.some((one) => 7 * placed(one, gapAt(one, of)).length > (staggered ? 2 : 1) * (width - 80) / 6);
    const named = (n, i) => (long && n !== at && size(n) < last ? `${n > at ? "+" : "−"}${size(n - at)}` : size(n) < last ? placed(numbers[i], gapAt(numbers[i], of)) : `${n < 0n && of.infinity ? "−" : ""}${of.infinity ? "inf" : "nan"}`), here = places.indexOf(at), lit = here >= 0 && !Number.isNaN(f.result) ? [middle(here - 1), middle(here)] : [0, 0];
    const along = strip(of), ends = rangeOf(of).map(along), zones = ["backward", "leaf", "forward", "bad"], names = ["0", "subnormal", "normal", of.infinity ? "inf" : "nan"], foot = clamped(f.x[0] ? along(logOf(f.x)) : 14, 8, width - 8);
    const [x, y] = there(frame.state), stop = Number.isNaN(x) ? x : across(f.target), gap = finite(f.result) ? gapAt(f.result, of) : null;
    ruler.ink.replaceChildren(svg("path", { class: "lab-other", d: `M${foot} ${STRIP[0]}L40 ${LINE + 46}M${foot} ${STRIP[0]}L${width - 40} ${LINE + 46}` }),
      svg("rect", { x: lit[0], y: LINE - 40, width: lit[1] - lit[0], height: 60, style: "fill: var(--lk-lit)" }), svg("line", { class: "lab-other", x1: 8, x2: width - 8, y1: LINE, y2: LINE }),
      ...places.flatMap((n, i) => [svg("rect", { x: xs[i] - 5, y: LINE - 5, width: 10, height: 10, style: `fill: var(--lk-${n % 2n ? "page" : "ink"}); stroke: var(--lk-ink)` }),
        written(clamped(xs[i], 34, width - 34), LINE + (staggered && i % 2 ? 38 : 22), named(n, i), n === at ? "word" : "note", "middle")]),
      ...(Number.isNaN(x) ? [] : [svg("path", { class: "lab-tangent", d: `M${x} ${y}L${stop} ${LINE - 14}L${here < 0 ? stop : xs[here]} ${LINE - 6}` }), written(clamped(x, 30, width - 30), y - 15, lines.length ? data.said.at(-1) : name, "tangentword", "middle")]),
      written(8, 14, "■ last bit 0   □ last bit 1", "note"), written(width - 8, 14, gap ? `gap ${powerOf(exponentOf(gap))} = ${digits(float(gap), 2)}` : "", "note", "end"),
      ...names.flatMap((said, i) => [svg("rect", { x: ends[i], y: STRIP[0], width: ends[i + 1] - ends[i], height: STRIP[1] - STRIP[0], style: `fill: var(--lk-${zones[i]}-fill)` }), written((ends[i] + ends[i + 1]) / 2, STRIP[1] + 16, 7 * said.length < ends[i + 1] - ends[i] ? said : "", "note", "middle")]));
  }

  // ---- bits, sum, table ----

  function toggled(state, n) {
    const of = formats[state.format], digitsNow = bitsOf(landed(state).result, of), turned = digitsNow.slice(0, n) + (1 - digitsNow[n]) + digitsNow.slice(n + 1), at = BigInt(`0b0${turned.slice(1)}`);
    if (at < lastPlace(of)) { frame.set(dyadic(times(atPlace(at, of), [turned[0] === "1" ? -1n : 1n, 1n]))); bits.ink.querySelectorAll("[role=switch]")[n].focus(); }
    else frame.said.textContent = filledIn(words["no such bit"], { result: of.infinity && at === lastPlace(of) ? "inf" : "nan" });
  }
  function drawBits(f, of) {
    const said = bitsOf(f.result, of), { width } = bits, step = Math.min(46, (width - 12) / Math.min(of.count, IN_A_ROW)), rows = Math.ceil(of.count / IN_A_ROW), clicked = !lines.length && finite(f.result);
    bits.drawn.setAttribute("viewBox", `0 0 ${width} ${26 + 42 * rows}`);
    bits.ink.replaceChildren(written(6, 14, "±", "note"), written(6 + step, 14, "exponent", "note"), ...(of.exponentBits < IN_A_ROW - 3 ? [written(6 + step * (1 + of.exponentBits), 14, "fraction", "note")] : []),
      ...[...said].map((bit, n) => {
        const x = 6 + (n % IN_A_ROW) * step, y = 22 + 42 * Math.floor(n / IN_A_ROW), colour = n === 0 ? "panel" : n <= of.exponentBits ? "leaf-fill" : "forward-fill";
        const act = clicked ? { role: "switch", "aria-checked": bit === "1" ? "true" : "false", "aria-label": `bit ${n + 1}`, tabindex: 0, style: "cursor: pointer", onclick: () => toggled(frame.state, n),
          onkeydown: (event) => { if ([" ", "Enter"].includes(event.key)) { event.preventDefault(); toggled(frame.state, n); } } } : {};
        return svg("g", act, svg("rect", { x, y, width: step - 3, height: 34, rx: 4, style: `fill: var(--lk-${colour}); stroke: var(--lk-muted)` }), written(x + (step - 3) / 2, y + 22, bit, "word", "middle"));
      }));
  }
  function drawSum(f, of) {
    const { width } = sum, shown = f.terms && finite(f.result) ? sumOf(f, of, Math.floor((width - 130) / 8)) : null, [mine, theirs] = data.said.at(-1).split(/ [+−] /), x = 110;
    if (!shown) { sum.ink.replaceChildren(written(8, 30, words["no sum"], "note")); return; }
    const lost = divided(absolute(plus(plus(...f.terms), minus(f.result))), gapAt(f.target, of));
    const pitch = Math.min(9, (width - 10 - x) / Math.max(...shown.rows.map((row) => row.length))), edge = x + pitch * shown.kept;
    sum.ink.replaceChildren(svg("line", { class: "lab-round", x1: edge, x2: edge, y1: 8, y2: 122 }), written(edge + 4, 132, words.edge, "note"), written(8, 132, filledIn(words.lost, { gaps: placed(lost, divided(lost, [100n, 1n])) }), "note"),
      ...[mine, `${data.said.at(-1).includes(" − ") ? "−" : "+"} ${theirs}`, "exactly", "stored"].flatMap((said, k) => [written(x - 10, 24 + 28 * k, said, "word", "end"), ...[...shown.rows[k]].map((digit, i) => written(x + pitch * (i + 0.5), 24 + 28 * k, digit, i < shown.kept ? "word" : "roundword", "middle"))]),
      svg("line", { class: "lab-other", x1: 8, x2: width - 8, y1: 62, y2: 62 }));
  }
  function drawTable(state) {
    table.ink.replaceChildren(...called.flatMap((one, i) => { const of = formats[one], f = landingOf(data, valueOf(state), of), y = 22 + 26 * i, off = f.target && finite(f.result) ? absolute(plus(f.target, minus(f.result))) : null;
      return [written(8, y, one, one === state.format ? "word" : "note"), written(112, y, placed(f.result, finite(f.result) ? gapAt(f.result, of) : ONE), "word"), written(table.width - 8, y, off ? (off[0] ? `off by ${digits(float(off), 2)}` : "exact") : "", "note", "end")]; }));
  }

  function questionAt(state) {
    const of = formats[state.format], x = valueOf(state), f = landed(state), choices = [words.stays, words.doubles, words.halved], more = { power: Math.round(state.power) + 1 };
    if (!lines.length) {
      if (!x[0] || !finite(landed({ ...state, ...more }).result)) return undefined;
      const normal = exponentOf(x) >= of.least;
      return { question: words["ask gap"], answer: choices[Number(normal)], choices, to: more, otherwise: words["gap otherwise"], right: words[normal ? "gap normal" : "gap subnormal"],
        slips: [normal ? [choices[0], words["normal slip"]] : [choices[1], words["subnormal slip"]]] };
    }
    for (let k = 1n; finite(f.input) && k < 13n; k++) {
      const next = atPlace(placeOf(f.input, of) + k, of), found = landingOf(data, next, of);
      if (!found.target || !finite(found.result) || same(found.target, found.result)) continue;
      const other = found.around.find((one) => !same(one, found.result)), why = words[found.tie ? "is tie" : "is nearer"];
      return { question: filledIn(words["ask result"], { name, x: placed(next, gapAt(next, of)), words: data.said.at(-1), format: state.format }), answer: float(found.result), tolerance: 1e-12, right: why, to: dyadic(next), otherwise: words["result otherwise"],
        slips: [[float(found.target), words["exact slip"]], [float(other ?? found.target), filledIn(words["other slip"], { why })]] };
    }
    return undefined;
  }

  frame.begin((state) => {
    const of = formats[state.format], f = landed(state);
    drawBits(f, of); drawRuler(f, of);
    if (sum) drawSum(f, of);
    table.figure.hidden = !state.table;
    if (state.table) drawTable(state);
    return sentenceOf(data, f, of, state.format);
  });
} };
