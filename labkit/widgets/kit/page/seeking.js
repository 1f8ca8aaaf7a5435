// A question that is answered in the picture (`seeks.py`): the reader turns a dial to where the answer is, and checks.

import { make } from "./elements.js";
import { holds, latest } from "./look.js";

export class Seeking {
  // `before`: the same of the scene before, for what was asked and answered there.
  constructor(player, { answered = new Set(), asked } = {}) {
    const button = (words, onclick) => make("button", { type: "button", className: "lk-button lk-wide", onclick }, words);
    this.question = make("span");
    this.reply = make("span", { className: "lk-reply", role: "status" });
    this.buttons = [button("Check", () => this.check()), button("Show me", () => this.give())];
    this.element = make("div", { className: "lk-ask", hidden: true }, this.question, ...this.buttons, this.reply);
    Object.assign(this, { player, answered, asked });
  }

  // The dial and its question at the positions of the others, answered or not; what would be asked of who predicts.
  get now() { return this.player.predict ? this.offered : undefined; }

  get offered() {
    const { dials, state } = this.player;
    for (const dial of dials.filter(({ when }) => holds(when, state))) {
      const seek = (dial.seeks || []).find(({ when }) => holds(when, state));
      if (seek) return { dial, seek };
    }
    return undefined;
  }

  get open() { return this.now && !this.answered.has(this.now.seek.question); }

  // After each step: what is asked, until it is answered, and a reply as long as the dial stays where it was checked.
  show() {
    if (!this.player.predict) this.answered.clear();
    this.begin();
    const { now, open } = this, at = now && this.player.state[now.dial.name];
    this.element.hidden = !now || !(open || at === this.checked);
    this.buttons.forEach((one) => { one.hidden = !open; });
    if (now) this.question.textContent = now.seek.question;
    if (at !== this.checked) this.reply.textContent = "";
  }

  // A question that was not there before has its dial where it starts.
  begin() {
    const { now } = this, before = this.asked;
    this.asked = now?.seek.question;
    if (!now || this.asked === before || !this.open) return;
    this.checked = undefined;
    if (now.seek.start !== undefined) this.player.set({ [now.dial.name]: now.seek.start });
  }

  check() {
    const { dial, seek } = this.now, at = this.player.state[dial.name], right = seek.answer.includes(at);
    this.checked = at;
    if (right) this.answered.add(seek.question);
    this.reply.textContent = right ? `Right. ${seek.because || ""}` : latest(seek.says || [], at, "Not there.");
    this.player.afterwards();
    if (right) this.player.focusPanel(); // the buttons are gone
  }

  // The answer that is nearest to where the dial stands.
  give() {
    const { dial, seek } = this.now, far = (at) => Math.abs(at - this.player.state[dial.name]);
    this.player.set({ [dial.name]: seek.answer.reduce((best, at) => (far(at) < far(best) ? at : best)) });
    this.check();
    this.reply.textContent = seek.because || "";
  }
}
