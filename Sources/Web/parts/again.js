// What was recorded, by show, the newest first: those of one show, where there are several.

import { addressed } from "./api.js";
import { makePicture, showPicture } from "./colour.js";
import { el, setAttribute, setText } from "./dom.js";
import { day, t } from "./i18n.js";
import { RecordingRow, workKey } from "./recording.js";
import { addStyles } from "./styles.js";

/** @typedef {import("./fileplayer.js").Work} Work */
/** @typedef {import("./fileplayer.js").FilePlayer} FilePlayer */
/** @typedef {import("./recording.js").Recording} Recording */

/** From so many shows on one can be chosen. */
const filterFrom = 4;

addStyles(`
.again .chips { margin-block: 4px 12px; }
.again-head { display: flex; align-items: center; gap: 14px; margin-block: 20px 8px; }
.again-head .art { flex: none; width: 64px; border-radius: 8px; }
.again-head h3 { font-size: 1.0625rem; }
.again h3, .week h3 { margin: 0; }
.again-head p { color: var(--muted); }
`);

/**
 * Returns what plays of an answer of `shows`.
 * @param {any} body
 * @param {string} station
 * @returns {Work[]}
 */
export function worksOf({ shows, recordings, timeZone }, station) {
  return recordings.map((/** @type {Recording} */ { id, show, start, files, titles, isGrowing }) => ({
    key: workKey(station, id),
    name: t("show.named", { name: show, date: day(Date.parse(start) / 1_000, timeZone) }),
    files: files.map(({ path }) => addressed(path)), lengths: files.map(({ seconds }) => seconds),
    album: show, chapters: titles, isGrowing,
    picture: shows.find((/** @type {any} */ { name }) => name === show)?.picture ?? undefined,
  }));
}

export class Again {
  #place;
  #station;
  #player;
  #chips = el("div", { class: "chips", role: "group", "aria-label": t("show.filter") });
  #groups = el("div");
  #none = el("p", { class: "none" });
  #wish = "";
  #key = "";
  /** @type {Map<number, RecordingRow>} */
  #rows = new Map();
  /** @type {any} */
  #body = null;

  /**
   * @param {HTMLElement} place
   * @param {{ id: string, name: string, rights: { shift: boolean } }} station
   * @param {FilePlayer} player
   */
  constructor(place, station, player) {
    this.#place = place;
    this.#station = station;
    this.#player = player;
    place.classList.add("again");
    place.replaceChildren(el("h2", {}, t("show.again")), this.#chips, this.#none, this.#groups);
  }

  /** @param {any} body an answer of `shows` */
  show(body) {
    this.#body = body;
    /** @type {Recording[]} */
    const recordings = body.recordings, there = new Set(recordings.map(({ id }) => id));
    for (const id of this.#rows.keys()) if (!there.has(id)) this.#rows.delete(id);
    for (const recording of recordings) {
      const row = this.#rows.get(recording.id) ?? new RecordingRow(this.#station.id, recording.id, this.#player);
      this.#rows.set(recording.id, row);
      row.show(recording, body.timeZone);
    }
    const key = JSON.stringify([body.shows, recordings.map(({ id, show }) => [id, show])]);
    if (key !== this.#key) this.#arrange();
    this.#key = key;
    setText(this.#none, recordings.length ? "" : t(this.#station.rights.shift ? "show.none" : "show.live-only"));
    this.#none.hidden = recordings.length > 0;
    this.mark();
  }

  /** Shows what is heard, and where one can go on. */
  mark() {
    for (const row of this.#rows.values()) row.mark();
  }

  #arrange() {
    const { shows, recordings } = this.#body, focused = document.activeElement;
    const recorded = new Set(recordings.map((/** @type {Recording} */ { show }) => show));
    /** @type {string[]} */
    const names = [...new Set([...shows.map((/** @type {any} */ { name }) => name), ...recorded])];
    const wanted = names.filter((name) => recorded.has(name));
    if (!wanted.includes(this.#wish)) this.#wish = "";
    this.#chips.replaceChildren(...wanted.length < filterFrom ? [] : wanted.map((name) => this.#chip(name)));
    this.#chips.hidden = wanted.length < filterFrom;
    this.#groups.replaceChildren(...wanted.map((name) => this.#group(name)));
    this.#narrow();
    if (focused instanceof HTMLElement && this.#place.contains(focused)) focused.focus();
  }

  #narrow() {
    for (const group of /** @type {NodeListOf<HTMLElement>} */ (this.#groups.querySelectorAll("[data-show]"))) {
      group.hidden = this.#wish !== "" && group.dataset.show !== this.#wish;
    }
    for (const chip of this.#chips.children) {
      setAttribute(chip, "aria-pressed", String(chip.textContent === this.#wish));
    }
  }

  /** @param {string} name */
  #chip(name) {
    return el("button", { type: "button", class: "button outlined chip", dir: "auto", on: { click: () => {
      this.#wish = this.#wish === name ? "" : name;
      this.#narrow();
    } } }, name);
  }

  /** @param {string} name */
  #group(name) {
    const { shows, recordings } = this.#body;
    const about = shows.find((/** @type {any} */ show) => show.name === name);
    const art = el("div", { class: "art" });
    if (about?.picture) void showPicture(art, this.#station.id, name, addressed(about.picture));
    else makePicture(art, name, name);
    return el("div", { "data-show": name },
      el("div", { class: "again-head" }, art,
        el("div", {}, el("h3", { dir: "auto" }, name), about?.text && el("p", { dir: "auto" }, about.text))),
      el("ol", { class: "history" }, ...recordings.filter((/** @type {Recording} */ { show }) => show === name)
        .map((/** @type {Recording} */ { id }) => this.#rows.get(id)?.element)));
  }
}
