// How large panels are, and which stand side by side, in the room that there is.

import { tallest } from "./elements.js";

const READABLE = 0.82; // the scale at which texts of 11 px have 9
const EASY = 1.15; // at which they have 12: below it no third panel joins a row
const GROWN = 1.6;
const WORTH = 1.4; // times as large
const LEAST_TEXT = 12; // px of the window
const LOW = 40, HEAD = 24; // px
const GAP = 24; // px between two in a row, as in `player.css`
const LOWER = 0.93, WIDER = 1.2; // times as high, as large

// All at one scale, the largest that needs no more rows than the least one, and with several shows all of them, or else as they
// are; what has room in its row is drawn no smaller than it is; more rows where that makes them far larger and they are in sight all the same. Where it is lower so, one stands beside a
// column of the others; where rows are not in sight, all beside each other. Returns how wide it all is.
export function arrange(views, room) {
  const seen = views.filter((view) => !view.hidden), loose = scaleInRows(seen, room), several = rowsOf(seen, room, Math.max(loose, READABLE));
  const abreast = heightOf(rowsOf(seen, room, EASY), EASY) > tallest() && scaleAbreast(seen, room);
  const [large, rows] = abreast ? [abreast, [seen]] : [loose, several];
  const [columns, scale] = columnsOf(seen, room, large, LOWER * heightOf(rows, large)) || [undefined, large];
  standing(seen, columns);
  const lines = columns ? [columns] : rows;
  const widths = lines.map((row) => {
    const parts = columns ? row.map(broadest) : row;
    const gaps = GAP * (row.length - 1), whole = parts.reduce((sum, { panel }) => sum + panel.width, 0), fitting = (room - gaps - 2) / whole;
    for (const view of row.flat()) view.arrange(scaleOf(view.panel, Math.min(columns ? scale : Math.max(scale, 1), fitting)), room - gaps);
    return gaps + parts.reduce((sum, { panel, arranged }) => sum + Math.ceil(panel.width * arranged), 0);
  });
  const widest = Math.max(0, ...widths);
  for (const { element } of seen) element.style.marginInlineEnd = "";
  if (!columns) rows.forEach((row, i) => { row.at(-1).element.style.marginInlineEnd = `${widest - widths[i]}px`; }); // so that a row ends there
  return widest;
}

function scaleInRows(seen, room) {
  const fewest = rowsOf(seen, room, READABLE).length;
  const largest = (fits) => {
    let scale = GROWN;
    while (scale > READABLE && !fits(rowsOf(seen, room, scale), scale)) scale -= 0.02;
    return scale;
  };
  const low = (rows, scale) => scale <= 1 || rows.length === 1 || heightOf(rows, scale) <= tallest();
  const dense = largest((rows, scale) => rows.length <= fewest && low(rows, scale)), loose = largest((rows, scale) => heightOf(rows, scale) <= tallest());
  return loose > WORTH * dense ? loose : dense;
}

// The scale of all in one row where nothing is drawn small there, and all is in sight.
function scaleAbreast(seen, room) {
  const whole = seen.reduce((sum, { panel }) => sum + panel.width, 0), scale = Math.min(GROWN, (room - GAP * (seen.length - 1) - 2) / whole);
  return scale >= 1 && !seen.some(({ panel }) => onlyWords(panel)) && heightOf([seen], scale) <= tallest() ? scale : 0;
}

// Two columns, one of a single panel, and their scale: far larger than in rows and in sight as a whole; or as large, and lower
// than a height; or, where rows are not in sight, so large that all is.
function columnsOf(seen, room, large, height) {
  if (seen.length < 3 || seen.some(({ panel }) => onlyWords(panel))) return undefined;
  const beside = (one) => seen.filter((other) => other !== one);
  const ways = seen.map((one, i) => (i ? [beside(one), [one]] : [[one], beside(one)]));
  const inSight = height / LOWER <= tallest();
  const tries = [...downFrom(GROWN, WIDER * large, tallest()), [large, height], ...(inSight ? [] : downFrom(large, 1, Math.min(height, tallest())))];
  for (const [scale, most] of tries) {
    const fits = (columns) => columns.reduce((sum, column) => sum + broadest(column).panel.width * scale + 1, GAP) <= room;
    const high = (columns) => Math.max(...columns.map((column) => heightOf(column.map((view) => [view]), scale)));
    const found = ways.filter((columns) => fits(columns) && high(columns) < most).sort((a, b) => high(a) - high(b))[0];
    if (found) return [found, scale];
  }
  return undefined;
}

// Scales from one down to another, each with how high it may be all.
function downFrom(scale, least, most) {
  return Array.from({ length: Math.max(0, Math.ceil((scale - least) / 0.02)) }, (_, i) => [scale - 0.02 * i, most]);
}

function broadest(column) { return column.reduce((a, b) => (b.panel.width > a.panel.width ? b : a)); }

// In the page: each in its column, the single panel beside all others.
function standing(seen, columns) {
  for (const { element } of seen) element.style.gridArea = "";
  const around = seen[0]?.element.parentNode, most = columns && Math.max(...columns.map((column) => column.length));
  around?.classList.toggle("lk-columns", Boolean(columns));
  columns?.forEach((column, k) => column.forEach(({ element }, i) => {
    element.style.gridArea = `${i + 1} / ${k + 1} / span ${column.length === 1 ? most : 1}`;
  }));
}

// Panels in rows, as many side by side as there is room for at a scale; what is low stands beside what is low alone.
export function rowsOf(views, room, scale) {
  const rows = [];
  let used = Infinity, before = false;
  for (const view of views) {
    const low = onlyWords(view.panel), width = view.panel.width * (low ? 1 : scale) + 1;
    const crowded = !low && rows.at(-1)?.length > 1 && used * Math.max(1, EASY / scale) + GAP + view.panel.width * Math.max(scale, EASY) > room;
    if (low !== before || crowded || used + GAP + width > room) rows.push([]);
    used = (rows.at(-1).length ? used + GAP : 0) + width;
    before = low;
    rows.at(-1).push(view);
  }
  return rows;
}

// Of the layouts of a panel, widest first, the first that is not cut; else the last.
export function widest(views, room) { return views.find(({ panel }) => panel.width * READABLE <= room) || views.at(-1); }

function heightOf(rows, scale) {
  return rows.reduce((sum, row) => sum + HEAD + Math.max(...row.map(({ panel }) => panel.height * scaleOf(panel, scale))), 0);
}

export function scaleOf(panel, scale) {
  if (scale <= 1 || onlyWords(panel)) return Math.min(1, Math.max(READABLE, scale));
  return Math.min(scale, Math.max(1, tallest() / panel.height));
}

// The least size of texts in px of a panel that is drawn at a scale: what is drawn small is not written smaller than this.
export function leastText(scale) { return LEAST_TEXT / Math.max(scale, READABLE); }

// Lines of words stay as large as those around the panels.
function onlyWords(panel) { return panel.height < LOW || panel.marks.every((mark) => mark.tag === "text"); }

// The controls stay at the top of the window, those above the slider excepted where they are many; not if they fill too much.
export function stick(bar) {
  const slider = bar.querySelector(".lk-slider:not([hidden])"), most = 0.3 * tallest();
  const above = bar.offsetHeight > most && slider ? slider.offsetTop - bar.offsetTop : 0;
  const stays = slider && bar.offsetHeight - above <= most;
  bar.style.setProperty("--lk-stuck", stays ? `${-above}px` : "auto");
}
