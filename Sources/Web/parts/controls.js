// The row of buttons that play, pause and move in time; and the volume.

import { button, el, keep, setAttribute, setIcon, setText } from "./dom.js";
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
 * The volume. That of the small player begins anew each time.
 * @param {App} app
 * @returns {import("./app.js").Part & { element: HTMLElement }}
 */
export function startVolume({ audio, isSmall, signal }) {
  const mute = button("volume", t("player.mute"), toggle, { "aria-pressed": "false" });
  const slider = el("input", { type: "range", min: 0, max: 100, step: 1, "aria-label": t("player.volume") });

  function toggle() {
    audio.muted = !audio.muted;
  }

  /** @param {number} value 0…1 */
  function set(value) {
    audio.volume = Math.min(1, Math.max(0, value));
    if (!isSmall) keep("volume", audio.volume.toFixed(2));
    if (audio.volume > 0) audio.muted = false;
  }

  // A new address drops the events of the one before that are still due: it is looked at besides.
  function update() {
    const isMuted = audio.muted || audio.volume === 0;
    const percent = Math.round(audio.volume * 100);
    if (document.activeElement !== slider || slider.valueAsNumber !== percent) slider.value = String(percent);
    setIcon(mute, isMuted ? "mute" : "volume");
    setAttribute(mute, "aria-pressed", String(audio.muted));
  }

  slider.addEventListener("input", () => set(slider.valueAsNumber / 100));
  audio.addEventListener("volumechange", update, { signal });
  // iPhones leave the volume to their buttons: there it cannot be set.
  const other = new Audio();
  other.volume = 0.5;
  slider.hidden = Math.abs(other.volume - 0.5) >= 0.01;
  update();
  return {
    element: el("div", { class: "volume" }, mute, slider), update,
    keys: { m: toggle, ArrowUp: () => set(audio.volume + 0.05), ArrowDown: () => set(audio.volume - 0.05) },
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
