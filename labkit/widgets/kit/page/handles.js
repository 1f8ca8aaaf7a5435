// The elements of a handle over a grip, and where they stand.

import { make } from "./elements.js";

export function handleOf(grip) {
  const how = grip.by === "x" || grip.by === "y" ? ` lk-by-${grip.by}` : "";
  const knob = make("div", {
    className: `lk-grip${how}${grip.stays ? " lk-stays" : ""}${grip.bare ? " lk-bare" : ""}`, tabIndex: 0, role: "slider", "aria-label": grip.label, title: grip.label,
  });
  const area = grip.area && make("div", { className: `lk-area${how}` });
  return { knob, area };
}

// The link of the marks that lie under a handle.
export function below(event) {
  return document.elementsFromPoint(event.clientX, event.clientY).find((node) => node.dataset?.link)?.dataset.link;
}

// Where a handle is seen that is dragged to a place: not beside the line along which it goes.
export function onTrack({ by }, [x, y], spot) { return [by === "y" ? spot[0] : x, by === "x" ? spot[1] : y]; }

// A part of a panel in its scroller: left, top, width and height in px.
export function corners(view, x, y, width, height) {
  const [left, top] = view.spot([x, y]), [right, bottom] = view.spot([x + width, y + height]);
  return [left, top, right - left, bottom - top];
}

export function put(node, left, top, width, height) {
  Object.assign(node.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
}
