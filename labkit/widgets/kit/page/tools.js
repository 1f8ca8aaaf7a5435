// What stands above a panel that is larger than its frame, or has many parts: larger, smaller, all of it, and a search.

import { make } from "./elements.js";

const MANY = 30; // parts: more are searched by name
const CLOSER_BY = 1.4;

// `found(name)`: a part was found by name; `nameOf(name)`: what it is called.
export function toolsOf(view, names, nameOf, found) {
  const buttons = [
    wordButton("\u2212", "Smaller", () => view.zoom(1 / CLOSER_BY)),
    wordButton("+", "Larger", () => view.zoom(CLOSER_BY)),
    wordButton("Fit", "Fit: all of it, or as before", () => view.whole()),
  ];
  const search = names.length > MANY ? searchOf(names, nameOf, found, () => view.scroller.focus()) : null;
  const element = make("span", { className: "lk-tools", role: "group", "aria-label": "View" }, ...(search ? [search.element] : []), ...buttons);
  return {
    element,
    search,
    show(larger) { // than its frame
      const hidden = !larger && !view.zoomed;
      if (hidden && buttons.includes(document.activeElement)) view.scroller.focus({ preventScroll: true });
      for (const button of buttons) button.hidden = hidden;
      element.hidden = !search && !larger && !view.zoomed;
    },
  };
}

function wordButton(words, label, press) {
  return make("button", { type: "button", className: "lk-button", title: label, "aria-label": label, onclick: press }, words);
}

// A field: as one writes, the first part whose name has these letters; Enter goes to the next, with Shift to the one before.
function searchOf(names, nameOf, found, leave) {
  const field = make("input", { type: "search", placeholder: "Search", size: 12, "aria-label": "Search the parts", spellcheck: false });
  const count = make("span", { className: "lk-count", role: "status" });
  let hits = [], at = 0;
  const go = (to) => {
    at = hits.length ? (to + hits.length) % hits.length : 0;
    count.textContent = field.value.trim() ? (hits.length ? `${at + 1} of ${hits.length}` : "none") : "";
    if (hits.length) found(hits[at]);
  };
  field.oninput = () => {
    const words = field.value.trim().toLowerCase();
    hits = words ? matching(names, nameOf, words) : [];
    go(0);
  };
  field.onkeydown = (event) => {
    if (event.key === "Enter") { event.preventDefault(); go(at + (event.shiftKey ? -1 : 1)); }
    else if (event.key === "Escape") leave();
    else return;
    event.stopPropagation();
  };
  return { element: make("span", { className: "lk-search" }, field, count), focus: () => field.focus() };
}

// The names of the parts that are called so: those called exactly so first, then those that begin so.
export function matching(names, nameOf, words) {
  const rank = (called) => (called === words ? 0 : called.startsWith(words) ? 1 : called.includes(words) ? 2 : 3);
  const ranked = names.map((name) => [rank(nameOf(name).toLowerCase()), name]).filter(([order]) => order < 3);
  return ranked.sort(([a], [b]) => a - b).map(([, name]) => name);
}
