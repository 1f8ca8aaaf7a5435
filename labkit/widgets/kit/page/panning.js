// A panel is moved and made larger or smaller by hand: drag, pinch, Ctrl or ⌘ and the wheel, a double click.

const STEADY = 4; // px that a pointer may move in a click

// A drag that takes hold of something in the picture does not come here (`grabbing.js`).
export function panning(view) {
  const { scroller } = view;
  let from = null, moved = false, spread = 0;
  scroller.addEventListener("pointerdown", (event) => {
    moved = false;
    from = event.pointerType !== "touch" && event.button === 0 ? event : null; // touch scrolls by itself
  });
  scroller.addEventListener("pointermove", (event) => {
    if (!from || !(event.buttons & 1)) { from = null; return; }
    if (!moved && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) < STEADY) return;
    if (!moved) {
      moved = view.moved = true;
      scroller.setPointerCapture(event.pointerId);
      scroller.classList.add("lk-panned");
    }
    const left = from.clientX - event.clientX, top = from.clientY - event.clientY;
    scroller.scrollBy({ left, top, behavior: "instant" });
    from = event;
  });
  const end = () => { from = null; scroller.classList.remove("lk-panned"); };
  scroller.addEventListener("pointerup", end);
  scroller.addEventListener("pointercancel", end);
  scroller.addEventListener("click", (event) => { if (moved) { event.stopPropagation(); moved = false; } }, true);
  scroller.addEventListener("dragstart", (event) => event.preventDefault());
  scroller.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    view.zoom(Math.exp(-Math.max(-50, Math.min(50, event.deltaY)) / 350), event);
  }, { passive: false });
  const fingers = ({ touches: [one, two] }) => ({
    clientX: (one.clientX + two.clientX) / 2, clientY: (one.clientY + two.clientY) / 2,
    apart: Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY),
  });
  const pinched = (event) => {
    view.moved ||= event.type === "touchmove";
    if (event.touches.length !== 2) return;
    event.preventDefault();
    const now = fingers(event);
    if (event.type === "touchmove" && spread && now.apart) view.zoom(now.apart / spread, now);
    spread = now.apart;
  };
  scroller.addEventListener("touchstart", pinched, { passive: false });
  scroller.addEventListener("touchmove", pinched, { passive: false });
  scroller.addEventListener("dblclick", (event) => {
    if (event.target.closest("[data-link], .lk-grips")) return;
    const near = view.scale < view.arranged;
    if (near) view.zoom(view.arranged / view.scale, event);
    else view.whole();
  });
}
