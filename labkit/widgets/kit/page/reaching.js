// What a saved page answers in place of Python when an input is dragged: scenes for values around the first ones (`reach.py`).

export class Reach {
  // `fields`: the inputs; `points`: their values, a row for each scene; `varying`: how these differ.
  constructor(first, { fields = [], points = [], varying = {} } = {}) { Object.assign(this, { first, fields, points, varying }); }

  // Whether all that a handle sets can be had here.
  has({ free }) { return Object.values(free || {}).every(({ field }) => this.fields.includes(field)); }

  // The number of the row nearest to what is wanted of some fields, and then to the inputs as they are.
  nearest(wanted, inputs) {
    const away = (row, found, among) => among.reduce((sum, field) => sum + Math.abs(row[this.fields.indexOf(field)] - found[field]), 0);
    const moved = this.fields.filter((field) => field in wanted), others = this.fields.filter((field) => !(field in wanted));
    const far = this.points.map((row) => [away(row, wanted, moved), away(row, inputs, others)]);
    return far.reduce((best, one, i) => (best < 0 || one[0] < far[best][0] || (one[0] === far[best][0] && one[1] < far[best][1]) ? i : best), -1);
  }

  // The number of the row with these inputs, -1 where there is none.
  at(inputs) { return this.points.findIndex((_, i) => Object.entries(inputs).every(([name, value]) => this.inputs(i)[name] === Number(value))); }

  // The next value of a field in a direction; the last one, if `far`.
  next(field, value, way, far) {
    const known = this.points.map((row) => row[this.fields.indexOf(field)]), off = (one) => Math.abs(one - value);
    const here = known.reduce((best, one) => (off(one) < off(best) ? one : best)); // it is read off a handle, to a pixel
    const ahead = known.filter((one) => (one - here) * way > 0).sort((a, b) => (a - b) * way);
    return ahead.at(far ? -1 : 0) ?? value;
  }

  inputs(i) { return Object.fromEntries(this.fields.map((field, k) => [field, this.points[i][k]])); }

  scene(i) { return varied(this.first, this.varying, i); }
}

// One of several values of which one is known, and what differs among them, as `varying` writes it.
function varied(value, by, i) {
  if (Array.isArray(by)) {
    const [kinds, which, inside] = by, kind = which[i];
    return inside.length ? varied(kinds[kind], inside[kind], which.slice(0, i).filter((one) => one === kind).length) : kinds[kind];
  }
  const found = Array.isArray(value) ? [...value] : value instanceof Object ? { ...value } : value;
  for (const key in by) {
    found[key] = varied(value[key], by[key], i);
    if (found[key] === null && !Array.isArray(found)) delete found[key];
  }
  return found;
}
