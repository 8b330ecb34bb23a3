// What a reload of the configuration would do now: mistakes by line, stations, and the keys that differ.

import { t } from "../i18n.js";
import { h } from "./parts.js";
import { reloaded } from "./words.js";

/** @typedef {{ line: number | null, key: string, message: string }} Problem */
/** @typedef {{ op: "+" | "-" | " ", text: string, line: number }} Line Of the new text; of the running one for "-". */
/** @typedef {Record<typeof reloaded[number], string[]>} Report Names of stations, sections and keys. */
/** @typedef {Report & { problems: Problem[], lines: Line[], truncated: boolean }} Changes */

/**
 * Whether a reload would change nothing.
 * @param {Changes} changes
 */
export const isSame = ({ lines, problems, ...report }) =>
  !lines.length && !problems.length && reloaded.every(kind => !report[kind].length);

/**
 * The stations and settings that a reload changes, as a list; null where there are none.
 * @param {Report} report
 */
export function summary(report) {
  const found = reloaded.filter(kind => report[kind].length);
  return found.length ? h("ul", { class: "summary" }, ...found.map(kind =>
    h("li", { class: kind }, h("b", {}, t(`admin.config.${kind}`)), " ", report[kind].join(", ")))) : null;
}

/** @param {Problem[]} problems */
export function mistakes(problems) {
  return h("ol", { class: "mistakes" }, ...problems.map(({ line, key, message }) => h("li", {},
    h("b", {}, line === null ? "" : t("admin.config.line", { line })),
    h("span", {}, h("code", {}, key), " ", message))));
}

/**
 * The keys whose values differ, with the lines on which they stand.
 * @param {Changes} changes
 */
export function difference({ lines, truncated }) {
  const rows = lines.map(({ op, text, line }) => h("tr", { class: { "+": "plus", "-": "minus", " ": null }[op] },
    h("td", { class: "number" }, String(line)), h("td", { class: "sign" }, signs[op] ?? ""),
    h("td", {}, h("code", {}, text))));
  const table = h("table", { "aria-label": t("admin.config.lines") }, h("tbody", {}, ...rows));
  return h("div", { class: "difference", tabindex: 0, role: "region", "aria-label": t("admin.config.lines") }, table,
    truncated ? h("p", { class: "quiet" }, t("admin.config.truncated")) : null);
}

/** Signs that also a screen reader says. */
const signs = { "+": "+", "-": "−", " ": "" };
