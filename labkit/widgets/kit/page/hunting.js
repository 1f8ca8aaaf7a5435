// Find the one (`hunts.py`): a click on the suspect, or a choice from the list, counts as a try; then hints, then why. What
// takes more than a line or two is told below the picture, which stays where it is.

import { make } from "./elements.js";

const HOW = "Click it in the picture.";

export function huntControl(dial, turn, player) {
  const { hunt } = dial, last = dial.values.length - 1, here = () => player.state[dial.name];
  const button = (words, onclick) => make("button", { type: "button", className: "lk-button lk-wide", onclick }, words);
  const list = make("select", { "aria-label": hunt.question }, ...Object.values(hunt.choices).map((name) => make("option", {}, name)));
  const keys = Object.keys(hunt.choices), tries = make("span", { className: "lk-tries", role: "img" });
  const below = make("div", { className: "lk-details lk-why", hidden: true });
  const reply = make("span", { className: "lk-reply", role: "status" });
  const guess = button("It is this one", () => suspect(keys[list.selectedIndex]));
  const tell = button("Show me", () => end());
  const choose = make("details", { className: "lk-choose" }, make("summary", {}, "or choose from a list"), list, guess);
  const again = button("Again", () => {
    said = "";
    player.set({ ...Object.fromEntries(Object.keys(hunt.goes || {}).map((name) => [name, 0])), [dial.name]: 0 });
    player.focusPanel();
  });
  const element = make("div", { className: "lk-dial lk-hunt", role: "group", "aria-label": hunt.question },
    make("span", { className: "lk-question" }, hunt.question), tries, tell, choose, again, reply);
  let said = "";

  const end = () => player.set({ ...hunt.goes, [dial.name]: last });
  function suspect(key) {
    if (key === hunt.answer) {
      said = "Found.";
      end();
      return;
    }
    const name = hunt.choices[key], misses = here() + 1;
    said = (hunt.says || {})[key] || `Not ${name}.`;
    if (misses < last) turn(misses);
    else { said += ` It is ${hunt.choices[hunt.answer]}.`; end(); }
  }
  const [told, ...why] = hunt.because.split("\n");
  return {
    element, below,
    takes: (link) => link in hunt.choices && !element.hidden && here() < last,
    suspect,
    show(position) {
      const over = position === last, focused = element.contains(document.activeElement);
      for (const part of [choose, tell]) part.hidden = over;
      again.hidden = !over;
      if (over && focused) again.focus({ preventScroll: true });
      tries.hidden = over;
      tries.textContent = over ? "" : "●".repeat(last - position) + "○".repeat(position);
      tries.setAttribute("aria-label", dial.values[position]);
      const words = [said, over ? told : hunt.hints[position - 1]].filter(Boolean).join(" ") || HOW;
      below.textContent = why.join("\n");
      below.hidden = !over || !why.length || element.hidden;
      if (reply.textContent !== words) reply.textContent = words;
    },
  };
}
