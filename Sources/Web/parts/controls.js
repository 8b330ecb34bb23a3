// The row of buttons that play, pause and move in time.

import { button, el, setAttribute, setIcon, setText } from "./dom.js";
import { span, t } from "./i18n.js";

/** @typedef {import("./app.js").App} App */

/** Shorter waits do not show, in milliseconds. */
const busyAfter = 400;

/**
 * @param {App} app
 * @param {HTMLElement} row
 * @returns {import("./app.js").Part}
 */
export function startControls(app, row) {
  const play = button("play", t("player.play"), () => app.toggle(), { class: "play" });
  const previous = button("previous", t("player.previous"), () => previousTitle(app));
  const back = button("back30", t("player.back30"), () => app.nudge(-30));
  const forward = button("forward30", t("player.forward30"), () => app.nudge(30));
  const next = button("next", t("player.next"), () => nextTitle(app));
  const begin = button("begin", t("player.begin"), () => beginning(app), { class: "begin", text: t("player.begin") });
  const word = el("span");
  const behind = el("span");
  const live = el("button", { type: "button", class: "live", on: { click: () => goLive(app) } }, behind, word);
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", t("player.controls"));
  if (app.canShift) row.append(previous, back, play, forward, next, begin, live);
  else row.append(play);

  let busySince = 0;
  return {
    update() {
      const isSounding = app.isSounding;
      setIcon(play, isSounding ? "pause" : "play");
      const label = t(isSounding ? "player.pause" : "player.play");
      setAttribute(play, "aria-label", label);
      setAttribute(play, "title", label);
      const isBusy = ["starting", "waiting", "retrying"].includes(app.engine.state);
      busySince = isBusy ? busySince || performance.now() : 0;
      play.classList.toggle("busy", isBusy && performance.now() - busySince > busyAfter);
      if (!app.canShift) return;
      const isLive = app.isLive, place = app.place() ?? 0, title = app.title();
      // Disabled buttons lose the focus, so these only say that they do nothing.
      setAttribute(forward, "aria-disabled", isLive ? "true" : null);
      setAttribute(next, "aria-disabled", isLive ? "true" : null);
      const isOldest = place - app.timeline.oldest.air < 1_000;
      setAttribute(back, "aria-disabled", isOldest ? "true" : null);
      setAttribute(previous, "aria-disabled", isOldest ? "true" : null);
      setAttribute(begin, "aria-disabled", title ? null : "true");
      setText(behind, isLive ? "" : t("player.behind", { length: span(app.behind()) }));
      behind.hidden = isLive;
      setText(word, t(isLive ? "player.live" : "player.go-live"));
      live.classList.toggle("on", isLive && isSounding);
      live.dataset.live = String(isLive);
    },
  };
}

/**
 * Live again; what plays live already goes on undisturbed.
 * @param {App} app
 */
export function goLive(app) {
  if (app.isLive && app.engine.state === "playing") return;
  app.jump("live");
}

/**
 * Begins this title anew; at its very beginning it begins the one before.
 * @param {App} app
 */
export function previousTitle(app) {
  const title = app.title(), place = app.place();
  if (!app.canShift || place === null) return;
  const isEarly = title && place - title.air < 3_000;
  const target = isEarly ? app.timeline.titleBefore(title.media) : title;
  app.jump({ air: Math.max(app.timeline.oldest.air, target?.air ?? 0) });
}

/** @param {App} app */
export function nextTitle(app) {
  const place = app.place();
  if (!app.canShift || place === null || app.isLive) return;
  const target = app.timeline.titleAfter(app.title()?.media ?? app.timeline.mediaOf(place));
  app.jump(target ? { air: target.air } : "live");
}

/** @param {App} app */
export function beginning(app) {
  const title = app.title();
  if (app.canShift && title) app.jump({ air: Math.max(app.timeline.oldest.air, title.air) });
}
