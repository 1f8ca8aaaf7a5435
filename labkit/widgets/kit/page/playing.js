// Plays a slider by itself: at a pace at which all of it takes some seconds, and once when it comes into view. Where a dial has
// stops, it stays there, runs over what is in between, and goes round to where it began.

import { holds, placeOnTrack, trackOf } from "./look.js";
import { lessMotion } from "./elements.js";

const WHOLE = [4000, 12000], EACH = 1100; // ms: the least and the most for all positions of a slider, and one of few
const RUNS = 45; // ms: a position between stops
const MOVING = 0.75, LONGEST = 900; // how much of a step something moves, and at most so many ms

export class Playing {
  constructor(player) { this.player = player; }

  // How long a position of a dial that plays is seen, ms.
  pace(dial) {
    if (dial.stops && !dial.stops.includes(this.player.state[dial.name])) return RUNS;
    if (dial.pace) return dial.pace;
    const steps = Math.max(1, trackOf(dial).length - 1);
    return Math.min(WHOLE[1], Math.max(WHOLE[0], steps * EACH)) / steps;
  }

  // How long something moves on the way to the next position, ms; undefined where the reader turns the dial.
  moves(dial) {
    return this.dial === dial ? Math.min(MOVING * this.pace(dial), dial.pace || LONGEST) : undefined;
  }

  // `opening`: it plays by itself, and what goes round is first seen where it is.
  toggle(dial, opening = false) {
    const playing = this.dial === dial, { player } = this;
    this.pause();
    if (playing) return;
    const [first] = trackOf(dial), again = !dial.stops && player.state[dial.name] === trackOf(dial).at(-1);
    if (again) player.turn(dial, first);
    const now = player.state[dial.name];
    Object.assign(this, { dial, opening, from: trackOf(dial).includes(now) ? now : trackOf(dial).at(-1) }); // where it goes round, it ends here
    if (again || (opening && dial.stops)) this.timer = setTimeout(() => this.next(dial), this.pace(dial));
    else this.next(dial);
    player.afterwards();
  }

  next(dial) {
    const track = trackOf(dial), { player } = this;
    if (this.dial !== dial) return;
    if (!holds(dial.when, player.state)) { this.pause(); return; } // another one is offered now
    const on = placeOnTrack(player.scene, dial, player.state[dial.name]) + 1;
    player.request(dial, track[dial.stops ? on % track.length : Math.min(track.length - 1, on)]);
    if (this.dial === dial) this.timer = setTimeout(() => this.next(dial), this.pace(dial));
    const at = player.state[dial.name];
    if (at === (dial.stops ? this.from : track.at(-1))) this.pause();
  }

  // Once by itself, if the reader has not begun, does not predict, and does not want less motion.
  opens() {
    const { player } = this, begun = player.moving.begun || player.dials.some((dial) => player.state[dial.name] !== (dial.start || 0));
    const dial = player.main || this.longest();
    if (dial && !begun && !player.predict && !lessMotion()) this.toggle(dial, true);
  }

  // What nobody has played yet plays from its start; whoever wants little motion sees its end, whoever predicts nothing.
  begins() {
    const { player } = this, dial = player.main, track = dial ? trackOf(dial) : [];
    if (!dial || player.predict || player.state[dial.name] !== track[0]) return;
    if (lessMotion()) player.turn(dial, track.at(-1)); else this.toggle(dial);
  }

  // Where there is no slider, what plays is the choice with the most positions.
  longest() {
    const { dials, state } = this.player, offered = dials.filter((dial) => dial.kind === "choice" && holds(dial.when, state));
    return offered.sort((a, b) => b.values.length - a.values.length)[0];
  }

  pause() {
    clearTimeout(this.timer);
    if (!this.dial) return;
    this.dial = undefined;
    this.player.afterwards();
  }
}
