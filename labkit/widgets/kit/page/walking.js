// What a saved page draws of descents when their start or their learning rate is dragged: it takes the steps itself, by the lines
// of the loss and of the optimizers (`labs/landscape/lines.py`), and draws what follows the step as `drawn.py` there does.

import { inWords } from "./numbers.js";
import { resultOf } from "./primitives.js";

const NO_WAY = "M0 0";
const ARROW = 8; // px: of an arrow
const SLIGHT = 1e-12, CLOSE = 1e-4; // of a step that is that of the gradient alone

export class Walking {
  // `walks`: the lines; `drawn`: where in a scene something follows, and how; `plane` and `losses`: axes; `fields`: the inputs.
  constructor(first, { walks, drawn, plane, losses, fields, steps }) { Object.assign(this, { first, walks, drawn, plane, losses, fields, steps }); }

  has({ free }) { return Object.values(free || {}).every(({ field }) => this.fields.includes(field)); }

  // The scene for inputs; undefined where the loss is not finite at the start.
  sceneAt(inputs) {
    const [across, up, rate] = this.fields.map((field) => Number(inputs[field])), walks = { rate, moments: {} };
    for (const name in this.walks.rules) walks.moments[name] = this.descend(name, [across, up], rate);
    if (Object.values(walks.moments).some((moments) => !moments.length)) return undefined;
    const scene = structuredClone(this.first);
    for (const [path, how] of this.drawn) putAt(scene, path, this.made(how, walks));
    this.fields.forEach((field, i) => { scene.fields[field] = inWords([across, up, rate][i], "3"); });
    for (const grip of scene.grips) if (!grip.dial) grip.at = handleAt(grip, inputs);
    return scene;
  }

  // ---- steps ----

  descend(name, start, rate) {
    const { ground, rules: { [name]: rule } } = this.walks, found = [];
    let place = start, kept = start.map(() => rule.begin);
    for (let step = 0; step <= this.steps; step++) {
      const [loss, ...gradient] = endsOf(ground, place);
      if (![loss, ...gradient].every(Number.isFinite)) break;
      found.push({ place, loss, gradient, kept });
      if (step === this.steps) break;
      const stepped = place.map((p, i) => endsOf(rule, [p, gradient[i], rate, ...kept[i], ...rule.common[step]]));
      place = stepped.map(([p]) => p);
      kept = stepped.map(([, ...k]) => k);
    }
    return found;
  }

  // ---- what follows them ----

  made({ kind, of, given, spots }, walks) {
    if (kind === "ask") return this.ask(given, walks);
    const made = Array.from({ length: this.steps + 1 }, (_, step) => this[kind](walks, walks.moments[of], step, given, of));
    return spots ? made : made.map((value, step) => [step, value]);
  }

  at(place) { return [pxOn(this.plane.across, place[0]), pxOn(this.plane.up, place[1])]; }

  holds(place) { return within(this.plane.across, place[0]) && within(this.plane.up, place[1]); }

  inner(moments) {
    const out = moments.findIndex(({ place }) => !this.holds(place));
    return moments.slice(0, out < 0 ? moments.length : out).map(({ place }) => this.at(place));
  }

  // The way along places in px; it ends where it leaves the plane.
  track(places) {
    const out = places.findIndex((place) => !this.holds(place)), seen = places.slice(0, out < 0 ? places.length : out).map((place) => this.at(place));
    return out > 0 ? [...seen, this.leaving(places[out - 1], places[out])] : seen;
  }

  leaving(from, to) {
    const shares = [this.plane.across, this.plane.up].map((axis, i) =>
      (within(axis, to[i]) ? 1 : ((to[i] > axis.high ? axis.high : axis.low) - from[i]) / (to[i] - from[i])));
    return this.at(from.map((a, i) => a + Math.min(...shares) * (to[i] - a)));
  }

  way(walks, moments, step, { last }) {
    const track = this.track(moments.map(({ place }) => place)), end = Math.min(step, track.length - 1);
    return through(track.slice(last == null ? 0 : Math.max(0, end - last), end + 1));
  }

  signs(walks, moments, step, { corners, ages: [from, to] }) {
    const spots = this.inner(moments);
    return spots.map((spot, i) => (step - i >= from && step - i <= to ? signAt(corners, spot) : "")).join("") || NO_WAY;
  }

  arrow({ rate }, moments, step, { adds, head }) {
    if (step >= moments.length || (adds && step + 1 >= moments.length)) return NO_WAY;
    const { place, gradient } = moments[step], downhill = place.map((p, i) => p - rate * gradient[i]);
    const [start, end] = adds ? [downhill, moments[step + 1].place] : [place, downhill];
    if (!this.holds(start)) return NO_WAY;
    if (!this.holds(end)) return head ? NO_WAY : through(this.track([start, end]));
    const [x, y] = this.at(start), [u, v] = this.at(end), long = Math.hypot(u - x, v - y), size = Math.min(ARROW, long);
    if (!head) return through([[x, y], [u, v]]);
    if (size <= 1) return NO_WAY;
    const ux = ((u - x) / long) * size, uy = ((v - y) / long) * size;
    return signAt([[0, 0], [-ux - uy * 0.55, -uy + ux * 0.55], [-ux + uy * 0.55, -uy - ux * 0.55]], [u, v]);
  }

  spotOfLoss(moments, i) { return [pxOn(this.losses.across, i), pxOn(this.losses.up, moments[i].loss)]; }

  // It goes to the edge where losses go beyond, and not along it.
  curve(walks, moments, step) {
    const seen = moments.slice(0, step + 1), inside = seen.map(({ loss }) => within(this.losses.up, loss));
    return through(seen.map((_, i) => (inside[i] || inside[i - 1] ? this.spotOfLoss(moments, i) : undefined)));
  }

  lost(walks, moments, step, { corners }) { return signAt(corners, this.spotOfLoss(moments, Math.min(step, moments.length - 1))); }

  pointer({ rate }, moments, step, { corners, low, high, start, end, top }) {
    const found = curvature(moments, rate, step);
    return found === undefined ? NO_WAY : signAt(corners, [pxOn({ low, high, start, end }, found), top]);
  }

  loss(walks, moments, step) { return step < moments.length ? inWords(moments[step].loss, "3") : "not finite"; }

  standing(walks, moments, step, given, of) {
    if (step >= moments.length) return `${of}: not finite since step ${moments.length}.`;
    return `${of}: loss ${inWords(moments[step].loss, "3")}${this.holds(moments[step].place) ? "" : ", outside the picture"}.`;
  }

  measured({ rate }, moments, step, given, of) {
    const found = curvature(moments, rate, step);
    return `${of}'s last step: rate × curvature${found === undefined ? "" : ` = ${inWords(found, "3")}`}`;
  }

  reason({ rate }, moments, step, { why }, of) {
    const found = curvature(moments, rate, step);
    return found === undefined ? "" : `${of}'s rate × curvature is ${inWords(found, "3")}, ${why.findLast(([low]) => found >= low)[1]}.`;
  }

  rated({ rate }, moments, step, axis) { return Number(pxOn(axis, rate).toFixed(1)); }

  named({ rate }) { return inWords(rate, "3"); }

  spot(walks, moments, step) {
    const { place } = moments[Math.min(step, moments.length - 1)];
    return step && this.holds(place) ? this.at(place) : null;
  }

  ask({ words, numbers, answer, because, slips, otherwise, when }, walks) {
    const value = (terms) => terms.reduce((sum, [factor, rated, of, step, what]) => {
      const moments = walks.moments[of], moment = moments[Math.min(step, moments.length - 1)];
      return sum + factor * (rated ? walks.rate : 1) * (what in moment ? moment[what][0] : moment.kept[0][0]);
    }, 0);
    const question = numbers.reduce((text, terms, i) => text.replace(`{${i}}`, inWords(value(terms), "3")), words).replace("{rate}", inWords(walks.rate, "3"));
    return { question, answer: value(answer), because, slips: slips.map(([terms, why]) => [value(terms), why]), otherwise, when, tolerance: 0.02 };
  }
}

// What a program makes of its inputs.
function endsOf({ program, ends: places }, given) {
  const found = [...given];
  for (const one of program.lines) found.push(resultOf(one, found));
  return places.map((place) => (Array.isArray(place) ? place[0] : found[place]));
}

// The rate times the curvature along the step before, as `gauge.py` has it.
function curvature(moments, rate, step) {
  const at = Math.min(step, moments.length - 1);
  if (at < 1) return undefined;
  const { place, gradient } = moments[at - 1], after = moments[at], dot = (a, b) => a[0] * b[0] + a[1] * b[1];
  const plain = gradient.every((g, i) => Math.abs(after.place[i] - place[i] + rate * g) <= SLIGHT + CLOSE * Math.abs(rate * g));
  return plain && dot(gradient, gradient) ? 1 - dot(after.gradient, gradient) / dot(gradient, gradient) : undefined;
}

function levelOn({ log, low }, value) { return log ? (value > 0 ? Math.log10(value) : low) : value; }

function within(axis, value) { return axis.low <= levelOn(axis, value) && levelOn(axis, value) <= axis.high; }

function pxOn(axis, value) {
  const at = Math.min(Math.max(levelOn(axis, value), axis.low), axis.high);
  return axis.start + ((at - axis.low) / (axis.high - axis.low)) * (axis.end - axis.start);
}

// Where a handle stands that sets these inputs.
function handleAt({ free, at }, inputs) {
  return ["x", "y"].map((way, i) => (free[way] ? pxOn(free[way], Number(inputs[free[way].field])) : at[i]));
}

function spotIn(point) { return point.map((value) => Number(value.toFixed(1)) + 0).join(" "); }

// A path, interrupted where there is no point.
function through(points) { return points.map((point, i) => (point ? (points[i - 1] ? "L" : "M") + spotIn(point) : "")).join("") || NO_WAY; }

function signAt(corners, [x, y]) { return `${through(corners.map(([dx, dy]) => [x + dx, y + dy]))}Z`; }

function putAt(thing, path, value) {
  const owner = path.slice(0, -1).reduce((inner, key) => inner[key], thing);
  owner[path.at(-1)] = value;
}
