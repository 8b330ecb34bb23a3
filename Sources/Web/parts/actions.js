// Volume, and the buttons that open the panel.

import { button, el, keep, kept, setAttribute, setIcon } from "./dom.js";
import { t } from "./i18n.js";

/** @typedef {import("./app.js").App} App */

/**
 * @param {App} app
 * @param {HTMLElement} row
 * @returns {import("./app.js").Part}
 */
export function startActions(app, row) {
  const { audio } = app;
  const mute = button("volume", t("player.mute"), () => app.mute(), { "aria-pressed": "false" });
  const slider = el("input", { type: "range", min: 0, max: 100, step: 1, "aria-label": t("player.volume") });
  const volume = el("div", { class: "volume" }, mute, slider);
  const sleep = opener("moon", "sleep"), clip = opener("scissors", "clip"), share = opener("share", "share");
  const take = opener("qr", "take"), quality = opener("quality", "quality");

  /**
   * @param {string} name
   * @param {import("./panel.js").PanelName} part
   */
  function opener(name, part) {
    const text = t(`player.${part}`);
    const attributes = { text, "aria-expanded": "false", "aria-controls": "panel" };
    return button(name, text, () => app.panel.toggle(part), attributes);
  }

  /** @param {number} value 0…1 */
  function set(value) {
    audio.volume = Math.min(1, Math.max(0, value));
    keep("volume", audio.volume.toFixed(2));
    if (audio.volume > 0) audio.muted = false;
  }

  app.volume = (change) => set(audio.volume + change);
  app.mute = () => {
    audio.muted = !audio.muted;
  };
  slider.addEventListener("input", () => set(slider.valueAsNumber / 100));
  audio.addEventListener("volumechange", show);
  // A new address drops the events of the one before that are still due.
  audio.addEventListener("loadstart", show);

  function show() {
    const isMuted = audio.muted || audio.volume === 0;
    const percent = Math.round(audio.volume * 100);
    if (document.activeElement !== slider || slider.valueAsNumber !== percent) slider.value = String(percent);
    setIcon(mute, isMuted ? "mute" : "volume");
    setAttribute(mute, "aria-pressed", String(audio.muted));
  }

  // iPhones leave the volume to their buttons: there it cannot be set.
  audio.volume = 0.5;
  const canSet = Math.abs(audio.volume - 0.5) < 0.01;
  const before = Number(kept("volume") ?? 1);
  audio.volume = before > 0 && before <= 1 ? before : 1;
  slider.hidden = !canSet;
  show();
  if (!app.isRemote) row.append(volume);
  row.append(sleep);
  // What another player plays is not chosen here.
  if (app.qualities.length && !app.isRemote) row.append(quality);
  if (app.canClip) row.append(clip);
  row.append(share);
  // A session that is steered from here is another device's already.
  if (!app.timeline.isEmpty && !app.isRemote) row.append(take);

  return {
    update() {
      const openers = /** @type {const} */ ([
        [sleep, "sleep"], [clip, "clip"], [share, "share"], [take, "take"], [quality, "quality"],
      ]);
      for (const [each, name] of openers) {
        setAttribute(each, "aria-expanded", String(app.panel.name === name));
      }
      const text = sleep.lastElementChild;
      const left = app.sleepLeft();
      const word = left === null ? t("player.sleep") : t("player.sleep-left", { n: Math.ceil(left / 60) });
      if (text && text.textContent !== word) text.textContent = word;
    },
  };
}
