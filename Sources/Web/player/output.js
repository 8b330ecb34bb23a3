// What sounds: the audio element, on the open stream of a station. The engine decides; this plays.

import { addressed } from "./api.js";

/** @typedef {import("./timeline.js").Place} Place */

/**
 * Chromium hands on whole blocks of 32 KiB, whatever their seconds: it begins with the first one, and the second has to
 * be there some seconds before that has played.
 */
const blockBytes = 32_768, startBytes = 49_152, aheadSeconds = 6;
/** Seconds; the relay sends no more at once. */
const burstMax = 60, burstDefault = 4;

/**
 * Its events: `move`, there may be more that has sounded; `playing` and `waiting`; `lost`, the sound ended without
 * anybody's wish; `paused` and `played`, by the system: a call, a headphone pulled out, a lock screen.
 */
export class Output extends EventTarget {
  /** Whether it has an address to play. */
  isOpen = false;
  /** The station or the rendition of it that is asked for sound. */
  stream = "";
  /** Seconds that are sent at once, so that the browser begins at once: it plays so far behind the edge. */
  burst = 0;
  /** @type {import("./steady.js").Steady | null | undefined} what plays HLS in the stream's place */
  steady;
  #audio;
  #token;
  #timeline;
  #station;
  #stationBurst;
  #bitrate = 0;

  /** @param {import("./engine.js").Options} options */
  constructor({ audio, station, stream, token, timeline, bitrate, burst }) {
    super();
    this.#audio = audio;
    this.#token = token;
    this.#timeline = timeline;
    this.#station = station;
    this.#stationBurst = burst ?? burstDefault;
    this.use(stream ?? station, bitrate);
    const tell = (/** @type {string} */ name) => this.dispatchEvent(new Event(name));
    audio.addEventListener("timeupdate", () => tell("move"));
    for (const name of ["playing", "waiting"]) audio.addEventListener(name, () => tell(name));
    for (const name of ["ended", "error"]) {
      // Taking the address away is no error of the connection.
      audio.addEventListener(name, () => this.isOpen && audio.hasAttribute("src") && tell("lost"));
    }
    audio.addEventListener("pause", () => {
      if (this.isOpen && audio.paused && !audio.ended && !audio.error) tell("paused");
    });
    audio.addEventListener("play", () => !audio.paused && tell("played"));
  }

  /** Seconds that have sounded since it was opened. */
  get time() {
    return this.steady?.time ?? this.#audio.currentTime;
  }

  get isPaused() {
    return this.#audio.paused;
  }

  /** Whether another device plays in the element's place, by Chromecast or AirPlay. */
  get isCast() {
    const audio = /** @type {HTMLAudioElement & { webkitCurrentPlaybackTargetIsWireless?: boolean }} */ (this.#audio);
    return audio.remote?.state === "connected" || audio.webkitCurrentPlaybackTargetIsWireless === true;
  }

  /** Whether the browser could not play what it was sent. */
  get isUnplayable() {
    return (this.#audio.error?.code ?? 0) >= MediaError.MEDIA_ERR_DECODE;
  }

  /**
   * Chooses what the next `open` plays.
   * @param {string} stream
   * @param {number | null | undefined} bitrate kbit/s
   * @param {Output["steady"]} [steady]
   */
  use(stream, bitrate, steady) {
    this.stream = stream;
    this.steady = steady;
    this.#bitrate = bitrate ?? 0;
    this.burst = this.#burst("");
  }

  /**
   * Returns the seconds with which the browser begins at once: by the bit rate, and at live by what was on air last,
   * which may be far less.
   * @param {Place | ""} place
   */
  #burst(place) {
    if (this.steady) return this.steady.burst;
    const bytes = this.#bitrate * 125;
    const least = (/** @type {(bytes: number) => number} */ secondsOf) =>
      Math.min(secondsOf(startBytes), secondsOf(blockBytes) + aheadSeconds);
    const usual = bytes ? least((all) => all / bytes) : burstDefault;
    const isTold = place === "live" && this.stream === this.#station;
    const lately = isTold ? least((all) => this.#timeline.secondsOf(all)) : 0;
    return Math.min(burstMax, Math.ceil(Math.max(this.#stationBurst, usual, lately) * 10) / 10);
  }

  /**
   * Plays from a place. Call it within a gesture.
   * @param {Place | ""} place an empty one: where the session is
   * @returns {Promise<boolean>} false where the browser wants a gesture first
   */
  async open(place) {
    this.isOpen = true;
    this.burst = this.#burst(place);
    this.#audio.src = this.steady?.addressOf(place) ?? this.#addressOf(place);
    try {
      await this.#audio.play();
    } catch (error) {
      return /** @type {Error} */ (error).name !== "NotAllowedError";
    }
    return true;
  }

  pause() {
    this.#audio.pause();
  }

  close() {
    this.isOpen = false;
    this.#audio.removeAttribute("src");
    this.#audio.load();
  }

  /** @param {Place | ""} place */
  #addressOf(place) {
    const query = new URLSearchParams({ session: this.#token });
    if (typeof place === "object") {
      // Up to the next millisecond: a time that is cut off lies in the packet before.
      const air = Math.floor("air" in place ? place.air : this.#timeline.airOf(place.media)) + 1;
      query.set("seek", new Date(air).toISOString());
    } else if (place !== "") {
      query.set("seek", place);
    }
    query.set("burst", `${this.burst}s`);
    return addressed(`/${encodeURIComponent(this.stream)}?${query}`);
  }
}
