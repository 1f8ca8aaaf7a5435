// A function near a point, with its tangent, drawn anew while the point is dragged: as `closeups.py` draws it.

const WIDE = 112, HIGH = 64, HALF = 3, SAMPLES = 61, REACH = 26;

// The marks of a panel that belong to a close-up; `curve(x)`: the function.
export function closeUp(marks, { left, top, first, x, y, slope }, curve) {
  const away = Math.abs(x) < 0.9 * HALF ? 0 : x, span = (2 * HALF * HIGH) / WIDE;
  const points = Array.from({ length: SAMPLES }, (_, i) => (2 * HALF * i) / (SAMPLES - 1) - HALF + away).map((at) => [at, curve(at)]);
  const fixed = points.some(([, value]) => value < 0) ? -0.5 * span : -0.1 * span;
  const low = fixed + 0.08 * span <= y && y <= fixed + 0.92 * span ? fixed : y - 0.5 * span;
  const across = (at) => left + ((at - points[0][0]) / (2 * HALF)) * WIDE, up = (at) => top + ((low + span - at) / span) * HIGH;
  const within = (at, least, most) => Math.min(Math.max(at, least), most), px = (at) => Math.round(10 * at) / 10;
  const line = (...at) => `M${px(at[0])} ${px(at[1])}L${px(at[2])} ${px(at[3])}`;
  const level = within(up(0), top, top + HIGH), middle = within(across(0), left, left + WIDE);
  let path = "", drawn = false;
  for (const [at, value] of points) {
    const seen = value >= low && value <= low + span;
    if (seen) path += `${drawn ? "L" : "M"}${px(across(at))} ${px(up(value))}`;
    drawn = seen;
  }
  const [cx, cy] = [across(x), up(y)], [back, on] = [-1, 1].map((way) => { // how far the tangent goes inside of the panel
    const rises = way * slope, rise = rises ? (rises > 0 ? cy - top : top + HIGH - cy) / Math.abs(rises) : REACH;
    return Math.min(REACH / Math.hypot(1, slope), rise, way > 0 ? left + WIDE - cx : cx - left);
  });
  const found = [
    { d: line(left, level, left + WIDE, level) }, { d: line(middle, top, middle, top + HIGH) }, { d: path || "M0 0" },
    { d: line(cx - back, cy + slope * back, cx + on, cy - slope * on) }, { cx: px(cx), cy: px(cy) },
  ];
  found.forEach((at, i) => Object.assign(marks[first + i].at, at));
}
