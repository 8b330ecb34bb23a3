// Who listens, and where in time: 200 rows a page. More than a page is put in order by the relay.

import { span, t } from "../i18n.js";
import { ban, kick, listenerActs } from "./actions.js";
import { part } from "./client.js";
import { askCrowd, askCrowds, counted, CrowdBars, heads } from "./crowd.js";
import {
  button, choice, count as figure, h, lasting, menuButton, offerStations, size, song, stateWord, words,
} from "./parts.js";
import { Table } from "./table.js";
import { playerName } from "./words.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./client.js").Listener} Listener */

/** Rows that the relay is asked for at once; on a phone each is a card. */
const pageSize = matchMedia("(max-width: 720px)").matches ? 50 : 200;
/** Milliseconds between two counts of the audiences of many stations. */
const countPace = 15000;

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
    { title: t("admin.column.player"), sort: row => playerName(row.player), text: row => row.player ?? "–",
      fill: row => [h("span", { class: "clipped", title: row.player }, playerName(row.player) || "–")] },
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
    columns: shown, sorted: [shown.length - 3, "descending"], pageSize,
  });
}

/** A table of listeners, of which the relay tells a page at a time. */
export class Listing {
  #app;
  #shown;
  #page = 0;
  /**
   * What leads to each page, as the relay said with the page before.
   * @type {(string | null)[]}
   */
  #ways = [null];
  #turn = 0;
  station = "";
  /** @type {Listener[]} */
  rows = [];
  /** How many there are on all pages. */
  all = 0;
  /** Whether the rows are all there are: then they are sorted here, and searched. */
  isWhole = true;
  /** @type {(row: Listener) => boolean} */
  isWanted = () => true;
  table;
  order = choice([["seconds", t("admin.order.seconds")], ["offset", t("admin.order.offset")],
    ["lag", t("admin.order.lag")]], { "aria-label": t("admin.order"), hidden: true, onchange: () => this.restart() });

  /**
   * @param {App} app
   * @param {boolean} hasStation
   * @param {(fault: unknown) => void} shown Called after each answer, with what went wrong.
   */
  constructor(app, hasStation, shown) {
    this.#app = app;
    this.#shown = shown;
    this.table = listenerTable(app, hasStation);
  }

  restart() {
    this.#page = 0;
    this.#ways = [null];
    return this.ask(true);
  }

  /** @param {boolean} [isAsked] Whether somebody waits for it. */
  async ask(isAsked = false) {
    const turn = ++this.#turn;
    const query = new URLSearchParams({ limit: String(pageSize), order: this.order.value });
    if (this.station) query.set("station", this.station);
    const way = this.#ways[this.#page];
    if (way) query.set("after", way);
    try {
      const { listeners, total, next } = await this.#app.client.get(`listeners?${query}`);
      if (turn !== this.#turn) return;
      // Who stood on the last page may all have gone.
      if (listeners.length === 0 && this.#page > 0) return this.#go(-1);
      this.rows = listeners;
      this.all = total;
      this.#ways[this.#page + 1] = next;
      this.isWhole = this.#page === 0 && next === null;
      this.show(isAsked);
      this.#shown(null);
    } catch (fault) {
      if (turn === this.#turn) this.#shown(fault);
    }
  }

  show(isAsked = false) {
    this.order.hidden = this.isWhole;
    this.table.update(this.rows.filter(this.isWanted), this.isWhole ? null : {
      page: this.#page, all: this.all, turn: by => this.#go(by),
    }, isAsked);
  }

  /** @param {number} by */
  #go(by) {
    // Somebody may turn faster than the relay answers.
    const page = this.#page + by;
    if (page < 0 || (page > 0 && !this.#ways[page])) return;
    this.#page = page;
    this.ask(true);
  }
}

/**
 * @param {App} app
 * @param {string} [chosen] The station whose listeners are shown first.
 */
export function listeners(app, chosen = "") {
  const trouble = h("p", { class: "trouble", role: "alert" });
  const sum = h("p", { class: "quiet" });
  const listing = new Listing(app, true, shown);
  const bars = new CrowdBars();
  bars.element.hidden = true;
  const station = h("select", { "aria-label": t("admin.station"), onchange: change });
  const states = ["live", "shifted", "paused", "stalled", "fallback"];
  const state = choice([["", t("admin.listeners.every")], ...states.map(word =>
    /** @type {[string, string]} */ ([word, t(`admin.listening.${word}`)]))],
  { "aria-label": t("admin.column.state"), onchange: choose });
  const search = h("input", { type: "search", placeholder: t("admin.listeners.search"),
    "aria-label": t("admin.listeners.search"), oninput: choose });
  const title = h("h1", {}, t("admin.listeners"));
  const element = h("div", {}, h("div", { class: "head" }, title, sum, search, station, state, listing.order), trouble,
    bars.element, listing.table.element);
  let isClosed = false;
  let countedAt = 0;
  let heard = "";
  listing.isWanted = row => {
    const wanted = search.value.trim().toLowerCase();
    return (!state.value || row.state === state.value)
      && `${row.address}\n${row.user ?? ""}\n${row.player ?? ""}\n${row.session ?? ""}`.toLowerCase().includes(wanted);
  };

  function change() {
    listing.station = station.value;
    listing.restart();
    countedAt = 0;
  }

  /** @param {unknown} fault */
  function shown(fault) {
    trouble.textContent = fault ? words(fault) : "";
    if (fault) return;
    if (listing.isWhole) showCrowd(counted(listing.rows));
    else if (Date.now() - countedAt > countPace) count();
  }

  async function count() {
    const asked = station.value;
    if (!app.store.lastSeen) return;
    countedAt = Date.now();
    try {
      const crowd = await (asked ? askCrowd(app, asked) : askCrowds(app));
      if (asked === station.value && !listing.isWhole) showCrowd(crowd);
    } catch {
      // The list says what is wrong.
    }
  }

  /** @param {import("./crowd.js").Crowd} crowd */
  function showCrowd(crowd) {
    if (isClosed) return;
    const { live = 0, fallback = 0 } = crowd.states;
    const n = heads(crowd);
    bars.element.hidden = n === 0;
    bars.update(crowd);
    heard = t("admin.listeners.sum", { n, behind: figure(n - live - fallback) });
    say();
  }

  /** Says how many there are, and where a choice looks at one page of them only. */
  function say() {
    const isPart = !listing.isWhole && (search.value || state.value);
    sum.textContent = isPart ? `${heard} · ${t("admin.listeners.page")}` : heard;
  }

  function choose() {
    listing.show(true);
    say();
  }

  function update() {
    offerStations(station, app.store.stations, chosen);
    listing.station = station.value;
    listing.ask();
  }
  return { title: t("admin.listeners"), element, update, close: () => void (isClosed = true) };
}
