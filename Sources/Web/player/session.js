// The listener's session: one token a tab, and the place that was last heard on each station.

const tokenKey = "session";
/** URL-safe Base64 (RFC 4648, section 5): 6 bits a character. */
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const tokenLength = 24;

/** What the relay takes as a session. */
const shape = /^[A-Za-z0-9_-]{8,64}$/;

/** For browsers that refuse to store: the token still holds as long as the page. */
let made = "";
/** The session of the address that is steered: another device's. */
let steered = "";

/**
 * Takes the session that the address names. One that was taken along becomes this tab's, and leaves the address.
 * @param {{ session?: string | null, remote?: boolean }} state
 */
export function adopt({ session, remote }) {
  steered = "";
  if (!session || !shape.test(session)) return;
  if (remote) return void (steered = session);
  made = session;
  write(() => sessionStorage, tokenKey, session);
  const address = new URL(location.href);
  address.searchParams.delete("session");
  history.replaceState(history.state, "", address);
}

/**
 * Returns the token of this tab, so that two tabs can listen to two stations.
 * @returns {string}
 */
export function token() {
  if (steered) return steered;
  const kept = read(() => sessionStorage, tokenKey);
  if (kept && shape.test(kept)) return kept;
  made = made || makeToken();
  write(() => sessionStorage, tokenKey, made);
  return made;
}

/**
 * Keeps the place for the next visit.
 * @param {string} station
 * @param {number} air what was heard, in milliseconds by the station's clock
 */
export function keepPlace(station, air) {
  write(() => localStorage, placeKey(station), JSON.stringify({ air: Math.round(air), saved: Date.now() }));
}

/**
 * Returns the kept place; `saved` is by this device's clock.
 * @param {string} station
 * @returns {{ air: number, saved: number } | null}
 */
export function keptPlace(station) {
  try {
    const place = JSON.parse(read(() => localStorage, placeKey(station)) ?? "null");
    return Number.isFinite(place?.air) && Number.isFinite(place?.saved) ? { air: place.air, saved: place.saved } : null;
  } catch {
    return null;
  }
}

/**
 * Returns what the addresses of a station for members need, by what was typed to open it; empty where nothing is kept.
 * @param {{ id: string, auth: string[] }} station
 */
export function keptAccess({ id, auth }) {
  const key = auth.length && (read(() => sessionStorage, `key:${id}`) || read(() => localStorage, `key:${id}`));
  return key ? accessBy(key) : "";
}

/**
 * Returns the part of a query with what opens a station.
 * @param {string} key
 */
export const accessBy = (key) => `token=${encodeURIComponent(key)}`;

/**
 * Keeps it for this tab, and where the listener wishes for this browser.
 * @param {string} station
 * @param {string} key
 * @param {boolean} isForLong
 */
export function keepKey(station, key, isForLong) {
  write(() => sessionStorage, `key:${station}`, key);
  write(() => localStorage, `key:${station}`, isForLong ? key : "");
}

// randomUUID is missing on plain HTTP, getRandomValues is not.
function makeToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(tokenLength));
  return `web-${Array.from(bytes, (byte) => alphabet[byte & 63]).join("")}`;
}

/** @param {string} station */
function placeKey(station) {
  return `place:${station}`;
}

// Merely touching the storage throws where the user has forbidden it.
/**
 * @param {() => Storage} storage
 * @param {string} key
 */
function read(storage, key) {
  try {
    return storage().getItem(key);
  } catch {
    return null;
  }
}

/**
 * @param {() => Storage} storage
 * @param {string} key
 * @param {string} value
 */
function write(storage, key, value) {
  try {
    storage().setItem(key, value);
  } catch {
    // Full or forbidden: the page works without.
  }
}
