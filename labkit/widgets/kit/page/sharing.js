// Below each widget: a link that carries what it shows, and the code of a frame for one's own page. Where there is no page
// to link to, as in a notebook, its state as Python, for `widget.state = ...`.

import { make } from "./elements.js";
import { asPython, asked, written } from "./links.js";

// What makes a frame as high as what it shows, where the page around it lets scripts run.
const FOLLOWS = 'addEventListener("message",e=>{for(const f of document.querySelectorAll("iframe"))if(f.contentWindow===e.source&&e.data?.labkit)f.style.height=e.data.labkit.height+"px"})';

export class Sharing {
  // `now()`: the `title` and `state` that are shown, `{ dials, rest, predict }`; `start`: how they were at first.
  constructor(frame, model, now, start) {
    Object.assign(this, { frame, model, now, start });
    this.said = make("p", { className: "lk-notice lk-linked", role: "status", hidden: true });
    this.field = make("textarea", { readOnly: true, rows: 2, hidden: true, spellcheck: false });
    this.reply = make("span", { className: "lk-reply-short", role: "status" });
    this.element = make("div", { className: "lk-share" });
    frame.prepend(this.said);
    frame.append(this.element);
    this.build();
  }

  build() {
    const { home, file } = this.places(), offered = home ? [["Copy link", () => this.link()]] : [["Copy state", () => this.python()]];
    if (file) offered.push(["Embed", () => this.embedded()]);
    const buttons = offered.map(([label, text]) => make("button", { type: "button", className: "lk-button lk-wide", onclick: () => this.copy(label, text()) }, label));
    const back = home && !this.model.get("place") && document.documentElement.classList.contains("embedded");
    if (back) {
      this.back = make("a", { target: "_blank", rel: "noopener", className: "lk-back" }, "Made with labkit: see where it is from");
      for (const type of ["pointerdown", "focus"]) this.back.addEventListener(type, () => (this.back.href = this.link()));
      this.back.href = this.link();
    }
    this.element.replaceChildren(...(back ? [this.back] : []), ...buttons, this.reply, this.field);
  }

  // `home`: the page that a link leads to; `file`: the one that a frame shows; `first` and `held`: what links to them begin with.
  places() {
    const { model, frame } = this, known = model.get("place")?.();
    if (known) return known;
    const here = location.href.split("#")[0], own = /^https?:$/.test(location.protocol);
    const cell = frame.closest("[data-widget]");
    if (cell) { // where its code was changed, the link has that, and no frame of the page as it was built shows it
      const code = JSON.parse(cell.dataset.code || "{}"), own = Object.keys(code).length === 0;
      return { home: here.split("?")[0], file: own ? cell.dataset.page : undefined, first: { widget: this.name(cell), ...code } };
    }
    if (model.get("live") || !own) return {};
    const saved = here.split("?")[0];
    if (!model.get("home")) return { home: saved, file: saved };
    const home = new URL(model.get("home"), here);
    return { home: home.href.split("#")[0], file: saved, first: asked(home.hash).page };
  }

  // What a live widget of a page is called: by its cell, and its place there.
  name(cell) {
    const before = [...cell.querySelectorAll(".labkit")].indexOf(this.frame);
    return before > 0 ? `${cell.dataset.widget}-${before + 1}` : cell.dataset.widget;
  }

  // What the address of this page asks of this widget; undefined if nothing.
  wanted() {
    const known = this.model.get("place")?.();
    if (known) return known.wanted();
    const link = asked(location.hash), cell = this.frame.closest("[data-widget]");
    const mine = cell ? link.page.widget === this.name(cell) : !this.model.get("live");
    return mine && (link.some || link.faults.length) ? link : undefined;
  }

  link() {
    const { home, first } = this.places(), end = written(this.now().state, this.start(), first);
    return end ? `${home}#${end}` : home;
  }

  embedded() {
    const { file, held } = this.places(), end = written(this.now().state, this.start(), held);
    const style = `width:100%;height:${Math.ceil(this.frame.getBoundingClientRect().height)}px;border:0`;
    const address = `${file}?embed${end ? "#" : ""}${end}`;
    const frame = make("iframe", { src: address, title: this.now().title, loading: "lazy", style });
    return [frame, make("script", {}, FOLLOWS)].map((node) => node.outerHTML).join("\n");
  }

  python() {
    const { dials, rest } = this.now().state;
    return `widget.state = ${asPython({ ...dials, ...rest })}`;
  }

  async copy(label, text) {
    const { field, reply } = this;
    Object.assign(field, { value: text, hidden: false, ariaLabel: `${label}, to copy` });
    field.select();
    const done = document.execCommand("copy") || (await navigator.clipboard?.writeText(text).then(() => true, () => false));
    reply.textContent = done ? "Copied." : "Press Ctrl+C, or \u2318C.";
  }

  // Sentences about a link that was followed.
  say(sentences) {
    this.said.hidden = !sentences.length;
    this.said.textContent = sentences.join("\n");
  }
}
