// A station's qualities: itself and its renditions, the same programme at other bit rates.

import { getJSON } from "./api.js";
import { kept } from "./dom.js";

/**
 * @typedef {{ id: string, bitrate: number | null, steady?: import("./steady.js").Steady }} Quality `id` is the station
 *   that is asked for the sound.
 */

/** @param {string} station */
export const keyOf = (station) => `quality:${station}`;

/** What is kept where "Steady" was chosen: no rendition has such an id. */
export const steadily = "hls";

/**
 * Returns the qualities of a station that is no rendition; none where there is no choice.
 * @param {any} station as the API has it
 * @returns {Quality[]}
 */
export function qualitiesOf(station) {
  const made = [...station.renditions ?? []].sort((one, other) => other.bitrate - one.bitrate);
  return made.length ? [{ id: station.id, bitrate: station.format?.bitrate ?? null }, ...made] : [];
}

/**
 * Returns the name of a station's state, for styles and texts: while no encoder brings audio, it is off the air.
 * @param {{ state: string, pushed?: boolean, fallback?: string | null }} station
 */
export function stateOf({ state, pushed, fallback }) {
  return fallback ? "fallback" : pushed && state === "connecting" ? "off-air" : state;
}

/**
 * Returns what is to be heard: what the address asks for, else what was chosen here before, else the station itself.
 * @param {string} station
 * @param {Quality[]} qualities
 * @param {number | null} [most] kbit/s that the address allows
 */
export function chosen(station, qualities, most) {
  const own = qualities.find(({ id }) => id === station) ?? { id: station, bitrate: null };
  if (most && qualities.length) return within(qualities, most);
  const before = kept(keyOf(station));
  return qualities.find(({ id }) => id === before) ?? own;
}

/**
 * Whether the browser plays a station's HLS by itself, and tells its dates: Chromium's does not.
 * @param {{ audio: HTMLAudioElement, station: any }} player
 */
export const canSteady = ({ audio, station }) =>
  station.hls?.url && "getStartDate" in audio && audio.canPlayType("application/vnd.apple.mpegurl") !== "";

/**
 * Returns the station itself where that is allowed, else the quality of most bits that are, else the one of fewest, as
 * the relay chooses.
 * @param {Quality[]} qualities the original first
 * @param {number} most
 */
function within(qualities, most) {
  if ((qualities[0].bitrate ?? Infinity) <= most) return qualities[0];
  const sorted = [...qualities].sort((one, other) => (other.bitrate ?? Infinity) - (one.bitrate ?? Infinity));
  return sorted.find(({ bitrate }) => (bitrate ?? Infinity) <= most) ?? sorted[sorted.length - 1];
}

/**
 * Returns how many listen to a programme in other qualities than the station's own.
 * @param {string} station
 * @param {Quality[]} qualities
 */
export async function listenersElsewhere(station, qualities) {
  const others = qualities.filter(({ id }) => id !== station);
  const told = await Promise.all(others.map(({ id }) => getJSON(`/api/v1/stations/${encodeURIComponent(id)}`)));
  return told.reduce((sum, { json }) => sum + (json?.listeners?.now ?? 0) + (json?.listeners?.hls ?? 0), 0);
}
