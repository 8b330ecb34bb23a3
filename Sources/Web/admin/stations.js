// All stations in one table: how they are, who listens, how much past there is, and what plays.

import { t } from "../i18n.js";
import { stationActs } from "./actions.js";
import { part } from "./client.js";
import { age, brief, button, count, h, lasting, listening, menuButton, song, stateWord, unix } from "./parts.js";
import { Spark } from "./spark.js";
import { Table } from "./table.js";
import { oneLine } from "./words.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./client.js").Station} Station */

/**
 * What stands behind the state: since when, or which attempt it is.
 * @param {Station} station
 */
export function stateMore({ state, stateReason, upstream, sound }) {
  if (state === "playing") {
    if (sound?.silent) return t("admin.dead-air");
    const since = unix(upstream.connectedSince);
    return Number.isNaN(since) ? "" : age(Date.now() / 1000 - since);
  }
  const attempt = upstream.attempts > 1 ? t("admin.station.attempt", { n: upstream.attempts }) : "";
  return [attempt, oneLine(stateReason)].filter(Boolean).join(": ");
}

/**
 * What there is of the past, of what may be.
 * @param {{ seconds: number, secondsMax: number }} window
 */
export function windowWords({ seconds, secondsMax }) {
  if (!secondsMax) return t("admin.window.none");
  return t("admin.window.of", { now: lasting(seconds), max: brief(secondsMax) });
}

/**
 * The window as a bar of what there is of what may be.
 * @param {Station["window"]} window
 */
function windowBar({ seconds, secondsMax, storage }) {
  const shown = windowWords({ seconds, secondsMax });
  if (!secondsMax) return h("span", { class: "quiet" }, shown);
  const bar = h("span", { class: `filled${storage === "failed" ? " bad" : ""}` });
  bar.style.setProperty("--share", String(Math.min(1, seconds / secondsMax)));
  return h("span", { class: "window" }, bar, h("span", {}, shown));
}

/**
 * Whether a station serves files, and so has neither an upstream nor a past.
 * @param {Station} station
 */
export function isFiles({ upstream, window, format, state }) {
  return state === "playing" && !upstream.url && !window.live && !format?.codec;
}

/** @param {App} app */
export function stations(app) {
  /** @type {Map<string, Spark>} */
  const sparks = new Map();
  const kbitIn = (/** @type {Station} */ { id }) => app.store.samples(`in/${id}`).last;

  /** @type {Table<Station>} */
  const table = new Table({
    name: t("admin.stations"), key: row => row.id, empty: t("admin.stations.none"),
    open: row => app.go(`stations/${part(row.id)}`),
    columns: [
      { title: t("admin.column.station"), sort: row => row.id, text: row => `${row.id}\n${row.name}`,
        fill: row => [h("a", { href: `#stations/${part(row.id)}` }, row.id),
          row.name === row.id ? null : h("small", {}, row.name)] },
      { title: t("admin.column.state"), sort: row => row.state, text: row => `${row.state}\n${stateMore(row)}`,
        fill: row => [stateWord(row.state), h("small", {}, stateMore(row))] },
      { title: t("admin.column.listeners"), kind: "figure", sort: row => row.listeners.now + row.listeners.hls,
        text: row => `${listening(row.listeners)} ${app.store.lastSampled}`, fill: showListeners },
      { title: t("admin.column.in"), kind: "figure", sort: kbitIn,
        text: row => (row.upstream.url ? `${count(kbitIn(row))} / ${row.format?.bitrate ?? "–"}` : "–") },
      { title: t("admin.column.window"), sort: row => row.window.seconds,
        text: row => JSON.stringify([Math.floor(row.window.seconds / 5), row.window.secondsMax, row.window.storage]),
        fill: row => [isFiles(row) ? h("span", { class: "quiet" }, t("admin.window.files")) : windowBar(row.window)] },
      { title: t("admin.column.playing"), kind: "wide", sort: row => song(row.nowPlaying) || null,
        text: row => song(row.nowPlaying) || "–" },
      { title: t("admin.column.acts"), kind: "acts", text: row => String(app.player.station === row.id), fill: acts },
    ],
  });

  /**
   * @param {Station} row
   * @param {HTMLTableCellElement} cell
   */
  function showListeners(row, cell) {
    let spark = sparks.get(row.id);
    if (!spark) sparks.set(row.id, (spark = new Spark()));
    spark.update(app.store.samples(`listeners/${row.id}`), count, { floor: 4 });
    const shown = cell.firstElementChild ?? cell.appendChild(h("b"));
    shown.textContent = listening(row.listeners);
    if (spark.element.parentNode !== cell) cell.append(spark.element);
  }

  /** @param {Station} row */
  function acts(row) {
    const isPlaying = app.player.station === row.id;
    const label = t(isPlaying ? "admin.play.stopLabel" : "admin.play.label", { id: row.id });
    const now = () => app.store.station(row.id) ?? row;
    return [
      isFiles(row) ? null : button(label, () => app.player.toggle(row.id), { icon: isPlaying ? "stop" : "play" }),
      menuButton(t("admin.acts", { what: row.id }), () => stationActs(app, now())),
    ];
  }

  const wanted = t("admin.stations.search");
  const search = h("input", { type: "search", "aria-label": wanted, placeholder: wanted, oninput: () => update() });
  const open = async () => (await import("./station-form.js")).add(app);
  const add = button(t("admin.stations.add"), open, { kind: "main" });
  const sum = h("p", { class: "quiet" });
  const element = h("div", {}, h("div", { class: "head" }, h("h1", {}, t("admin.stations")), sum, search, add),
    table.element);

  function update() {
    const wanted = search.value.trim().toLowerCase();
    const all = app.store.stations;
    table.update(all.filter(({ id, name, nowPlaying }) =>
      `${id}\n${name}\n${song(nowPlaying)}`.toLowerCase().includes(wanted)));
    search.hidden = all.length < 8;
    const playing = all.filter(({ state }) => state === "playing").length;
    sum.textContent = t("admin.stations.sum", { n: all.length, playing });
  }
  app.player.changed = update;
  return { title: t("admin.stations"), element, update, close: () => void (app.player.changed = () => {}) };
}
