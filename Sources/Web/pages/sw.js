// The service worker: the shell of the pages without a network. Never sound, never the API: those are always now.
//
// Scripts and styles have their version in their address: what is kept once is right for ever. Pages come from the
// network, and from the last visit where there is none; the page itself says then that it is offline.

const pages = "pages";
/** Pages that are kept. */
const pagesMost = 12;
/** A network that does not answer is none, after so many milliseconds. */
const patience = 8_000;

const worker = /** @type {any} */ (self);

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== location.origin) return;
  const version = /^\/assets\/([0-9a-f-]{8,})\//.exec(address.pathname)?.[1];
  if (version) event.respondWith(asset(request, version));
  else if (isOfPage(request) && isPage(address)) event.respondWith(page(request, address));
});

/**
 * Pages come for the browser, or for the page that is shown, which puts them in its place.
 * @param {Request} request
 */
function isOfPage({ mode, headers }) {
  return mode === "navigate" || headers.get("Accept") === "text/html";
}

/**
 * The dashboard is not kept: what it shows is of use only as it is now.
 * @param {URL} address
 */
function isPage({ pathname }) {
  return pathname === "/" || pathname.startsWith("/listen/");
}

/**
 * @param {Request} request
 * @param {string} version
 */
async function asset(request, version) {
  const cache = await caches.open(`shell ${version}`);
  const kept = await cache.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.status === 200) await cache.put(request, answer.clone());
  return answer;
}

/**
 * @param {Request} request
 * @param {URL} address
 */
async function page(request, address) {
  const cache = await caches.open(pages);
  // Without its query, which may hold a moment or a session.
  const key = address.origin + address.pathname;
  try {
    const answer = await within(fetch(request), patience);
    // A page behind a password is nobody's but the one's who has it.
    if (answer.status === 200 && !/no-store|private/.test(answer.headers.get("Cache-Control") ?? "")
      && !address.searchParams.has("token")) {
      void keep(cache, key, answer.clone());
    }
    return answer;
  } catch (error) {
    // A page that is to take its turn is that page or none.
    const kept = await cache.match(key)
      ?? (request.mode === "navigate" ? await cache.match(`${address.origin}/`) : undefined);
    if (kept) return kept;
    throw error;
  }
}

/** @type {(cache: Cache, key: string, answer: Response) => Promise<void>} */
async function keep(cache, key, answer) {
  const text = await answer.clone().text();
  await cache.put(key, answer);
  const kept = await cache.keys();
  for (const old of kept.slice(0, Math.max(0, kept.length - pagesMost))) await cache.delete(old);
  // The page names its version: the files of others have served their time.
  const version = /\/assets\/([0-9a-f-]{8,})\//.exec(text)?.[1];
  if (!version) return;
  for (const name of await caches.keys()) {
    if (name !== pages && name !== `shell ${version}`) await caches.delete(name);
  }
}

/**
 * @param {Promise<Response>} answer
 * @param {number} milliseconds
 * @returns {Promise<Response>}
 */
function within(answer, milliseconds) {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("the network is silent")), milliseconds);
    answer.then(resolve, reject);
  });
}
