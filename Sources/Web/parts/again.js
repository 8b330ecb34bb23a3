// What was recorded, by show, the newest first: a press plays a recording, with its titles as chapters below it.

import { addressed } from "./api.js";
import { makePicture, showPicture } from "./colour.js";
import { button, el, setAttribute, setText } from "./dom.js";
import { keptClock } from "./fileplayer.js";
import { clock, day, span, spoken, t } from "./i18n.js";
import { addStyles } from "./styles.js";

/** @typedef {import("./fileplayer.js").Work} Work */
/** @typedef {import("./fileplayer.js").FilePlayer} FilePlayer */
/** @typedef {{ id: number, show: string, start: string, from: string, seconds: number,
 *   missedSeconds: number, isGrowing: boolean,
 *   files: { path: string, seconds: number }[], titles: import("./fileplayer.js").Chapter[] }} Recording */

/** From so many shows on one can be chosen; shorter holes than this are not told, in seconds. */
const filterFrom = 4, missedLeast = 1;

addStyles(`
.again .chips { margin-block: 4px 12px; }
.again-head { display: flex; align-items: center; gap: 14px; margin-block: 20px 8px; }
.again-head .art { flex: none; width: 64px; border-radius: 8px; }
.again-head h3 { font-size: 1.0625rem; }
.again h3, .week h3 { margin: 0; }
.again-head p { color: var(--muted); }
.again li[data-recording] { flex-wrap: wrap; }
.again li[data-recording] > .button { color: var(--muted); font-size: 0.8125rem; }
.again .button .icon { width: 18px; height: 18px; transition: transform 150ms var(--ease); }
.again .button[aria-expanded="true"] .icon { transform: rotate(180deg); }
.chapters { flex-basis: 100%; margin-bottom: 12px; }
.history .chapters li { border: 0; }
.chapters button {
  display: grid; grid-template-columns: 64px 1fr; gap: 0 12px; width: 100%; min-height: 40px; padding: 6px 12px;
  border: 0; border-radius: 12px; background: none; text-align: start; cursor: pointer;
}
.chapters button:hover { background: color-mix(in oklab, var(--text) 7%, transparent); }
.chapters .by { grid-column: 2; grid-row: auto; }
.chapters [aria-current] .song { color: var(--accent); font-weight: 600; }
@media (min-width: 900px) {
  .chapters button { grid-template-columns: 64px minmax(0, 3fr) minmax(0, 2fr); }
  .chapters .by { grid-column: 3; grid-row: 1; }
}
`);

/**
 * Returns what plays of an answer of `shows`.
 * @param {any} body
 * @param {string} station
 * @returns {Work[]}
 */
export function worksOf({ shows, recordings, timeZone }, station) {
  return recordings.map((/** @type {Recording} */ { id, show, start, files, titles, isGrowing }) => ({
    key: `show:${station}:${id}`,
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
  /** @type {Map<number, Row>} */
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
      const row = this.#rows.get(recording.id) ?? new Row(`show:${this.#station.id}:${recording.id}`, this.#player);
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

/** A recording, with its chapters. */
class Row {
  #key;
  #player;
  #time = el("time");
  #date = el("span", { class: "song" });
  #notes = el("span", { class: "by" });
  #length = el("span", { class: "length" });
  #link = el("a", { class: "from", on: { click: (/** @type {MouseEvent} */ event) => this.#press(event) } },
    this.#time, " ", this.#date, " ", this.#notes, " ", this.#length);
  #chapters = el("ol", { class: "chapters", hidden: true });
  #more = button("down", "", () => this.#open(this.#chapters.hidden), { "aria-expanded": "false", text: " " });
  element = el("li", {}, this.#link, this.#more, this.#chapters);
  /** @type {Recording | null} */
  #recording = null;
  #isOwn = false;

  /**
   * @param {string} key of its work
   * @param {FilePlayer} player
   */
  constructor(key, player) {
    this.#key = key;
    this.#player = player;
  }

  get #index() {
    return this.#player.works.findIndex(({ key }) => key === this.#key);
  }

  /**
   * @param {Recording} recording
   * @param {import("./i18n.js").TimeZone} zone
   */
  show(recording, zone) {
    const { id, start, seconds, files, titles } = recording, begin = Date.parse(start) / 1_000;
    const isOther = this.#recording?.titles.length !== titles.length;
    this.#recording = recording;
    this.element.dataset.recording = String(id);
    this.#link.href = addressed(files[0]?.path ?? "");
    this.#time.dateTime = start;
    setText(this.#time, clock(begin, zone));
    setText(this.#date, day(begin, zone));
    setText(this.#length, span(seconds));
    const label = t("show.titles", { n: titles.length });
    setText(this.#more.lastElementChild, label);
    setAttribute(this.#more, "aria-label", `${label}: ${this.#date.textContent}`);
    setAttribute(this.#more, "title", null);
    // Its room keeps the columns.
    this.#more.style.setProperty("visibility", titles.length ? null : "hidden");
    this.#chapters.id = `chapters-${id}`;
    setAttribute(this.#more, "aria-controls", this.#chapters.id);
    if (isOther && this.#chapters.childElementCount) this.#fill();
  }

  /** Returns the seconds that the recording lacks, at its beginning too. */
  #missed() {
    if (!this.#recording) return 0;
    const { start, from, missedSeconds } = this.#recording;
    return missedSeconds + Math.max(0, Date.parse(from) - Date.parse(start)) / 1_000;
  }

  mark() {
    const { work, engine, chapter } = this.#player, own = this.#player.works[this.#index];
    const isOwn = work?.key === this.#key && engine.state !== "idle";
    setAttribute(this.#link, "aria-current", isOwn ? "true" : null);
    const place = own && !isOwn ? keptClock(own) : "", missed = this.#missed();
    setText(this.#notes, [
      place && t("show.go-on", { clock: place }), this.#recording?.isGrowing && t("show.growing"),
      missed >= missedLeast && t("show.missed", { length: spoken(missed) }),
    ].filter(Boolean).join(" · "));
    // Once, so that it can be closed while it plays.
    const hasBegun = isOwn && !this.#isOwn;
    this.#isOwn = isOwn;
    if (hasBegun) this.#open(true);
    if (this.#chapters.hidden) return;
    const heard = isOwn ? chapter?.seconds : null;
    const current = this.#recording?.titles.findIndex(({ seconds }) => seconds === heard);
    [...this.#chapters.children].forEach(({ firstElementChild }, index) =>
      firstElementChild && setAttribute(firstElementChild, "aria-current", index === current ? "true" : null));
  }

  /** @param {boolean} isOpen */
  #open(isOpen) {
    this.#chapters.hidden = !isOpen;
    setAttribute(this.#more, "aria-expanded", String(isOpen));
    if (isOpen && !this.#chapters.childElementCount) this.#fill();
    if (isOpen) this.mark();
  }

  #fill() {
    this.#chapters.replaceChildren(...(this.#recording?.titles ?? []).map(({ seconds, title, artist }) =>
      el("li", {}, el("button", { type: "button", on: { click: () => this.#player.play(this.#index, seconds) } },
        el("time", {}, span(seconds)), el("span", { class: "song", dir: "auto" }, title ?? "–"),
        artist && el("span", { class: "by", dir: "auto" }, artist)))));
  }

  /** @param {MouseEvent} event */
  #press(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.#player.play(this.#index);
  }
}
