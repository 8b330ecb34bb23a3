// Plays one station: each jump is a new address, and the way back after an outage leads to the word last heard.

import { getJSON, postJSON } from "./api.js";
import { Heard } from "./heard.js";
import { look, retryDelay, timer } from "./outage.js";
import { Output } from "./output.js";

/** @typedef {import("./timeline.js").Place} Place */
/**
 * @typedef {"idle" | "starting" | "playing" | "waiting" | "paused" | "released" | "retrying" | "gone"} State
 */
/** @typedef {"" | "away" | "early" | "offline" | "elsewhere" | "unknown" | "unauthorized" | "refused" |
  "address-denied" | "address-banned" | "player-denied" | "busy" | "crowded" |
  "format" | "nobody"} Reason `nobody`: nothing has played with the session that is steered */
/**
 * @typedef {object} Options
 * @property {HTMLAudioElement} audio
 * @property {string} station whose timeline it is
 * @property {string} [stream] the station or the rendition of it that is asked for sound
 * @property {string} token
 * @property {import("./timeline.js").Timeline} timeline
 * @property {number | null} [bitrate] kbit/s
 * @property {number | null} [burst] the station's, in seconds
 * @property {typeof globalThis.fetch} [fetch]
 * @property {() => number} [now] milliseconds, as performance.now()
 * @property {(work: () => void, milliseconds: number) => () => void} [setTimer] returns what cancels it
 * @property {AbortSignal} [signal] ends what it hears of the page
 */

/** Seconds. */
const stalledAfter = 4, slowStalledAfter = 20, startAllowance = 8, releaseAfter = 30, checkEvery = 20, checkSoon = 5;
/** Without movement for so many milliseconds, nobody hears anything. */
const waitingAfter = 1500;
/** A connection that lasted so many seconds was a good one: the delays begin anew. */
const goodAfter = 10;
/** So many connections in a row that the browser could not play: it never will. */
const formatTries = 3;
/** Seconds that browsers play behind the edge on top of the burst. */
const liveSlack = 4;

export class Engine extends EventTarget {
  /** @type {State} */
  state = "idle";
  /** @type {Reason} */
  reason = "";
  /** The station whose packets the connection gets: the relay may move it to another rendition. */
  sent;

  #output;
  #station;
  #token;
  #timeline;
  #fetch;
  #now;
  #setTimer;
  #heard;
  /** Grows with each load, so that late answers are known as such. */
  #load = 0;
  #isWanted = false;
  #isAsking = false;
  #tries = 0;
  #formatErrors = 0;
  #loadedAt = 0;
  #movedAt = 0;
  #lastTime = 0;
  #checkedAt = 0;
  #retryAt = 0;
  #toldRetryIn = 0;
  #stopTicking = () => {};
  #stopRelease = () => {};

  /** @param {Options} options */
  constructor(options) {
    super();
    const { station, token, timeline, fetch, now, setTimer, signal } = options;
    this.#output = new Output(options);
    this.#station = station;
    this.sent = this.#output.stream;
    this.#token = token;
    this.#timeline = timeline;
    this.#now = now ?? (() => performance.now());
    this.#heard = new Heard(timeline, this.#now, () => this.#output.time);
    this.#fetch = fetch ?? globalThis.fetch.bind(globalThis);
    this.#setTimer = setTimer ?? timer;
    this.#listen(signal);
  }

  /** Seconds until the next try, 0 when there is none. */
  get retryIn() {
    return this.state === "retrying" ? Math.max(0, Math.ceil((this.#retryAt - this.#now()) / 1000)) : 0;
  }

  /** @returns {number | null} seconds; the asked-for place while it is not known */
  heardMedia() {
    return this.#heard.media();
  }

  /** @returns {number | null} milliseconds by the station's clock */
  heardAir() {
    return this.#heard.air();
  }

  /** @returns {number} seconds of what was asked for that the relay no longer keeps */
  lost() {
    return this.#heard.lost();
  }

  /** Seconds that it is sent at once when it begins. */
  get burst() {
    return this.#output.burst;
  }

  /** Whether another device plays in the browser's place. */
  get isCast() {
    return this.#output.isCast;
  }

  /** @returns {number | null} seconds behind live */
  behind() {
    const air = this.heardAir();
    if (air === null || this.#timeline.isEmpty) return null;
    return Math.max(0, (this.#timeline.live(this.#now()).air - air) / 1000);
  }

  isLive() {
    const behind = this.behind();
    return behind === null ? this.#heard.place === "live" : behind < this.#output.burst + liveSlack;
  }

  /**
   * Plays from there. Call it within a gesture: browsers refuse sound otherwise.
   * @param {Place} place
   */
  play(place) {
    this.#tries = 0;
    this.#formatErrors = 0;
    this.#start(this.#timeline.exact(place, this.heardMedia()));
  }

  /** Stays where it is; after a while without a connection. */
  pause() {
    if (this.state === "gone" || this.state === "idle") return;
    this.#heard.hold();
    const { isOpen } = this.#output, load = this.#load;
    this.#rest();
    this.#output.pause();
    this.#set(isOpen ? "paused" : "released");
    if (!isOpen) return;
    // The relay's figures say "paused" too; without a known place the session has to stay as it is.
    if (this.#heard.place !== "" && !this.#output.steady) {
      postJSON(this.#sessionPath, { action: "pause" }, { fetch: this.#fetch, keepalive: true });
    }
    this.#stopRelease = this.#setTimer(() => {
      // Without an address the device would be lost.
      if (this.state !== "paused" || this.#load !== load || this.isCast) return;
      this.#unload();
      this.#set("released");
    }, releaseAfter * 1000);
  }

  /** Goes on at the place that was heard last, whatever the browser has hoarded. */
  resume() {
    this.#tries = 0;
    this.#formatErrors = 0;
    this.#start(this.#heard.place ?? "live");
  }

  toggle() {
    if (this.#isWanted) this.pause();
    else this.resume();
  }

  /** @param {number} seconds */
  skip(seconds) {
    const heard = this.heardMedia();
    if (heard === null || this.#timeline.isEmpty) return;
    const target = Math.max(this.#timeline.oldest.media, heard + seconds);
    this.play(target > this.#timeline.live(this.#now()).media - this.#output.burst ? "live" : { media: target });
  }

  live() {
    this.play("live");
  }

  /**
   * Goes on at the very place with another rendition of the station, or the station itself.
   * @param {string} stream
   * @param {number | null | undefined} bitrate kbit/s
   * @param {Output["steady"]} [steady] plays it by HLS
   */
  use(stream, bitrate, steady) {
    this.sent = stream;
    this.#output.use(stream, bitrate, steady);
    if (!this.#isWanted) return;
    this.#tries = this.#formatErrors = 0;
    this.#heard.hold();
    this.#start(this.#heard.place ?? "live");
  }

  /** Ends it and forgets the place. */
  stop() {
    this.#rest();
    this.#unload();
    this.#heard.forget();
    this.#set("idle");
  }

  get #sessionPath() {
    return `/api/v1/sessions/${this.#token}`;
  }

  /** @param {Place | ""} place */
  #start(place) {
    this.#rest();
    this.#load += 1;
    const load = this.#load;
    this.#heard.ask(place);
    this.#isWanted = true;
    this.#lastTime = 0;
    this.#loadedAt = this.#movedAt = this.#now();
    this.#output.open(place).then((isAllowed) => {
      // Without a gesture: the place stays, and the next press plays there.
      if (load === this.#load && !isAllowed) this.pause();
    });
    this.#set("starting");
    this.#tell("place");
    this.#tick();
  }

  /** Nothing is waited for any more. */
  #rest() {
    this.#isWanted = false;
    this.#stopTicking();
    this.#stopRelease();
  }

  #unload() {
    if (!this.#output.isOpen) return;
    this.#load += 1;
    this.#output.close();
  }

  #tick() {
    this.#stopTicking();
    this.#stopTicking = this.#setTimer(() => {
      if (!this.#isWanted) return;
      this.#watch();
      if (this.#isWanted) this.#tick();
    }, 1000);
  }

  /** Each second: does it still sound? */
  #watch() {
    const now = this.#now();
    if (this.state === "retrying") {
      if (now >= this.#retryAt) this.#retry();
      else if (this.retryIn !== this.#toldRetryIn) this.#set("retrying", this.reason);
      return;
    }
    this.#move();
    const still = now - this.#movedAt;
    const isStarting = this.state === "starting";
    // Another device takes its time to begin, and HLS finds its own way back.
    const isSlow = this.isCast || this.#output.steady;
    const patience = isStarting ? startAllowance + this.#output.burst : isSlow ? slowStalledAfter : stalledAfter;
    if (still >= patience * 1000) return this.#lose();
    if (still >= waitingAfter && this.state === "playing") this.#set("waiting");
    const every = this.#heard.isKnown ? checkEvery : checkSoon;
    const isSeen = typeof document === "undefined" || !document.hidden;
    if (!isStarting && isSeen && now - this.#checkedAt >= every * 1000) this.#check();
  }

  /** What moves plays: events alone leave some browsers at "waiting". */
  #move() {
    const { time, isOpen, isPaused } = this.#output;
    if (!this.#isWanted || !isOpen || time === this.#lastTime || isPaused) return;
    this.#lastTime = time;
    if (time === 0) return;
    this.#movedAt = this.#now();
    if (this.#movedAt - this.#loadedAt >= goodAfter * 1000) this.#tries = 0;
    this.#formatErrors = 0;
    if (this.state === "starting" || this.state === "waiting") this.#set("playing");
  }

  /** Asks what this connection was sent, and whether it still is this one. */
  async #check(isLost = false) {
    this.#checkedAt = this.#now();
    const load = this.#load;
    const { status, json } = await (this.#output.steady?.ask()
      ?? getJSON(this.#sessionPath, { fetch: this.#fetch }));
    if (load !== this.#load || !this.#isWanted || status !== 200) return;
    const told = json?.connection ?? null;
    // A device that plays in this one's place has a connection of its own.
    if (!this.isCast && this.#heard.isElsewhere(told)) return this.#leave("elsewhere");
    if (isLost || !this.#heard.take(told, json.station !== this.#station)) return;
    this.sent = json.station ?? this.#output.stream;
    this.#tell("place");
  }

  /** The sound ended without anybody's wish. */
  async #lose() {
    if (!this.#isWanted || this.state === "retrying") return;
    const load = this.#load;
    if (this.#output.isUnplayable) this.#formatErrors += 1;
    this.#plan(this.#delay(), navigator.onLine === false ? "offline" : this.reason);
    // The own connection has to be known still, to tell it from another device's.
    if (this.#heard.isKnown) await this.#check(true);
    if (load !== this.#load || !this.#isWanted) return;
    this.#heard.hold();
    this.#unload();
  }

  #delay() {
    const delay = retryDelay(this.#tries);
    this.#tries += 1;
    return delay;
  }

  /**
   * @param {number} seconds
   * @param {Reason} reason
   */
  #plan(seconds, reason) {
    this.#retryAt = this.#now() + seconds * 1000;
    this.#set("retrying", reason);
    const at = this.#retryAt;
    // The watchdog's second is too coarse for the first one.
    if (seconds < 2) this.#setTimer(() => this.#retryAt === at && this.#retry(), seconds * 1000);
  }

  /** Connects again, where there is something to connect to. */
  async #retry() {
    if (this.state !== "retrying" || this.#isAsking || !this.#isWanted) return;
    this.#isAsking = true;
    const { status, retryAfter, isAway, isEarly, refusal, edge } = await look(this.#output.stream, this.#fetch);
    this.#isAsking = false;
    if (this.state !== "retrying" || !this.#isWanted) return;
    this.#heard.hold();
    if (status === 404) return this.#leave("unknown");
    if (refusal) return this.#leave(refusal);
    if (status === 0) return this.#plan(this.#delay(), "offline");
    if (status === 429 || status >= 500) {
      const reason = status === 429 ? "crowded" : isEarly ? "early" : isAway ? "away" : "busy";
      return this.#plan(Math.max(retryAfter, this.#delay()), reason);
    }
    // With less than a burst ahead no browser begins, so a connection would only be dropped again.
    const isHeard = edge !== null && edge - (this.heardAir() ?? edge) < this.#output.burst * 1000;
    if (isAway && isHeard) return this.#plan(this.#delay(), "away");
    if (this.#formatErrors >= formatTries) return this.#leave("format");
    this.#start(this.#heard.place ?? "live");
  }

  /** @param {Reason} reason */
  #leave(reason) {
    this.#heard.hold();
    this.#rest();
    this.#unload();
    this.#set("gone", reason);
  }

  /** @param {AbortSignal | undefined} signal */
  #listen(signal) {
    const output = this.#output;
    const isSounding = () => this.#isWanted && (this.state === "playing" || this.state === "waiting");
    output.addEventListener("move", () => this.#move());
    output.addEventListener("playing", () => this.#isWanted && !this.#heard.isKnown && this.#check());
    output.addEventListener("waiting", () => this.#isWanted && this.state === "playing" && this.#set("waiting"));
    output.addEventListener("lost", () => this.#lose());
    output.addEventListener("paused", () => isSounding() && this.pause());
    output.addEventListener("played", () => !this.#isWanted && this.state === "paused" && this.resume());
    if (typeof document === "undefined") return;
    const back = () => {
      if (!this.#isWanted || document.hidden) return;
      if (this.state === "retrying") this.#retry();
      else if (output.isPaused && this.state !== "starting") this.#lose();
      else this.#watch();
    };
    globalThis.addEventListener("online", back, { signal });
    globalThis.addEventListener("pageshow", back, { signal });
    document.addEventListener("visibilitychange", back, { signal });
  }

  /**
   * @param {State} state
   * @param {Reason} [reason]
   */
  #set(state, reason = "") {
    const isSame = state === this.state && reason === this.reason;
    this.state = state;
    this.reason = reason;
    if (isSame && this.retryIn === this.#toldRetryIn) return;
    this.#toldRetryIn = this.retryIn;
    this.#tell("state");
  }

  /** @param {string} name */
  #tell(name) {
    this.dispatchEvent(new Event(name));
  }
}
