// A page of the site that becomes a notebook: its cells can be changed and run, by Python in a worker of this browser.
//
// What it is about stands in the element #live-page: `name` of the notebook, `cells` (id, source, raises), the `exercises` of
// all notebooks, the `packages` to begin with, `runtime` and `worker` and `offline` as addresses, what is loaded in words (`loads`), files to keep (`files`).

import { coloured, editor } from "./editor.js";
import { Outputs } from "./outputs.js";

const page = JSON.parse(document.getElementById("live-page").textContent);
const RUNTIME = new URL(page.runtime, location.href).href;
const MOST = 4000; // letters of code in a link
const LONG = 20; // s after which a cell says that it can be stopped
const RECORD = "labkit-record", CHANGED = `labkit-changed-${page.name}`, STOPPED = "stopped";

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function button(text, onclick, title = "") { return make("button", { type: "button", textContent: text, onclick, title }); }

function kept(name, otherwise) { // a browser may refuse to keep things: then they last as long as the page
  try { return JSON.parse(localStorage.getItem(name)) ?? otherwise; } catch { return otherwise; }
}

function keep(name, value) {
  try { localStorage.setItem(name, JSON.stringify(value)); } catch { notebook.warn("This browser keeps nothing: what you do is gone with the page."); }
}

// The code that a link has, by the id of its cell.
function brought(hash) {
  try {
    const found = JSON.parse(new URLSearchParams(hash.slice(1)).get("code")) || {};
    return Object.fromEntries(Object.entries(found).filter(([, text]) => typeof text === "string"));
  } catch { return {}; }
}

class Cell {
  constructor(notebook, element, { id, source, raises }, number) {
    Object.assign(this, { notebook, element, id, source, raises, number });
    this.place = make("div", { className: "live-output" });
    this.place.setAttribute("aria-live", "polite");
    const frame = element.querySelector("iframe.labkit-page"); // where the widget of this cell stands still: links name it
    if (frame) this.place.dataset.page = frame.src.split("#")[0];
    if (id in notebook.changed) element.querySelector(".cell_input pre").replaceChildren(...coloured(notebook.changed[id]));
  }

  open() {
    const { element, notebook } = this;
    this.editor = editor(notebook.brought[this.id] ?? notebook.changed[this.id] ?? this.source, {
      label: `Code of cell ${this.number}`, run: (onwards) => this.ask(onwards), changed: (text) => this.note(text),
    });
    this.button = button("▶ Run", () => this.ask(false), "Shift+Enter");
    this.back = button("Undo my changes", () => { this.editor.set(this.source); this.note(this.source); });
    this.back.hidden = this.editor.text() === this.source;
    this.says = make("span", { className: "live-says" });
    const above = button("Run all to here", () => notebook.runTo(this));
    element.querySelector(".cell_input").replaceChildren(this.editor.element);
    element.querySelector(".cell_input").after(make("div", { className: "live-tools" }, this.button, ...(this.number > 1 ? [above] : []), this.back, this.says), this.place);
  }

  note(text) {
    this.back.hidden = text === this.source;
    if (text === this.source) delete this.notebook.changed[this.id];
    else this.notebook.changed[this.id] = text;
    keep(CHANGED, this.notebook.changed);
  }

  async ask(onwards) {
    if (onwards) this.notebook.cells[this.number]?.editor.focus();
    await this.notebook.run(this);
  }

  clear() {
    this.element.querySelectorAll(".cell_output").forEach((old) => old.remove()); // what the page came with
    this.element.querySelectorAll("details.answer").forEach((answer) => { answer.open = true; });
    this.place.replaceChildren();
  }
}

class Notebook {
  constructor() {
    this.changed = kept(CHANGED, {});
    this.brought = brought(location.hash);
    this.queue = Promise.resolve();
    this.lost = make("p", { className: "live-lost", hidden: true, textContent: "Python was restarted, and the variables of the cells are gone. “Run all to here” below a cell brings them back." });
    this.lost.setAttribute("role", "alert");
    const elements = [...document.querySelectorAll("div.cell")].filter((one) => one.querySelector(".cell_input"));
    this.cells = page.cells.map((cell, i) => new Cell(this, elements[i], cell, i + 1));
    this.bar = make("div", { className: "live-bar" });
    this.bar.setAttribute("role", "region");
    this.bar.setAttribute("aria-label", "Run this page");
    this.says = make("p", { className: "live-status" });
    this.says.setAttribute("role", "status");
    document.querySelector("h1").after(this.bar);
    this.offer();
  }

  offer() {
    const before = Object.keys(this.changed).length || this.answered();
    const words = location.protocol === "file:" ? "It runs when it comes from a server: python -m http.server" : page.loads;
    const start = button(before ? "Go on with this page here" : "Run this page here", () => this.start());
    start.className = "live-start";
    start.disabled = location.protocol === "file:";
    this.says.textContent = [this.ofLink(), before && this.progress(), words].filter(Boolean).join(" ");
    this.bar.replaceChildren(start, this.says);
  }

  // What a link brings: it is shown as code, and nothing of it runs by itself.
  ofLink() {
    const numbers = this.cells.filter(({ id }) => id in this.brought).map(({ number }) => number);
    const own = new URLSearchParams(location.hash.slice(1)).get("changed");
    if (own && !numbers.length) return `This link was made after the code of this page had been changed, in cell ${own}, and does not have all of it.`;
    return numbers.length ? `This link brings changed code of cell ${numbers.join(", ")}: look at it before you run it.` : "";
  }

  // What a link to a widget of this cell says of the code that made it: what was changed in the cells up to it, by id.
  codeOf(last) {
    const changed = this.cells.slice(0, last.number).filter((cell) => cell.editor.text() !== cell.source);
    const code = JSON.stringify(Object.fromEntries(changed.map((cell) => [cell.id, cell.editor.text()])));
    if (!changed.length) return {};
    return code.length <= MOST ? { code } : { changed: changed.map(({ number }) => number).join(", ") };
  }

  answered() {
    const answers = kept(RECORD, { answers: {} }).answers || {};
    return (page.exercises[page.name] || []).filter((name) => name in answers).length;
  }

  progress() {
    const all = (page.exercises[page.name] || []).length;
    return all ? `${this.answered()} of ${all} exercises of this page are answered.` : "";
  }

  // ---- Python ----

  async start() {
    const offline = registered();
    this.outputs = new Outputs((message) => this.worker.postMessage({ say: JSON.stringify(message) }));
    for (const cell of this.cells) cell.open();
    document.documentElement.classList.add("live");
    this.bar.replaceChildren(
      button("Run all", () => this.runTo(this.cells.at(-1))), button("Restart Python", () => this.stop(), "Stops a cell that is running"),
      button("Reset this page", () => this.reset(), "The cells as they came"), this.says, this.lost);
    this.begin();
    await this.ready;
    await keepForOffline(await offline);
  }

  begin() {
    this.worker = new Worker(`${RUNTIME}worker.js`, { type: "module" });
    this.worker.onmessage = ({ data }) => this.hear(JSON.parse(data));
    this.worker.onerror = (event) => this.hear({ type: "failed", text: event.message || "the browser did not load it" });
    this.ready = new Promise((resolve) => { this.resolve = resolve; });
    this.queue = Promise.resolve();
    this.says.textContent = "Loading Python … you can read on, and change cells already.";
    const start = { runtime: RUNTIME, packages: page.packages, exercises: page.exercises, record: localStorageText(RECORD) };
    this.worker.postMessage({ start });
  }

  hear(message) {
    const cell = this.cells.find((one) => one.id === message.cell);
    if (cell && message.type === "error") message.text = this.missing(cell, message.text) || message.text;
    if (message.type === "ready") {
      this.says.textContent = `Python runs in this page. ${this.progress()}`;
      document.documentElement.dataset.live = "ready";
      this.resolve();
    } else if (message.type === "failed") {
      this.says.textContent = `Python could not be started or has ended: ${message.text}`;
      this.done?.({ ok: false });
    } else if (message.type === "record") {
      if (message.text) { try { localStorage.setItem(RECORD, message.text); } catch { /* said where cells are kept */ } }
      this.says.textContent = this.progress();
    } else if (message.type === "done") {
      this.done?.(message);
    } else {
      this.outputs.take(message, cell?.place || this.cells[0].place);
    }
  }

  // What to do about a name that is not defined, because a cell above that defines it has not run.
  missing(cell, text) {
    const name = /^NameError: name '(\w+)' is not defined/m.exec(text)?.[1];
    const defines = (one) => !one.ran && new RegExp(`\\b${name}\\b`).test(one.editor.text());
    return name && this.cells.slice(0, cell.number - 1).some(defines) && `${name} is not defined yet, because a cell above has not run. Press “Run all to here”.`;
  }

  // Runs a cell after those that were asked for before; whether it ended well.
  run(cell) {
    const began = this.worker, mine = this.queue.then(async () => {
      if (this.worker !== began) return STOPPED;
      cell.says.textContent = "[*] waiting for Python";
      await this.ready;
      if (this.worker !== began) return STOPPED;
      this.lost.hidden = true;
      cell.clear();
      cell.place.dataset.code = JSON.stringify(this.codeOf(cell));
      cell.button.disabled = true;
      cell.says.textContent = "[*] running";
      const ended = new Promise((resolve) => { this.done = resolve; });
      const long = setTimeout(() => { cell.says.textContent = "[*] still running: Restart Python stops it"; }, 1000 * LONG);
      this.worker.postMessage({ say: JSON.stringify({ run: cell.editor.text(), cell: cell.id }) });
      const { ok, count } = await ended;
      clearTimeout(long);
      cell.button.disabled = false;
      cell.ran = ok !== STOPPED;
      cell.says.textContent = ok === STOPPED ? "was stopped" : `[${count ?? " "}] ${ok ? "has run" : "ended with an error"}`;
      return ok;
    });
    this.queue = mine.catch(() => {});
    return mine;
  }

  // Runs the cells up to one; an error ends it, except where the page means it to be one.
  async runTo(last) {
    for (const cell of this.cells.slice(0, last.number)) {
      if (cell !== last && cell.ran && last !== this.cells.at(-1)) continue;
      const fine = await this.run(cell);
      if (fine === STOPPED || (!fine && !cell.raises)) return;
    }
  }

  // Ends the worker, whatever it does, and starts another.
  stop() {
    const { done } = this;
    this.worker.terminate();
    this.outputs.forget();
    for (const cell of this.cells) {
      cell.says.textContent = cell.ran ? "ran before Python was restarted" : "";
      cell.ran = false;
    }
    this.lost.hidden = false;
    this.begin();
    done?.({ ok: STOPPED });
  }

  reset() {
    if (!confirm("Undo all changes to the cells of this page? Your answered exercises stay recorded.")) return;
    this.changed = {};
    keep(CHANGED, {});
    for (const cell of this.cells) { cell.editor.set(cell.source); cell.back.hidden = true; cell.place.replaceChildren(); cell.ran = false; }
    this.stop();
  }

  warn(text) { this.says.textContent = text; }
}

function localStorageText(name) { try { return localStorage.getItem(name) || ""; } catch { return ""; } }

// The site's worker between this page and the network, which keeps what the page needs; null where there can be none.
async function registered() {
  try {
    await navigator.serviceWorker.register(page.offline);
    return (await navigator.serviceWorker.ready).active;
  } catch {
    return null;
  }
}

// From the first visit on, the page runs without a network: all that it has loaded, and will load, is kept.
async function keepForOffline(worker) {
  if (!worker) return;
  const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
  const frames = [...document.querySelectorAll("iframe[src]")].map((frame) => frame.src);
  const files = [location.href, ...loaded, ...frames, ...page.files].map((file) => new URL(file, location.href).href.split("#")[0]);
  const channel = new MessageChannel();
  channel.port1.onmessage = () => { document.documentElement.dataset.offline = "ready"; };
  worker.postMessage({ keep: [...new Set(files)].filter((file) => file.startsWith(location.origin)) }, [channel.port2]);
}

const notebook = new Notebook(); // a link may ask for one cell: page.html?run=ID
const asked = notebook.cells.find((cell) => cell.id === new URLSearchParams(location.search).get("run"));
if (asked && location.protocol !== "file:") {
  notebook.start();
  notebook.run(asked);
}
