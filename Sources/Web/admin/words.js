// The relay's events in words, and how much each of them matters.

import { span, t } from "../i18n.js";
import { lasting, size, song } from "./parts.js";

/** @typedef {import("./feed.js").RelayEvent} RelayEvent */

/**
 * The kinds of events, by what they are about, with how much each matters: the relay's own rows.
 * @type {Record<string, Record<string, string>>}
 */
const rows = JSON.parse(document.getElementById("state")?.textContent ?? "{}").events ?? {};

/** What an event log offers to choose from. */
export const groups = Object.keys(rows);

/** What a reload tells, in the order in which it is shown. */
export const reloaded = /** @type {const} */ (["added", "changed", "removed", "leftOut", "settings", "needRestart"]);

/** Browsers, which all name themselves Mozilla; the first that fits counts. */
const browsers = /\b(Edg|OPR|Firefox|FxiOS|CriOS|HeadlessChrome|Chrome|Safari)\b/;
const browserNames = { Edg: "Edge", OPR: "Opera", FxiOS: "Firefox", CriOS: "Chrome" };

/**
 * Returns a player's short name; empty where it has none.
 * @param {string | null} player As it names itself.
 */
export function playerName(player) {
  const browser = player?.startsWith("Mozilla/") && browsers.exec(player)?.[1];
  if (browser) return Object.entries(browserNames).find(([mark]) => mark === browser)?.[1] ?? browser;
  return player?.split(/[/ ]/)[0] ?? "";
}

/**
 * Returns a reason on one line: those behind its first are a program's last words.
 * @param {string | null | undefined} reason
 */
export function oneLine(reason) {
  return (reason ?? "").split("\n").join(" / ");
}

/** @param {string} kind */
export function weight(kind) {
  return rows[groupOf(kind)]?.[kind] ?? "plain";
}

/**
 * Returns the group of a kind; a kind that a newer relay has is the relay's own.
 * @param {string} kind
 */
export function groupOf(kind) {
  return groups.find(group => kind in rows[group]) ?? "relay";
}

/**
 * Returns the phrase of a key, or the word itself where there is none.
 * @param {string} prefix
 * @param {string} word
 */
function known(prefix, word) {
  const key = `${prefix}.${word}`;
  const phrase = t(key);
  return phrase === key ? word : phrase;
}

/**
 * Returns what happened, in a sentence.
 * @param {RelayEvent} event
 */
export function told({ kind, data }) {
  const isUnreachable = kind === "http-error" && !data.status;
  const key = `admin.event.${isUnreachable ? "unreachable" : kind}`;
  /** @type {Record<string, string | number>} */
  const values = { ...Object.fromEntries(Object.entries(data).filter(([, value]) => isPlain(value))),
    reason: data.reason ?? "", url: data.url ?? "", title: song(/** @type {any} */ (data)) || "–" };
  for (const name of ["seconds", "stitchedSeconds", "lostSeconds", "missedSeconds"]) {
    if (typeof data[name] === "number") values[name] = amount(data[name]);
  }
  if (kind === "gap") values.cause = known("admin.cause", data.cause ?? "");
  if (groupOf(kind) === "listeners") {
    values.who = [data.address ?? t("admin.event.someone"), playerName(data.player)].filter(Boolean).join(", ");
    values.reason = data.reason ? known("admin.end", data.reason) : "";
    values.length = lasting(data.seconds ?? 0);
    values.size = size(data.bytes ?? 0);
  }
  if (kind === "http-error") values.reason = [data.status, data.reason].filter(Boolean).join(" ");
  if (kind.startsWith("recording-")) values.recording = String(data.recording ?? "");
  if (kind === "loudness-out") values.loudness = String(data.loudness ?? "");
  if (kind === "too-slow" || kind === "too-fast") values.rate = String(Math.round((data.rate ?? 0) * 100));
  if (kind.startsWith("certificate-")) {
    values.names = (data.names ?? []).join(", ");
    values.until = String(data.validUntil ?? "").slice(0, 10);
  }
  if (kind.startsWith("fallback-")) values.fallback = data.fallback ?? "";
  if (kind === "config-reloaded") {
    const parts = reloaded.filter(name => data[name]?.length)
      .map(name => `${t(`admin.config.${name}`)} ${data[name].join(", ")}`);
    values.parts = parts.length ? parts.join("; ") : t("admin.config.same");
  }
  const sentence = t(key, values);
  if (sentence === key) return [kind, data.reason].filter(Boolean).join(": ");
  // A sentence whose reason is not known ends before its colon.
  return sentence.replace(/[:(,–]?\s*$/, "");
}

/** @param {unknown} value */
const isPlain = value => typeof value === "string" || typeof value === "number";

/** @param {number} seconds */
function amount(seconds) {
  // Less than a tenth of a second is not nothing.
  const parts = seconds < 1 ? 100 : 10;
  return seconds < 60 ? t("admin.seconds", { seconds: Math.round(seconds * parts) / parts }) : span(seconds);
}
