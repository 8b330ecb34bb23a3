// While nothing of the station comes: since when, and what one hears meanwhile, in place of the time line.

import { getJSON } from "./api.js";
import { el, setAttribute, setText } from "./dom.js";
import { addPhrases, joined, t } from "./i18n.js";
import { addStyles } from "./styles.js";
import { Timeline } from "./timeline.js";

/** @typedef {import("./app.js").App} App */
/**
 * What is heard in the station's place.
 * @typedef {object} StandIn
 * @property {string | null} id of the station that it is; null for a file or silence
 * @property {string} name
 * @property {string | null} title
 * @property {string | null} artist
 * @property {string} picture its address, or empty
 * @property {number | null} media what sounds of that station, in seconds
 * @property {number} live
 */

/** Resolves when its phrases are there. */
export const ready = addPhrases("away/");

/** Milliseconds. */
const lookEvery = 10_000, hour = 3_600_000, pastLeast = 60_000;
/** Seconds that a player is behind the edge when it has a burst to go on from. */
const behindBurst = 1;

addStyles(`
.away { display: flex; flex-wrap: wrap; align-items: center; justify-content: inherit; gap: 4px 16px; margin-top: 4px; }
.away[hidden] { display: none; }
.away .place { margin: 0; }
@media (max-width: 959px) { .away { justify-content: center; } }
`);

/** Another station, as far as it is known. */
class Other {
  timeline = new Timeline(null);
  /** @type {any} */
  #about = null;
  #askedAt = -Infinity;

  /** @param {string} id */
  constructor(id) {
    this.id = id;
  }

  /** Asks again when that is due. */
  look() {
    const now = performance.now();
    if (document.hidden || now - this.#askedAt < lookEvery) return;
    this.#askedAt = now;
    void this.#ask();
  }

  async #ask() {
    const path = this.#path;
    const [about, times] = await Promise.all([getJSON(path), getJSON(`${path}/timeline`)]);
    if (about.status === 200) this.#about = about.json;
    if (times.status === 200 && times.json) this.timeline.merge(times.json);
  }

  get #path() {
    return `/api/v1/stations/${encodeURIComponent(this.id)}`;
  }

  /**
   * @param {number} behind seconds that what is heard is behind its edge
   * @returns {StandIn}
   */
  heard(behind) {
    const { id, timeline } = this, about = this.#about;
    const live = timeline.live().media, media = timeline.isEmpty ? null : Math.max(0, live - behind);
    const now = media === null ? about?.nowPlaying : timeline.titleAt(media);
    const path = `${this.#path}/artwork`;
    const picture = now?.artwork && media !== null ? `${path}?position=${now.position}` : about?.artwork ? path : "";
    return {
      id, name: about?.name ?? id, title: now?.title ?? null, artist: now?.artist ?? null,
      picture, media, live,
    };
  }
}

/**
 * @param {App} app
 * @returns {import("./app.js").Part}
 */
export function startAway(app) {
  const { timeline } = app;
  const words = el("p", { class: "place", role: "status" });
  const press = el("button", { type: "button", class: "button outlined", on: { click: playPast } });
  const line = el("div", { class: "away", hidden: true }, words, press);
  const place = document.getElementById("place");
  // The small player says it where it says all else.
  if (!app.isSmall) place?.after(line);
  /** @type {Other | null} */
  let other = null;

  function playPast() {
    app.jump({ air: Math.max(timeline.oldest.air, timeline.live().air - hour) });
  }

  /** @returns {StandIn | null} */
  function standIn() {
    const { fallback, name } = app.station;
    if (!fallback || !app.isLive) return null;
    const id = /^station:(.+)$/.exec(fallback)?.[1];
    if (!id) return { id: null, name, title: null, artist: null, picture: "", media: null, live: 0 };
    if (other?.id !== id) other = new Other(id);
    other.look();
    return other.heard(app.engine.burst + behindBurst);
  }

  function text() {
    const { fallback, state } = app.station, heard = app.standIn;
    if (heard?.id) {
      return t("player.fallback", { line: joined([heard.title, heard.artist]) || heard.name });
    }
    if (heard) return t(fallback === "silence" ? "player.fallback-silence" : "player.fallback-file");
    if (!app.isAway || !app.isLive || app.begins) return "";
    if (state === "stopped") return t("player.fault.halted");
    if (!timeline.isStill) return t("player.fault.away");
    return t("player.away-since", { clock: app.clock(timeline.live().air) });
  }

  return {
    update() {
      app.standIn = standIn();
      const said = text();
      if (app.aside !== said) {
        app.aside = said;
        app.say(app.isSmall ? said : "");
      }
      if (app.isSmall) return;
      setText(words, said);
      line.hidden = !said;
      setAttribute(line, "data-kind", app.standIn ? "fallback" : "away");
      if (place) place.hidden = said !== "";
      const past = timeline.live().air - timeline.oldest.air;
      press.hidden = Boolean(app.standIn) || !app.canShift || app.isRemote || past < pastLeast;
      if (press.hidden || !said) return;
      setText(press, past >= hour ? t("player.meanwhile")
        : t("player.meanwhile-from", { clock: app.clock(timeline.oldest.air) }));
    },
  };
}
