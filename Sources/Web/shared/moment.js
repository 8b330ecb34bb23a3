// Times of this device's clock, where stations of several zones are shown, or none is meant.

import { clock, day } from "./i18n.js";

/**
 * Returns a moment by the clock of who looks, with the day where that is not today.
 * @param {number} time in milliseconds
 */
export function moment(time) {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone, seconds = -60 * new Date().getTimezoneOffset();
  const zone = { name, seconds };
  const date = day(time / 1_000, zone), text = clock(time / 1_000, zone);
  return date === day(Date.now() / 1_000, zone) ? text : `${date} ${text}`;
}
