// Where a place lies among the spots of a grip, and which value of a field it is: arithmetic alone.

const AWAY = {
  x: (a, b) => Math.abs(a[0] - b[0]),
  y: (a, b) => Math.abs(a[1] - b[1]),
  xy: (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]),
};

function away(grip) {
  const out = (place) => Math.hypot(place[0] - grip.around[0], place[1] - grip.around[1]);
  return grip.by === "r" ? (a, b) => Math.abs(out(a) - out(b)) : AWAY[grip.by || "xy"];
}

// The position whose spot is nearest, the first of several.
export function nearest(grip, place) {
  const far = away(grip);
  let found;
  grip.spots.forEach((spot, i) => {
    const d = spot ? far(spot, place) : Infinity;
    if (d < (found?.d ?? Infinity)) found = { i, d };
  });
  return found?.i;
}

// The next position in a direction, as an arrow key says it.
export function neighbour(grip, now, spot, [right, down]) {
  let found;
  grip.spots.forEach((other, i) => {
    if (!other || i === now) return;
    const across = other[0] - spot[0], up = other[1] - spot[1];
    const along = across * right + up * down, aside = Math.abs(across * down) + Math.abs(up * right);
    const d = along + 3 * aside;
    if (along > 0.01 && d < (found?.d ?? Infinity)) found = { i, d };
  });
  if (found || grip.by === "xy") return found?.i;
  const way = right || -down, ordered = Math.sign(ends(grip)) || 1; // all on one spot, or across the line: step by step
  const next = now + way * ordered;
  return grip.spots[next] ? next : undefined;
}

function ends(grip) {
  const seen = grip.spots.filter(Boolean), first = seen[0], last = seen[seen.length - 1];
  return grip.by === "y" ? first[1] - last[1] : last[0] - first[0];
}

// The last position in a direction.
export function furthest(grip, [right, down]) {
  let found;
  grip.spots.forEach((spot, i) => {
    const along = spot ? spot[0] * right + spot[1] * down : -Infinity;
    if (along > (found?.along ?? -Infinity)) found = { i, along };
  });
  return found?.i;
}

// What a place is by "x", "y" and "r".
export function coordinates(grip, [x, y]) {
  return { x, y, r: grip.around ? Math.hypot(x - grip.around[0], y - grip.around[1]) : 0 };
}

// How far a spot is from what a place says of the free fields, px; beyond the end of an axis a place says that end.
export function missed(grip, spot, place) {
  const at = coordinates(grip, place), there = coordinates(grip, spot);
  const off = Object.entries(grip.free || {}).map(([axis, { start, end }]) =>
    Math.min(Math.max(start, end), Math.max(Math.min(start, end), at[axis])) - there[axis]);
  return Math.hypot(...off);
}

// The value of a field at a place of its axis; `levelAt`: of a logarithmic one the power of ten.
export function levelAt(along, px) {
  return along.low + ((px - along.start) / (along.end - along.start)) * (along.high - along.low);
}

export function valueAt(along, px) { return tidy(along, levelAt(along, px)); }

// A number as exact as a px is: round, and within its axis.
export function tidy(along, level) {
  const inside = Math.min(along.high, Math.max(along.low, level));
  if (along.whole) return Math.round(inside);
  if (along.log) return Number((10 ** inside).toPrecision(3));
  const px = Math.abs((along.high - along.low) / (along.end - along.start)), unit = 10 ** Math.floor(Math.log10(px));
  return Number((Math.round(inside / unit) * unit).toPrecision(12));
}

// Why a grip that was dragged from a spot to a place has turned nothing, in words.
export function whyNot(grip, spot, place) {
  const along = (other) => other && (grip.by !== "y" && (other[0] - spot[0]) * (place[0] - spot[0])) + (grip.by !== "x" && (other[1] - spot[1]) * (place[1] - spot[1]));
  const others = grip.spots.filter((other) => other && (other[0] !== spot[0] || other[1] !== spot[1]));
  if (!others.length) return "there is no other place for it here";
  return others.some((other) => along(other) > 0) ? "its next place is further on" : "it goes no further this way";
}
