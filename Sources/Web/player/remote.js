// Steers what another player plays on its session: mpv, VLC, a kitchen radio. The page itself makes no sound.
//
// It has the face of the engine (engine.js), so that every part of the page works with either.

import { addressed, getJSON, postJSON } from "./api.js";

/** @typedef {import("./timeline.js").Place} Place */
/** @typedef {import("./engine.js").State} State */
/** @typedef {import("./engine.js").Reason} Reason */

/** Milliseconds. */
const askEvery = 5_000;
/** Seconds that players buffer: what was sent is heard so much later. */
const bufferMost = 4;
const liveWithin = 8;

export class Remote extends EventTarget {
  /** @type {State} */
  state = "released";
  /** @type {Reason} */
  reason = "";
  retryIn = 0;
  burst = bufferMost;
  isCast = false;
  #path;
  #timeline;
  #fetch;
  #now;
  /**
   * What was heard when the relay last told, and when that was.
   * @type {{ air: number, at: number, isMoving: boolean } | null}
   */
  #told = null;
  /** Grows with each order: an answer to a question from before says where it was. */
  #order = 0;

  /** @param {import("./engine.js").Options} options */
  constructor({ station, token, timeline, fetch, now, signal }) {
    super();
    this.#path = `/api/v1/sessions/${encodeURIComponent(token)}`;
    this.#timeline = timeline;
    this.#fetch = fetch;
    this.#now = now ?? (() => performance.now());
    this.station = station;
    const ask = () => document.hidden || this.#ask();
    const timer = setInterval(ask, askEvery);
    document.addEventListener("visibilitychange", ask, { signal });
    signal?.addEventListener("abort", () => clearInterval(timer));
    this.#watch(token, signal);
    this.#ask();
  }

  /**
   * Moves are told at once; questions find what an event missed.
   * @param {string} token
   * @param {AbortSignal | undefined} signal
   */
  #watch(token, signal) {
    const events = new EventSource(addressed(`/events?session=${encodeURIComponent(token)}`));
    for (const kind of ["moved", "metadata"]) events.addEventListener(kind, () => this.#ask());
    addEventListener("pagehide", () => events.close(), { signal });
    signal?.addEventListener("abort", () => events.close());
  }

  heardMedia() {
    const air = this.heardAir();
    return air === null || this.#timeline.isEmpty ? null : this.#timeline.mediaOf(air);
  }

  heardAir() {
    if (!this.#told) return null;
    const { air, at, isMoving } = this.#told;
    return isMoving ? Math.min(air + this.#now() - at, this.#timeline.live().air) : air;
  }

  /** Its own page says that. */
  lost() {
    return 0;
  }

  behind() {
    const air = this.heardAir();
    return air === null || this.#timeline.isEmpty ? null : Math.max(0, (this.#timeline.live().air - air) / 1_000);
  }

  isLive() {
    const behind = this.behind();
    return behind === null || behind < liveWithin;
  }

  /** @param {Place} place */
  play(place) {
    const exact = this.#timeline.exact(place, this.heardMedia());
    if (exact === "live") return this.#send({ action: "live" }, this.#timeline.live().air);
    if (typeof exact === "string") return this.#send({ action: "seek", to: exact });
    const air = "air" in exact ? exact.air : this.#timeline.airOf(exact.media);
    return this.#send({ action: "seek", at: new Date(Math.floor(air) + 1).toISOString() }, air);
  }

  pause() {
    const air = this.heardAir();
    if (air !== null) this.#told = { air, at: this.#now(), isMoving: false };
    this.#set("paused");
    return this.#send({ action: "pause" });
  }

  resume() {
    return this.#send({ action: "resume" });
  }

  toggle() {
    if (["playing", "starting", "waiting"].includes(this.state)) this.pause();
    else this.resume();
  }

  /** @param {number} seconds */
  skip(seconds) {
    return this.#send({ action: seconds < 0 ? "rewind" : "forward", seconds: Math.abs(seconds) });
  }

  live() {
    return this.play("live");
  }

  stop() {
    return this.pause();
  }

  /**
   * @param {object} order
   * @param {number} [air] where that leads: it shows at once
   */
  async #send(order, air) {
    const number = this.#order += 1;
    if (air !== undefined) {
      this.#told = { air, at: this.#now(), isMoving: false };
      this.#set("starting");
    }
    const { status, json } = await postJSON(this.#path, order, { fetch: this.#fetch });
    if (number === this.#order) this.#take(status, json);
  }

  async #ask() {
    const number = this.#order;
    const { status, json } = await getJSON(this.#path, { fetch: this.#fetch });
    if (number === this.#order) this.#take(status, json);
  }

  /**
   * @param {number} status
   * @param {any} json
   */
  #take(status, json) {
    if (status === 404) return this.#set("gone", "nobody");
    if (status === 401) return this.#set("gone", "unauthorized");
    if (status === 403) return this.#set("gone", "refused");
    if (status !== 200 || !json) return this.#set("retrying", "offline");
    if (json.station && json.station !== this.station) {
      // The other player has changed the station: this page follows it.
      const address = new URL(location.href);
      address.pathname = `/listen/${encodeURIComponent(json.station)}`;
      return location.replace(address);
    }
    const air = placeOfSession(json, this.#timeline);
    const isPlaying = json.state === "playing" && Boolean(json.connection);
    const shown = this.heardAir();
    // Estimates differ by a little each time: what is shown does not jump for that.
    const isSame = shown !== null && air !== null && Math.abs(shown - air) < 1_500
      && this.#told?.isMoving === isPlaying;
    if (!isSame && air !== null) this.#told = { air, at: this.#now(), isMoving: isPlaying };
    this.#set(isPlaying ? "playing" : "paused");
    this.dispatchEvent(new Event("place"));
  }

  /**
   * @param {State} state
   * @param {Reason} [reason]
   */
  #set(state, reason = "") {
    if (state === this.state && reason === this.reason) return;
    this.state = state;
    this.reason = reason;
    this.dispatchEvent(new Event("state"));
  }
}

/**
 * Returns about what is heard on a session, in milliseconds: what its connection began with and the time since, but
 * not more than was sent.
 * @param {any} json an answer of the session
 * @param {import("./timeline.js").Timeline} timeline
 * @returns {number | null}
 */
export function placeOfSession(json, timeline) {
  const live = Date.parse(json?.window?.live ?? "");
  if (!Number.isFinite(live) || timeline.isEmpty) return null;
  // `offset` is where it is sent from: so far behind the edge, in media time.
  const sent = timeline.airOf(timeline.mediaOf(live) - Number(json.offset ?? 0));
  const { connection } = json;
  if (!connection) return sent - bufferMost * 1_000;
  const passed = Math.max(0, timeline.stationNow() - Date.parse(connection.since));
  // A rendition has a media time of its own, and the station's times on air.
  const media = timeline.mediaOf(Date.parse(connection.air));
  const begun = timeline.airOf(media + passed / 1_000 - (connection.jumps ? bufferMost : 0));
  return json.state === "playing" ? Math.max(Math.min(begun, sent), sent - 30_000) : sent - bufferMost * 1_000;
}
