// One collection: its members in their order, and what is made of it.

import { t } from "../i18n.js";
import { addStyles } from "../styles.js";
import { isUnknown, part } from "./client.js";
import { about, parsed, titled } from "./collections.js";
import { fileInput, importFields, importInto, reports } from "./lists.js";
import { memberName, Members } from "./members.js";
import { act, ready } from "./music.js";
import { ask, button, choice, field, h, menuButton, value, words } from "./parts.js";
import { Target } from "./tracks.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./collections.js").Collection} Collection */
/** @typedef {import("./collections.js").Member} Member */

const pageSize = 200;
const formats = { m3u8: "M3U8", xspf: "XSPF" };
/** The most tracks that are queued at once. */
const queueMax = 500;

/**
 * @param {App} app
 * @param {string} id
 */
export async function collection(app, id) {
  await ready;
  const path = `collections/${part(id)}`;
  const target = new Target(app);
  const name = h("h1", { class: "named" }, id);
  const sum = h("p", { class: "quiet" });
  const acts = h("span", { class: "acts" });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const report = h("section", { class: "report", "data-report": true, role: "status", hidden: true });
  const rule = h("pre", { hidden: true });
  const holder = h("div");
  const empty = h("p", { class: "empty", hidden: true }, t("music.members.none"));
  const hint = h("p", { class: "notes" }, t("music.members.hint"));
  const more = act("more", button(t("music.more"), () => load(true)));
  const element = h("div", { class: "music collection", "data-collection": id },
    h("p", { class: "back" }, h("a", { href: "#collections" }, t("admin.collections"))),
    h("div", { class: "head" }, name, sum, acts), trouble, target.element, report, rule, hint, holder, empty,
    h("p", { class: "pages" }, more));

  /** @type {Collection | null} */
  let shown = null;
  /** @type {Member[]} */
  let members = [];
  /** @type {Members | null} */
  let list = null;
  let turn = 0;

  /** @param {boolean} isMore Whether those behind the last are wanted, besides those that are there. */
  async function load(isMore = false) {
    const mine = ++turn;
    const after = isMore ? shown?.next : null;
    if (isMore && (after === null || after === undefined)) return;
    // After a change there are as many as were there before.
    const limit = isMore ? pageSize : Math.min(1000, Math.max(pageSize, members.length));
    try {
      const query = `?limit=${limit}${after === null ? "" : `&after=${part(String(after))}`}`;
      const answer = /** @type {Collection} */ (await app.client.get(path + query));
      if (mine !== turn) return;
      members = isMore ? [...members, ...(answer.members ?? [])] : answer.members ?? [];
      show(answer);
      trouble.textContent = "";
    } catch (fault) {
      if (mine === turn) trouble.textContent = isUnknown(fault) ? t("music.older") : words(fault);
    }
  }

  /** @param {Collection} answer */
  function show(answer) {
    const isList = answer.kind === "list";
    if (!list) {
      list = new Members({ change: isList, move, remove, more: () => load(true), label: t("music.members") });
      holder.replaceChildren(list.element);
      acts.replaceChildren(...buttons(isList));
    }
    shown = answer;
    name.textContent = titled(answer);
    sum.textContent = about(answer).join(" · ");
    rule.hidden = answer.rule === null;
    rule.textContent = answer.rule ? JSON.stringify(answer.rule, null, 2) : "";
    list.show(members);
    hint.hidden = !isList || members.length < 2;
    empty.hidden = members.length > 0;
    more.hidden = answer.next === null || answer.next === undefined;
  }

  /**
   * @param {number} member
   * @param {number | null} before
   */
  async function move(member, before) {
    try {
      await app.client.post(`${path}/members/${member}/move`, { before });
      const moved = members.find(one => one.member === member);
      if (!moved) return;
      members = members.filter(one => one !== moved);
      const at = members.findIndex(one => one.member === before);
      members.splice(at < 0 ? members.length : at, 0, moved);
    } catch (fault) {
      app.say(words(fault), { isBad: true });
      await load();
    }
  }

  /**
   * @param {Member} gone
   * @param {number | null} before
   */
  async function remove(gone, before) {
    const title = memberName(gone);
    const what = gone.track ? { tracks: [gone.track.track] } : gone.url ? { urls: [gone.url] }
      : { collections: [gone.collection] };
    try {
      await app.client.delete(`${path}/members/${gone.member}`);
    } catch (fault) {
      return app.say(words(fault), { isBad: true });
    }
    const again = () => app.run(() => app.client.post(`${path}/members`, { ...what, before }),
      t("music.removed.again", { title })).then(() => load());
    app.say(t("music.removed", { title }), { word: t("music.putBack"), act: again });
    members = members.filter(one => one !== gone);
    await load();
  }

  /** @param {boolean} isList */
  function buttons(isList) {
    const queue = (/** @type {"next" | "end"} */ at) =>
      act(`queue-${at}`, button(t(`music.queue.${at}`), () => queueAll(at)));
    /** @type {[string, () => void][]} */
    const ruled = isList ? [] : [[t("music.rule.menu"), rerule]];
    return [
      act("make-station", button(t("music.makeStation"), makeStation, { kind: "main" })), queue("next"), queue("end"),
      ...(isList ? [act("import", button(t("music.import.menu"), take))] : []),
      act("export", button(t("music.export.menu"), give)),
      menuButton(t("admin.acts", { what: id }), () => [
        [t("music.rename.menu"), rename], ...ruled, [t("music.delete.menu"), drop, "danger"],
      ]),
    ];
  }

  /** @param {"next" | "end"} at */
  async function queueAll(at) {
    let tracks = /** @type {string[]} */ ([]);
    try {
      const answer = /** @type {Collection} */ (await app.client.get(`${path}?limit=${queueMax}`));
      tracks = (answer.members ?? []).flatMap(({ track, state }) => (track && state === "ok" ? [track.track] : []));
    } catch (fault) {
      return app.say(words(fault), { isBad: true });
    }
    if (!tracks.length) return app.say(t("music.members.none"));
    await target.queue(tracks, name.textContent ?? id, at);
  }

  async function take() {
    const isDone = await ask({
      title: t("music.import.title", { name: name.textContent ?? id }), action: t("music.import"),
      body: importFields(fileInput(true)), act: form => importInto(app, id, form),
    });
    if (!isDone) return;
    showReport();
    await load();
  }

  function showReport() {
    const told = reports.get(id);
    reports.delete(id);
    if (!told) return;
    const { added, missing = [] } = told;
    const lines = missing.map(({ line, text, reason }) => h("li", {},
      h("span", { class: "named" }, line ? `${t("admin.config.line", { line })}: ${text}` : text),
      h("span", { class: "notes" }, reason)));
    report.hidden = false;
    report.replaceChildren(h("p", {}, t("music.import.done", { n: added + missing.length, added })),
      lines.length ? h("ul", { class: "boxed" }, ...lines) : "",
      h("p", {}, button(t("admin.close"), () => (report.hidden = true))));
  }

  async function give() {
    const paths = ["relative", "absolute", "url"].map(word =>
      /** @type {[string, string]} */ ([word, t(`music.paths.${word}`)]));
    await ask({
      title: t("music.export.title", { name: name.textContent ?? id }), action: t("music.export"),
      body: [field(t("music.export.format"), choice(Object.entries(formats), { name: "format" })),
        field(t("music.export.paths"), choice(paths, { name: "paths" }))],
      act: async form => {
        const format = value(form, "format");
        const query = `format=${format}&paths=${value(form, "paths")}`;
        const answer = await app.client.file(`${path}/export?${query}`, new AbortController().signal);
        const address = URL.createObjectURL(await answer.blob());
        h("a", { href: address, download: `${id}.${format}` }).click();
        // The browser has begun to read it by then.
        setTimeout(() => URL.revokeObjectURL(address), 60000);
      },
    });
  }

  async function makeStation() {
    const isFree = !app.store.station(id);
    const station = h("input", { name: "id", required: true, autocomplete: "off", autocapitalize: "none",
      spellcheck: "false", pattern: "[a-z0-9][a-z0-9_.\\-]{0,63}", value: isFree ? id : "" });
    const orders = ["shuffle", "sequence"].map(word =>
      /** @type {[string, string]} */ ([word, t(`music.order.${word}`)]));
    let made = "";
    const isDone = await ask({
      title: t("music.makeStation.title", { name: name.textContent ?? id }), action: t("music.makeStation"),
      body: [field(t("admin.field.id"), station, t("admin.hint.id")),
        field(t("admin.field.name"), h("input", { name: "name", autocomplete: "off", value: name.textContent })),
        field(t("music.rules.order"), choice(orders, { name: "order" }))],
      act: async form => {
        const programme = { play: id, order: value(form, "order") };
        made = (await app.client.post("stations",
          { id: value(form, "id"), name: value(form, "name") || null, programme })).id;
      },
    });
    if (!isDone) return;
    await app.store.refresh();
    app.go(`stations/${part(made)}`);
    app.say(t("admin.form.added", { id: made }));
  }

  async function rename() {
    const isDone = await ask({
      title: t("music.rename", { name: name.textContent ?? id }), action: t("admin.form.save"),
      body: [field(t("admin.field.name"), h("input", { name: "name", required: true, autocomplete: "off",
        value: name.textContent }))],
      act: form => app.client.patch(path, { name: value(form, "name") }),
    });
    if (isDone) await load();
  }

  async function rerule() {
    const text = h("textarea", { name: "rule", rows: 12, spellcheck: "false", required: true });
    text.value = rule.textContent ?? "";
    const isDone = await ask({
      title: t("music.rule"), action: t("admin.form.save"), isWide: true,
      body: [field(t("music.rule"), text, t("music.ruleHint"))],
      act: form => app.client.patch(path, { rule: parsed(value(form, "rule")) }),
    });
    if (isDone) await load();
  }

  async function drop() {
    const values = { name: name.textContent ?? id };
    const isDone = await ask({
      title: t("music.delete", values), body: [h("p", {}, t("music.delete.text"))], action: t("music.delete.go"),
      isDangerous: true, act: () => app.client.delete(path),
    });
    if (!isDone) return;
    app.go("collections");
    app.say(t("music.delete.done", values));
  }

  await load();
  showReport();
  return { title: name.textContent ?? id, element, update: () => target.update(), close: () => void turn++ };
}

addStyles(`
.collection .back { padding-block-start: 12px; font-size: 13px; color: var(--muted); }
.collection .back + .head { padding-block: 2px 10px; }
.collection .target { margin-block-end: 10px; }
.collection > .notes { padding-block-end: 8px; }
.collection .boxed li > .notes { display: block; }
.collection .report { margin-block-end: 10px; }
.report .boxed li { padding: 6px 10px; font-size: 13px; }
`);
