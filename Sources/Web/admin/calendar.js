// The week of recordings: what schedules are going to record, what runs, and what was. On a phone it is a list.

import { kept, keep } from "../dom.js";
import { clock, day as dayName, t } from "../i18n.js";
import { part } from "./client.js";
import { button, h, offerStations, size, stateWord, unix, words } from "./parts.js";
import { dayMinutes, lanesMax, placed } from "./week.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./client.js").Recording} Recording */
/** @typedef {import("./client.js").Planned} Planned */
/** @typedef {import("./week.js").Entry} Entry */
/** @typedef {import("./week.js").Bar} Bar */
/** @typedef {import("./week.js").Day} Day */
/** @typedef {import("../i18n.js").TimeZone} TimeZone */

/** Seconds between two looks at the schedules. */
const pace = 60;
const storageKey = "admin-week";

/** @param {Recording} recording */
export const fileName = recording =>
  recording.current?.name ?? recording.files[recording.files.length - 1]?.name ?? "–";

/** @param {Recording} recording */
const begin = recording => unix(recording.from ?? recording.startedAt);

export class Calendar {
  #app;
  #open;
  /** @type {TimeZone} */
  #zone = { name: "UTC", seconds: 0 };
  /** @type {Day[]} */
  #days = [];
  /** @type {Planned[]} */
  #planned = [];
  /** @type {Recording[]} */
  #recordings = [];
  /** A moment on the first day that is asked for; empty for today. */
  #first = "";
  #askedAt = 0;
  #turn = 0;
  #shown = "";
  #isClosed = false;
  #trouble = h("p", { class: "trouble", role: "alert" });
  #about = h("p", { class: "quiet" });
  #more = h("p", { class: "quiet", hidden: true }, t("admin.config.truncated"));
  #week = h("div", { class: "week" });
  #station = h("select", { "aria-label": t("admin.station"), onchange: () => this.#ask() });
  #today = button(t("admin.week.today"), () => this.#go(""));
  #isListed = kept(storageKey) === "list";
  #list = button(t("admin.week.list"), () => this.#setListed(!this.#isListed));
  #narrow = matchMedia("(max-width: 720px)");
  #turned = () => this.#showList();
  element;

  /**
   * @param {App} app
   * @param {(recording: Recording) => void} open Shows a recording.
   */
  constructor(app, open) {
    this.#app = app;
    this.#open = open;
    const [earlier, later] = [-1, 1].map(by =>
      button(t(by < 0 ? "admin.week.earlier" : "admin.week.later"), () => this.#move(by)));
    this.#list.classList.add("wide-only");
    this.#today.disabled = true;
    this.element = h("section", { class: "calendar" },
      h("div", { class: "head" }, h("h2", {}, t("admin.week.title")), this.#about, this.#station,
        earlier, this.#today, later, this.#list), this.#trouble, this.#week, this.#more, legend());
    this.#narrow.addEventListener("change", this.#turned);
    this.#showList();
  }

  /** @param {Recording[]} recordings */
  update(recordings) {
    offerStations(this.#station, this.#app.store.stations);
    this.#recordings = recordings;
    if (Date.now() / 1000 - this.#askedAt > pace) this.#ask();
    else this.#show();
  }

  /** Looks at the schedules anew: something may have changed them. */
  refresh() {
    this.#askedAt = 0;
  }

  close() {
    this.#isClosed = true;
    this.#narrow.removeEventListener("change", this.#turned);
  }

  async #ask() {
    this.#askedAt = Date.now() / 1000;
    const turn = ++this.#turn;
    const query = [this.#first && `from=${part(this.#first)}`,
      this.#station.value && `station=${part(this.#station.value)}`].filter(Boolean).join("&");
    try {
      const answer = await this.#app.client.get(`schedule${query && `?${query}`}`);
      if (turn !== this.#turn || this.#isClosed) return;
      this.#zone = answer.timeZone;
      this.#days = answer.days.map((/** @type {{ start: string, end: string }} */ { start, end }) =>
        ({ start: unix(start), end: unix(end) }));
      this.#planned = answer.planned;
      this.#more.hidden = !answer.truncated;
      this.#trouble.textContent = "";
      this.#about.textContent = t("admin.week.zone", { zone: this.#zone.name });
    } catch (fault) {
      if (turn === this.#turn) this.#trouble.textContent = words(fault);
    }
    if (!this.#isClosed) this.#show();
  }

  /** @param {number} by Weeks */
  #move(by) {
    const [first] = this.#days;
    // Noon: days are 23 to 25 hours long.
    if (first) this.#go(new Date((first.start + by * 7 * 86400 + 43200) * 1000).toISOString());
  }

  /** @param {string} first */
  #go(first) {
    this.#first = first;
    this.#today.disabled = first === "";
    this.#ask();
  }

  /** @param {boolean} isListed */
  #setListed(isListed) {
    this.#isListed = isListed;
    keep(storageKey, isListed ? "list" : null);
    this.#showList();
  }

  /** A phone has no room for seven columns. */
  #showList() {
    this.#list.setAttribute("aria-pressed", String(this.#isListed));
    this.#week.classList.toggle("listed", this.#isListed || this.#narrow.matches);
  }

  // MARK: What there is

  /** @returns {Entry[]} */
  get #entries() {
    const now = Date.now() / 1000;
    const wanted = this.#station.value;
    const made = this.#recordings.filter(({ station }) => !wanted || station === wanted).map(recording => {
      const [start, isRunning] = [begin(recording), recording.state === "recording"];
      const end = isRunning ? recording.until && unix(recording.until)
        : start + recording.seconds + recording.missedSeconds;
      /** @type {Entry} */
      const entry = { key: `r${recording.id}`, state: recording.state, station: recording.station, start,
        end: end || now, isOpen: isRunning && !end, name: fileName(recording), rule: "", recording };
      return entry;
    });
    const planned = this.#planned.map(({ station, start, end, file, from, to, timeZone }) => {
      const rule = timeZone === this.#zone.name ? "" : `${from}–${to} ${timeZone}`;
      /** @type {Entry} */
      const entry = { key: `p${station} ${start} ${file}`, state: "planned", station, start: unix(start),
        end: unix(end), isOpen: false, name: file, rule, recording: null };
      return entry;
    });
    return [...made, ...planned];
  }

  /** @param {number} moment */
  #minute(moment) {
    const [hours, minutes] = clock(moment, this.#zone).split(":").map(Number);
    return hours * 60 + minutes;
  }

  // MARK: What is shown

  #show() {
    const now = Date.now() / 1000;
    const entries = this.#entries;
    const days = this.#days.map(day => ({ day, ...placed(entries, day, moment => this.#minute(moment)) }));
    // What is shown stays as it is, with the focus on it, until it is something else.
    const sign = JSON.stringify([this.#zone, days.map(({ day, bars, rest }) => [day, rest, bars.map(bar =>
      [bar.entry.key, bar.entry.state, bar.from, bar.to, bar.lane, bar.lanes, bar.entry.name])])]);
    if (sign !== this.#shown) {
      const focused = /** @type {HTMLElement | null} */ (this.#week.querySelector(":focus"))?.dataset.key;
      this.#week.replaceChildren(hours(), ...days.map(one => this.#day(one.day, one.bars, one.rest, now)));
      const again = focused && [...this.#week.querySelectorAll("a")].find(({ dataset }) => dataset.key === focused);
      if (again) again.focus({ preventScroll: true });
      this.#shown = sign;
    }
    const line = /** @type {HTMLElement | null} */ (this.#week.querySelector(".now"));
    line?.style.setProperty("--from", String(this.#minute(now) / dayMinutes));
  }

  /**
   * @param {Day} day
   * @param {Bar[]} bars
   * @param {import("./week.js").Rest[]} rest
   * @param {number} now
   */
  #day(day, bars, rest, now) {
    const isToday = day.start <= now && now < day.end;
    const hours = Math.round((day.end - day.start) / 3600);
    const title = h("h3", { tabindex: -1 }, dayName(day.start, this.#zone),
      isToday && h("small", {}, t("admin.week.today")), hours !== 24 && h("small", {}, t("admin.hours", { hours })));
    const more = rest.map(({ at, count }) => h("li", { class: "more" }, this.#moreOf(count, title, at)));
    const list = bars.length ? h("ol", {}, ...bars.map(bar => this.#bar(bar, day)), ...more)
      : h("p", { class: "none" }, t("admin.week.nothing"));
    const line = isToday && h("div", { class: "now", "aria-hidden": "true" });
    return h("div", { class: isToday ? "day today" : "day" }, title, h("div", { class: "hold" }, line, list));
  }

  /**
   * @param {number} n
   * @param {HTMLElement} title
   * @param {number} at
   */
  #moreOf(n, title, at) {
    const show = () => {
      this.#setListed(true);
      title.focus();
    };
    const more = button(`+${n}`, show, { label: t("admin.week.more", { n, day: title.textContent ?? "" }) });
    setPlace(more, { from: at, to: at + 60, lane: lanesMax - 1, lanes: lanesMax });
    return more;
  }

  /**
   * @param {Bar} bar
   * @param {Day} day
   */
  #bar(bar, day) {
    const { entry } = bar;
    const { recording } = entry;
    const state = t(entry.state === "planned" ? "admin.week.planned" : `admin.record.${entry.state}`);
    const time = this.#time(entry, day);
    const more = [entry.name, entry.rule, recording && size(recording.bytes)].filter(Boolean).join(" · ");
    const link = h("a", {
      class: "slot", "data-state": entry.state, "data-key": entry.key,
      href: recording ? `#recordings/${recording.id}` : `#stations/${part(entry.station)}`,
      title: [time, entry.station, state, more].join(" · "), onclick: (/** @type {MouseEvent} */ event) => {
        if (!recording || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        this.#open(recording);
      },
    }, h("span", { class: "in" }, h("b", {}, entry.station), " ", h("span", { class: "time" }, time), " ",
      stateWord(entry.state, state), " ", h("small", {}, more)));
    setPlace(link, bar);
    return h("li", { class: bar.isHidden ? "crowded" : null }, link);
  }

  /**
   * From when to when, with the day where that is another one.
   * @param {Entry} entry
   * @param {Day} day
   */
  #time({ start, end, isOpen }, day) {
    const name = (/** @type {number} */ moment, /** @type {boolean} */ isFar) =>
      (isFar ? `${dayName(moment, this.#zone)}, ` : "") + clock(moment, this.#zone);
    const from = name(start, start < day.start);
    if (isOpen) return `${from} – ${t("admin.record.open")}`;
    return `${from}–${name(end, end - start >= 86400 && end > day.end)}`;
  }
}

/**
 * @param {HTMLElement} element
 * @param {{ from: number, to: number, lane: number, lanes: number }} place
 */
function setPlace(element, { from, to, lane, lanes }) {
  const places = { from: from / dayMinutes, to: to / dayMinutes, lane: lane / lanes, wide: 1 / lanes };
  for (const [name, value] of Object.entries(places)) element.style.setProperty(`--${name}`, value.toFixed(5));
  // An hour is 24 pixels tall, and a line of text 16.
  element.style.setProperty("--lines", String(Math.max(1, Math.floor(((to - from) * 0.4 - 7) / 16))));
}

/** The scale beside the days. */
function hours() {
  const labels = Array.from({ length: 8 }, (_, at) => h("span", {}, `${String(at * 3).padStart(2, "0")}:00`));
  return h("div", { class: "hours", "aria-hidden": "true" }, ...labels);
}

/** What the looks of the bars say; each bar says it in words, too. */
function legend() {
  const states = ["planned", "recording", "finished", "failed"];
  const one = (/** @type {string} */ state) => h("span", {}, h("i", { class: "slot", "data-state": state }),
    t(state === "planned" ? "admin.week.planned" : `admin.record.${state}`));
  return h("p", { class: "legend", "aria-hidden": "true" }, ...states.map(one));
}
