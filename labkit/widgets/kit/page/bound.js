// Dials that are bound to others: as `bound.py`.

// A state with dials turned, and with what is bound to them.
export function turned(dials, state, wanted) {
  const along = dials.filter((dial) => dial.puts && wanted[dial.name] !== undefined).map((dial) => dial.puts[wanted[dial.name]]);
  const asked = { ...Object.assign({}, ...along), ...wanted }, found = { ...state };
  for (const { name } of dials) found[name] = asked[name] ?? found[name];
  for (const { name, puts, values } of dials) {
    if (!puts || (wanted[name] !== undefined && fits(puts[found[name]], found))) continue;
    const fitting = puts.findIndex((put) => fits(put, found));
    found[name] = fitting < 0 ? values.length - 1 : fitting;
  }
  return found;
}

function fits(put, state) { return Object.entries(put).every(([name, at]) => state[name] === at); }
