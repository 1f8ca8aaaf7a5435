// Items: a mark, its node, and how that looks. A mark that is out of sight in a panel of very many has no node.

import { lookOf } from "./look.js";

const SVG = "http://www.w3.org/2000/svg";

export function drawnAs(tag) { return document.createElementNS(SVG, tag); }

export function itemOf(mark) { return { mark, node: null, text: "", name: null, at: {} }; }

export function made(item) {
  const { mark } = item, node = drawnAs(mark.tag);
  for (const name in mark.at || {}) node.setAttribute(name, mark.at[name]);
  if (mark.link !== undefined) node.dataset.link = mark.link;
  return (item.node = node);
}

export function forget(item) {
  item.node?.remove();
  Object.assign(item, { sight: null, node: null, text: "", name: null, at: {} });
}

export function grouped(items, keysOf) {
  const groups = new Map();
  for (const item of items) {
    for (const key of keysOf(item)) {
      if (key === undefined) continue;
      const there = groups.get(key);
      if (there) there.push(item); else groups.set(key, [item]);
    }
  }
  return groups;
}

// When a mark happens: "dial position" for each time at which its state becomes "now".
export function momentsOf(mark) {
  return Object.entries(mark.vary || {}).flatMap(([dial, { state = [] }]) =>
    state.filter(([, name]) => name === "now").map(([position]) => `${dial} ${position}`));
}

// Marks as they look at a state.
export function refresh(items, state) {
  for (const item of items) write(item, lookOf(item.mark, state));
}

// Marks of which something else was written in the scene.
export function renew(items, state) {
  for (const item of items) {
    if (!item.node) continue;
    const look = lookOf(item.mark, state);
    for (const name in item.mark.at) {
      const value = look.at?.[name] ?? item.mark.at[name];
      if (item.at[name] !== value) item.node.setAttribute(name, (item.at[name] = value));
    }
    if (item.text !== look.text && look.text && item.text) item.node.dataset.turned = "";
    write(item, look);
  }
}

// A mark as it looks: only what has changed is written. What is not seen gets no node, or keeps the one that it has.
export function write(item, look) {
  if (!item.node) {
    if (!item.sight || look.name === "hidden" || (item.mark.tag === "text" && !look.text)) return;
    item.sight.add(item);
  }
  for (const name in look.at) {
    if (item.at[name] === look.at[name]) continue;
    item.at[name] = look.at[name];
    if (look.at[name] === undefined) item.node.removeAttribute(name);
    else item.node.setAttribute(name, look.at[name]);
  }
  if (item.mark.tag === "text" && item.text !== look.text) item.node.textContent = item.text = look.text;
  if (item.name !== look.name) {
    item.name = look.name;
    item.node.setAttribute("class", `lk-${item.mark.role}${look.name ? ` is-${look.name}` : ""}`);
  }
}
