// The alarm: a station begins live at a time of this device's clock, softly, on whatever page is open by then.

import { deck } from "./deck.js";
import { button, el, keep, kept } from "./dom.js";
import { addPhrases, t } from "./i18n.js";
import { moment } from "./moment.js";
import { addStyles } from "./styles.js";
import { zoneNote } from "./zone.js";

addStyles(`
.alarm > * + * { margin-top: 12px; }
.bar.offer .where { white-space: normal; }
`);

/** @typedef {import("./app.js").App} App */

export const ready = addPhrases("sleep/");

/** Milliseconds: a device that wakes so late is late, and later it has slept through. */
const lateMost = 30 * 60_000;
/** Timers stand still while a device sleeps, so the clock is looked at besides, in milliseconds. */
const lookEvery = 20_000;
/** Seconds of the rise, its steps in milliseconds, and the volume that it reaches at least. */
const riseSeconds = 30, riseStep = 250, loudLeast = 0.3;

/**
 * The one that is set; `at` in milliseconds by this device's clock.
 * @type {{ at: number, app: App, stop: () => void } | null}
 */
let alarm = null;
/** What became of the last one, where it did not sound. */
let trouble = () => "";

/** Says on the panel's button when it rings; null: it is not set. */
export const word = () => alarm && t("alarm.word", { clock: moment(alarm.at) });

/**
 * Returns the next time that this device's clock shows.
 * @param {string} clock hours, minutes and perhaps seconds
 * @param {number} [now] in milliseconds
 */
export function nextAt(clock, now = Date.now()) {
  const [hours, minutes, seconds = 0] = clock.split(":").map(Number);
  const next = new Date(now);
  next.setHours(hours, minutes, seconds, 0);
  // By the calendar: a day of a clock change has other hours.
  if (next.getTime() <= now) next.setDate(next.getDate() + 1);
  return next.getTime();
}

/**
 * Sets it, within the press that asks for it: a browser lets an element sound later that was touched then.
 * @param {App} app
 * @param {number} at
 */
function set(app, at) {
  cancel();
  trouble = () => "";
  if (!app.audio.hasAttribute("src")) app.audio.load();
  const life = new AbortController();
  const look = () => Date.now() >= at && alarm?.at === at && ring(app, at);
  const timers = [setTimeout(look, at - Date.now()), setInterval(look, lookEvery)];
  document.addEventListener("visibilitychange", look, { signal: life.signal });
  addEventListener("pageshow", look, { signal: life.signal });
  alarm = { at, app, stop: () => {
    life.abort();
    timers.forEach(clearTimeout);
  } };
  deck.hold(app);
}

function cancel() {
  alarm?.stop();
  alarm = null;
  deck.hold(null);
}

/**
 * @param {App} app
 * @param {number} at
 */
function ring(app, at) {
  // Another player of the same name plays its recordings.
  const player = /** @type {App} */ (deck.playerOf(app.station.id) ?? app);
  alarm?.stop();
  alarm = null;
  if (Date.now() - at > lateMost) return tell(player, at, "alarm.missed");
  if (!player.isSounding || !player.isLive) begin(player, at);
  deck.hold(null);
}

/**
 * Plays live, from silence on; where the browser wants a press, that is asked for.
 * @param {App} player
 * @param {number} at
 */
function begin(player, at) {
  const { audio, engine } = player;
  const loud = Math.max(loudLeast, audio.volume);
  let begun = 0, own = audio.volume = 0;
  audio.muted = false;
  const timer = setInterval(() => {
    // Whoever moves the volume has it.
    const isOthers = Math.abs(audio.volume - own) > 0.01, isOver = ["idle", "gone"].includes(engine.state);
    if (isOthers || isOver) clearInterval(timer);
    if (isOver && !isOthers) audio.volume = loud;
    if (!begun || isOthers || isOver) return;
    const part = Math.min(1, (performance.now() - begun) / 1_000 / riseSeconds);
    // Loudness follows the square better than the line.
    own = audio.volume = loud * part ** 2;
    if (part === 1) clearInterval(timer);
  }, riseStep);
  const hear = () => {
    const isRefused = engine.state === "paused" && !begun;
    if (engine.state === "playing") begun = begun || performance.now();
    if (!begun && !isRefused) return;
    engine.removeEventListener("state", hear);
    if (!isRefused) return;
    clearInterval(timer);
    audio.volume = loud;
    tell(player, at, "alarm.refused");
  };
  engine.addEventListener("state", hear);
  player.jump("live");
}

/**
 * Says what became of it, with a press that plays.
 * @param {App} player
 * @param {number} at
 * @param {"alarm.missed" | "alarm.refused"} key
 */
function tell(player, at, key) {
  const { station, panel } = player;
  trouble = () => t(key, { clock: moment(at) });
  const play = () => player.jump("live"), text = t("player.play");
  if (player.isShown) {
    const press = button("play", text, play, { text, class: "primary" });
    panel.show("alarm", {
      label: t("alarm.title"), nodes: [el("p", { role: "alert" }, trouble()), el("div", { class: "row" }, press)],
    });
    panel.isOffer = true;
    return;
  }
  player.rest();
  void import("./bar.js").then(({ bar }) => {
    bar.show();
    bar.offer(station, text, play, player.life, trouble());
  });
}

/**
 * The part of the panel.
 * @param {App} app
 */
export function section(app) {
  const place = el("section", { class: "alarm" });
  const show = (hasFocus = true) => {
    place.replaceChildren(el("h3", {}, t("alarm.title")), ...alarm ? shown(alarm.at, alarm.app) : asked());
    app.update();
    if (hasFocus) place.querySelector("button")?.focus();
  };

  /** @type {(at: number, app: App) => Node[]} */
  const shown = (at, { station }) => [
    el("p", {}, t("alarm.is-set", { name: station.name, clock: moment(at) })),
    el("div", { class: "row" }, button("close", t("alarm.off"), () => {
      cancel();
      show();
    }, { text: t("alarm.off") })),
  ];

  function asked() {
    const field = el("input", { type: "time", required: true, value: kept("alarm") ?? "07:00" });
    const press = el("button", { class: "button outlined" }, t("alarm.set"));
    const form = el("form", { class: "row", on: { submit: (/** @type {Event} */ event) => {
      event.preventDefault();
      if (!field.value) return;
      keep("alarm", field.value.slice(0, 5));
      set(app, nextAt(field.value));
      show();
    } } }, el("label", { class: "row" }, t("alarm.at"), field), press);
    form.noValidate = true;
    const said = trouble();
    const hint = [t("alarm.hint", { name: app.station.name }), zoneNote(app.timeline.zone) && t("alarm.own")];
    return [said && el("p", {}, said), form, el("p", { class: "hint" }, hint.filter(Boolean).join(" "))]
      .filter((node) => node instanceof Node);
  }

  show(false);
  return place;
}
