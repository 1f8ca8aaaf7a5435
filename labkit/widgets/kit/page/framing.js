// A page in a frame of another one: that follows its height, and may say which theme. `?embed` is for pages of other sites.

export function settle(stage) {
  const look = document.documentElement.classList;
  look.toggle("embedded", new URLSearchParams(location.search).has("embed"));
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
