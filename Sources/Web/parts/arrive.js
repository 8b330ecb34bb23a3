// How the page begins: at a moment of its address, with a clip, or with an offer to go on where the listener was.

import { getJSON } from "./api.js";
import { button, el, part } from "./dom.js";
import { addPhrases, t } from "./i18n.js";
import { keptPlace } from "./session.js";

/** @typedef {import("./app.js").App} App */

/** A place this close to live is not worth an offer, in milliseconds. */
const offerBehind = 60_000;
/** A moment this far ahead of live is live still, in milliseconds. */
const ahead = 5_000;
/** Milliseconds, a hundred years: what is further away was not meant. Of a text that is no moment, so much is said. */
const timeMost = 3.2e12, textMost = 40;

/**
 * @param {App} app
 * @param {{ place?: { at?: string | null, offset?: string | null } | null, session?: string | null }} state as the
 *   relay wrote it: `place` and `session` are what it read from the address
 */
export function arrive(app, { place, session }) {
  const { timeline } = app;
  if (new URLSearchParams(location.search).get("via") === "hls" && !app.quality.steady) void app.beSteady();
  if (app.isRemote) void tellRemote(app);
  if (timeline.isEmpty || !app.canShift) return;
  const clip = clipOf(new URLSearchParams(location.search).get("clip"));
  if (clip && app.canClip) {
    app.panel.toggle("clip", clip);
    return;
  }
  if (app.isRemote) return;
  if (session) return void takeUp(app, session);
  const wish = placeOf(app, place);
  if (wish !== null) return begin(app, wish);
  // What sounds already is where it should be.
  if (app.engine.state !== "idle") return;
  const before = keptPlace(app.station.id);
  const oldest = timeline.oldest.air;
  if (!before || before.air < oldest || timeline.live().air - before.air < offerBehind) return;
  const clock = app.clock(before.air);
  void offer(app, () => [t("player.resume", { clock }), t("player.resume-hint"), [
    choice("play", t("player.go-on"), () => app.jump({ air: before.air }), true),
    choice("live", t("player.go-live"), () => app.jump("live")),
  ]]);
}

/**
 * Says that the page steers another player.
 * @param {App} app
 */
async function tellRemote({ signal }) {
  await addPhrases("panel/");
  if (!signal.aborted) part("place").after(el("p", { class: "place" }, t("player.remote")));
}

/**
 * Goes on where another device is.
 * @param {App} app
 * @param {string} session
 */
async function takeUp(app, session) {
  const [{ json }, { placeOfSession }] = await Promise.all([
    getJSON(`/api/v1/sessions/${encodeURIComponent(session)}`), import("./remote.js"),
  ]);
  const air = json ? placeOfSession(json, app.timeline) : null;
  if (air === null || app.engine.state !== "idle") return;
  const place = Math.max(app.timeline.oldest.air, air);
  const isLive = app.timeline.live().air - place < 20_000;
  app.wanted = isLive ? null : place;
  void offer(app, () => [t("player.taken"), t("player.taken-hint"), [
    choice("play", t("player.go-on"), () => app.jump(isLive ? "live" : { air: place }), true),
  ]]);
}

/**
 * Returns the moment that the address asks for, or null. What is no moment, or is still to come, is said, and is live.
 * @param {App} app
 * @param {{ at?: string | null, offset?: string | null } | null | undefined} place
 */
export function placeOf(app, place) {
  const { timeline } = app;
  if (timeline.isEmpty || !app.canShift || !place) return null;
  const { at, offset } = place;
  const live = timeline.live().air;
  const wish = at ? momentOf(app, at) : offset ? live - 1_000 * secondsOf(offset) : null;
  const isMoment = wish !== null && Math.abs(wish - live) <= timeMost;
  if (wish === null || (isMoment && wish <= live + ahead)) return wish;
  const whole = at ?? offset ?? "", text = whole.length > textMost ? `${whole.slice(0, textMost)}…` : whole;
  void tell(app, () => isMoment ? t("player.to-come", { clock: dated(app, wish) }) : t("player.no-moment", { text }));
  return Infinity;
}

/**
 * Says something until something else is heard.
 * @param {App} app
 * @param {() => string} words in the reader's language, once they are there
 */
async function tell(app, words) {
  await addPhrases("panel/");
  if (!app.isShown) return;
  app.note = words();
  app.say(app.note);
  app.engine.addEventListener("place", () => {
    app.note = "";
    app.say("");
  }, { once: true });
}

/**
 * Returns a moment with the year where that is another one.
 * @param {App} app
 * @param {number} air
 */
function dated(app, air) {
  const year = new Date(air).getUTCFullYear(), clock = app.clock(air, true);
  return year === new Date(app.timeline.live().air).getUTCFullYear() ? clock : `${clock}, ${year}`;
}

/**
 * @param {App} app
 * @param {number} air
 */
function begin(app, air) {
  const { timeline } = app;
  const oldest = timeline.oldest.air, live = timeline.live().air;
  if (air < oldest - 1_000) {
    const clock = dated(app, air), first = app.clock(oldest, true);
    return void offer(app, () => [t("player.gone", { clock }), t("player.gone-hint", { clock: first }), [
      choice("play", t("player.play-oldest", { clock: app.clock(oldest) }), () =>
        app.jump({ air: timeline.oldest.air }), true),
      choice("live", t("player.go-live"), () => app.jump("live")),
    ]]);
  }
  const wanted = air > live ? null : Math.max(oldest, air);
  if (app.isSounding) return app.jump(wanted === null ? "live" : { air: wanted });
  if (app.engine.state !== "idle") app.rest();
  app.wanted = wanted;
  app.update();
}

/**
 * @param {App} app
 * @param {() => [label: string, hint: string, choices: Node[]]} words in the reader's language, once they are there
 */
async function offer(app, words) {
  const { state } = app.engine;
  await addPhrases("panel/");
  // Who has pressed play meanwhile has chosen.
  if (!app.isShown || app.engine.state !== state) return;
  const [label, hint, choices] = words();
  app.panel.show("offer", {
    label, nodes: [el("p", { class: "hint" }, hint), el("div", { class: "row" }, ...choices)],
  });
  app.panel.isOffer = true;
}

/**
 * @param {string} name
 * @param {string} text
 * @param {() => void} action
 * @param {boolean} [isFirst]
 */
function choice(name, text, action, isFirst = false) {
  return button(name, text, action, { text, class: isFirst ? "primary" : "outlined" });
}

/**
 * Returns a moment of the address in milliseconds; without a zone it is by the station's clock, without a day the last
 * one.
 * @param {App} app
 * @param {string} text
 */
export function momentOf(app, text) {
  const { timeline } = app;
  if (text === "track-start") return timeline.titleAt(timeline.mediaOf(timeline.live().air))?.air ?? null;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  if (/^-\d/.test(text)) return timeline.live().air - 1_000 * secondsOf(text);
  const clock = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text);
  if (clock) return latest(timeline, clock.slice(1).map((each) => Number(each ?? 0)));
  if (/[zZ]$|[+-]\d\d:?\d\d$/.test(text)) return Date.parse(text);
  return Date.parse(`${text}Z`) - timeline.zoneSeconds * 1_000;
}

/**
 * Returns when it was that late at the station, lately.
 * @param {import("./timeline.js").Timeline} timeline
 * @param {number[]} clock hours, minutes and seconds
 */
function latest(timeline, [hours, minutes, seconds]) {
  const live = timeline.live().air, zone = timeline.zoneSeconds * 1_000, day = 86_400_000;
  const midnight = Math.floor((live + zone) / day) * day - zone;
  const moment = midnight + ((hours * 60 + minutes) * 60 + seconds) * 1_000;
  return moment > live ? moment - day : moment;
}

/**
 * Returns the seconds of "30m", "1h30m", "-90s" or "90".
 * @param {string} text
 */
function secondsOf(text) {
  const units = { d: 86_400, h: 3_600, m: 60, s: 1 };
  if (/^-?\d+(\.\d+)?$/.test(text)) return Math.abs(Number(text));
  let seconds = NaN;
  for (const [, figure, unit] of text.matchAll(/(\d+(?:\.\d+)?)([dhms])(?!s)/g)) {
    seconds = (seconds || 0) + Number(figure) * units[/** @type {"d"} */ (unit)];
  }
  return seconds;
}

/** @param {string | null} text FROM/TO */
function clipOf(text) {
  const [from, to] = (text ?? "").split("/").map((each) => /^\d+(\.\d+)?$/.test(each) ? Number(each) * 1_000
    : Date.parse(each));
  return from < to ? { from, to, isLink: true } : null;
}
