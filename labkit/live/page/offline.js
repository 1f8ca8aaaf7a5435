// The site's worker between pages and network: what a live page needs is kept, and given when there is no network.

const KEPT = "labkit-@VERSION@";

addEventListener("install", () => skipWaiting());

addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("labkit-") && name !== KEPT) await caches.delete(name);
  await clients.claim();
})()));

addEventListener("message", (event) => event.waitUntil((async () => {
  const cache = await caches.open(KEPT);
  for (const file of event.data.keep || []) {
    if (await cache.match(file)) continue;
    const got = await fetch(file).catch(() => null);
    if (got?.ok) await cache.put(file, got);
  }
  event.ports[0]?.postMessage("kept");
})()));

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(self.location.origin)) return;
  const forEver = new URL(event.request.url).pathname.includes("/_static/live-");
  event.respondWith(forEver ? keptFirst(event.request) : networkFirst(event.request));
});

async function keptFirst(request) { // its folder is named after its content: it never changes
  const cache = await caches.open(KEPT), found = await cache.match(request, { ignoreSearch: true });
  if (found) return found;
  const got = await fetch(request);
  if (got.ok) await cache.put(request, got.clone());
  return got;
}

async function networkFirst(request) {
  const cache = await caches.open(KEPT);
  try {
    const got = await fetch(request);
    if (got.ok && await cache.match(request, { ignoreSearch: true })) await cache.put(request, got.clone());
    return got;
  } catch (error) {
    const found = await cache.match(request, { ignoreSearch: true });
    if (found) return found;
    throw error;
  }
}
