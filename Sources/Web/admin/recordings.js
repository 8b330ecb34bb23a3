// What is being recorded, what is planned, and what was.

import { span, t } from "../i18n.js";
import { Calendar, fileName as name } from "./calendar.js";
import { part } from "./client.js";
import { ask, button, choice, count, field, h, size, stateWord, value, when, words } from "./parts.js";
import { Table } from "./table.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./client.js").Recording} Recording */
/** @typedef {import("./client.js").Planned} Planned */

/**
 * Asks what to record, and begins it.
 * @param {App} app
 * @param {string} [station]
 * @param {{ from?: string, until?: string }} span RFC 3339, where a part of the timeline was chosen.
 */
export async function record(app, station = "", { from = "", until = "" } = {}) {
  const ids = app.store.stations.map(({ id }) => /** @type {[string, string]} */ ([id, id]));
  const input = (/** @type {string} */ name, value = "") => h("input", { name, value, autocomplete: "off" });
  let id = 0;
  const isDone = await ask({
    title: t("admin.record.title"),
    body: [
      field(t("admin.station"), choice(ids, { name: "station" }, station || ids[0]?.[0])),
      h("div", { class: "grid" },
        field(t("admin.record.from"), input("from", from), t("admin.record.fromHint")),
        field(t("admin.record.until"), input("until", until), t("admin.record.untilHint")),
        field(t("admin.record.length"), input("seconds"), t("admin.record.lengthHint")),
        field(t("admin.record.keep"), input("keep"), t("admin.record.keepHint"))),
      field(t("admin.record.name"), input("name"), t("admin.record.nameHint")),
      field(t("admin.record.split"), h("input", { type: "checkbox", name: "split", value: "true" })),
    ],
    action: t("admin.record"),
    act: async form => {
      const text = (/** @type {string} */ name) => value(form, name) || null;
      const made = await app.client.post("recordings", {
        station: text("station"), from: text("from"), until: text("until"), seconds: text("seconds"),
        keep: text("keep"), name: text("name"), split: text("split") === "true",
      });
      id = made.id;
    },
  });
  if (isDone) app.say(t("admin.record.begun", { id: String(id) }));
  return isDone;
}

/** @param {Recording} recording */
export const from = recording => recording.from ?? recording.startedAt;

/**
 * @param {App} app
 * @param {string} [wanted] The number of a recording that is shown first.
 */
export function recordings(app, wanted = "") {
  const place = (/** @type {{ station: string }} */ { station }) =>
    [h("a", { href: `#stations/${part(station)}` }, station)];
  /** @type {Record<string, import("./table.js").Column<Recording>>} */
  const columns = {
    id: { title: t("admin.column.number"), kind: "figure", sort: row => row.id, text: row => String(row.id) },
    station: { title: t("admin.column.station"), sort: row => row.station, text: row => row.station, fill: place },
    from: { title: t("admin.column.from"), sort: row => from(row), text: row => when(from(row)) },
    until: { title: t("admin.column.until"), sort: row => row.until,
      text: row => (row.until ? when(row.until) : row.state === "recording" ? t("admin.record.open") : "–") },
    length: { title: t("admin.column.length"), kind: "figure", sort: row => row.seconds,
      text: row => span(row.seconds) },
    size: { title: t("admin.column.size"), kind: "figure", sort: row => row.bytes, text: row => size(row.bytes) },
    missed: { title: t("admin.column.missed"), kind: "figure", sort: row => row.missedSeconds,
      text: row => (row.missedSeconds > 0 ? span(row.missedSeconds) : "–") },
    file: { title: t("admin.column.file"), kind: "wide", sort: name,
      text: row => `${name(row)} ${row.fileCount} ${row.reason}`,
      fill: row => [name(row), row.fileCount > 1 ? ` ${t("admin.record.files", { n: row.fileCount })}` : null,
        row.reason ? h("small", {}, row.reason) : null] },
    state: { title: t("admin.column.state"), sort: row => row.state, text: row => row.state,
      fill: row => [stateWord(row.state, t(`admin.record.${row.state}`))] },
  };
  /**
   * @param {"stop" | "forget"} word
   * @param {(row: Recording) => void} act
   * @returns {import("./table.js").Column<Recording>}
   */
  function acts(word, act) {
    const title = t("admin.column.acts");
    const label = (/** @type {Recording} */ { id }) => t(`admin.record.${word}Label`, { id: String(id) });
    return { title, kind: "acts", text: row => JSON.stringify([row.files, row.current]), fill: row => [
      button(t("admin.files"), () => show(row), { label: t("admin.files.label", { id: String(row.id) }) }),
      button(t(`admin.record.${word}`), () => act(row), { label: label(row) })] };
  }
  /** @param {Recording} row */
  const show = async row => (await import("./files.js")).files(app, row);
  /** @type {Table<Recording>} */
  const running = new Table({
    name: t("admin.record.running"), key: row => String(row.id), empty: t("admin.record.noneRunning"),
    sorted: [0, "descending"],
    columns: [columns.id, columns.station, columns.from, columns.until, columns.length, columns.size, columns.missed,
      columns.file, acts("stop", stop)],
  });
  /** @type {Table<Recording>} */
  const done = new Table({
    name: t("admin.record.done"), key: row => String(row.id), empty: t("admin.record.noneDone"),
    sorted: [0, "descending"],
    columns: [columns.id, columns.station, columns.state, columns.from, columns.length, columns.size, columns.missed,
      columns.file, acts("forget", forget)],
  });
  /** @type {Table<Planned>} */
  const planned = new Table({
    name: t("admin.record.planned"), empty: t("admin.record.nonePlanned"),
    key: (/** @type {Planned} */ row) => `${row.station} ${row.start} ${row.name}`,
    sorted: [1, "ascending"],
    columns: [
      { title: t("admin.column.station"), sort: row => row.station, text: row => row.station, fill: place },
      { title: t("admin.column.from"), sort: row => row.start, text: row => when(row.start, false) },
      { title: t("admin.column.until"), sort: row => row.end, text: row => when(row.end, false) },
      { title: t("admin.column.rule"), text: row =>
        `${row.days.map(day => t(`admin.day.${day}`)).join(" ")} ${row.from}–${row.to}` },
      { title: t("admin.column.name"), kind: "wide", sort: row => row.name, text: row => row.name },
    ],
  });
  const calendar = new Calendar(app, show);
  const trouble = h("p", { class: "trouble", role: "alert" });
  const sum = h("p", { class: "quiet" });
  const begin = button(t("admin.record.new"), () => record(app).then(update), { kind: "main" });
  const element = h("div", { class: "recordings" },
    h("div", { class: "head" }, h("h1", {}, t("admin.recordings")), sum, begin), trouble,
    h("section", {}, h("h2", {}, t("admin.record.running")), running.element),
    calendar.element,
    h("section", {}, h("h2", {}, t("admin.record.planned")), planned.element),
    h("section", {}, h("h2", {}, t("admin.record.done")), done.element,
      h("p", { class: "quiet" }, t("admin.record.stay"))));
  let isClosed = false;

  async function update() {
    try {
      const answer = await app.client.get("recordings");
      trouble.textContent = "";
      if (isClosed) return;
      const all = /** @type {Recording[]} */ (answer.recordings);
      const now = all.filter(({ state }) => state === "recording");
      running.update(now);
      planned.update(answer.planned);
      done.update(all.filter(({ state }) => state !== "recording"));
      const bytes = all.reduce((sum, { bytes }) => sum + bytes, 0);
      sum.textContent = t("admin.record.sum", { n: now.length, all: count(all.length), size: size(bytes) });
      calendar.update(all);
      showWanted(all);
    } catch (fault) {
      trouble.textContent = words(fault);
    }
  }

  /**
   * Shows the recording that the address names, once.
   * @param {Recording[]} all
   */
  async function showWanted(all) {
    const id = wanted;
    wanted = "";
    const row = all.find(recording => String(recording.id) === id);
    if (row) await show(row);
    else if (id) app.say(t("admin.record.unknown", { id }), { isBad: true });
    // So the same address can be asked for again.
    if (id && location.hash === `#recordings/${part(id)}`) history.replaceState(null, "", "#recordings");
  }

  /** @param {Recording} row */
  async function stop(row) {
    const isDone = await ask({
      title: t("admin.record.stopTitle", { id: String(row.id), station: row.station }),
      body: [h("p", {}, t("admin.record.stopText", { length: span(row.seconds), size: size(row.bytes) }))],
      action: t("admin.record.stop"), isDangerous: true, act: () => app.client.delete(`recordings/${row.id}`),
    });
    if (isDone) app.say(t("admin.record.stopped", { id: String(row.id) }));
    update();
  }

  /** @param {Recording} row */
  function forget(row) {
    const done = t("admin.record.forgotten", { id: String(row.id) });
    app.run(() => app.client.delete(`recordings/${row.id}`), done).then(update);
  }
  /** @param {import("./feed.js").RelayEvent} event */
  function told({ kind }) {
    if (kind === "config-reloaded") calendar.refresh();
    if (kind.startsWith("recording-") || kind === "config-reloaded") update();
  }

  function close() {
    isClosed = true;
    calendar.close();
  }
  return { title: t("admin.recordings"), element, update, told, close };
}
