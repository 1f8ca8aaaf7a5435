// The elements of a handle over a grip, and where they stand.

import { make } from "./elements.js";

export function handleOf(grip) {
  const how = grip.by === "x" || grip.by === "y" ? ` lk-by-${grip.by}` : "";
  const knob = make("div", {
    className: `lk-grip${how}${grip.stays ? " lk-stays" : ""}${grip.bare ? " lk-bare" : ""}`, tabIndex: 0, role: "slider", "aria-label": grip.label, title: grip.label,
  });
  const area = grip.area && make("div", { className: `lk-area${how}` });
  return { knob, area };
}

// The link of the marks that lie under a handle.
export function below(event) {
  return document.elementsFromPoint(event.clientX, event.clientY).find((node) => node.dataset?.link)?.dataset.link;
}

// Where a handle is seen that is dragged to a place: not beside the line along which it goes, nor beyond its ends.
export function onTrack(grip, place, spot) {
  const { by, free = {} } = grip, seen = (grip.spots || []).filter(Boolean);
  return place.map((at, i) => {
    const axis = "xy"[i], along = free[axis];
    if ((by === "x" || by === "y") && by !== axis) return spot[i];
    const ends = along ? [along.start, along.end] : seen.length && by !== "r" ? seen.map((one) => one[i]) : [at];
    return Math.min(Math.max(...ends), Math.max(Math.min(...ends), at));
  });
}

// A part of a panel in its scroller: left, top, width and height in px.
export function corners(view, x, y, width, height) {
  const [left, top] = view.spot([x, y]), [right, bottom] = view.spot([x + width, y + height]);
  return [left, top, right - left, bottom - top];
}

export function put(node, left, top, width, height) {
  Object.assign(node.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
}

const RING = 13; // px: half of a ring, and the least room around it

const SIGN = 240; // px: the broadest frame that is one thing to take hold of

// The boxes of the words that are seen in a panel, and of the frames that are no broader than a sign, in the window.
export function wordsOf(view) {
  const boxes = (what) => [...view.svg.querySelectorAll(what)].map((node) => node.getBoundingClientRect()).filter((box) => box.width);
  return { words: boxes("text:not(.is-hidden)"), signs: boxes("rect:not(.is-hidden)").filter((box) => box.width < SIGN && box.height < SIGN / 4) };
}

// A ring is never drawn over words: it goes aside from one beside it, as little as is needed; where it stands on one, it is a
// frame around this, or around the sign on which this is written. Where it is taken hold of stays.
export function yieldToWords(knob, { words, signs }) {
  const box = knob.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
  const under = (boxes) => boxes.filter((word) => x > word.left && x < word.right && y > word.top && y < word.bottom).sort((a, b) => a.width * a.height - b.width * b.height)[0];
  const word = under(words), own = word && (under(signs) || word);
  knob.classList.toggle("lk-word", Boolean(own));
  const [right, down] = own ? [0, 0] : aside(x, y, words);
  knob.style.setProperty("--lk-aside", `${right}px ${down}px`);
  if (!own) return;
  const frame = { left: own.left - x, top: own.top - y, width: own.width, height: own.height };
  for (const [side, px] of Object.entries(frame)) knob.style.setProperty(`--lk-word-${side}`, `${px}px`);
}

function aside(x, y, words) {
  const near = words.filter((word) => Math.abs(x - (word.left + word.right) / 2) < word.width / 2 + 3 * RING && Math.abs(y - (word.top + word.bottom) / 2) < word.height / 2 + 3 * RING);
  const free = ([right, down]) => near.every((word) => Math.hypot(beyond(x + right, word.left, word.right), beyond(y + down, word.top, word.bottom)) >= RING);
  for (let far = 0; far <= 2 * RING; far += 2) {
    for (let i = 0; i < 8; i++) {
      const way = [far * Math.cos((i * Math.PI) / 4), far * Math.sin((i * Math.PI) / 4)];
      if (free(way)) return way;
    }
  }
  return [0, 0];
}

function beyond(at, low, high) { return Math.max(low - at, at - high, 0); }
