// Which marks may look otherwise when a dial turns: an index of those that are drawn, so that a step touches few of them.

import { dialsOf } from "./look.js";

export class Changing {
  constructor() { this.dials = new Map(); }

  enter(item) { for (const there of this.setsOf(item)) there.add(item); }

  leave(item) { for (const there of this.setsOf(item)) there.delete(item); }

  entry(dial) {
    if (!this.dials.has(dial)) this.dials.set(dial, { always: new Set(), at: new Map() });
    return this.dials.get(dial);
  }

  // Where a mark stands: with the positions at which it changes, or with all that may change at any.
  setsOf({ mark }) {
    const found = Object.keys(mark.when || {}).map((dial) => this.entry(dial).always);
    for (const key in mark.vary || {}) {
      if (key.includes(":")) { found.push(...dialsOf(key).map(([dial]) => this.entry(dial).always)); continue; }
      const { at } = this.entry(key);
      for (const changes of Object.values(mark.vary[key])) {
        for (const [position] of changes) {
          if (!at.has(position)) at.set(position, new Set());
          found.push(at.get(position));
        }
      }
    }
    return found;
  }

  // Those that may change between two positions of a dial.
  touched(dial, from, to) {
    const { always, at } = this.entry(dial), found = new Set(always);
    for (let i = Math.min(from, to) + 1; i <= Math.max(from, to); i++) at.get(i)?.forEach((item) => found.add(item));
    return found;
  }
}
