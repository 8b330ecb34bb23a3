// Asks the relay. Every answer is a value, also when there is none: status 0.

/**
 * @typedef {object} Answer
 * @property {number} status HTTP's; 0 when the relay did not answer
 * @property {any} json null without a body that can be read
 * @property {string | null} etag
 * @property {number} retryAfter seconds, 0 when not said
 */
/** @typedef {typeof globalThis.fetch} Fetch */
/**
 * @typedef {object} Options
 * @property {number} [timeout] milliseconds
 * @property {string | null} [etag] of the answer that is already here: 304 when it still holds
 * @property {AbortSignal} [signal]
 * @property {Fetch} [fetch] for tests
 * @property {"GET" | "HEAD"} [method]
 * @property {boolean} [keepalive] lets the request outlive the page
 */

const timeoutDefault = 10_000;

/**
 * What stations behind a password want in each address: "token=…", ready for a query.
 * @type {Map<string, string>}
 */
const accesses = new Map();

/**
 * @param {{ station: { id: string }, qualities?: { id: string }[] | null }} page whose stations they are
 * @param {string | null | undefined} query as the relay wrote it into the page
 */
export function setAccess({ station, qualities }, query) {
  for (const { id } of [station, ...qualities ?? []]) {
    if (query) accesses.set(id, query);
    else accesses.delete(id);
  }
}

/** The station that an address is about: of a page, the API, a stream, a playlist or events. */
const stationIn =
  /^\/(?:api\/v1\/stations\/|listen\/|events\?station=)?([^/?&]+?)(?:\.(?:m3u|pls|xspf))?(?:[/?&]|$)/;

/**
 * Returns an address of the relay with what its station's password asks for.
 * @param {string} path
 */
export function addressed(path) {
  const access = accesses.get(stationIn.exec(path)?.[1] ?? "");
  return access ? `${path}${path.includes("?") ? "&" : "?"}${access}` : path;
}

/**
 * @param {string} path
 * @param {Options} [options]
 * @returns {Promise<Answer>}
 */
export async function getJSON(path, options = {}) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json" };
  if (options.etag) headers["If-None-Match"] = options.etag;
  // With "no-store" the browser's own cache cannot turn a 304 into a 200.
  return ask(path, { method: options.method, headers, cache: "no-store" }, options);
}

/**
 * @param {string} path
 * @param {object} body
 * @param {Options} [options]
 * @returns {Promise<Answer>}
 */
export async function postJSON(path, body, options = {}) {
  const headers = { Accept: "application/json", "Content-Type": "application/json" };
  return ask(path, { method: "POST", headers, body: JSON.stringify(body), keepalive: options.keepalive }, options);
}

/**
 * @param {string} path
 * @param {RequestInit} init
 * @param {Options} options
 * @returns {Promise<Answer>}
 */
async function ask(path, init, options) {
  const { timeout = timeoutDefault, signal, fetch = globalThis.fetch.bind(globalThis) } = options;
  // AbortSignal.any and .timeout are too new for ES2020's browsers.
  const control = new AbortController();
  const abort = () => control.abort();
  const timer = setTimeout(abort, timeout);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  try {
    const response = await fetch(addressed(path), { ...init, signal: control.signal });
    const json = await response.json().catch(() => null);
    const retryAfter = Number(response.headers.get("Retry-After")) || 0;
    return { status: response.status, json, etag: response.headers.get("ETag"), retryAfter };
  } catch {
    return { status: 0, json: null, etag: null, retryAfter: 0 };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** The page's one event connection. */
export class News {
  #station;
  #kinds;
  #onNews;
  /** @type {EventSource | null} */
  #events = null;
  /**
   * Kinds that are told besides, with what takes their data; a change needs `reopen`.
   * @type {Map<string, (data: string) => void>}
   */
  besides = new Map();

  /**
   * @param {string} station
   * @param {string[]} kinds
   * @param {(kind: string) => void} onNews also with "missed", and "lost" where the relay does not answer
   */
  constructor(station, kinds, onNews) {
    this.#station = station;
    this.#kinds = kinds;
    this.#onNews = onNews;
  }

  open() {
    if (this.#events) return;
    const told = [...this.#kinds, ...this.besides.keys()];
    const events = new EventSource(addressed(`/events?station=${this.#station}&kinds=${told}`));
    for (const kind of [...this.#kinds, "missed"]) events.addEventListener(kind, () => this.#onNews(kind));
    for (const [kind, take] of this.besides) events.addEventListener(kind, ({ data }) => take(data));
    // Refused, which no browser tries again: news come to everybody, the sound does not.
    events.onerror = () => {
      if (this.#events !== events) return;
      this.#isLost = true;
      this.#onNews("lost");
      if (events.readyState !== EventSource.CLOSED || !this.besides.size) return;
      this.besides.clear();
      this.reopen();
    };
    events.onopen = () => {
      if (this.#isLost) this.#onNews("missed");
      this.#isLost = false;
    };
    this.#events = events;
  }
  #isLost = false;

  close() {
    this.#events?.close();
    this.#events = null;
  }

  /** Between two connections something may happen: that counts as missed. */
  reopen() {
    if (!this.#events) return;
    this.close();
    this.open();
    this.#onNews("missed");
  }
}
