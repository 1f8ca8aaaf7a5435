// What a saved page answers in place of Python when inputs are dragged, at any values: it computes all numbers of the run, line by
// line (`reckoning.py`), and makes of them what the scene says (`symbolic.py`).

import { general, inWords } from "./numbers.js";
import { resultOf } from "./primitives.js";

const TESTS = {
  "<": (a, b) => a < b, "=": (a, b) => a === b, ">": (a, b) => a > b, "≠": (a, b) => a !== b, "≤": (a, b) => a <= b, "≥": (a, b) => a >= b,
};

export class Reckoning {
  // `program`: its inputs and lines; `made`: what of the scene is made of which numbers; `without`: panels that do not follow.
  constructor({ program, made, without = [] }) {
    Object.assign(this, { program, made, without, fields: program.inputs });
  }

  has({ free }) { return Object.values(free || {}).every(({ field }) => this.fields.includes(field)); }

  // All numbers of the run for these inputs; undefined where one of them is not finite.
  numbers(inputs) {
    const { inputs: names, lines } = this.program, found = names.map((name) => inputs[name] + 0);
    for (const line of lines) found.push(resultOf(line, found));
    return found.every(Number.isFinite) ? found : undefined;
  }

  // The scene becomes that of other inputs; whether there is one.
  turn(scene, inputs) {
    const numbers = this.numbers(inputs);
    if (!numbers) return false;
    become(scene, this.made, numbers);
    return true;
  }
}

// What a thing has in it becomes what these numbers make of it; itself it stays.
function become(thing, how, numbers) {
  for (const key in how.in) {
    const inside = how.in[key], found = inside.in ? become(thing[key], inside, numbers) : madeOf(inside, thing[key], numbers);
    if (found === null && !Array.isArray(thing)) delete thing[key]; else thing[key] = found;
  }
  return thing;
}

export function madeOf(how, thing, numbers) {
  if (how.words) return how.words.map((part) => (Array.isArray(part) ? inWords(numbers[part[0]], part[1]) : part.words || part["one of"] ? madeOf(part, "", numbers) : part)).join("");
  if (how.level) return how.level[1] ? Number(general(numbers[how.level[0]], 6)) : numbers[how.level[0]];
  if (how.sum) return how.sum.reduce((sum, [place, factor]) => sum + factor * numbers[place], how.and);
  if (how.long) return Math.round(10 * (how.times * Math.max(...how.long.map((words) => madeOf(words, "", numbers).length)) + how.and)) / 10;
  if (how["one of"]) {
    const [, kind, inside] = how["one of"].find(([test]) => !test || passes(test, numbers));
    return inside ? madeOf(inside, kind, numbers) : kind;
  }
  return become(Array.isArray(thing) ? [...thing] : { ...thing }, how, numbers);
}

function passes([sign, place, other], numbers) {
  if (sign === "short" || sign === "long") return (madeOf(place, "", numbers).length <= other) === (sign === "short");
  return TESTS[sign](numbers[place], Array.isArray(other) ? other[0] : numbers[other]);
}
