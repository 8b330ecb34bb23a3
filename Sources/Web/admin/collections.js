// All collections, and how one is made: empty, by a rule, or from a list.

import { span, t } from "../i18n.js";
import { addStyles } from "../styles.js";
import { isUnknown, part } from "./client.js";
import { fileInput, importFields, importInto } from "./lists.js";
import { act, ready } from "./music.js";
import { ask, button, field, h, value, when, words } from "./parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./music.js").Track} Track */
/**
 * @typedef {object} Member
 * @property {number} member
 * @property {Track | null} track
 * @property {string | null} collection
 * @property {string | null} url
 * @property {string | null} title
 * @property {string | null} artist
 * @property {string | null} path
 * @property {"ok" | "missing" | "fetching" | "failed"} state
 */
/**
 * @typedef {object} Collection
 * @property {string} collection
 * @property {string | null} name
 * @property {"list" | "rule"} kind
 * @property {object | null} rule
 * @property {number | null} tracks
 * @property {number | null} seconds
 * @property {number | null} missing
 * @property {string | null} changed
 * @property {string[]} usedBy
 * @property {Member[]} [members]
 * @property {string | number | null} [next]
 */

/** @param {App} app */
export async function collections(app) {
  await ready;
  const trouble = h("p", { class: "trouble", role: "alert" });
  const list = h("ul", { class: "boxed collections" });
  const empty = h("p", { class: "empty", hidden: true }, t("music.collections.none"));
  const acts = h("span", { class: "acts" }, act("import", button(t("music.import.menu"), () => create(app, true))),
    act("create", button(t("music.create"), () => create(app, false), { kind: "main" })));
  const element = h("div", { class: "music" }, h("div", { class: "head" }, h("h1", {}, t("admin.collections")),
    h("p", { class: "quiet" }, t("music.collections.about")), acts), trouble, list, empty);

  try {
    const shown = /** @type {Collection[]} */ ((await app.client.get("collections")).collections);
    list.replaceChildren(...shown.map(line));
    list.hidden = shown.length === 0;
    empty.hidden = shown.length > 0;
  } catch (fault) {
    list.hidden = true;
    acts.hidden = isUnknown(fault);
    trouble.textContent = isUnknown(fault) ? t("music.older") : words(fault);
  }
  return { title: t("admin.collections"), element };
}

/** @param {Collection} shown */
const line = shown => h("li", { "data-collection": shown.collection },
  h("a", { class: "named", href: `#collections/${part(shown.collection)}` }, titled(shown)),
  h("span", { class: "notes" }, about(shown).join(" · ")));

/** @param {Collection} shown */
export const titled = ({ collection, name }) => name || collection;

/**
 * What there is to say of a collection, shortly.
 * @param {Collection} shown
 * @returns {string[]}
 */
export function about({ collection, name, kind, tracks, seconds, missing, usedBy, changed }) {
  const facts = [
    name && name !== collection ? collection : null, kind === "rule" ? t("music.byRule") : null,
    tracks === null ? null : t("music.tracks.n", { n: tracks }), seconds ? span(seconds) : null,
    missing ? t("music.missing", { n: missing }) : null,
    usedBy?.length ? t("music.usedBy", { ids: usedBy.join(", ") }) : null,
    changed ? t("music.changedAt", { time: when(changed, false) }) : null,
  ];
  return /** @type {string[]} */ (facts.filter(Boolean));
}

/**
 * Asks for a new collection and makes it.
 * @param {App} app
 * @param {boolean} isOfList Whether a list has to be given.
 */
async function create(app, isOfList) {
  const id = h("input", { name: "collection", required: true, autocomplete: "off", autocapitalize: "none",
    spellcheck: "false" });
  const file = fileInput(isOfList);
  file.addEventListener("change", () => {
    const name = file.files?.[0]?.name.replace(/\.[^.]*$/, "") ?? "";
    if (!id.value) id.value = name.toLowerCase().replace(/[^a-z0-9_.-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 64);
  });
  const rule = h("textarea", { name: "rule", rows: 4, spellcheck: "false",
    placeholder: '{"all":[{"is":{"genre":"jazz"}}],"sort":"-added","limit":500}' });
  const [files, ruled] = [importFields(file), field(t("music.rule"), rule, t("music.ruleHint"))];
  let made = "";
  const isDone = await ask({
    title: t(isOfList ? "music.import.new" : "music.create"), action: t(isOfList ? "music.import" : "music.create.go"),
    body: [...(isOfList ? files : []), field(t("music.create.id"), id, t("music.create.idHint")),
      field(t("admin.field.name"), h("input", { name: "name", autocomplete: "off" })), ...(isOfList ? [] : [ruled])],
    act: async form => {
      // A list that is refused leaves no second collection when it is tried again.
      if (made !== value(form, "collection")) {
        made = value(form, "collection");
        const [name, text] = [value(form, "name") || null, value(form, "rule")];
        const definition = { collection: made, name, ...(text ? { rule: parsed(text) } : {}) };
        try {
          await app.client.post("collections", definition);
        } catch (fault) {
          made = "";
          throw fault;
        }
      }
      if (isOfList) await importInto(app, made, form);
    },
  });
  if (isDone) app.go(`collections/${part(made)}`);
}

/**
 * Reads a rule as JSON; where it is none, says so.
 * @param {string} text
 */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (fault) {
    throw new Error(t("admin.form.badRest", { reason: String(fault) }));
  }
}

addStyles(`
.collections li { display: grid; gap: 2px; padding: 8px 12px; }
.collections a { justify-self: start; font-weight: 600; text-decoration: none; }
.collections a:hover { text-decoration: underline; }
@media (pointer: coarse) { .collections li { padding-block: 12px; } }
`);
