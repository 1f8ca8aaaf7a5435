// Of a panel with very many marks only those in sight have nodes: an index of marks by where they are, and from which scale
// on they are made out.

const CELL = 400; // px of the panel
const MOST_CELLS = 16; // a mark in more of them is looked at each time
const VISIBLE = 1.2; // px on the screen: what is smaller is not seen
const LEGIBLE = { value: 0.62, other: 0.45 }; // scales from which on texts are drawn
const COORDINATES = ["x", "y", "cx", "cy", "r", "d", "width", "height"];

// Where a mark is, [left, top, right, bottom]; everywhere, if it moves.
export function extentOf(mark) {
  const at = mark.at || {};
  for (const varied of Object.values(mark.vary || {})) {
    if (COORDINATES.some((name) => name in varied)) return [-Infinity, -Infinity, Infinity, Infinity];
  }
  if (mark.tag === "rect") return [at.x, at.y, at.x + at.width, at.y + at.height];
  if (mark.tag === "circle") return [at.cx - at.r, at.cy - at.r, at.cx + at.r, at.cy + at.r];
  if (mark.tag === "text") return extentOfText(mark, at);
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  (at.d.match(/-?[\d.]+/g) || []).forEach((number, i) => {
    const side = i % 2, value = Number(number);
    if (value < box[side]) box[side] = value;
    if (value > box[side + 2]) box[side + 2] = value;
  });
  return box;
}

function extentOfText(mark, at) {
  const texts = Object.values(mark.vary || {}).flatMap((varied) => (varied.text || []).map(([, words]) => words.length));
  const size = at["font-size"] || 13, width = Math.max((mark.text || "").length, ...texts) * size * 0.7;
  const left = at.x - { start: 0, middle: width / 2, end: width }[at["text-anchor"] || "start"];
  return [left, at.y - size, left + width, at.y + size / 2];
}

// The scales at which a mark is drawn, [from, below]: its own, or those of its panel; and never too small to be made out.
export function scalesOf(mark, box, near = 0) {
  let [from, below] = mark.scale || [near, Infinity];
  if (mark.tag === "text") from = Math.max(from, (LEGIBLE[mark.role] || LEGIBLE.other) * 12 / (mark.at["font-size"] || 12));
  return [Math.max(from, VISIBLE / Math.max(box[2] - box[0], box[3] - box[1], 0.1)), below];
}

export class Places {
  // `items`: in the order in which they are painted. `near`: the scale from which on marks without one of their own are drawn.
  constructor(items, near) {
    this.items = items;
    items.forEach((item, i) => { item.place = i; });
    this.cells = new Map();
    this.long = [];
    this.boxes = items.map(({ mark }) => extentOf(mark));
    this.scales = items.map(({ mark }, i) => scalesOf(mark, this.boxes[i], near));
    this.boxes.forEach((box, i) => this.enter(box, i));
  }

  enter(box, i) {
    const [left, top, right, bottom] = box.map((value) => Math.floor(value / CELL));
    if (!((right - left + 1) * (bottom - top + 1) <= MOST_CELLS)) { this.long.push(i); return; }
    for (let x = left; x <= right; x++) {
      for (let y = top; y <= bottom; y++) {
        const key = `${x} ${y}`, there = this.cells.get(key);
        if (there) there.push(i); else this.cells.set(key, [i]);
      }
    }
  }

  // The items that reach into a box at a scale, in the order in which they are painted.
  within([left, top, right, bottom], scale) {
    const found = new Set(), cell = (value) => Math.floor(value / CELL);
    const look = (i) => {
      const box = this.boxes[i], [from, below] = this.scales[i];
      if (from <= scale && scale < below && box[0] <= right && box[2] >= left && box[1] <= bottom && box[3] >= top) found.add(i);
    };
    this.long.forEach(look);
    if ((cell(right) - cell(left) + 1) * (cell(bottom) - cell(top) + 1) > this.cells.size) {
      for (const there of this.cells.values()) there.forEach(look);
    } else {
      for (let x = cell(left); x <= cell(right); x++) {
        for (let y = cell(top); y <= cell(bottom); y++) this.cells.get(`${x} ${y}`)?.forEach(look);
      }
    }
    return [...found].sort((a, b) => a - b).map((i) => this.items[i]);
  }

  boxOf({ place }) { return this.boxes[place]; }

  // The scale from which on an item is drawn.
  fromOf({ place }) { return this.scales[place][0]; }
}
