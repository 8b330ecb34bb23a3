// Playing by HLS, where the browser does that by itself: later, but through locked screens and changes of networks.
// What is heard is known by the date that the browser tells of it.

import { addressed } from "./api.js";
import { canSteady } from "./qualities.js";

/** @typedef {import("./timeline.js").Place} Place */
/** @typedef {import("./heard.js").Connection} Connection */
/**
 * @typedef {object} Player what plays a station
 * @property {HTMLAudioElement} audio
 * @property {boolean} isRemote
 * @property {any} station as the API has it
 * @property {import("./timeline.js").Timeline} timeline
 * @property {AbortSignal} life ends with it
 * @property {(quality: import("./qualities.js").Quality) => void} setQuality
 */
/** @typedef {HTMLAudioElement & { getStartDate: () => Date }} Dated the date at which `currentTime` was 0 */

/** Segments between the newest that is listed and what plays: the relay's HOLD-BACK. */
const segmentsHeldBack = 3;
/** Segments behind the edge at most: one is listed when it is over, and one is on its way. */
const segmentsMost = segmentsHeldBack + 2;
/** Seconds of a segment where the relay does not say. */
const segmentUsual = 6;
/** Milliseconds: a date that differs by less is the same. */
const sameWithin = 50;
/** Milliseconds; a player that begins so far from the place asked for is moved there, a few times at most. */
const farFrom = 500, movesMost = 3;

export class Steady {
  /** Seconds behind the edge that count as live. */
  burst;
  #audio;
  #timeline;
  #station;
  #hold;
  /** @type {number | null} milliseconds; null: live, or where it is already */
  #wanted = null;
  /** @type {number | null} `currentTime` where it began to sound */
  #begin = null;
  #moves = 0;
  #load = 0;
  /** Milliseconds. */
  #startDate = NaN;
  /** @type {Connection | null} */
  #told = null;

  /** @param {Player} player */
  constructor({ audio, timeline, station, life }) {
    const segment = station.hls?.segment || segmentUsual;
    this.burst = segment * segmentsMost;
    this.#hold = segment * segmentsHeldBack * 1_000;
    this.#audio = /** @type {Dated} */ (audio);
    this.#timeline = timeline;
    this.#station = station.id;
    // Before the output tells of it, which asks for what is known here.
    const options = { signal: life, capture: true };
    for (const name of ["loadedmetadata", "seeked", "playing", "timeupdate"]) {
      audio.addEventListener(name, () => this.#begin === null && this.#isOpen && this.#arrive(), options);
    }
  }

  /** Seconds that have sounded since it was opened. */
  get time() {
    return this.#begin === null ? 0 : Math.max(0, this.#audio.currentTime - this.#begin);
  }

  /**
   * Returns the address that plays a place from now on.
   * @param {Place | ""} place
   */
  addressOf(place) {
    this.#load += 1;
    this.#wanted = this.#airOf(place);
    this.#begin = this.#told = null;
    this.#startDate = NaN;
    this.#moves = 0;
    const at = this.#wanted === null ? "" : `?at=${new Date(this.#wanted).toISOString()}`;
    return addressed(`${this.#path}${at}`);
  }

  /**
   * Returns what is heard, as the relay tells of a connection: another date is a jump.
   * @returns {{ status: number, json: { connection: Connection | null, station?: string } }}
   */
  ask() {
    const start = this.#audio.getStartDate().getTime();
    if (this.#begin !== null && Number.isFinite(start) && !(Math.abs(start - this.#startDate) < sameWithin)) {
      const jumps = this.#told ? this.#told.jumps + 1 : 0;
      this.#startDate = start;
      const air = new Date(this.#air(start)).toISOString();
      this.#told = { since: `${this.#load}.${jumps}`, media: 0, air, jumps, after: this.time };
    }
    return { status: 200, json: { connection: this.#told } };
  }

  get #path() {
    return `/${encodeURIComponent(this.#station)}/hls/main.m3u8`;
  }

  /** Whether the element plays this, and not the stream. */
  get #isOpen() {
    return new URL(this.#audio.src || "/", location.href).pathname === this.#path;
  }

  /** @param {number} [start] milliseconds */
  #air(start = this.#audio.getStartDate().getTime()) {
    return start + this.#audio.currentTime * 1_000;
  }

  /**
   * Returns a place in milliseconds; null for live, which is as near to the edge as HLS plays.
   * @param {Place | ""} place
   */
  #airOf(place) {
    const timeline = this.#timeline, live = timeline.live();
    if (place === "" || timeline.isEmpty) return null;
    const exact = timeline.exact(place, live.media);
    return typeof exact === "object" && "air" in exact && live.air - exact.air >= this.#hold ? exact.air : null;
  }

  /** Until it sounds: moves to the place asked for where the browser began elsewhere. */
  #arrive() {
    const audio = this.#audio, air = this.#air(), { seekable } = audio;
    const off = this.#wanted === null ? 0 : this.#wanted - air;
    if (Math.abs(off) > farFrom && seekable.length && this.#moves < movesMost) {
      this.#moves += 1;
      const least = seekable.start(0), most = seekable.end(seekable.length - 1);
      const time = Math.min(most, Math.max(least, audio.currentTime + off / 1_000));
      if (Math.abs(time - audio.currentTime) * 1_000 > farFrom) {
        audio.currentTime = time;
        return;
      }
    }
    // A move within what is loaded has no "playing" of its own.
    const isSounding = !audio.paused && !audio.seeking && audio.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA;
    if (isSounding) this.#begin = audio.currentTime;
  }
}

/** One for each player: two would both move its element. @type {WeakMap<Player, Steady>} */
const known = new WeakMap();

/**
 * Plays a station by HLS from now on, where that can be.
 * @param {Player} player
 */
export function beSteady(player) {
  if (player.isRemote || !canSteady(player)) return;
  const steady = known.get(player) ?? new Steady(player);
  known.set(player, steady);
  player.setQuality({ id: player.station.id, bitrate: null, steady });
}
