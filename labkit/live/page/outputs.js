// What a cell shows: text, pictures, and widgets with a model in Python.

const WIDGET = "application/vnd.jupyter.widget-view+json";
const COLOURS = /\x1b\[[0-9;]*m/g;

export class Outputs {
  constructor(say) { Object.assign(this, { say, models: new Map() }); }

  // A message of the kernel that belongs into `place`, the element below a cell.
  take(message, place) {
    const model = this.models.get(message.model);
    if (message.type === "stream") stream(message, place);
    else if (message.type === "error") place.append(block(message.text, "live-error"));
    else if (message.type === "display") this.display(message.data, message.metadata, place);
    else if (message.type === "open") this.models.set(message.model, new Model(message, this.say));
    else if (message.type === "update") model?.follow(message.state);
    else if (message.type === "custom") model?.tell("msg:custom", message.content);
    else if (message.type === "close") this.models.delete(message.model);
  }

  display(data, metadata, place) {
    const element = document.createElement("div");
    if (data[WIDGET]) this.models.get(data[WIDGET].model_id)?.draw(element);
    else if (data["text/html"]) element.innerHTML = data["text/html"];
    else if (data["image/svg+xml"]) element.innerHTML = data["image/svg+xml"];
    else if (data["image/png"]) element.append(picture(data, metadata));
    else element.append(block(data["text/markdown"] ?? data["text/plain"]));
    place.append(element);
  }

  forget() { this.models.clear(); }
}

// What anywidget's JavaScript is given in a notebook.
class Model {
  constructor({ model, esm, css, state }, say) {
    Object.assign(this, { id: model, state, say, news: {}, listeners: new Map() });
    this.code = import(URL.createObjectURL(new Blob([esm], { type: "text/javascript" })));
    this.css = css;
  }

  get(name) { return this.state[name]; }

  set(name, value) {
    this.state[name] = this.news[name] = value;
    this.tell(`change:${name}`, value);
  }

  save_changes() {
    if (Object.keys(this.news).length) this.say({ model: this.id, state: this.news });
    this.news = {};
  }

  send(content) { this.say({ model: this.id, content }); }

  on(event, listener) { this.listeners.set(event, [...(this.listeners.get(event) || []), listener]); }

  off(event, listener) { this.listeners.set(event, (this.listeners.get(event) || []).filter((one) => one !== listener)); }

  tell(event, value) { for (const listener of this.listeners.get(event) || []) listener(value); }

  follow(state) {
    Object.assign(this.state, state);
    for (const name in state) this.tell(`change:${name}`, state[name]);
  }

  async draw(element) {
    const { default: made } = await this.code;
    const { render, initialize } = typeof made === "function" ? await made() : made;
    if (this.css) element.before(Object.assign(document.createElement("style"), { textContent: this.css }));
    await initialize?.({ model: this });
    await render({ model: this, el: element });
  }
}

function stream({ name, text }, place) {
  const last = place.lastElementChild;
  const shown = last?.dataset.stream === name ? last : block("", name === "stderr" ? "live-stderr" : "");
  shown.dataset.stream = name;
  const lines = (shown.textContent + text.replace(COLOURS, "")).split("\n");
  shown.textContent = lines.map((line) => line.slice(line.lastIndexOf("\r", line.length - 2) + 1)).join("\n");
  if (shown !== last) place.append(shown);
}

function block(text, kind = "") {
  return Object.assign(document.createElement("pre"), { textContent: text.replace(COLOURS, ""), className: `live-text ${kind}` });
}

function picture(data, metadata) {
  const alt = metadata?.["image/png"]?.alt || data["text/plain"] || "";
  return Object.assign(new Image(), { src: `data:image/png;base64,${data["image/png"]}`, alt });
}
