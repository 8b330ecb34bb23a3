// What is wrong, when the sound ends: an audio element does not tell. And when it is tried again.

import { getJSON } from "./api.js";

/** Seconds; the last one repeats. */
const retryDelays = [0.5, 1, 2, 4, 8, 15];
const timeout = 5000;

/**
 * @typedef {object} Sight
 * @property {number} status HTTP's of the stream; 0 without an answer
 * @property {number} retryAfter seconds
 * @property {boolean} isAway the station itself has no sound
 * @property {boolean} isEarly nothing of a later copy is on air yet
 * @property {import("./engine.js").Reason} refusal why the client may not listen; empty where it may
 * @property {number | null} edge up to where there is something to hear, in milliseconds
 */

/**
 * Returns the seconds until the next try.
 * @param {number} tries
 */
export function retryDelay(tries) {
  return retryDelays[Math.min(tries, retryDelays.length - 1)];
}

/**
 * Returns what cancels it.
 * @param {() => void} work
 * @param {number} milliseconds
 */
export function timer(work, milliseconds) {
  const id = setTimeout(work, milliseconds);
  return () => clearTimeout(id);
}

/**
 * Looks whether there is something to connect to.
 * @param {string} station
 * @param {typeof globalThis.fetch} fetch
 * @returns {Promise<Sight>}
 */
export async function look(station, fetch) {
  const id = encodeURIComponent(station);
  const [stream, about] = await Promise.all([
    getJSON(`/${id}`, { fetch, timeout, method: "HEAD" }),
    getJSON(`/api/v1/stations/${id}`, { fetch, timeout }),
  ]);
  const isRefused = stream.status === 401 || stream.status === 403;
  const edge = Date.parse(about.json?.window?.live ?? "");
  return {
    status: stream.status,
    refusal: isRefused ? refusalOf(await refusalCode(station, fetch), stream.status) : "",
    retryAfter: stream.retryAfter,
    // What plays in its stead is sound as well.
    // And who waits for a listener, waits for this one.
    isAway: about.status === 200 && !["playing", "paused"].includes(about.json?.state) && !about.json?.fallback,
    isEarly: Boolean(about.json?.beginsAt),
    edge: Number.isFinite(edge) ? edge : null,
  };
}

/**
 * Asks the relay whether this browser may listen: the stream's own answer to a look has no body.
 * @param {string} station
 * @param {typeof globalThis.fetch} [fetch]
 * @returns {Promise<string>} the code of the error; empty where the station is open
 */
export async function refusalCode(station, fetch) {
  const path = `/api/v1/stations/${encodeURIComponent(station)}/waveform?points=1`;
  const { status, json } = await getJSON(path, { fetch, timeout });
  return [401, 403, 429, 503].includes(status) ? json?.error?.code ?? "unavailable" : "";
}

/**
 * Returns a refusal as the player tells it.
 * @param {string} code
 * @param {number} status of the stream's answer
 */
function refusalOf(code, status) {
  switch (code) {
    case "unauthorized": case "token-needed": return "unauthorized";
    case "address-denied": case "address-banned": case "player-denied": return code;
    default: return status === 401 ? "unauthorized" : "refused";
  }
}
