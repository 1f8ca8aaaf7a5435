// A scene that a saved page holds compressed (`packing.py`).

const MARK = "\u0001"; // of a path whose coordinates are the ways from those of the point before, in tenths of a px

export async function unpacked(text) {
  if (!text) return null; // the scene that the page started with
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return read(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text());
}

export function read(written) {
  return JSON.parse(written, (_, value) => (typeof value === "string" && value[0] === MARK ? absolute(value) : value));
}

function absolute(path) {
  const last = [0, 0];
  let turn = 1;
  const moved = (by) => { turn = 1 - turn; last[turn] += Number(by); return String(last[turn] / 10); };
  return path.slice(1).toUpperCase().replace(/-?\d+/g, moved);
}
