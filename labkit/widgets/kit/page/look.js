// What a scene shows at given positions of its dials: looked up, or added up of what each dial adds.


export function holds(when, state) {
  for (const dial in when || {}) if (!when[dial].includes(state[dial])) return false;
  return true;
}

export function latest(changes, position, otherwise) {
  let low = 0, high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[middle][0] <= position) low = middle + 1; else high = middle;
  }
  return low ? changes[low - 1][1] : otherwise;
}

const joint = new Map(); // by key: [dial, how many positions], as in `joint.py`

export function dialsOf(key) {
  if (!joint.has(key)) joint.set(key, key.split(" ").map((part) => part.split(":")).map(([name, size]) => [name, Number(size)]));
  return joint.get(key);
}

// Where a dial stands, or several together by their joint key.
export function placeOf(key, state) {
  return key.includes(":") ? dialsOf(key).reduce((place, [name, size]) => place * size + state[name], 0) : state[key];
}

// Where a dial of a new scene stands, given its position in the scene before: at the same place, if the two have places.
export function carried(dial, old, position) {
  if (!dial.places || !old?.places || position === undefined) return position;
  const place = old.places[position];
  return Math.max(0, dial.places.filter((one) => one <= place).length - 1);
}

// The positions that are played.
export function trackOf(dial) { return dial.plays?.length ? dial.plays : dial.values.map((_, i) => i); }

// Where a position stands among those that are played: if it is none of them, at the nearest in the picture.
export function placeOnTrack({ grips = [] }, dial, position) {
  const track = trackOf(dial), found = track.indexOf(position), { spots } = grips.find((grip) => grip.dial === dial.name) || {};
  if (found >= 0 || !spots?.[position]) return found;
  const far = track.map((one) => Math.hypot(spots[one][0] - spots[position][0], spots[one][1] - spots[position][1]));
  return far.indexOf(Math.min(...far));
}

// Whether the positions of a dial are steps, one after the other, or things to choose among.
export function inSteps(dial) { return !["choice", "list", "toggle"].includes(dial.kind); }

// The positions that are reached for the first time on the way from one to another: of a choice the other alone.
export function onTheWay(dial, now, position) {
  if (!inSteps(dial)) return position === now ? [] : [position];
  return Array.from({ length: Math.max(0, position - now) }, (_, i) => now + 1 + i);
}

export function plays(dial) { return (dial.kind || "slider") === "slider" || Boolean(dial.plays?.length); }

export function lookOf(mark, state) {
  const look = { at: null, text: mark.text || "", name: "" };
  for (const dial in mark.vary || {}) {
    const place = placeOf(dial, state);
    for (const attribute in mark.vary[dial]) {
      const changes = mark.vary[dial][attribute];
      if (attribute === "text") look.text = latest(changes, place, look.text);
      else if (attribute === "state") look.name = latest(changes, place, look.name);
      else (look.at ||= {})[attribute] = latest(changes, place, look.at[attribute] ?? mark.at?.[attribute]);
    }
  }
  if (!holds(mark.when, state)) look.name = "hidden";
  return look;
}

export function captionOf(scene, state) {
  const shown = (scene.captions || []).filter((c) => holds(c.when, state));
  const parts = shown.map((c) => latest(c.texts, placeOf(c.dial, state), "")).map((words) => words.split(/\n(.*)/s));
  const [said, more] = [0, 1].map((side) => parts.map((part) => part[side]).filter(Boolean).join(" "));
  return [said, more].filter(Boolean).join("\n");
}

// The first sentences, of at most 30 words together and before a line break, and the rest; as `briefly` in `words.py`.
export function briefly(told, most = 30) {
  if (told.includes("\n")) {
    const [head, besides] = told.split(/\n(.*)/s), [said, rest] = briefly(head, most);
    return [said, [rest, besides].filter(Boolean).join(" ")];
  }
  const sentences = told.split(/(?<=[.!?]) /), words = told.split(" ");
  let count = 0;
  for (let i = 0; i < sentences.length; i++) {
    count += sentences[i].split(" ").length;
    if (count <= most) continue;
    if (i) return [sentences.slice(0, i).join(" "), sentences.slice(i).join(" ")];
    return [[...words.slice(0, most), "…"].join(" "), ["…", ...words.slice(most)].join(" ")];
  }
  return [told, ""];
}
