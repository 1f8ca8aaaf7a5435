// What anywidget calls with a model, and a saved page with a stand-in for one: shows the model's scene, and the next.

import { make } from "./elements.js";
import { Player } from "./player.js";

const PASSED_ON = new Set(["Escape", "Tab"]);

// A scene that a saved page holds compressed (`packed` in `__init__.py`).
export async function unpacked(text) {
  if (!text) return null; // the scene that the page started with
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

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
  let player, telling;
  const told = (state) => {
    clearTimeout(telling);
    telling = setTimeout(() => { model.set("state", { ...state }); model.save_changes(); }, 150);
  };
  const send = (message) => model.send(message);
  const open = (part) => {
    const other = model.get("scenes")?.[part];
    if (other === undefined) send({ open: part });
    else unpacked(other).then((scene) => show(scene || first));
  };
  const show = (scene, turned = {}) => {
    const { predict, play, state = model.get("state"), scene: before } = player || {};
    const held = player?.grabbing.letGo(), focused = root.contains(document.activeElement);
    player?.leave();
    player = new Player(root, scene, {
      state, turned, before, predict, speed: play?.speed, told, send, open, live: model.get("live"), held,
    });
    if (focused && !held?.focused) player.focusPanel();
  };
  const onScene = () => { show(model.get("scene"), model.get("scene").turned); told(player.state); };
  const onAnswer = () => player.grabbing.answered();
  const onState = () => player.set(model.get("state"), false);
  model.on("change:scene", onScene);
  model.on("change:state", onState);
  model.on("msg:custom", onAnswer);
  show(first);
  const seen = model.get("plays") && onceSeen(root, () => player.play.opens());
  const observer = new ResizeObserver(() => player.fit());
  observer.observe(root);
  return () => {
    player.leave();
    player.grabbing.letGo();
    if (seen) seen.disconnect();
    clearTimeout(telling);
    observer.disconnect();
    model.off("change:scene", onScene);
    model.off("change:state", onState);
    model.off("msg:custom", onAnswer);
  };
}

export default { render };
