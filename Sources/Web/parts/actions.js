// The buttons that open the panel, beside the volume.

import { startVolume } from "./controls.js";
import { button, setAttribute, setText } from "./dom.js";
import { t } from "./i18n.js";
import { canSteady } from "./qualities.js";

/** @typedef {import("./app.js").App} App */

/**
 * @param {App} app
 * @param {HTMLElement} row
 * @returns {import("./app.js").Part}
 */
export function startActions(app, row) {
  /** @type {[HTMLElement, import("./panel.js").PanelName][]} */
  const openers = [];
  const sleep = opener("moon", "sleep"), clip = opener("scissors", "clip"), share = opener("share", "share");
  const take = opener("qr", "take"), quality = opener("quality", "quality");

  /**
   * @param {string} name
   * @param {import("./panel.js").PanelName} part
   */
  function opener(name, part) {
    const text = t(`player.${part}`);
    const attributes = { text, "aria-expanded": "false", "aria-controls": "panel" };
    const opener = button(name, text, () => app.panel.toggle(part), attributes);
    openers.push([opener, part]);
    return opener;
  }

  const volume = startVolume(app);
  app.parts.push(volume);
  if (!app.isRemote) row.append(volume.element);
  row.append(sleep);
  // What another player plays is not chosen here.
  if (!app.isRemote && (app.qualities.length || canSteady(app))) row.append(quality);
  if (app.canClip) row.append(clip);
  row.append(share);
  // A session that is steered from here is another device's already.
  if (!app.timeline.isEmpty && !app.isRemote) row.append(take);

  return {
    update() {
      for (const [each, name] of openers) {
        setAttribute(each, "aria-expanded", String(app.panel.name === name));
        setText(each.lastElementChild, app.panel.word(name));
      }
    },
  };
}
