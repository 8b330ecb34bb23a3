// What was played, newest first: each title with its place, its length and its clip; gaps as rows.

import { addressed } from "./api.js";
import { el, setAttribute } from "./dom.js";
import { day, span, spoken, t } from "./i18n.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./timeline.js").Timeline["titles"][number]} Title */

/** Titles before "show all". */
const rowsAtFirst = 40, searchFrom = 12;

class History {
  #app;
  #list;
  #search = el("input", { type: "search", "aria-label": t("player.search"), placeholder: t("player.search") });
  #more = el("button", { type: "button", class: "button outlined", hidden: true }, t("player.show-all"));
  #none = el("p", { class: "none", role: "status" });
  #version = -1;
  #all = false;
  #minute = 0;
  /** @type {Map<string, HTMLLIElement>} */
  #rows = new Map();
  /** @type {Title | null} */
  #heard = null;

  /**
   * @param {App} app
   * @param {HTMLElement} list
   */
  constructor(app, list) {
    this.#app = app;
    this.#list = list;
    const heading = document.getElementById("played");
    if (heading) {
      const head = el("div", { class: "played-head row" });
      const hasFocus = document.activeElement === heading;
      heading.before(head);
      head.append(heading, this.#search);
      // What is moved loses the focus that a key gave it before this was loaded.
      if (hasFocus) heading.focus({ preventScroll: true });
    }
    this.#search.hidden = true;
    list.after(this.#none, this.#more);
    this.#search.addEventListener("input", () => this.#render());
    this.#more.addEventListener("click", () => {
      this.#all = true;
      this.#render();
    });
    list.addEventListener("click", (event) => this.#click(event));
  }

  update() {
    const { timeline } = this.#app;
    if (timeline.isEmpty) return;
    // The last title's length grows with live.
    const minute = Math.floor(timeline.live().air / 10_000);
    if (timeline.version !== this.#version || minute !== this.#minute) {
      [this.#version, this.#minute] = [timeline.version, minute];
      this.#render();
    }
    const heard = this.#app.title();
    if (heard !== this.#heard) {
      this.#heard = heard;
      this.#mark();
    }
  }

  #mark() {
    for (const [key, row] of this.#rows) {
      const link = row.querySelector(".from");
      if (link) setAttribute(link, "aria-current", key === keyOf(this.#heard) ? "true" : null);
    }
  }

  #render() {
    const { timeline } = this.#app;
    this.#search.hidden = timeline.titles.length < searchFrom;
    const wish = fold(this.#search.value.trim());
    const entries = [
      ...timeline.titles.map((title) => ({ air: title.air, title })),
      ...(wish ? [] : timeline.gaps.map((gap) => ({ air: gap.air, gap }))),
    ].sort((one, other) => other.air - one.air);
    /** @type {HTMLLIElement[]} */
    const rows = [];
    let count = 0, dayBefore = day(timeline.live().air / 1_000, timeline.zone);
    const most = this.#all || wish ? Infinity : rowsAtFirst;
    for (const entry of entries) {
      if ("title" in entry && wish && !fold(`${entry.title.title} ${entry.title.artist}`).includes(wish)) continue;
      if (count >= most) break;
      count += 1;
      const thisDay = day(entry.air / 1_000, timeline.zone);
      if (thisDay !== dayBefore) rows.push(this.#row(`day ${thisDay}`, () => el("li", { class: "day" }, thisDay)));
      dayBefore = thisDay;
      rows.push("title" in entry ? this.#titleRow(entry.title) : this.#gapRow(entry.gap));
    }
    this.#more.hidden = entries.length <= most;
    const section = this.#list.parentElement;
    if (section) section.hidden = entries.length === 0 && !wish;
    this.#none.textContent = wish && count === 0 ? t("player.no-title", { text: this.#search.value.trim() }) : "";
    this.#place(rows);
    this.#mark();
  }

  /**
   * Moves only what stands elsewhere, so that the focus stays.
   * @param {HTMLLIElement[]} rows
   */
  #place(rows) {
    const wanted = new Set(rows);
    for (const child of [...this.#list.children]) {
      if (!wanted.has(/** @type {HTMLLIElement} */ (child))) child.remove();
    }
    let next = this.#list.firstElementChild;
    for (const row of rows) {
      if (row === next) next = next.nextElementSibling;
      else this.#list.insertBefore(row, next);
    }
    for (const [key, row] of this.#rows) if (!wanted.has(row)) this.#rows.delete(key);
  }

  /**
   * @param {string} key
   * @param {() => HTMLLIElement} make
   */
  #row(key, make) {
    let row = this.#rows.get(key);
    if (!row) {
      row = make();
      this.#rows.set(key, row);
    }
    return row;
  }

  /** @param {Title} title */
  #titleRow(title) {
    const { timeline, station } = this.#app;
    const row = this.#row(keyOf(title), () => {
      const time = new Date(title.air).toISOString();
      const name = title.title || "–";
      const row = el("li", { "data-position": title.position },
        el("a", {
          class: "from", href: addressed(`/listen/${station.id}?at=${time}`), title: t("player.from-here"),
          "data-air": title.air,
        },
        el("time", { datetime: time }, timeline.clock(title.air)),
        el("span", { class: "song", dir: "auto" }, name),
        el("span", { class: "by", dir: "auto" }, title.artist ?? ""),
        el("span", { class: "length" })));
      if (this.#app.canClip) {
        row.append(el("a", {
          class: "cut", download: true, "aria-label": t("player.cut-of", { title: name }),
        }, t("player.cut")));
      }
      return row;
    });
    const end = title.endAir ?? timeline.live().air;
    const length = row.querySelector(".length");
    const text = span((end - title.air) / 1_000);
    if (length && length.textContent !== text) length.textContent = text;
    const cut = row.querySelector(".cut");
    if (cut instanceof HTMLElement) {
      const [from, to] = [title.air, end].map((air) => encodeURIComponent(new Date(air).toISOString()));
      setAttribute(cut, "href", addressed(`/${station.id}/clip?from=${from}&to=${to}`));
      // Its place stays, so that the columns do.
      cut.style.setProperty("visibility", title.endAir === null ? "hidden" : "visible");
    }
    return row;
  }

  /** @param {Timeline["gaps"][number]} gap */
  #gapRow(gap) {
    return this.#row(`gap ${gap.media} ${gap.seconds}`, () => el("li", { class: "gap" },
      t("player.gap", { length: spoken(Math.ceil(gap.seconds)), cause: t(causes[gap.cause] ?? "player.cause-away") })));
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const link = event.target instanceof Element ? event.target.closest(".from") : null;
    if (!(link instanceof HTMLAnchorElement)) return;
    // A new tab or window is the browser's.
    if (event.ctrlKey || event.metaKey || event.shiftKey || !this.#app.canShift) return;
    event.preventDefault();
    const oldest = this.#app.timeline.oldest.air;
    const air = Number(link.dataset.air ?? Date.parse(link.querySelector("time")?.dateTime ?? ""));
    if (Number.isFinite(air)) this.#app.jump({ air: Math.max(oldest, air) });
  }
}

/** @typedef {import("./timeline.js").Timeline} Timeline */

/**
 * What the relay calls the causes.
 * @type {Record<string, string>}
 */
const causes = { "restart": "player.cause-restart", "upstream-jumped": "player.cause-jumped" };

/** @param {Title | null} title */
const keyOf = (title) => title ? `title ${title.position} ${title.air}` : "";

/**
 * Case and accents do not matter to a search.
 * @param {string} text
 */
const fold = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();

/**
 * @param {App} app
 * @param {HTMLElement} list
 * @returns {import("./app.js").Part}
 */
export function startHistory(app, list) {
  return new History(app, list);
}
