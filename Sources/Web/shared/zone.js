// By which clock a station's times are told, where this device's shows others.

import { clock, day, language, t } from "./i18n.js";

/** @typedef {import("./i18n.js").TimeZone} TimeZone */

/** Milliseconds: pages tell times of so long ago, and so far ahead. Zones differ at times. */
const past = 30 * 86_400_000, ahead = 7 * 86_400_000;

/**
 * Returns this device's zone, as it is at a time.
 * @param {number} time
 */
const own = (time) => ({ name: "", seconds: -60 * new Date(time).getTimezoneOffset() });

/**
 * Returns what says by which clock times are told; empty where this device's shows the same.
 * @param {TimeZone | null | undefined} zone the station's
 */
export function zoneNote(zone) {
  const now = Date.now();
  const isSame = (/** @type {number} */ time) => [clock, day].every((shown) =>
    shown(time / 1_000, zone) === shown(time / 1_000, own(time)));
  if (!zone?.name || [now - past, now, now + ahead].every(isSame)) return "";
  return t("times-of", { zone: zoneName(zone, now) });
}

/**
 * @param {TimeZone} zone
 * @param {number} time
 */
function zoneName({ name }, time) {
  try {
    const options = /** @type {any} */ ({ timeZone: name, timeZoneName: "longGeneric" });
    const parts = new Intl.DateTimeFormat(language(), options).formatToParts(time);
    return parts.find(({ type }) => type === "timeZoneName")?.value ?? name;
  } catch {
    // An older browser knows the zone by its name alone, or not at all.
    return name;
  }
}
