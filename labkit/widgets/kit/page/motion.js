// What is seen between two positions of a dial: bars and paths on their way, and tokens that travel along paths. What is said
// never moves: texts, and whether a mark is seen, change with the sentence; a number that is read is one that was computed.

import { lookOf } from "./look.js";

export const STEP = 1000; // ms in which the moves of a step are told (`STEP` in `scene.py`); how long it is seen is up to the player
const SAID = ["text", "state"]; // what changes with the sentence
const SPOT = { rect: ["x", "y"], text: ["x", "y"], circle: ["cx", "cy"] };
const POINTS = { M: 2, L: 2, C: 6, Z: 0 };

// How far a move is, from 0 to 1, when a part `progress` of the step is over: slow at first and at last.
export function part(progress, start, length) {
  const at = progress * STEP - start;
  if (length <= 0 || progress >= 1) return at > 0 || progress >= 1 ? 1 : 0;
  const p = Math.min(1, Math.max(0, at / length));
  return p * p * (3 - 2 * p);
}

const round = (value) => Math.round(value * 100) / 100;
const mixed = (a, b) => (p) => a + (b - a) * p;
const switched = (property, a, b) => (p) => (p < (SAID.includes(property) ? 0 : 0.5) ? a : b);

// From one value of a property to another: a function of the part. What cannot be in between changes half way, or at the start.
export function blend(property, a, b) {
  let way;
  if (typeof a === "number" && typeof b === "number") way = property === "along" ? mixed(a, b) : (p) => round(mixed(a, b)(p));
  else if (typeof a === "string" && typeof b === "string") way = property === "d" ? paths(a, b) : null;
  way ||= switched(property, a, b);
  return (p) => (p <= 0 ? a : p >= 1 ? b : way(p));
}

export function parsed(d) {
  const letters = d.replace(/[^MLCZ]/g, ""), numbers = (d.match(/-?[\d.]+/g) || []).map(Number);
  const wanted = [...letters].reduce((count, letter) => count + POINTS[letter], 0);
  return wanted === numbers.length && numbers.length > 1 ? { letters, numbers } : null;
}

// Two paths of the same commands; or the one goes on where the other ends, and grows out of its last point.
function paths(a, b) {
  const from = parsed(a), to = parsed(b);
  if (!from || !to || a === "M0 0" || b === "M0 0") return null;
  const [short, long] = from.letters.length < to.letters.length ? [from, to] : [to, from];
  if (!long.letters.startsWith(short.letters) || /[^L]/.test(long.letters.slice(short.letters.length))) return null;
  if (short.letters.endsWith("Z") && long.letters !== short.letters) return null;
  while (short.numbers.length < long.numbers.length) short.numbers.push(...short.numbers.slice(-2));
  return (p) => {
    let i = 0;
    return [...long.letters].map((letter) => {
      const here = i;
      i += POINTS[letter];
      const numbers = from.numbers.slice(here, i).map((n, k) => Math.round(mixed(n, to.numbers[here + k])(p) * 10) / 10);
      return letter + numbers.join(" ");
    }).join("");
  };
}

// ---- a mark on its way ----

// How a mark looks on the way from one state to another, as a function of the progress; null if it looks the same. `back`: it
// is seen from its end to its start, so that what is said is that of `before`.
export function between(mark, dial, before, after, back = false) {
  const from = lookOf(mark, before), to = lookOf(mark, after), seen = from.name === "hidden" ? to : from;
  const one = from.name === "hidden" || to.name === "hidden"; // what is not seen at one end does not move
  const moved = (property) => {
    const told = (name) => (mark.moves || []).find((move) =>
      move.dial === dial && move.property === name && (move.position ?? after[dial]) === after[dial]);
    const appears = property === "state" && from.name === "hidden" ? told("appears") : undefined;
    const said = SAID.includes(property) || (property === "opacity" && mark.tag === "text");
    return appears || told(property) || (said ? { start: back ? STEP : 0, length: 0 } : { start: 0, length: STEP });
  };
  const ways = [];
  const add = (property, a, b, put) => {
    if (a === b) return;
    const { start, length } = moved(property), way = blend(property, a, b);
    ways.push((look, progress) => put(look, way(part(progress, start, length))));
  };
  const attributes = new Set([...Object.keys(from.at || {}), ...Object.keys(to.at || {})]);
  add("state", from.name, to.name, (look, name) => (look.name = name));
  if (!one) {
    add("text", from.text, to.text, (look, words) => (look.text = words));
    for (const name of attributes) add(name, from.at?.[name], to.at?.[name], (look, value) => (look.at[name] = value));
  }
  if (!ways.length) return null;
  return (progress) => {
    const look = { at: seen.at && { ...seen.at }, text: seen.text, name: seen.name };
    for (const way of ways) way(look, progress);
    return look;
  };
}

// A token on the way to a position of a dial: its look, or null before it starts and after it has arrived.
export function token(mark, dial, position, progress) {
  const moves = mark.moves.filter((move) => move.dial === dial && move.position === position), now = progress * STEP;
  if (!moves.some((move) => move.start < now && now < move.start + move.length)) return null;
  const look = { at: { ...mark.at }, text: mark.text || "", name: "" };
  for (const { property, begin = "", end = "", start, length, path } of moves) {
    const value = blend(property, begin, end)(part(progress, start, length));
    if (property === "text") look.text = value;
    else if (property !== "along") look.at[property] = value;
    else pointOn(path, value).forEach((n, i) => (look.at[SPOT[mark.tag][i]] = round((mark.at[SPOT[mark.tag][i]] || 0) + n)));
  }
  return look;
}

// ---- a point on a path ----

const flattened = new Map();

function flat(d) {
  if (flattened.has(d)) return flattened.get(d);
  const { letters, numbers } = parsed(d), points = [];
  let i = 0;
  for (const letter of letters) {
    const found = numbers.slice(i, (i += POINTS[letter])), last = points[points.length - 1];
    if (letter !== "C") { if (found.length) points.push(found); continue; }
    for (let k = 1; k <= 12; k++) {
      const t = k / 12, u = 1 - t;
      points.push([0, 1].map((axis) => u ** 3 * last[axis] + 3 * u * u * t * found[axis]
        + 3 * u * t * t * found[2 + axis] + t ** 3 * found[4 + axis]));
    }
  }
  const lengths = [0];
  for (let k = 1; k < points.length; k++) {
    lengths.push(lengths[k - 1] + Math.hypot(points[k][0] - points[k - 1][0], points[k][1] - points[k - 1][1]));
  }
  flattened.set(d, { points, lengths });
  return flattened.get(d);
}

// The point of a path at a part of its length.
export function pointOn(d, share) {
  const { points, lengths } = flat(d), wanted = share * lengths[lengths.length - 1];
  let k = 1;
  while (k < points.length - 1 && lengths[k] < wanted) k++;
  if (points.length < 2) return points[0];
  const length = lengths[k] - lengths[k - 1], p = length ? Math.min(1, Math.max(0, (wanted - lengths[k - 1]) / length)) : 0;
  return [0, 1].map((axis) => mixed(points[k - 1][axis], points[k][axis])(p));
}
