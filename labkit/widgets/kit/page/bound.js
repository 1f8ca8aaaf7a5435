// Dials that are bound to others: as `bound.py`.

// A state with dials turned, and with what is bound to them.
export function turned(dials, state, wanted) {
  const along = dials.filter((dial) => dial.puts && wanted[dial.name] !== undefined).map((dial) => dial.puts[wanted[dial.name]]);
  const asked = { ...Object.assign({}, ...along), ...wanted }, found = { ...state }, turns = dials.filter(({ name }) => asked[name] !== undefined);
  for (const { name } of turns) found[name] = asked[name];
  for (const dial of turns) {
    const low = dial.after ? found[dial.after] : 0;
    found[dial.name] = Math.max(low, Math.min(found[dial.name], most(dials, dial, state, asked)));
  }
  for (const { name, puts, values } of dials) {
    if (!puts || fits(puts[found[name]], found)) continue;
    const fitting = puts.findIndex((put) => fits(put, found));
    found[name] = fitting < 0 ? values.length - 1 : fitting;
  }
  return found;
}

// How far a dial goes: to those after it that stay where they are.
function most(dials, dial, state, asked) {
  const beyond = dials.filter(({ after }) => after === dial.name);
  return Math.min(dial.values.length - 1, ...beyond.map((one) => (asked[one.name] === undefined ? state[one.name] : most(dials, one, state, asked))));
}

function fits(put, state) { return Object.entries(put).every(([name, at]) => state[name] === at); }
