// How the page begins: at a moment of its address, with a clip, or with an offer to go on where the listener was.

import { button, el } from "./dom.js";
import { t } from "./i18n.js";
import { keptPlace } from "./session.js";

/** @typedef {import("./listen.js").App} App */

/** A place this close to live is not worth an offer, in milliseconds. */
const offerBehind = 60_000;

/**
 * @param {App} app
 * @param {{ at?: string | null, offset?: string | null }} place as the relay read it from the address
 */
export function arrive(app, { at, offset }) {
  const { timeline } = app;
  if (timeline.isEmpty || !app.canShift) return;
  const clip = clipOf(new URLSearchParams(location.search).get("clip"));
  if (clip && app.canClip) {
    app.panel.toggle("clip", clip);
    return;
  }
  const wish = at ? momentOf(app, at) : offset ? timeline.live().air - 1_000 * secondsOf(offset) : null;
  if (wish !== null && Number.isFinite(wish)) return begin(app, wish);
  const before = keptPlace(app.station.id);
  const oldest = timeline.oldest.air;
  if (!before || before.air < oldest || timeline.live().air - before.air < offerBehind) return;
  const clock = app.clock(before.air);
  offer(app, t("player.resume", { clock }), t("player.resume-hint"), [
    choice("play", t("player.go-on"), () => app.jump({ air: before.air }), true),
    choice("live", t("player.go-live"), () => app.jump("live")),
  ]);
}

/**
 * @param {App} app
 * @param {number} air
 */
function begin(app, air) {
  const { timeline } = app;
  const oldest = timeline.oldest.air, live = timeline.live().air;
  const clock = app.clock(air, true);
  if (air < oldest - 1_000) {
    offer(app, t("player.gone", { clock }), t("player.gone-hint", { clock: app.clock(oldest, true) }), [
      choice("play", t("player.play-oldest", { clock: app.clock(oldest) }), () =>
        app.jump({ air: timeline.oldest.air }), true),
      choice("live", t("player.go-live"), () => app.jump("live")),
    ]);
    return;
  }
  // A moment that is still to come is live.
  app.wanted = air > live ? null : Math.max(oldest, air);
  app.update();
}

/** @type {(app: App, label: string, hint: string, choices: Node[]) => void} */
function offer(app, label, hint, choices) {
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
 * Returns a moment of the address in milliseconds; without a zone it is the station's time of day.
 * @param {App} app
 * @param {string} text
 */
export function momentOf(app, text) {
  const { timeline } = app;
  if (text === "track-start") return timeline.titleAt(timeline.mediaOf(timeline.live().air))?.air ?? null;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  if (/[zZ]$|[+-]\d\d:?\d\d$/.test(text)) return Date.parse(text);
  return Date.parse(`${text}Z`) - timeline.zoneSeconds * 1_000;
}

/**
 * Returns the seconds of "30m", "1h30m", "-90s" or "90".
 * @param {string} text
 */
function secondsOf(text) {
  const units = { d: 86_400, h: 3_600, m: 60, s: 1 };
  if (/^-?\d+(\.\d+)?$/.test(text)) return Math.abs(Number(text));
  let seconds = 0;
  for (const [, figure, unit] of text.matchAll(/(\d+(?:\.\d+)?)([dhms])(?!s)/g)) {
    seconds += Number(figure) * units[/** @type {"d"} */ (unit)];
  }
  return seconds;
}

/** @param {string | null} text FROM/TO */
function clipOf(text) {
  const [from, to] = (text ?? "").split("/").map((each) => /^\d+(\.\d+)?$/.test(each) ? Number(each) * 1_000
    : Date.parse(each));
  return from < to ? { from, to, isLink: true } : null;
}
