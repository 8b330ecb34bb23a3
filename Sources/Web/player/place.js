// Places on the air, as words or times, and how they are asked for.

import { addressed } from "./api.js";

/**
 * @typedef {"live" | "track-start" | "previous-track" | "next-track" | { air: number } | { media: number }} Place
 * air in milliseconds by the station's clock, media in seconds
 */
/** @typedef {import("./timeline.js").Timeline} Timeline */

/** Chromium begins when it has some 40 KB, whatever their seconds. */
const startBytes = 49_152;
const burstMax = 20, burstDefault = 4;

/**
 * Returns how many seconds a browser needs at once to begin at once.
 * @param {number | null | undefined} bitrate kbit/s
 * @param {number | null | undefined} burst the station's, in seconds
 */
export function burstSeconds(bitrate, burst) {
  const seconds = bitrate ? (startBytes * 8) / (bitrate * 1000) : burstDefault;
  return Math.min(burstMax, Math.ceil(Math.max(burst ?? burstDefault, seconds) * 10) / 10);
}

/**
 * Says titles as times: the relay counts them from what it has sent, which is seconds ahead of what is heard.
 * @param {Place} place
 * @param {number | null} heard seconds of media
 * @param {Timeline} timeline
 * @returns {Place}
 */
export function exactPlace(place, heard, timeline) {
  if (typeof place === "object") {
    return "media" in place && !timeline.isEmpty ? { air: timeline.airOf(place.media) } : place;
  }
  if (place === "live" || heard === null || timeline.isEmpty) return place;
  if (place === "next-track") {
    const next = timeline.titleAfter(heard);
    return next ? { air: next.air } : "live";
  }
  const before = place === "previous-track" ? timeline.titleBefore(heard) : null;
  const title = before ?? timeline.titleAt(heard);
  return title ? { air: Math.max(title.air, timeline.oldest.air) } : place;
}

/**
 * Returns the address that plays there; an empty place: where the session is.
 * @param {string} station
 * @param {string} token
 * @param {Place | ""} place
 * @param {number} burst seconds
 * @param {Timeline} timeline
 */
export function addressOf(station, token, place, burst, timeline) {
  const query = new URLSearchParams({ session: token });
  if (typeof place === "object") {
    // Up to the next millisecond: a time that is cut off lies in the packet before.
    const air = Math.floor("air" in place ? place.air : timeline.airOf(place.media)) + 1;
    query.set("seek", new Date(air).toISOString());
  } else if (place !== "") {
    query.set("seek", place);
  }
  query.set("burst", `${burst}s`);
  return addressed(`/${encodeURIComponent(station)}?${query}`);
}
