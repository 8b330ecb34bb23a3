// Keys of the whole page (listed by help.js). Single letters can be switched off (WCAG 2.1.4).

import { beginning, goLive, nextTitle, previousTitle } from "./controls.js";
import { kept } from "./dom.js";
import { toggleTheme } from "./tools.js";

/** @typedef {import("./app.js").App} App */

/** @param {App} app */
export function startKeys(app) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTaken(event.target, event.key) || document.querySelector("dialog[open]")) return;
    const action = actionOf(app, event);
    if (!action) return;
    event.preventDefault();
    action();
  }, { signal: app.signal });
}

/**
 * True where the focused element wants the key itself.
 * @param {EventTarget | null} target
 * @param {string} key
 */
function isTaken(target, key) {
  if (!(target instanceof HTMLElement)) return false;
  // Of a choice the browser wants the arrows and the space alone.
  if (target.matches("[type=radio]")) return key === " " || key.startsWith("Arrow");
  if (target.isContentEditable || target.matches("input:not([type=range]), textarea, select")) return true;
  if (key === " ") return target.matches("button, a[href], summary, [role=slider]") && !target.matches(".track");
  if (target.matches("input[type=range]")) return /^(Arrow|Home|End|Page)/.test(key);
  return false;
}

/**
 * Returns what a key does: to what is open in the panel, else to the part that has it, else to the page.
 * @param {App} app
 * @param {KeyboardEvent} event
 * @returns {(() => void) | null | undefined}
 */
function actionOf(app, { key, shiftKey }) {
  switch (key) {
    case " ": return () => app.toggle();
    case "ArrowLeft": return () => app.nudge(shiftKey ? -60 : -10);
    case "ArrowRight": return () => app.nudge(shiftKey ? 60 : 10);
    case "Home": return app.canShift ? () => app.jump({ air: app.timeline.oldest.air }) : null;
    case "End": return () => goLive(app);
    case "Escape": return app.panel.name ? () => app.panel.close() : null;
  }
  const isLetter = key.length === 1, name = isLetter ? key.toLowerCase() : key;
  if (isLetter && kept("letters") === "off") return null;
  for (const { keys } of [app.panel, ...app.parts]) if (keys?.[name]) return keys[name];
  switch (name) {
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
