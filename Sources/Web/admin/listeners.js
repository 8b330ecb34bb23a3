// Who listens, and where in time: 200 rows a page, sorted and filtered here.

import { span, t } from "../i18n.js";
import { ban, kick, listenerActs } from "./actions.js";
import { part } from "./client.js";
import { button, choice, count, h, lasting, menuButton, offerStations, size, song, stateWord, words } from "./parts.js";
import { Table } from "./table.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./client.js").Listener} Listener */

/** Milliseconds between two looks for each listener: thousands are asked for less often. */
export const patience = 2;

/**
 * How far behind live somebody is: live, or −50:31. The burst and its jitter still count as live.
 * @param {Listener} listener
 */
export function place({ offset, state }) {
  if (offset === null) return "–";
  return state === "live" || state === "fallback" ? t("admin.place.live") : `−${span(offset)}`;
}

/**
 * What a player has been sent and not yet played: the shorter, the sooner it stutters.
 * @param {Listener} listener
 */
function inHand({ offset, lag }) {
  return offset === null || lag === null ? null : Math.max(0, offset - lag);
}

/**
 * An act that stands beside the menu where there is room; on a phone the menu has it alone.
 * @param {"kick" | "ban"} word
 * @param {Listener} row
 * @param {() => void} act
 */
function spare(word, row, act) {
  return button(t(`admin.${word}`), act, { kind: "spare", label: t(`admin.${word}.label`, { who: row.address }) });
}

/**
 * Makes the table of listeners.
 * @param {App} app
 * @param {boolean} hasStation Whether it says which station.
 */
export function listenerTable(app, hasStation) {
  /** @type {import("./table.js").Column<Listener>[]} */
  const columns = [
    { title: t("admin.column.address"), sort: row => row.address, text: row => `${row.address}\n${row.user}`,
      fill: row => [row.address, row.user ? h("small", {}, row.user) : null] },
    { title: t("admin.column.player"), sort: row => row.player, text: row => row.player ?? "–",
      fill: row => [h("span", { class: "clipped", title: row.player }, row.player ?? "–")] },
    { title: t("admin.column.station"), sort: row => row.station, text: row => row.station,
      fill: row => [h("a", { href: `#stations/${part(row.station)}` }, row.station)] },
    { title: t("admin.column.state"), sort: row => row.state, text: row => row.state,
      fill: row => [stateWord(row.state, t(`admin.listening.${row.state}`))] },
    { title: t("admin.column.place"), kind: "figure", sort: row => row.offset, text: place },
    { title: t("admin.column.heard"), kind: "wide", sort: row => song(row.nowPlaying) || null,
      text: row => song(row.nowPlaying) || "–" },
    { title: t("admin.column.hand"), kind: "figure", sort: inHand, text: row => {
      const seconds = inHand(row);
      return seconds === null ? "–" : t("admin.seconds", { seconds: Math.round(seconds * 10) / 10 });
    } },
    { title: t("admin.column.for"), kind: "figure", sort: row => row.seconds, text: row => lasting(row.seconds) },
    { title: t("admin.column.sent"), kind: "figure", sort: row => row.bytes, text: row => size(row.bytes) },
    { title: t("admin.column.acts"), kind: "acts", text: row => row.state, fill: row => [
      spare("kick", row, () => kick(app, row)), spare("ban", row, () => ban(app, row)),
      menuButton(t("admin.acts", { what: row.address }), () => listenerActs(app, row)),
    ] },
  ];
  const shown = columns.filter(({ title }) => hasStation || title !== t("admin.column.station"));
  return new Table({
    name: t("admin.listeners"), key: (/** @type {Listener} */ row) => String(row.id), empty: t("admin.listeners.none"),
    columns: shown, sorted: [shown.length - 3, "descending"],
  });
}

/**
 * @param {App} app
 * @param {string} [chosen] The station whose listeners are shown first.
 */
export function listeners(app, chosen = "") {
  const table = listenerTable(app, true);
  const trouble = h("p", { class: "trouble", role: "alert" });
  const sum = h("p", { class: "quiet" });
  const station = h("select", { "aria-label": t("admin.station"), onchange: () => ask() });
  const states = ["live", "shifted", "paused", "stalled", "fallback"];
  const state = choice([["", t("admin.listeners.every")], ...states.map(word =>
    /** @type {[string, string]} */ ([word, t(`admin.listening.${word}`)]))],
  { "aria-label": t("admin.column.state"), onchange: () => show() });
  const search = h("input", { type: "search", placeholder: t("admin.listeners.search"),
    "aria-label": t("admin.listeners.search"), oninput: () => show() });
  const title = h("h1", {}, t("admin.listeners"));
  const element = h("div", {}, h("div", { class: "head" }, title, sum, search, station, state), trouble, table.element);
  /** @type {Listener[]} */
  let all = [];
  let askedAt = 0;
  let isClosed = false;

  async function ask() {
    askedAt = Date.now();
    try {
      all = await app.listeners(station.value);
      trouble.textContent = "";
    } catch (fault) {
      trouble.textContent = words(fault);
    }
    if (!isClosed) show();
  }

  function show() {
    const wanted = search.value.trim().toLowerCase();
    const shown = all.filter(row => (!state.value || row.state === state.value)
      && `${row.address}\n${row.user ?? ""}\n${row.player ?? ""}\n${row.session ?? ""}`.toLowerCase().includes(wanted));
    const behind = all.filter(({ state }) => state === "shifted" || state === "paused").length;
    sum.textContent = t("admin.listeners.sum", { n: all.length, behind: count(behind) });
    table.update(shown);
  }

  function update() {
    offerStations(station, app.store.stations, chosen);
    if (Date.now() - askedAt > all.length * patience) ask();
  }
  return { title: t("admin.listeners"), element, update, close: () => void (isClosed = true) };
}
