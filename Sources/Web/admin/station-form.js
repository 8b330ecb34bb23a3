// Adds a station, or changes one. A change sends only what was changed; an emptied field goes back to its default.

import { t } from "../i18n.js";
import { Check, idOf } from "./check.js";
import { Fault, part } from "./client.js";
import { ask, choice, field, h, words } from "./parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./client.js").Station} Station */
/** @typedef {import("./client.js").Definition} Definition */
/** @typedef {"text" | "url" | "lines" | "flag" | "count" | "length"} Kind */

/**
 * The fields that have a place of their own, folded after the fifth.
 * @type {[string, Kind][]}
 */
const rows = [
  ["upstream", "lines"], ["programme", "text"], ["id", "text"], ["name", "text"], ["genre", "text"],
  ["description", "text"], ["homepage", "url"], ["artwork", "url"], ["window", "length"], ["burst", "length"],
  ["behind", "text"], ["onDemand", "flag"], ["fallback", "text"], ["fallbackAfter", "length"],
  ["maxListeners", "count"], ["public", "flag"], ["listed", "flag"], ["shift", "flag"], ["clip", "flag"],
  ["mounts", "lines"],
  ["metadataEncoding", "text"], ["titleShift", "length"], ["timeZone", "text"],
];
const foldedFrom = 5;
const behinds = ["", "shift", "skip", "drop"];

/** @param {App} app */
export async function add(app) {
  let id = "";
  const form = makeForm(app, {}, false);
  const isDone = await ask({
    title: t("admin.form.add"), body: form, action: t("admin.stations.add"), isWide: true,
    act: async element => {
      const definition = changed(element, {});
      const made = await app.client.post("stations", definition);
      id = made.id;
    },
  });
  if (!isDone) return;
  app.store.soon();
  app.say(t("admin.form.added", { id }));
}

/**
 * @param {App} app
 * @param {Station} station
 */
export async function edit(app, station) {
  let definition = /** @type {Definition} */ ({});
  try {
    const { stations } = await app.client.get("definitions");
    definition = inShort(stations.find((/** @type {Definition} */ { id }) => id === station.id) ?? {});
  } catch (fault) {
    return app.say(words(fault), { isBad: true });
  }
  if (station.isConfigured) return void await read(app, station, definition);
  const isDone = await ask({
    title: t("admin.form.edit", { name: station.name }), body: makeForm(app, definition, true),
    action: t("admin.form.save"), isWide: true,
    act: async element => {
      const patch = changed(element, definition);
      if (Object.keys(patch).length === 0) throw new Error(t("admin.form.same"));
      await app.client.patch(`stations/${part(station.id)}`, patch);
    },
  });
  if (!isDone) return;
  app.store.soon();
  app.say(t("admin.form.saved", { id: station.id }));
}

/**
 * Shows the settings of a station that the configuration file has: only that file changes them.
 * @param {App} app
 * @param {Station} station
 * @param {Definition} definition
 */
function read(app, station, definition) {
  const reason = t("admin.form.configured", { id: station.id });
  const leave = (/** @type {Event} */ event) => /** @type {Element} */ (event.target).closest("dialog")?.close();
  const way = h("a", { href: "#configuration", onclick: leave }, t("admin.configuration"));
  const made = makeForm(app, definition, true);
  for (const part of made) {
    part.querySelectorAll("input, textarea").forEach(control => control.setAttribute("readonly", ""));
    part.querySelectorAll("select").forEach(select => (select.disabled = true));
  }
  return ask({
    title: t("admin.form.settings", { name: station.name }), isWide: true, action: t("admin.close"), isReading: true,
    body: [h("p", { class: "reason" }, reason, " ", way), ...made], act: () => {},
  });
}

/**
 * @param {App} app
 * @param {Definition} definition
 * @param {boolean} isThere
 */
function makeForm(app, definition, isThere) {
  // A station is made of addresses or of music, and stays so.
  const left = !isThere ? [] : definition.programme ? ["id", "upstream"] : ["id", "programme"];
  if (hasRules(definition)) left.push("programme");
  const made = rows.filter(([key]) => !left.includes(key)).map(([key, kind]) => row(key, kind, definition));
  const first = foldedFrom - left.length;
  const others = rest(definition);
  const more = h("textarea", { name: "rest", rows: Math.min(12, 2 + others.split("\n").length), spellcheck: "false" });
  more.value = others;
  const area = made[0].querySelector("textarea");
  const check = area && new Check(app, area);
  const input = (/** @type {string} */ key) =>
    made.map(row => row.querySelector("input")).find(input => input?.name === key);
  const music = input("programme");
  music?.addEventListener("input", () => area && (area.required = music.value.trim() === ""));
  if (check) {
    check.found = ({ name }) => {
      if (isThere || !name) return;
      const [id, called] = [input("id"), input("name")];
      if (id && !id.value) id.value = idOf(name);
      if (called) called.placeholder = name;
    };
    made.splice(1, 0, check.element);
  }
  const folded = made.splice(first + (check ? 1 : 0));
  return [
    ...made, h("details", {}, h("summary", {}, t("admin.form.more")), h("div", { class: "grid" }, ...folded),
      field(t("admin.form.rest"), more, t("admin.form.restHint"))),
  ];
}

/**
 * Whether a programme has more to it than what it plays, for which there is no field.
 * @param {Definition} definition
 */
const hasRules = ({ programme }) => programme !== null && typeof programme === "object";

/**
 * Writes a programme of which only is said what it plays in short, as one types it.
 * @param {Definition} definition
 * @returns {Definition}
 */
function inShort(definition) {
  const { play, ...rules } = /** @type {Definition} */ (definition.programme ?? {});
  const isShort = typeof play === "string" && Object.keys(rules).length === 0;
  return isShort ? { ...definition, programme: play } : definition;
}

/**
 * The keys without a field of their own, as JSON.
 * @param {Definition} definition
 */
function rest(definition) {
  const named = new Set(rows.map(([key]) => key));
  if (hasRules(definition)) named.delete("programme");
  const others = Object.entries(definition).filter(([key, value]) => !named.has(key) && value !== null);
  return others.length ? JSON.stringify(Object.fromEntries(others), null, 2) : "";
}

/**
 * @param {string} key
 * @param {Kind} kind
 * @param {Definition} definition
 */
function row(key, kind, definition) {
  const value = definition[key] ?? null;
  const label = t(`admin.field.${key}`);
  const hintKey = `admin.hint.${key}`;
  const hint = t(hintKey) === hintKey ? undefined : t(hintKey);
  const name = { name: key };
  if (kind === "flag") {
    const words = ["", "true", "false"].map(word =>
      /** @type {[string, string]} */ ([word, t(`admin.flag.${word || "unset"}`)]));
    return field(label, choice(words, name, value === null ? "" : String(value)), hint);
  }
  if (key === "behind") {
    const words = behinds.map(word => /** @type {[string, string]} */ ([word, t(`admin.behind.${word || "unset"}`)]));
    return field(label, choice(words, name, String(value ?? "")), hint);
  }
  if (kind === "lines") {
    const lines = Array.isArray(value) ? value.map(written) : [];
    const required = key === "upstream" && !definition.of && !definition.files;
    const area = h("textarea", { ...name, rows: Math.max(2, lines.length), spellcheck: "false", required });
    area.value = lines.join("\n");
    return field(label, area, hint);
  }
  const about = { ...name, autocomplete: "off", inputmode: kind === "count" ? "numeric" : null };
  const isID = key === "id" ? { required: true, pattern: "[a-z0-9][a-z0-9_.\\-]{0,63}", autocapitalize: "none" } : {};
  const input = h("input", { ...about, ...isID, spellcheck: "false" });
  input.value = value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  return field(label, input, hint);
}

/**
 * An upstream as it is written: its URL, or `push`.
 * @param {unknown} value
 */
const written = value => (typeof value === "string" ? value : JSON.stringify(value));

/**
 * Reads what differs from the definition.
 * @param {HTMLFormElement} form
 * @param {Definition} definition
 * @returns {Definition}
 */
function changed(form, definition) {
  const data = new FormData(form);
  /** @type {Definition} */
  const patch = {};
  for (const [key, kind] of rows) {
    const text = data.get(key);
    if (typeof text !== "string") continue;
    const value = meant(text.trim(), kind);
    const before = definition[key] ?? null;
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
    if (JSON.stringify(isEmpty ? null : value) === JSON.stringify(emptied(before))) continue;
    patch[key] = isEmpty ? null : value;
  }
  const others = String(data.get("rest") ?? "").trim();
  let extra = /** @type {Definition} */ ({});
  try {
    if (others) extra = JSON.parse(others);
  } catch (fault) {
    throw new Fault(400, t("admin.form.badRest", { reason: String(fault) }), "rest");
  }
  for (const [key, value] of Object.entries(extra)) {
    if (JSON.stringify(value) !== JSON.stringify(definition[key])) patch[key] = value;
  }
  const was = rest(definition);
  for (const key of Object.keys(was ? JSON.parse(was) : {})) if (!(key in extra)) patch[key] = null;
  return patch;
}

/** @param {unknown} value */
const emptied = value => (Array.isArray(value) && value.length === 0 ? null : value);

/**
 * @param {string} text
 * @param {Kind} kind
 */
function meant(text, kind) {
  if (kind === "lines") {
    const lines = text.split("\n").map(line => line.trim()).filter(Boolean);
    return lines.map(line => (line.startsWith("{") ? JSON.parse(line) : line));
  }
  if (text === "") return null;
  if (kind === "flag") return text === "true";
  const isNumber = (kind === "count" || kind === "length") && /^-?\d+(\.\d+)?$/.test(text);
  return isNumber ? Number(text) : text;
}
