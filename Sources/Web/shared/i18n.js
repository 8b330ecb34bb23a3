// What the pages say, in the reader's language. English is always there; another language is one module more.
//
// The dashboard's phrases are modules of their own (i18n/admin/), so that listeners do not load them. Those of what
// is seldom seen come with it: i18n/music/, keys/, away/, panel/ and so on.
// An entry's module awaits `ready()` before it builds anything; from then on `t` answers in the chosen language.

import english from "./i18n/en.js";

/** @typedef {string | { one?: string, few?: string, many?: string, other: string }} Phrase */
/** @typedef {Record<string, Phrase>} Phrases */
/** @typedef {{ name: string, seconds: number }} TimeZone */

/** The languages there are, each by its own name. */
export const languages = {
  en: "English", de: "Deutsch", fr: "Français", es: "Español", nb: "Norsk", zh: "中文",
};

const storageKey = "language";

let tag = chosen();

/** @type {Phrases} */
let phrases = english;
let plurals = new Intl.PluralRules(tag);
let numbers = new Intl.NumberFormat(tag);

/** The chosen language, as a BCP 47 tag. */
export const language = () => tag;

/** Those whose phrases are there. @type {Set<string>} */
const folders = new Set([""]);

let loading = load();

/** Resolves when the phrases of the chosen language are there; it never rejects. */
export const ready = () => loading;

async function load() {
  document.documentElement.lang = tag === "zh" ? "zh-Hans" : tag;
  if (document.body?.dataset.page === "admin") folders.add("admin/");
  for (const folder of folders) await addPhrases(folder);
}

/**
 * Adds phrases for good, in the chosen language. A view awaits them before it builds anything.
 * @param {string} folder Below i18n/, such as "music/"
 */
export async function addPhrases(folder) {
  folders.add(folder);
  const more = folder ? await module(`./i18n/${folder}en.js`) : {};
  const chosen = tag === "en" ? {} : await module(`./i18n/${folder}${tag}.js`);
  phrases = { ...phrases, ...more, ...chosen };
}

/**
 * Returns a module's phrases, or none where it cannot be had: then English remains.
 * @param {string} path
 * @returns {Promise<Phrases>}
 */
async function module(path) {
  try {
    return (await import(path)).default;
  } catch {
    return {};
  }
}

function chosen() {
  const wishes = [new URLSearchParams(location.search).get("lang"), stored(), ...navigator.languages];
  for (const wish of wishes) {
    let short = wish?.toLowerCase().split("-")[0] ?? "";
    if (short === "no" || short === "nn") short = "nb";
    if (short in languages) return short;
  }
  return "en";
}

function stored() {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

/**
 * Speaks another language from now on. What stands in the page already has to be shown anew.
 * @param {string} wish
 */
export async function chooseHere(wish) {
  tag = wish;
  plurals = new Intl.PluralRules(tag);
  numbers = new Intl.NumberFormat(tag);
  formats.clear();
  if (wish === "en") phrases = english;
  loading = load();
  await loading;
}

/**
 * Keeps the choice and shows the page anew: in place where the page can, which a listener to `language` says.
 * @param {string} wish
 */
export function choose(wish) {
  try {
    localStorage.setItem(storageKey, wish);
  } catch {
    // Without storage the address carries the choice.
  }
  const told = new CustomEvent("language", { cancelable: true, detail: wish });
  if (!document.dispatchEvent(told)) return;
  const address = new URL(location.href);
  address.searchParams.set("lang", wish);
  location.replace(address);
}

/** Signs that turn or run the other way (UAX 9): a text with them leaves the text behind it alone. */
const turns = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * Returns a stranger's text as a part of another text.
 * @param {string} text
 */
function isolated(text) {
  if (!turns.test(text)) return text;
  let depth = 0, least = 0;
  for (const sign of text) {
    depth += /[\u2066-\u2068]/.test(sign) ? 1 : sign === "\u2069" ? -1 : 0;
    least = Math.min(least, depth);
  }
  // What ends more than it has begun would end this one too.
  return `\u2068${depth || least ? text.replace(/[\u2066-\u2069]/g, "") : text}\u2069`;
}

/**
 * Joins texts of strangers; what is empty is left out.
 * @param {(string | null | undefined)[]} texts
 * @param {string} [between]
 */
export const joined = (texts, between = " – ") =>
  texts.filter(Boolean).map((text) => isolated(text ?? "")).join(between);

/**
 * Returns the phrase of a key with its `{values}` put in. `n` chooses the plural and is written with separators.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const phrase = phrases[key] ?? english[key] ?? key;
  const form = typeof phrase === "string" ? phrase
    : phrase[/** @type {"one"} */ (plurals.select(Number(values.n)))] ?? phrase.other;
  return form.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === "number" ? numbers.format(value) : isolated(value);
  });
}

/** @type {Map<string, Intl.DateTimeFormat | null>} */
const formats = new Map();

/**
 * Returns a formatter, or null where the browser does not know the zone (an offset such as "+02:00", before 2023).
 * @param {string} zone
 * @param {Intl.DateTimeFormatOptions} options
 */
function formatter(zone, options) {
  const key = zone + JSON.stringify(options);
  if (!formats.has(key)) {
    try {
      formats.set(key, new Intl.DateTimeFormat(tag, { timeZone: zone, ...options }));
    } catch {
      formats.set(key, null);
    }
  }
  return formats.get(key) ?? null;
}

/**
 * @param {number} air Unix seconds
 * @param {TimeZone | null | undefined} zone
 * @param {Intl.DateTimeFormatOptions} options
 */
function shown(air, zone, options) {
  const named = formatter(zone?.name ?? "UTC", options);
  if (named) return named.format(air * 1000);
  return formatter("UTC", options)?.format((air + (zone?.seconds ?? 0)) * 1000) ?? "";
}

/**
 * Returns a clock time in the station's zone: 18:03, or 18:03:12.
 * @param {number} air Unix seconds
 * @param {TimeZone | null} [zone]
 * @param {boolean} [seconds]
 */
export function clock(air, zone, seconds = false) {
  const second = seconds ? /** @type {const} */ ("2-digit") : undefined;
  return shown(air, zone, { hour: "2-digit", minute: "2-digit", second, hourCycle: "h23" });
}

/**
 * Returns the day in the station's zone, short: Wed 25 Nov.
 * @param {number} air Unix seconds
 * @param {TimeZone | null} [zone]
 * @param {boolean} [hasWeekday]
 */
export function day(air, zone, hasWeekday = true) {
  return shown(air, zone, { weekday: hasWeekday ? "short" : undefined, day: "numeric", month: "short" });
}

/**
 * Returns a length as figures: 0:07, 12:04, 3:21:00.
 * @param {number} seconds
 */
export function span(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const two = (/** @type {number} */ figure) => String(figure).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${two(whole % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

/**
 * Returns a length in words, in its largest one or two units: 1 hour, 12 minutes.
 * @param {number} seconds
 */
export function spoken(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  /** @type {[number, string][]} */
  const parts = whole < 60 ? [[whole, "second"]] : [
    [Math.floor(whole / 3600), "hour"], [Math.floor(whole / 60) % 60, "minute"],
    [whole < 600 ? whole % 60 : 0, "second"],
  ];
  const words = parts.filter(([figure]) => figure > 0 || parts.length === 1).map(([figure, unit]) =>
    new Intl.NumberFormat(tag, { style: "unit", unit, unitDisplay: "long" }).format(figure));
  return words.join(tag === "zh" ? "" : ", ");
}
