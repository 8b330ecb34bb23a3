// Keys of the whole page, which help.js lists.

import { beginning, goLive, nextTitle, previousTitle } from "./controls.js";
import { onKeys, toggleTheme } from "./tools.js";

/** @typedef {import("./app.js").App} App */

/** @param {App} app */
export function startKeys(app) {
  onKeys(app.signal, (key, isShift) => actionOf(app, key, isShift));
}

/**
 * Returns what a key does: to what is open in the panel, else to the part that has it, else to the page.
 * @param {App} app
 * @param {string} key
 * @param {boolean} isShift
 * @returns {(() => void) | null | undefined}
 */
function actionOf(app, key, isShift) {
  switch (key) {
    case " ": return () => app.toggle();
    case "ArrowLeft": return () => app.nudge(isShift ? -60 : -10);
    case "ArrowRight": return () => app.nudge(isShift ? 60 : 10);
    case "Home": return app.canShift ? () => app.jump({ air: app.timeline.oldest.air }) : null;
    case "End": return () => goLive(app);
    case "Escape": return app.panel.name ? () => app.panel.close() : null;
  }
  for (const { keys } of [app.panel, ...app.parts]) if (keys?.[key]) return keys[key];
  switch (key) {
    case "?": return () => app.panel.help();
    case "0": return () => goLive(app);
    case "k": return () => app.toggle();
    case "j": return () => app.nudge(-30);
    case "l": return () => app.nudge(30);
    case "p": return () => previousTitle(app);
    case "n": return () => nextTitle(app);
    case "b": return () => beginning(app);
    case "c": return app.canClip ? () => app.panel.toggle("clip") : null;
    case "s": return () => app.panel.toggle("share");
    case "t": return () => app.panel.toggle("sleep");
    case "h": return () => {
      const heading = document.getElementById("played");
      heading?.setAttribute("tabindex", "-1");
      heading?.focus();
    };
    case "d": return () => toggleTheme();
  }
  return null;
}
