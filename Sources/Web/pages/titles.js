// What is on air, or what was, inside pages of others: the relay rendered it; here it stays up to date.

import { addressed, getJSON, News, setAccess } from "./api.js";
import { colourAfter, pictureOf, showPicture, tendPicture } from "./colour.js";
import { el, part, setText } from "./dom.js";
import { addPhrases, clock, ready, t } from "./i18n.js";
import { stateOf } from "./qualities.js";
import { zoneNote } from "./zone.js";

/** What no event tells is asked for, after so many seconds. */
const pollSeconds = 60;
/** What everybody is told may be a second old, so after news it is asked for again, in milliseconds. */
const againAfter = 1_500;
const kinds = ["state", "metadata-live", "fallback-started", "fallback-stopped"];

class Titles {
  #state;
  #id;
  #main = part("main");
  #picture = document.querySelector("#art img")?.getAttribute("src") ?? "";
  #isAsking = false;
  #isAskedAgain = false;
  #news;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #later;

  /** @param {any} state as the relay wrote it */
  constructor(state) {
    this.#state = state;
    this.#id = state.station.id;
    this.#news = new News(this.#id, kinds, () => {
      void this.#update();
      clearTimeout(this.#later);
      this.#later = setTimeout(() => void this.#update(), againAfter);
    });
    const frame = document.querySelector(".art");
    if (frame) tendPicture(frame, this.#id, state.station.name, (image) => void colourAfter(image));
    this.#showState(state.station);
    const note = state.show === "history" ? zoneNote(state.timeZone) : "";
    if (note) part("history").after(el("p", { class: "by zone" }, note));
    this.#tellHeight();
    document.addEventListener("visibilitychange", () => this.follow());
  }

  /** Asks only while somebody can see it: six connections serve all of a browser's tabs. */
  follow() {
    clearInterval(this.#timer);
    if (document.hidden) return this.#news.close();
    this.#timer = setInterval(() => void this.#update(), 1_000 * pollSeconds);
    this.#news.open();
    void this.#update();
  }

  async #update() {
    this.#isAskedAgain = this.#isAsking;
    if (this.#isAsking) return;
    this.#isAsking = true;
    const path = `/api/v1/stations/${this.#id}`;
    const [station, history] = await Promise.all([
      getJSON(path), this.#state.show === "history" ? getJSON(`${path}/history?limit=${this.#state.count}`) : null,
    ]);
    this.#isAsking = false;
    if (station.json && station.status === 200) await this.#show(station.json);
    else this.#say("unknown");
    if (history?.json?.history) this.#list(history.json.history);
    if (this.#isAskedAgain) void this.#update();
  }

  /** @param {any} station */
  async #show(station) {
    this.#showState(station);
    if (this.#state.show !== "now") return;
    const { fallback } = station;
    const heard = fallback ? await this.#standIn(fallback) : { station, playing: station.nowPlaying };
    const { title, artist } = heard.playing ?? { title: "", artist: "" };
    setText(part("title"), title ?? "");
    setText(part("artist"), artist ?? "");
    const wanted = pictureOf(heard.station, heard.playing);
    if (!wanted || wanted === this.#picture) return;
    this.#picture = wanted;
    void showPicture(part("art"), this.#id, station.name, addressed(wanted), {
      shown: (image) => void colourAfter(image),
    });
  }

  /**
   * Returns what is heard in the station's place; of a file and of silence it is said what they are.
   * @param {string} fallback
   */
  async #standIn(fallback) {
    const id = /^station:(.+)$/.exec(fallback)?.[1];
    const { json } = id ? await getJSON(`/api/v1/stations/${encodeURIComponent(id)}`) : { json: null };
    if (json) return { station: json, playing: { ...json.nowPlaying, title: json.nowPlaying?.title || json.name } };
    await addPhrases("away/");
    const title = t(fallback === "silence" ? "player.fallback-silence" : "player.fallback-file");
    return { station: this.#state.station, playing: { title, artist: "" } };
  }

  /** @param {any} station */
  #showState(station) {
    const begins = station.beginsAt && Date.parse(station.beginsAt) / 1_000;
    this.#say(stateOf(station), begins ? t("state-begins", { clock: clock(begins, this.#state.timeZone) }) : undefined);
  }

  /**
   * @param {string} state
   * @param {string} [words]
   */
  #say(state, words = t(`state-${state}`)) {
    const word = /** @type {HTMLElement | null} */ (this.#main.querySelector(".state"));
    if (word) word.dataset.state = state;
    setText(word, words);
  }

  /**
   * Puts in what is new, and moves nothing, so that the focus stays.
   * @param {any[]} entries newest first
   */
  #list(entries) {
    const list = part("history");
    const rows = /** @type {HTMLElement[]} */ ([...list.children]);
    const wanted = entries.map((entry) =>
      rows.find(({ dataset }) => dataset.position === String(entry.position)) ?? this.#row(entry));
    for (const row of rows) if (!wanted.includes(row)) row.remove();
    wanted.forEach((row, index) => {
      if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
      setText(row.querySelector(".song"), entries[index].title ?? "–");
      setText(row.querySelector(".by"), entries[index].artist ?? "");
    });
  }

  /** @param {any} entry */
  #row({ position, since }) {
    const air = Date.parse(since);
    const time = el("time", { datetime: since }, Number.isFinite(air) ? clock(air / 1_000, this.#state.timeZone) : "");
    const words = [time, el("span", { class: "song", dir: "auto" }), el("span", { class: "by", dir: "auto" })];
    const canShift = this.#state.station.rights?.shift !== false && Number.isFinite(air);
    return el("li", { "data-position": position }, canShift ? el("a", {
      class: "from", href: addressed(`/listen/${this.#id}?at=${new Date(air + 1).toISOString()}`), target: "_blank",
      rel: "noopener",
    }, ...words) : el("span", { class: "from" }, ...words));
  }

  /** The page around may make room: how high a list is, it cannot know. */
  #tellHeight() {
    if (parent === window) return;
    new ResizeObserver(() => {
      parent.postMessage({ longwave: 1, height: Math.ceil(this.#main.getBoundingClientRect().height) }, "*");
    }).observe(this.#main);
  }
}

async function start() {
  document.documentElement.classList.add("js");
  const state = JSON.parse(part("state").textContent ?? "{}");
  setAccess(state, state.access);
  await ready();
  new Titles(state).follow();
}

start();
