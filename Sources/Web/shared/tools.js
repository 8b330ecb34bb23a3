// The tools at the top of each page: language, light or dark, help. And the page's own words in the chosen language.

import { button, icon, keep, kept } from "./dom.js";
import { choose, language, languages, t } from "./i18n.js";

const themeKey = "theme";

/** What the relay wrote in English, and the key of each. */
const words = {
  ".skip": "skip", ".links a": "stations", '[data-page="stations"] h1': "stations", "#played": "played",
  "#elsewhere": "elsewhere",
  '.foot a[href="/admin/"]': "administration", ".members h2": "members-only",
};

/**
 * Does what keys of the whole page do, unless what has the focus wants them itself. Single letters can be switched off
 * (WCAG 2.1.4).
 * @param {AbortSignal} signal ends with the page
 * @param {(key: string, isShift: boolean) => (() => void) | null | undefined} actionOf letters are in lower case
 */
export function onKeys(signal, actionOf) {
  document.addEventListener("keydown", (event) => {
    const { key, target } = event, isLetter = key.length === 1 && key !== " ";
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTaken(target, key) || document.querySelector("dialog[open]")) return;
    if (isLetter && kept("letters") === "off") return;
    const action = actionOf(isLetter ? key.toLowerCase() : key, event.shiftKey);
    if (!action) return;
    event.preventDefault();
    action();
  }, { signal });
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
 * Translates what the relay rendered, and fills `#tools`. Await `ready()` of i18n.js first.
 * @param {{ onHelp?: () => void }} [options] without `onHelp` there is no help button
 */
export function startTools(options) {
  for (const [selector, key] of Object.entries(words)) {
    const element = document.querySelector(selector);
    if (element) element.textContent = t(key);
  }
  document.querySelector(".links")?.setAttribute("aria-label", t("pages"));
  for (const state of document.querySelectorAll(".state")) {
    state.textContent = t(`state-${/** @type {HTMLElement} */ (state).dataset.state}`);
  }
  const tools = document.getElementById("tools");
  if (!tools) return;
  tools.replaceChildren(languageMenu(), button("theme", t("theme"), () => toggleTheme()));
  if (options?.onHelp) tools.append(button("help", t("help"), options.onHelp));
}

/** The list is the browser's own; it lies over a short word that takes less room. */
function languageMenu() {
  const menu = document.createElement("select");
  menu.setAttribute("aria-label", t("language"));
  for (const [tag, name] of Object.entries(languages)) {
    const option = new Option(name, tag, false, tag === language());
    option.lang = tag;
    menu.append(option);
  }
  menu.addEventListener("change", () => choose(menu.value));
  const shown = document.createElement("span");
  shown.setAttribute("aria-hidden", "true");
  shown.textContent = language().toUpperCase();
  const frame = document.createElement("div");
  frame.className = "language button";
  frame.append(shown, icon("down"), menu);
  return frame;
}

const systemIsLight = () => matchMedia("(prefers-color-scheme: light)").matches;

/** Changes to the other theme and keeps it; what the system wants anyway is not kept. */
export function toggleTheme() {
  const root = document.documentElement;
  const isLight = root.dataset.theme ? root.dataset.theme === "light" : systemIsLight();
  const wish = isLight ? "dark" : "light";
  const isSystems = (wish === "light") === systemIsLight();
  if (isSystems) delete root.dataset.theme;
  else root.dataset.theme = wish;
  keep(themeKey, isSystems ? null : wish);
  document.dispatchEvent(new Event("look"));
}
