// A widget's state as the end of an address, and back. Only what differs from the start stands in it:
//
// `at.DIAL=3` is where a dial stands (or the name of a position), `in.NAME=2.5` an input, `of.NAME=[...]` whatever else a state
// has, as JSON, `on.PANEL=scale,x,y` which part of a panel is seen (or `whole`), by the
// panel's name, in older links its number among all layouts, `predict=1` whether the reader predicts. Other names are the page's: which `widget`, which `code`.

const CALLED = 40; // letters of what a link says, in a sentence

// `state` and `start`: `{ dials, rest, predict }`, where `rest` is what of a state is not a dial.
export function written(state, start, first = {}) {
  const given = new URLSearchParams(first), { inputs = {}, ...others } = state.rest;
  for (const [name, position] of Object.entries(state.dials)) if (position !== start.dials[name]) given.set(`at.${name}`, position);
  for (const [name, value] of Object.entries(inputs)) if (!alike(value, start.rest.inputs?.[name])) given.set(`in.${name}`, value);
  for (const [name, value] of Object.entries(others)) if (!alike(value, start.rest[name])) given.set(`of.${name}`, JSON.stringify(value));
  for (const [panel, part] of Object.entries(state.parts || {})) if (part) given.set(`on.${panel}`, part);
  if (Boolean(state.predict) !== Boolean(start.predict)) given.set("predict", state.predict ? 1 : 0);
  return given.toString().replace(/%(2C|5B|5D|3A|28|29)/g, decodeURIComponent); // an address may have these as they are
}

// What stands in an address: `page` by name, and `dials`, `rest`, `views`, `predict` as they were asked for; `faults` as sentences.
export function asked(hash) {
  const found = { page: {}, dials: {}, rest: {}, views: {}, faults: [], some: false };
  for (const [key, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
    const [kind, name] = [key.slice(0, 3), key.slice(3)];
    if (kind === "at.") found.dials[name] = text;
    else if (kind === "in.") (found.rest.inputs ||= {})[name] = text;
    else if (kind === "on.") found.views[name] = text;
    else if (kind === "of.") ofJson(found, name, text);
    else if (key === "predict") found.predict = text === "1";
    else { found.page[key] = text; continue; }
    found.some = true;
  }
  return found;
}

function ofJson(found, name, text) {
  try { found.rest[name] = JSON.parse(text); } catch { found.faults.push(`The value of ${short(name)} in the link is incomplete or changed: ${short(text)}.`); }
}

// Where the dials of a scene are to stand, and what cannot be had, as sentences.
export function fitting(scene, wanted) {
  const dials = {}, faults = [];
  for (const [name, text] of Object.entries(wanted)) {
    const dial = (scene.dials || []).find((one) => one.name === name);
    if (!dial) { faults.push(`The link turns ${short(name)}, which is not a control of this picture.`); continue; }
    const last = dial.values.length - 1, position = /^\d+$/.test(text) ? Number(text) : dial.values.indexOf(text);
    if (position >= 0 && position <= last) dials[name] = position;
    else faults.push(`The link puts ${dial.label} at ${short(text)}; here it goes from 0 to ${last}.`);
  }
  return [dials, faults];
}

// What links say of the parts of panels that are seen: by the name that a panel has whichever of its layouts is shown.
export function partsOf(layouts) {
  return Object.fromEntries(layouts.map((views) => [views[0].panel.name, views.map((view) => view.part()).find(Boolean)]));
}

// Shows the parts of panels that a link asks for; what cannot be had, as sentences.
export function looking(layouts, wanted) {
  return Object.entries(wanted || {}).flatMap(([name, text]) => {
    const numbers = text.split(",").map(Number), read = text === "whole" || (numbers.length === 3 && numbers.every(Number.isFinite) && numbers[0] > 0);
    const views = layouts.find(([{ panel }]) => panel.name === name), view = views ? views.find(({ out }) => !out) : layouts.flat()[name];
    if (!view || !read) return [`The link shows a part of panel ${short(name)}, ${short(text)}, which is not here.`];
    view.see(text === "whole" ? text : numbers);
    return [];
  });
}

// What of the rest of a state is otherwise than here, in words, each with what is here.
export function lacking(wanted, here) {
  const { inputs = {}, ...others } = wanted;
  const values = Object.entries(inputs).filter(([name, value]) => !alike(value, here.inputs?.[name]));
  const told = values.map(([name, value]) => (here.inputs && name in here.inputs
    ? `${short(name)} = ${short(value)} (here ${here.inputs[name]})` : `${short(name)} = ${short(value)} (no number of this picture)`));
  const rest = Object.entries(others).filter(([name, value]) => !alike(value, here[name]));
  return [...told, ...rest.map(([name, value]) => `${short(name)} ${short([value].flat().join(", ") || "none")}`)];
}

export function alike(a, b) {
  if (a === b) return true;
  if (typeof a === "object" || typeof b === "object") return JSON.stringify(a) === JSON.stringify(b);
  return a !== undefined && b !== undefined && String(a).trim() !== "" && Number(a) === Number(b);
}

function short(value) {
  const text = String(value);
  return `\u201c${text.length > CALLED ? `${text.slice(0, CALLED)}\u2026` : text}\u201d`;
}

// A state as Python writes it: `{"step": 3, "inputs": {"x": 2.5}}`.
export function asPython(value) {
  if (Array.isArray(value)) return `[${value.map(asPython).join(", ")}]`;
  if (value && typeof value === "object") return `{${Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}: ${asPython(v)}`).join(", ")}}`;
  return value === null ? "None" : typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);
}
