// A recording of a show in its list: a press plays it; below it are its files, its link, and its titles as chapters.

import { addressed } from "./api.js";
import { button, el, icon, setAttribute, setText } from "./dom.js";
import { keptClock } from "./fileplayer.js";
import { clock, day, span, spoken, t } from "./i18n.js";
import { addStyles } from "./styles.js";

/** @typedef {import("./fileplayer.js").FilePlayer} FilePlayer */
/** @typedef {{ id: number, show: string, start: string, from: string, seconds: number,
 *   missedSeconds: number, isGrowing: boolean,
 *   files: { path: string, seconds: number }[], titles: import("./fileplayer.js").Chapter[] }} Recording */

/** Shorter holes than this are not told, in seconds. */
const missedLeast = 1;

addStyles(`
.again li[data-recording] { flex-wrap: wrap; }
.again li[data-recording] > .button { color: var(--muted); font-size: 0.8125rem; }
.again .button .icon { width: 18px; height: 18px; transition: transform 150ms var(--ease); }
.again .button[aria-expanded="true"] .icon { transform: rotate(180deg); }
.more-of { flex-basis: 100%; margin-bottom: 12px; }
.more-of > .row { margin-block: 4px 8px; }
.more-of .said { color: var(--muted); }
.history .chapters li { border: 0; }
.chapters button {
  display: grid; grid-template-columns: 64px 1fr; gap: 0 12px; width: 100%; min-height: 40px; padding: 6px 12px;
  border: 0; border-radius: 12px; background: none; text-align: start; cursor: pointer;
}
.chapters button:hover { background: color-mix(in oklab, var(--text) 7%, transparent); }
.chapters .by { grid-column: 2; grid-row: auto; }
.chapters [aria-current] .song { color: var(--accent); font-weight: 600; }
@media (max-width: 599px) {
  .again li[data-recording] > .button > span { display: none; }
}
@media (min-width: 900px) {
  .chapters button { grid-template-columns: 64px minmax(0, 3fr) minmax(0, 2fr); }
  .chapters .by { grid-column: 3; grid-row: 1; }
}
`);

/**
 * Returns the key of a recording's work.
 * @param {string} station
 * @param {number | string} id
 */
export const workKey = (station, id) => `show:${station}:${id}`;

/**
 * Returns the address that opens the page with a recording and plays it.
 * @param {string} station
 * @param {number} id
 * @param {number} [seconds] in it
 */
function linkTo(station, id, seconds = 0) {
  return `/listen/${station}/shows?recording=${id}${seconds >= 1 ? `&t=${Math.floor(seconds)}` : ""}`;
}

/** A recording, with its chapters, its files and its link. */
export class RecordingRow {
  /** @type {string} */
  #station;
  /** @type {number} */
  #id;
  #key;
  /** @type {FilePlayer} */
  #player;
  #time = el("time");
  #date = el("span", { class: "song" });
  #notes = el("span", { class: "by" });
  #length = el("span", { class: "length" });
  #link = el("a", { class: "from", on: { click: (/** @type {MouseEvent} */ event) => this.#press(event) } },
    this.#time, " ", this.#date, " ", this.#notes, " ", this.#length);
  #files = el("span", { class: "row" });
  #said = el("p", { class: "said", role: "status" });
  #chapters = el("ol", { class: "chapters" });
  #about = el("div", { class: "more-of", hidden: true }, el("div", { class: "row" }, this.#files,
    button("copy", t("show.link"), () => void this.#copy(), { class: "outlined copy", text: t("show.link") })),
  this.#said, this.#chapters);
  #more = button("down", "", () => this.#open(this.#about.hidden), { "aria-expanded": "false", text: " " });
  element = el("li", {}, this.#link, this.#more, this.#about);
  /** @type {Recording | null} */
  #recording = null;
  #isOwn = false;

  /**
   * @param {string} station
   * @param {number} id
   * @param {FilePlayer} player
   */
  constructor(station, id, player) {
    [this.#station, this.#id, this.#player] = [station, id, player];
    this.#key = workKey(station, id);
  }

  get #index() {
    return this.#player.works.findIndex(({ key }) => key === this.#key);
  }

  /**
   * @param {Recording} recording
   * @param {import("./i18n.js").TimeZone} zone
   */
  show(recording, zone) {
    const { start, seconds, files, titles } = recording, begin = Date.parse(start) / 1_000, last = this.#recording;
    const isOther = last?.titles.length !== titles.length || last.files.length !== files.length;
    this.#recording = recording;
    this.element.dataset.recording = String(this.#id);
    this.#link.href = addressed(linkTo(this.#station, this.#id));
    this.#time.dateTime = start;
    setText(this.#time, clock(begin, zone));
    setText(this.#date, day(begin, zone));
    setText(this.#length, span(seconds));
    const label = titles.length ? t("show.titles", { n: titles.length }) : t("show.more");
    setText(this.#more.lastElementChild, label);
    setAttribute(this.#more, "aria-label", `${label}: ${this.#date.textContent}`);
    setAttribute(this.#more, "title", null);
    this.#about.id = `recording-${this.#id}`;
    setAttribute(this.#more, "aria-controls", this.#about.id);
    if (isOther && this.#files.childElementCount) this.#fill();
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
    if (this.#about.hidden) return;
    const heard = isOwn ? chapter?.seconds : null;
    const current = this.#recording?.titles.findIndex(({ seconds }) => seconds === heard);
    [...this.#chapters.children].forEach(({ firstElementChild }, index) =>
      firstElementChild && setAttribute(firstElementChild, "aria-current", index === current ? "true" : null));
  }

  /** @param {boolean} isOpen */
  #open(isOpen) {
    this.#about.hidden = !isOpen;
    setAttribute(this.#more, "aria-expanded", String(isOpen));
    if (isOpen && !this.#files.childElementCount) this.#fill();
    if (isOpen) this.mark();
  }

  #fill() {
    const files = this.#recording?.files ?? [], text = t("show.download");
    this.#files.replaceChildren(...files.map(({ path }, index) => el("a", {
      class: "button outlined", href: addressed(path), download: true,
    }, icon("download"), el("span", {}, files.length > 1 ? `${text} ${index + 1}` : text))));
    this.#chapters.replaceChildren(...(this.#recording?.titles ?? []).map(({ seconds, title, artist }) =>
      el("li", {}, el("button", { type: "button", on: { click: () => this.#player.play(this.#index, seconds) } },
        el("time", {}, span(seconds)), el("span", { class: "song", dir: "auto" }, title ?? "–"),
        artist && el("span", { class: "by", dir: "auto" }, artist)))));
  }

  /** Copies the link: to what is heard, where it is this one. */
  async #copy() {
    const link = location.origin + linkTo(this.#station, this.#id, this.#isOwn ? this.#player.place : 0);
    const { copyLink } = await import("./share.js");
    await copyLink(link, this.#said);
  }

  /** @param {MouseEvent} event */
  #press(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.#player.play(this.#index);
  }
}
