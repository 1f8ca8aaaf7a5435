// The page: what was typed goes to a worker, what comes back is played. All that it shows stands in the link.

import player from "./player.js";
import { settle } from "./framing.js";

const SECONDS = Number(new URLSearchParams(location.search).get("seconds")) || 15; // for which code may run: Python stops it
const PATIENCE = 10; // more, then it is in a call that Python cannot leave, and its worker is ended
const runtime = new URL(document.documentElement.dataset.runtime, location).href;
const byId = (id) => document.getElementById(id);
const [form, code, preset, inputs, stop, status, error, stage, texts] =
  ["form", "code", "preset", "inputs", "stop", "status", "error", "stage", "texts"].map(byId);
const LABELS = {
  printed: "Printed", value: "Value", gradients: "Gradients", record: "The run, recorded", check: "Is the derivative right?",
};

// ---- the site: it keeps the theme that the reader chose ----

const theme = byId("theme"), THEMES = ["auto", "light", "dark"];

function wear(chosen) {
  document.documentElement.classList.remove(...THEMES);
  document.documentElement.classList.add(chosen);
  theme.textContent = `Theme: ${chosen}`;
}

if (theme) {
  let chosen = "auto";
  try { chosen = THEMES.find((one) => one === localStorage.getItem("theme")) || chosen; } catch { /* a browser that keeps nothing */ }
  wear(chosen);
  theme.onclick = () => {
    chosen = THEMES[(THEMES.indexOf(chosen) + 1) % 3];
    wear(chosen);
    try { localStorage.setItem("theme", chosen); } catch { /* for this page alone */ }
  };
}

// ---- the link: code, dialect, inputs, and the state of the picture ----
//
// `code` or `case`, `dialect`, `in.NAME=2.5` for an input, `at.step=3`, `at.view=tape` (in older links its number), `of.opened` for the
// blocks that are unfolded (as JSON: in older links a list). With `run` it runs at once, which loads Python; else the reader is asked.

const now = { code: "", dialect: "numpy", inputs: {}, wanted: {} }; // what the link says

function keep() {
  const preset = presets.find((one) => one.source === now.code && one.dialect === now.dialect); // by its name, as long as nothing in it is changed
  const given = new URLSearchParams(preset ? { case: preset.name, dialect: now.dialect } : { code: now.code, dialect: now.dialect });
  for (const name of ["step", "view"]) if (values.data && values[name] !== values.start[name]) given.set(`at.${name}`, values[name]);
  for (const [name, value] of Object.entries(now.inputs)) given.set(`in.${name}`, value);
  if (values.data && values.opened !== values.start.opened) given.set("of.opened", JSON.stringify(values.opened));
  const hash = `#${given.toString().replace(/%(2C|5B|5D|3A|28|29)/g, decodeURIComponent)}`; // an address may have these as they are
  if (hash !== location.hash) history.replaceState(null, "", hash);
}

function asked(hash) {
  const found = { inputs: {}, wanted: {} };
  for (const [key, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (key.startsWith("in.")) found.inputs[key.slice(3)] = text;
    else if (key === "of.opened") { try { found.wanted.opened = [JSON.parse(text)].flat().join("|") || "|"; } catch { /* cut off: as at first */ } }
    else if (key.startsWith("at.")) found.wanted[key.slice(3)] = text;
    else found[key] = text;
  }
  return found;
}

// What a link asks of a picture, as far as there is such.
function linked({ data, state }) {
  const { step, view, opened } = now.wanted, found = { ...state };
  now.wanted = {};
  const views = Object.keys(data.views), chosen = views[view] ?? view;
  if (views.includes(chosen)) found.view = chosen;
  if (opened in data.ways) found.opened = opened;
  if (/^\d+$/.test(step)) found.step = Math.min(Number(step), data.ways[found.opened].last);
  return found;
}

// ---- Python ----

let worker, ready = false, waiting = null, wanted = null, count = 0;

function start(why = "") {
  ready = false;
  waiting = null;
  stop.disabled = true;
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  say(`${why}Python is being loaded …`);
  worker.onmessage = ({ data }) => {
    if (data.stage) return say(`${why}${data.stage} is being loaded …`);
    if (!data.ready) return data.id === waiting?.id && answered(data.answer);
    ready = true;
    performance.mark("labkit-ready");
    say(`${why}Python is ready.`);
    next();
  };
  worker.onerror = (event) => { event.preventDefault(); fail(`Python could not be loaded: ${event.message || "no answer"}`); };
  worker.postMessage({ runtime });
}

function end(why) {
  clearTimeout(waiting?.timer);
  worker.terminate();
  wanted = null;
  start(why);
}

function ask(message) {
  wanted = message;
  if (ready && !waiting) next();
}

function next() {
  if (!wanted) return;
  const id = ++count, message = { ...wanted, seconds: SECONDS };
  waiting = { id, run: wanted.run, timer: setTimeout(late, 1000 * (SECONDS + PATIENCE)) };
  wanted = null;
  stop.disabled = false;
  stage.setAttribute("aria-busy", "true");
  say("Python is at work …");
  worker.postMessage({ id, message });
}

function late() {
  fail(`It ran for more than ${SECONDS} s in one call, which Python cannot leave.`);
  end("Its worker was ended and is started again. ");
}

function answered(answer) {
  const { run, timer } = waiting;
  clearTimeout(timer);
  waiting = null;
  stop.disabled = true;
  stage.removeAttribute("aria-busy");
  shown(run, answer);
  stage.classList.toggle("stale", Boolean(answer.error)); // it shows what ran before
  if (answer.error) fail(answer.line ? `Line ${answer.line}: ${answer.error}` : answer.error);
  say(answer.error ? "" : [answer.read && `Read as: ${answer.read}`, answer.note].filter(Boolean).join("\n"));
  next();
}

// ---- what is shown ----

const values = { data: null, still: "", start: {} }, heard = {};
const model = {
  get: (name) => values[name],
  set: (name, value) => { values[name] = value; },
  save_changes() { // inputs that were dragged stand in their fields, too
    for (const box of inputs.querySelectorAll("input")) if (box.name in values.inputs) now.inputs[box.name] = box.value = String(values.inputs[box.name]);
    if (Object.keys(values.inputs).length) forget();
    keep();
  },
  on: (event, tell) => { heard[event] = tell; },
  off: (event) => { delete heard[event]; },
  address: () => location.href,
  put: (name, value) => { values[name] = value; heard[`change:${name}`]?.(); },
};
let played = ""; // the code whose picture is on the stage

// What Python computed with other inputs.
function forget() { for (const text of texts.querySelectorAll(":is([data-name=value], [data-name=gradients], [data-name=check])")) text.remove(); }

function shown(run, answer) {
  const { picture, inputs: given } = answer, same = played === run.dialect + run.source;
  if (given) showInputs(given);
  else if (!answer.error || !same) inputs.replaceChildren();
  if (picture) {
    const { step, view, opened } = values, kept = same && opened in picture.data.ways;
    const state = linked({ ...picture, state: kept ? { ...picture.state, step: Math.min(step, picture.data.ways[opened].last), view, opened } : picture.state });
    Object.assign(values, state, { start: picture.state, inputs: {} });
    played = run.dialect + run.source;
    if (same) for (const name of ["data", "inputs", "step", "view", "opened"]) model.put(name, name === "data" ? picture.data : values[name]);
    else { stage.replaceChildren(); values.data = picture.data; player.render({ model, el: stage }); }
    performance.mark("labkit-shown");
  } else if (!answer.error || !same) {
    stage.replaceChildren();
    played = "";
    values.data = null;
  }
  if ((picture || answer.note) && !error.dataset.ofLink) error.hidden = true;
  showTexts(answer);
  keep();
}

function showInputs(given) {
  const focused = document.activeElement?.name;
  now.inputs = { ...given };
  inputs.replaceChildren(...Object.entries(given).map(([name, text]) => {
    const box = document.createElement("input"), label = document.createElement("label");
    Object.assign(box, { name, value: text, size: Math.max(5, Math.min(14, text.length)), spellcheck: false, autocomplete: "off" });
    box.onchange = () => { now.inputs[name] = box.value; if (worker || !drawn(name, box.value)) runs(); };
    label.append(`${name} = `, box);
    return label;
  }));
  if (focused) inputs.querySelector(`[name="${CSS.escape(focused)}"]`)?.focus();
}

// A number that is typed, in the picture, which needs no Python for it; whether it does.
function drawn(name, text) {
  const known = values.data?.inputs.some((one) => one.name === name && one.entries.length === 1) && text.trim() && Number.isFinite(Number(text));
  if (known) { model.put("inputs", { ...values.inputs, [name]: Number(text) }); forget(); keep(); }
  return known;
}

function showTexts(answer) {
  const open = new Set([...texts.querySelectorAll("details[open]")].map((element) => element.dataset.name));
  const kept = Object.entries(LABELS).filter(([name]) => answer[name] && Object.keys(answer[name]).length);
  texts.replaceChildren(...kept.map(([name, label]) => {
    const element = document.createElement("details"), summary = document.createElement("summary"), text = document.createElement("pre");
    const gradients = Object.entries(answer.gradients || {}).map(([of, value]) => `d/d${of}  ${value}`).join("\n");
    element.dataset.name = name;
    element.open = open.has(name) || name === "printed" || name === "gradients" || name === "value";
    summary.textContent = label;
    text.textContent = name === "gradients" ? gradients : answer[name];
    text.tabIndex = 0;
    element.append(summary, text);
    return element;
  }));
}

function say(text) { status.textContent = text; }

function fail(text) {
  error.textContent = text;
  error.hidden = false;
}

// ---- what the reader does ----

function run() {
  error.hidden = true;
  delete error.dataset.ofLink;
  byId("about").textContent = presets.find((one) => one.source === now.code)?.title || "";
  keep();
  ask({ run: { source: now.code, dialect: now.dialect, inputs: now.inputs } });
}

// It was asked for: Python is loaded where it is not there yet.
function runs() {
  if (!worker) start();
  run();
}

function typed() {
  code.rows = Math.min(24, Math.max(1, code.value.split("\n").length));
}

function put(state, atOnce) {
  Object.assign(now, { code: state.code ?? "", dialect: state.dialect || "numpy", inputs: {}, wanted: {}, ...state.link });
  code.value = now.code;
  for (const radio of form.elements.dialect) radio.checked = radio.value === now.dialect;
  inputs.replaceChildren();
  typed();
  error.hidden = true;
  if (atOnce || worker) { runs(); return; }
  stage.replaceChildren();
  texts.replaceChildren();
  [played, values.data] = ["", null];
  say(`Not run yet: press “Show the graph”. ${byId("loads").textContent}`);
}

code.oninput = typed;
code.onkeydown = (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  form.requestSubmit();
};
form.onsubmit = (event) => {
  event.preventDefault();
  now.code = code.value;
  now.dialect = form.elements.dialect.value;
  runs();
};
stop.onclick = () => { fail("Stopped."); end("Its worker was ended and is started again. "); };
window.onhashchange = () => open(location.hash);

// What an address says: a program, or the name of a preset.
function open(hash) {
  const { code: source, case: name, dialect, inputs: given, wanted, run: atOnce } = asked(hash);
  const named = presets.find((one) => one.name === name && (!dialect || one.dialect === dialect));
  const first = named || (source === undefined ? presets[0] : { source, dialect });
  put({ code: first.source, dialect: first.dialect, link: first === presets[0] && !named ? {} : { inputs: given, wanted } }, atOnce !== undefined);
  delete error.dataset.ofLink;
  if (name === undefined || named) return;
  fail(`The link names the preset \u201c${name.slice(0, 60)}\u201d, which is not here (any more).`);
  error.dataset.ofLink = "1"; // it stays when the first preset, shown instead, has its picture
}

const presets = await (await fetch(new URL("presets.json", import.meta.url))).json();
const groups = { numpy: "NumPy", mindspore: "The documents' cases, MindSpore", torch: "The documents' cases, PyTorch" };
preset.append(new Option("a preset …", ""), ...Object.entries(groups).map(([dialect, label]) => {
  const group = Object.assign(document.createElement("optgroup"), { label });
  presets.forEach((one, i) => one.dialect === dialect && group.append(new Option(one.title || one.name, i)));
  return group;
}));
preset.onchange = () => {
  const chosen = presets[preset.value];
  if (chosen) put({ code: chosen.source, dialect: chosen.dialect });
};
const back = byId("back");
for (const type of ["pointerdown", "focus"]) back.addEventListener(type, () => { back.href = `index.html${location.hash}`; });
settle(document.querySelector("main"));
byId("run").disabled = false;
open(location.hash);
if (!worker && now.code === presets[0].source && !Object.keys(now.inputs).length && !Object.keys(now.wanted).length) {
  const answer = await (await fetch(new URL("first.json", import.meta.url))).json(); // what Python would answer
  if (!worker && now.code === presets[0].source) { shown({ source: now.code, dialect: now.dialect }, answer); say(""); }
}
