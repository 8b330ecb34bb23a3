// What the views of music share: their phrases and styles, and how a track or an item is told in a line.

import { addPhrases, span, t } from "../i18n.js";
import { addStyles } from "../styles.js";
import { song } from "./parts.js";

/**
 * @typedef {object} Item What a programme plays
 * @property {number} item
 * @property {"track" | "insert" | "live"} kind
 * @property {string | null} track
 * @property {string | null} title
 * @property {string | null} artist
 * @property {string | null} album
 * @property {string | null} source
 * @property {string | null} why
 * @property {string | null} rule
 * @property {number | null} seconds
 * @property {string} at
 * @property {number | null} position
 * @property {"gapless" | "fade" | "cut"} join
 * @property {boolean} made
 * @property {number | null} gain
 * @property {"ready" | "preparing" | "failed"} ready
 * @property {string[]} relaxed
 */
/**
 * @typedef {object} Track
 * @property {string} track
 * @property {string | null} title
 * @property {string | null} artist
 * @property {string | null} albumArtist
 * @property {string | null} album
 * @property {number | null} disc
 * @property {number | null} number
 * @property {number | null} year
 * @property {string[]} genres
 * @property {number | null} seconds
 * @property {string | null} codec
 * @property {number | null} bitrate
 * @property {number | null} sampleRate
 * @property {number | null} channels
 * @property {number | null} [loudness]
 * @property {number | null} [truePeak]
 * @property {number | null} [gain]
 * @property {"timed" | "plain" | null} lyrics
 * @property {boolean | null} artwork
 * @property {boolean} excluded
 * @property {boolean} playable
 * @property {string | null} reason
 * @property {string | null} added
 * @property {number | null} [plays]
 * @property {string | null} [lastPlayed]
 * @property {{ root: string | null, path: string, bytes: number, modified: string, missingSince: string | null }[]}
 *   [files]
 */

/** Resolves when the phrases are there. */
export const ready = addPhrases("music/");

/**
 * What plays, in a line: its title, else its source or kind.
 * @param {{ title: string | null, artist: string | null, source?: string | null, rule?: string | null, kind?: string }}
 *   item
 */
export function named(item) {
  return song(item) || item.source || item.rule || (item.kind ? t(`music.kind.${item.kind}`) : t("music.untitled"));
}

/** @param {number | null | undefined} seconds */
export const length = seconds => (seconds === null || seconds === undefined ? "–" : span(seconds));

/**
 * Returns the phrase of a word that the relay chose, or the word itself, which a newer relay has.
 * @param {string} prefix
 * @param {string} word
 */
export function phrase(prefix, word) {
  const key = `${prefix}.${word}`, found = t(key);
  return found === key ? word : found;
}

/**
 * Why an item is played, and what is odd about it.
 * @param {Item} item
 * @param {boolean} isNow Whether it plays, when the common things are told too.
 * @returns {string[]}
 */
export function notes({ why, rule, join, made, gain, ready, relaxed }, isNow = false) {
  const isTold = why && (isNow || why !== "order");
  const words = [
    isTold && [phrase("music.why", why), rule].filter(Boolean).join(": "), isNow && join && phrase("music.join", join),
    relaxed?.length && t("music.relaxed", { what: relaxed.map(word => phrase("music.separate", word)).join(", ") }),
    made && t("music.made"), gain && t("music.gain", { n: `${gain > 0 ? "+" : "−"}${Math.abs(gain)}` }),
    ready === "failed" && t("music.ready.failed"),
  ];
  return /** @type {string[]} */ (words.filter(Boolean));
}

/**
 * Names a button by what it does.
 * @param {string} name
 * @param {HTMLButtonElement} made
 */
export function act(name, made) {
  made.dataset.action = name;
  return made;
}

/**
 * Sets a text only where it is another one, so that it can be marked and copied.
 * @param {Element | null} element
 * @param {string | null} text
 */
export function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

addStyles(`
.music .notes { color: var(--muted); font-size: 12px; }
.music :is(.named, .notes) { overflow-wrap: anywhere; unicode-bidi: isolate; }
.music details > summary { padding-block: 8px; color: var(--muted); font-size: 13px; cursor: pointer; }
.music details > summary:hover { color: var(--text); }
.music ol, .music ul { padding: 0; list-style: none; }
.boxed { border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
.boxed > li + li { border-block-start: 1px solid color-mix(in oklab, var(--line) 55%, transparent); }
`);
