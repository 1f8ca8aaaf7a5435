// The controls of a scene's dials. Each is built once and returns `{ element, show(position) }`.

import { ICONS, iconButton, make } from "./elements.js";
import { huntControl } from "./hunting.js";
import { placeOnTrack, trackOf } from "./look.js";

// Where a dial stands, in words: as wide for each of its positions, so that no button moves away under the pointer.
function readout({ values }) {
  const longest = values.reduce((found, value) => (value.length > found.length ? value : found), "");
  const at = make("span", { className: "lk-at" });
  at.dataset.longest = longest;
  return at;
}

function sliderControl(dial, turn, player) {
  const track = trackOf(dial), last = track.length - 1, here = () => placeOnTrack(player.scene, dial, player.state[dial.name]);
  const range = make("input", { type: "range", min: 0, max: last, step: 1, className: "lk-range", "aria-label": dial.label });
  range.oninput = () => {
    const put = track[Number(range.value)];
    player.pause(); // puts the slider where the player was
    turn(put);
  };
  const at = readout(dial);
  const to = (where) => () => { player.pause(); turn(track[Math.min(last, Math.max(0, where(here())))]); };
  const play = iconButton("play", `Play ${dial.label}`, () => player.toggle(dial));
  play.classList.add("lk-playing");
  const ends = [iconButton("first", "First", to(() => 0)), iconButton("last", "Last", to(() => last))];
  for (const button of ends) button.classList.add("lk-far"); // not where there is little room
  const element = make("div", { className: "lk-dial lk-slider", role: "group", "aria-label": dial.label },
    play, make("span", { className: "lk-label" }, dial.label), ends[0], iconButton("previous", "Back", to((i) => i - 1)), range,
    iconButton("next", "Forward", to((i) => i + 1)), ends[1], at);
  return {
    element,
    show(position, playing) {
      range.value = Math.max(0, here());
      range.setAttribute("aria-valuetext", dial.values[position]);
      at.textContent = dial.values[position];
      play.firstChild.firstChild.setAttribute("d", ICONS[playing ? "pause" : "play"]);
      play.title = `${playing ? "Pause" : "Play"} ${dial.label}`;
      play.setAttribute("aria-label", play.title);
    },
  };
}

// Buttons in a row, or a list: where they are many, and where there is no room for the row (`folding.js`).
function choiceControl(dial, turn) {
  const row = rowOf(dial, turn), list = listOf(dial, turn), many = dial.values.length > 6;
  const element = make("div", { className: "lk-dial" }, many ? list.element : row.element);
  const fold = (folded) => {
    const next = (folded ? list : row).element, focused = element.contains(document.activeElement);
    if (next === element.firstChild) return;
    element.replaceChildren(next);
    if (focused) next.querySelector("select, :checked").focus({ preventScroll: true });
  };
  return { element, show: (position) => { row.show(position); list.show(position); }, fold: many ? undefined : fold };
}

function listOf(dial, turn) {
  const select = make("select", { onchange: () => turn(select.selectedIndex) },
    ...dial.values.map((value) => make("option", {}, value)));
  const element = make("label", { className: "lk-dial lk-list" }, make("span", { className: "lk-label" }, dial.label), select);
  return { element, show: (position) => (select.selectedIndex = position) };
}

function rowOf(dial, turn) {
  const name = `lk-${dial.name}-${Math.random()}`; // radio buttons of one name are one group in the whole notebook
  const radios = dial.values.map((_, i) => make("input", { type: "radio", name, onchange: () => turn(i) }));
  const element = make("fieldset", { className: "lk-dial lk-choice" }, make("legend", { className: "lk-label" }, dial.label),
    ...radios.map((radio, i) => make("label", {}, radio, make("span", {}, dial.values[i]))));
  return { element, show: (position) => (radios[position].checked = true) };
}

function toggleControl(dial, turn) {
  const box = make("input", { type: "checkbox", onchange: () => turn(box.checked ? 1 : 0) });
  const element = make("label", { className: "lk-dial lk-toggle" }, box, make("span", {}, dial.label));
  return { element, show: (position) => (box.checked = position === 1) };
}

function planeControl(dial, turn, player) {
  const columns = dial.plane.columns, rows = dial.values.length / columns;
  const axis = (label, count, position, join) => {
    const range = make("input", { type: "range", min: 0, max: count - 1, step: 1, className: "lk-range", "aria-label": label });
    range.oninput = () => turn(join(player.state[dial.name], Number(range.value)));
    return { range, show: (i) => { range.value = position(i); range.setAttribute("aria-valuetext", dial.values[i]); } };
  };
  const [across, down] = dial.plane.labels || [`${dial.label}, across`, `${dial.label}, down`];
  if (dial.plays?.length) return sliderControl(dial, turn, player); // its places are dragged in the picture
  const x = axis(across, columns, (i) => i % columns, (i, v) => Math.floor(i / columns) * columns + v);
  const y = axis(down, rows, (i) => rows - 1 - Math.floor(i / columns), (i, v) => (rows - 1 - v) * columns + (i % columns));
  const at = readout(dial);
  const element = make("div", { className: "lk-dial lk-plane", role: "group", "aria-label": dial.label },
    make("span", { className: "lk-label" }, dial.label), 
    make("span", { className: "lk-axis" }, across, x.range), make("span", { className: "lk-axis" }, down, y.range), at);
  return { element, show: (i) => { x.show(i); y.show(i); at.textContent = dial.values[i]; } };
}

// What is turned in the picture alone, or by an answer.
function insideControl() { return { element: make("div", { className: "lk-dial lk-inside" }), show() {} }; }

export const CONTROLS = {
  slider: sliderControl, choice: choiceControl, list: listOf, toggle: toggleControl, plane: planeControl,
  hunt: huntControl, inside: insideControl, told: insideControl,
};
