// A page in a frame of another one: that follows its height, and may say which theme. `?embed` is for pages of other sites,
// `?poster` shows what plays and little else.

export function settle(stage) {
  const look = document.documentElement.classList;
  const query = new URLSearchParams(location.search);
  look.toggle("embedded", query.has("embed"));
  look.toggle("poster", query.has("poster"));
  if (window.parent === window) return;
  look.add("framed");
  const say = () => window.parent.postMessage({ labkit: { height: Math.ceil(stage.getBoundingClientRect().height) } }, "*");
  new ResizeObserver(say).observe(stage);
  window.addEventListener("message", ({ source, data }) => {
    if (source !== window.parent || !["light", "dark"].includes(data?.labkit?.theme)) return;
    if (data.labkit.asks) say(); // what was said before that page listened
    look.remove("light", "dark");
    look.add(data.labkit.theme);
  });
}
