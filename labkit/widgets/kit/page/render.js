// What anywidget calls with a model, and a saved page with a stand-in for one: shows the model's scene, and the next.

import { make } from "./elements.js";
import { settle } from "./framing.js";
import { alike, asked, fitting, lacking, looking, partsOf, written } from "./links.js";
import { inWords } from "./numbers.js";
import { Player } from "./player.js";
import { Reach } from "./reaching.js";
import { Sharing } from "./sharing.js";
import { unpacked } from "./unpacking.js";
import { Walking } from "./walking.js";

const STEPS = new Set(["ArrowLeft", "ArrowRight"]), ENDS = new Set(["Home", "End"]);
const TAKES_KEYS = "input, select, textarea, [role=slider]";
const PASSED_ON = new Set(["Escape", "Tab"]);

function hideStill(root, id) {
  if (!id) return;
  const still = `img[data-labkit="${id}"]`;
  root.append(make("style", {}, `${still}, .jp-OutputArea-child:has(${still}) { display: none; }`));
}

function framed(el, still) {
  const root = make("div", { className: "lk-root" });
  const frame = make("div", { className: "labkit", "data-lm-suppress-shortcuts": "true" }, root);
  hideStill(frame, still);
  for (const type of ["keydown", "keyup", "keypress"]) {
    frame.addEventListener(type, (event) => { if (!PASSED_ON.has(event.key)) event.stopPropagation(); });
  }
  el.append(frame);
  return root;
}

// Calls once, when an element first comes into view; returns what waits for it.
function onceSeen(element, call) {
  const observer = new IntersectionObserver((found) => {
    if (!found.some((one) => one.isIntersecting)) return;
    observer.disconnect();
    call();
  }, { rootMargin: "0px 0px -30% 0px" }); // not when only its upper edge is seen
  observer.observe(element);
  return observer;
}

function render({ model, el }) {
  const root = framed(el, model.get("still")), first = model.get("scene");
  let player, telling, alone = "", rest = model.get("rest") || {}; // what of the state is not a dial
  const told = (state) => {
    clearTimeout(telling);
    telling = setTimeout(() => { model.set("state", { ...state }); model.save_changes(); }, 150);
  };
  const reach = reachOf(first, model.get("reach"));
  const send = (message) => { // nobody waits for what comes of it, whoever answers
    if (model.get("live") || !message.set) model.send(message);
    else Promise.resolve().then(() => (reach.points ? reachFor(reach.nearest(message.set, rest.inputs), message.set) : compute(message.set)));
  };
  const compute = (asked) => { // by the page itself: in the scene that is seen, or as another one
    const inputs = { ...rest.inputs, ...asked }, scene = reach.sceneAt?.(inputs);
    if (!scene) player.grabbing.say("", notFinite(asked));
    else { rest = { ...rest, inputs }; show(scene); }
    player.grabbing.answered();
  };
  const reachFor = (i, asked) => {
    const inputs = reach.inputs(i), moved = reach.fields.filter((field) => !alike(inputs[field], rest.inputs[field]));
    if (moved.length) {
      rest = { ...rest, inputs: { ...rest.inputs, ...inputs } };
      show(reach.scene(i));
    }
    if (moved.some((field) => !(field in asked))) alone = Object.keys(asked).join();
    if (alone === Object.keys(asked).join()) player.grabbing.say("", "In a saved page, one of these inputs at a time.");
    else alone = "";
    player.grabbing.answered();
  };
  const open = (part) => {
    const other = model.get("scenes")?.[part];
    if (other === undefined) { send({ open: part }); return undefined; }
    rest = { ...rest, ...model.get("rests")?.[part] };
    return unpacked(other).then((scene) => show(scene || first));
  };
  const show = (scene, turned = {}) => {
    const { predict, state = model.get("state"), scene: before } = player || {};
    const asking = player?.asking, held = player?.grabbing.letGo(), focused = root.contains(document.activeElement);
    player?.leave();
    player = new Player(root, scene, {
      state, turned, before, predict, told, send, open, live: model.get("live"), reach, held,
    });
    if (focused && !held?.focused) player.focusPanel();
    if (asking) player.asksOn();
  };
  const began = model.get("live") ? startOf(first) : { ...startOf(first), ...model.get("state") }, beginning = model.get("beginning") || rest;
  const begin = () => ({ dials: { ...startOf(player.scene), ...began }, rest: beginning, predict: first.predict });
  const now = () => ({ title: player.scene.title, state: { dials: player.state, rest, predict: player.predict, parts: partsOf(player.layouts) } });
  const follow = async (link) => { // what an address asks for, as far as it can be had; the rest is said
    if (!link) return;
    const part = Object.entries(model.get("rests") || {}).find(([, other]) => holdsOf(link.rest, other));
    if (part) await open(part[0]);
    const there = link.rest.inputs && reach.points ? reach.at(link.rest.inputs) : -1;
    if (there >= 0) reachFor(there, link.rest.inputs);
    else if (link.rest.inputs && !reach.points && !model.get("live")) {
      const known = Object.entries(link.rest.inputs).filter(([name]) => reach.fields.includes(name));
      if (known.length) compute(Object.fromEntries(known.map(([name, value]) => [name, Number(value)])));
    }
    const [dials, faults] = fitting(player.scene, link.dials), lacks = lacking(link.rest, rest);
    if (lacks.length && model.get("live")) send({ state: { ...dials, ...link.rest } });
    player.pause();
    if (link.predict !== undefined) player.predict = link.predict;
    player.set(dials);
    const python = lacks.length && !model.get("live") ? [`The link also has ${lacks.join(", ")}. A page that stands still cannot compute that: Python can, where the page is run.`] : [];
    const away = looking(player.layouts, link.views);
    sharing.say([...link.faults, ...faults, ...python, ...away]);
  };
  const onKey = (event) => { // wherever nothing else takes the keys that step; of a page that is this alone, wherever nothing has them
    const within = root.contains(event.target), outside = event.target === document.body && document.documentElement.classList.contains("alone");
    const steps = STEPS.has(event.key) || (within && ENDS.has(event.key));
    if (!steps || event.defaultPrevented || !(within || outside) || event.target.closest(TAKES_KEYS)) return;
    player.key(event, player.views.find((view) => !view.hidden));
  };
  const onLink = () => follow(sharing.wanted());
  const onRest = () => { rest = model.get("rest") || {}; };
  const onScene = () => { show(model.get("scene"), model.get("scene").turned); told(player.state); };
  const onAnswer = () => player.grabbing.answered();
  const onState = () => player.set(model.get("state"), false);
  model.on("change:scene", onScene);
  model.on("change:state", onState);
  model.on("msg:custom", onAnswer);
  model.on("change:rest", onRest);
  model.on("change:link", onLink);
  show(first);
  const sharing = new Sharing(root.parentNode, model, now, begin);
  onLink();
  addEventListener("hashchange", onLink);
  root.addEventListener("keydown", onKey);
  addEventListener("keydown", onKey);
  const seen = onceSeen(root, () => {
    root.classList.add("lk-seen"); // handles show themselves
    if (model.get("plays")) player.play.opens();
  });
  const observer = new ResizeObserver(() => player.fit());
  observer.observe(root);
  return () => {
    player.leave();
    player.grabbing.letGo();
    seen.disconnect();
    clearTimeout(telling);
    observer.disconnect();
    model.off("change:scene", onScene);
    model.off("change:state", onState);
    model.off("msg:custom", onAnswer);
    model.off("change:rest", onRest);
    model.off("change:link", onLink);
    removeEventListener("hashchange", onLink);
    removeEventListener("keydown", onKey);
  };
}

function notFinite(asked) {
  const where = Object.entries(asked).map(([name, value]) => `${name} = ${inWords(Number(value), "3")}`).join(", ");
  return `With ${where} a number of the run is not finite, so the picture stays as it was. Drag back.`;
}

// What a saved page answers in place of Python.
function reachOf(first, held) {
  return held?.walks ? new Walking(first, held) : new Reach(first, held);
}

// Whether a link asks for all that is said of another scene.
function holdsOf(rest, other) {
  const told = Object.entries(other);
  return told.length > 0 && told.every(([name, value]) => alike(value, rest[name]));
}

function startOf(scene) { return Object.fromEntries((scene.dials || []).map((dial) => [dial.name, dial.start || 0])); }

export default { render, settle, asked, written };
