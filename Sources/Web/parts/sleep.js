// The sleep timer: it fades the sound and pauses; the place is kept.

import { ready as alarmReady, section, word as alarmWord } from "./alarm.js";
import { deck } from "./deck.js";
import { button, el } from "./dom.js";
import { t } from "./i18n.js";

/** @typedef {import("./app.js").App} App */

const minutes = [15, 30, 60, 90];
/** Seconds of the fade, and its steps in milliseconds. */
const fadeSeconds = 20, fadeStep = 250;

/**
 * When it pauses, by `performance.now()`; null: it is off.
 * @type {number | null}
 */
let end = null;
/**
 * The place in the log of the title whose end it waits for, while that end is not known; null: none.
 * @type {number | null}
 */
let title = null;
let timer = 0;
/**
 * The volume before the fade.
 * @type {number | null}
 */
let loud = null;

/**
 * @param {App} app whose player sleeps, unless another one sounds by then
 * @param {number | null} seconds
 * @param {number | null} [position] of a title that ends at a time which is not known yet
 */
function set(app, seconds, position = null) {
  restore(app);
  clearInterval(timer);
  title = position;
  end = seconds === null ? null : performance.now() + seconds * 1_000;
  if (isOn()) timer = setInterval(() => tick(app), fadeStep);
  app.update();
}

const isOn = () => end !== null || title !== null;

/**
 * Looks whether the end of the title is known by now: live is a few seconds ahead of what is heard.
 * @param {App} app
 */
function findEnd(app) {
  if (deck.player !== null && deck.player !== app) return set(app, null);
  const heard = app.title(), isHeard = heard?.position === title;
  if (isHeard && !heard?.endAir) return;
  end = performance.now() + (isHeard ? (heard?.endAir ?? 0) - (app.place() ?? 0) : 0);
  title = null;
}

/** Returns the seconds until it pauses, or null. */
const left = () => end === null ? null : Math.max(0, (end - performance.now()) / 1_000);

/** Says on its button when it pauses, and when the alarm rings. */
export function word() {
  const seconds = left();
  const sleep = title !== null ? t("player.sleep-title")
    : seconds === null ? null : t("player.sleep-left", { n: Math.ceil(seconds / 60) });
  return [sleep, alarmWord()].filter(Boolean).join(" · ") || null;
}

export const ready = alarmReady;

/** @param {App} app */
function tick(app) {
  if (title !== null) findEnd(app);
  const seconds = left();
  if (seconds === null) return;
  const player = deck.player ?? app;
  if (seconds > 0) {
    if (seconds < fadeSeconds && player.isSounding) {
      loud = loud ?? player.audio.volume;
      // Loudness follows the square better than the line.
      player.audio.volume = loud * (seconds / fadeSeconds) ** 2;
    }
    return;
  }
  if (player.isSounding) player.toggle();
  set(app, null);
  const place = app.place();
  app.say(t("player.slept", { clock: place === null ? "" : app.timeline.clock(place) }));
}

/** @param {App} app */
function restore(app) {
  if (loud === null) return;
  (deck.player ?? app).audio.volume = loud;
  loud = null;
}

/**
 * @param {App} app
 * @returns {import("./panel.js").Content}
 */
export function open(app) {
  const row = el("div", { class: "row" });
  /**
   * @param {string} text
   * @param {number | null} seconds
   * @param {number} [position] of the title that ends then
   */
  const add = (text, seconds, position) => row.append(el("button", {
    type: "button", class: "button outlined", on: { click: () => {
      set(app, seconds, position);
      app.panel.close();
    } },
  }, text));
  for (const each of minutes) add(t("player.sleep-minutes", { n: each }), each * 60);
  const heard = app.title();
  if (heard) add(t("player.sleep-title"), null, heard.position);
  if (isOn()) {
    row.append(button("close", t("player.sleep-off"), () => {
      set(app, null);
      app.panel.close();
    }, { text: t("player.sleep-off") }));
  }
  /** @type {Node[]} */
  const nodes = [el("p", { class: "hint" }, t("player.sleep-hint")), row];
  // What another player plays does not wake anybody here.
  if (!app.isRemote) nodes.push(section(app));
  return { label: t("player.sleep-title-panel"), nodes };
}
