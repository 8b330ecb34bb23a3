// The list of keys, with the switches for single letters and for what a screen reader is told.

import { button, el, keep, kept } from "./dom.js";
import { addPhrases, t } from "./i18n.js";
import { addStyles } from "./styles.js";

// The bar for scrolling stands inside of the round corners, and the way out stays in sight.
addStyles(`
.help { padding: 0; overflow: hidden; }
.help[open] { display: flex; flex-direction: column; }
.help .panel-head { flex: none; align-items: center; margin: 0; padding: 16px 14px 8px 24px; }
.help h2 { margin: 0; }
.help .sheet { min-height: 0; overflow-y: auto; padding: 0 24px 24px; }
.keys { width: 100%; border-collapse: collapse; margin-bottom: 12px; }
.keys :is(th, td) { padding: 6px 0; text-align: start; font-weight: 400; vertical-align: top; }
.keys th { width: 40%; padding-inline-end: 12px; white-space: nowrap; }
kbd {
  display: inline-block; min-width: 26px; margin-inline-end: 4px; padding: 1px 7px; border: 1px solid var(--line);
  border-radius: 6px; font: inherit; font-size: 0.8125rem; text-align: center;
}
`);

/** @type {[string[], string][]} */
const rows = [
  [["Space", "K"], "player.key-play"], [["←", "→"], "player.key-10"], [["Shift ←", "Shift →"], "player.key-60"],
  [["J", "L"], "player.key-30"], [["P", "N"], "player.key-titles"], [["B"], "player.key-begin"],
  [["A"], "player.key-show"], [["+", "−"], "player.key-zoom"],
  [["Home"], "player.key-oldest"], [["End", "0"], "player.key-live"], [["↑", "↓"], "player.key-volume"],
  [["M"], "player.key-mute"], [["C"], "player.key-clip"], [["S"], "player.key-share"], [["T"], "player.key-sleep"],
  [["H"], "player.key-history"], [["V"], "player.key-wave"],
  [["D"], "player.key-theme"], [["?"], "player.key-help"], [["Esc"], "player.key-close"],
];

const ready = addPhrases("keys/");

/**
 * @param {string[]} [only] the phrases of the keys that there are; all of them unless given
 */
export async function showHelp(only) {
  const opener = document.activeElement;
  await ready;
  if (document.querySelector(".help")) return;
  const there = rows.filter(([, text]) => !only || only.includes(text));
  const body = el("tbody", {}, ...there.map(([keys, text]) => el("tr", {},
    el("th", { scope: "row" }, ...keys.map((key) => el("kbd", {}, key))), el("td", {}, t(text)))));
  /** @type {HTMLDialogElement} */
  const dialog = el("dialog", { class: "dialog help", "aria-labelledby": "help-title" },
    el("div", { class: "panel-head row" }, el("h2", { id: "help-title" }, t("player.keys")),
      button("close", t("player.close"), () => dialog.close(), { class: "close" })),
    el("div", { class: "sheet", tabindex: 0, role: "group", "aria-labelledby": "help-title" },
      el("table", { class: "keys" }, body),
      toggle("letters", t("player.letters")), !only && toggle("announce", t("player.announce"))));
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (opener instanceof HTMLElement) opener.focus();
  });
  dialog.addEventListener("click", (/** @type {MouseEvent} */ event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * @param {string} key
 * @param {string} text
 */
function toggle(key, text) {
  const box = el("input", { type: "checkbox", on: { change: () => keep(key, box.checked ? null : "off") } });
  box.checked = kept(key) !== "off";
  return el("label", { class: "choice" }, box, text);
}
