// Casting: another device plays in the element's place, where the browser has found one. Chromium has the Remote
// Playback API for that, Safari its picker of AirPlay.

import { button, setAttribute, setText } from "./dom.js";
import { addPhrases, t } from "./i18n.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {HTMLAudioElement & { webkitShowPlaybackTargetPicker?: () => void }} Castable */

export const ready = addPhrases("cast/");

/** @type {WeakSet<App>} the players that are followed to their devices and back */
const followed = new WeakSet();
/** @type {WeakSet<AbortSignal>} the pages that have the button */
const shown = new WeakSet();

/**
 * Puts the button into the page once there is a device, and follows the player to it.
 * @param {App} app
 * @param {HTMLElement} row
 */
export function startCast(app, row) {
  const audio = /** @type {Castable} */ (app.audio), { remote } = audio, { signal, life } = app;
  if (shown.has(signal)) return;
  shown.add(signal);
  let isThere = false;
  const pick = async () => {
    // Within the press: both want a gesture.
    if (audio.webkitShowPlaybackTargetPicker) return audio.webkitShowPlaybackTargetPicker();
    try {
      await remote.prompt();
    } catch (error) {
      // Whoever closes the list knows that.
      if (/** @type {Error} */ (error).name !== "NotAllowedError") app.say(t("cast.none"));
    }
  };
  const press = button("cast", t("cast"), pick, { text: t("cast"), class: "cast" });
  press.hidden = true;
  row.append(press);
  const show = () => {
    const { isCast } = app.engine, isComing = remote?.state === "connecting";
    press.hidden = !isThere && !isCast && !isComing;
    setAttribute(press, "aria-pressed", String(isCast));
    setText(press.lastElementChild, t(isCast ? "cast.on" : isComing ? "cast.connecting" : "cast"));
    const note = isCast ? t("cast.said") : "";
    if (note === app.note) return;
    app.note = note;
    app.say(note);
  };
  app.parts.push({ update: show });

  if (remote) {
    const watch = remote.watchAvailability((/** @type {boolean} */ is) => {
      isThere = is;
      show();
    });
    // Where a browser cannot look for devices, none is known.
    watch.then((id) => signal.addEventListener("abort", () => void remote.cancelWatchAvailability(id).catch(() => {})))
      .catch(() => {});
    for (const name of ["connecting", "connect", "disconnect"]) remote.addEventListener(name, show, { signal });
  }
  audio.addEventListener("webkitplaybacktargetavailabilitychanged", (event) => {
    isThere = /** @type {Event & { availability?: string }} */ (event).availability === "available";
    show();
  }, { signal });
  audio.addEventListener("webkitcurrentplaybacktargetiswirelesschanged", show, { signal });
  if (followed.has(app)) return;
  followed.add(app);
  // The device begins with the address that it is given: one of what is heard now, not of the last jump.
  const follow = () => app.isSounding && app.setQuality(app.quality);
  for (const name of ["connect", "disconnect"]) remote?.addEventListener(name, follow, { signal: life });
  audio.addEventListener("webkitcurrentplaybacktargetiswirelesschanged", follow, { signal: life });
}
