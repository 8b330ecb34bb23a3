// What the relay says of itself, asked for every five seconds, and the samples that this page keeps of it.

import { Fault } from "./client.js";

/** @typedef {import("./client.js").Client} Client */
/** @typedef {import("./client.js").Station} Station */
/** @typedef {import("./client.js").Stats} Stats */

/** Seconds between two looks; while nobody sees the page, there are none. */
const pace = 5;
/** An hour at one look in five seconds. */
const samplesMax = 720;
/** Data older than this many seconds is shown as stale. */
export const staleAfter = 10;

/** Values over time, the oldest first; null where nothing is known. */
export class Samples {
  /** @type {number[]} Unix seconds */
  times = [];
  /** @type {(number | null)[]} */
  values = [];

  /**
   * @param {number} at
   * @param {number | null} value
   */
  push(at, value) {
    this.times.push(at);
    this.values.push(value);
    if (this.times.length <= samplesMax) return;
    this.times.shift();
    this.values.shift();
  }

  get last() {
    return this.values.length ? this.values[this.values.length - 1] : null;
  }
}

/** A growing figure, as a rate. */
class Counter {
  #value = NaN;
  #at = NaN;

  /**
   * Returns the growth a second since the last look; null at the first, and after a reset.
   * @param {number} value
   * @param {number} at
   */
  rate(value, at) {
    const rate = (value - this.#value) / (at - this.#at);
    this.#value = value;
    this.#at = at;
    return rate >= 0 && Number.isFinite(rate) ? rate : null;
  }
}

export class Store {
  #client;
  /** @type {Set<() => void>} */
  #watchers = new Set();
  /** @type {Map<string, Counter>} */
  #counters = new Map();
  #timer = 0;
  /** Unix seconds since when somebody sees the page again. */
  #seenAt = 0;
  #isAsking = false;
  #isRunning = false;
  #wantsMore = false;

  /** @type {Station[]} */
  stations = [];
  /** @type {Stats | null} */
  stats = null;
  /** @type {string[]} */
  obstacles = [];
  /** @type {import("./client.js").Webhook[]} */
  webhooks = [];
  /** Unix seconds of the last answer. */
  lastSeen = 0;
  /** @type {Map<string, Samples>} By name: "listeners", "in", "out", "cpu", "memory", "listeners/jazz", "in/jazz". */
  #samples = new Map();

  /** @param {Client} client */
  constructor(client) {
    this.#client = client;
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) return clearTimeout(this.#timer);
      this.#seenAt = Date.now() / 1000;
      if (this.#isRunning) this.refresh();
    });
  }

  start() {
    this.#isRunning = true;
    this.refresh();
  }

  stop() {
    this.#isRunning = false;
    clearTimeout(this.#timer);
  }

  /**
   * Calls `look` after every answer, until the returned function is called.
   * @param {() => void} look
   */
  watch(look) {
    this.#watchers.add(look);
    return () => void this.#watchers.delete(look);
  }

  /** Resolves after the next look, whatever comes of it. */
  looked() {
    return new Promise(done => {
      const stop = this.watch(() => {
        stop();
        done(null);
      });
    });
  }

  /** @param {string} name */
  samples(name) {
    let samples = this.#samples.get(name);
    if (!samples) this.#samples.set(name, (samples = new Samples()));
    return samples;
  }

  /** @param {string} id */
  station(id) {
    return this.stations.find(station => station.id === id) ?? null;
  }

  get isStale() {
    return this.lastSeen > 0 && Date.now() / 1000 - Math.max(this.lastSeen, this.#seenAt) > staleAfter;
  }

  /** Asks soon: what happens at once is asked for once. */
  soon() {
    if (this.#isAsking) return void (this.#wantsMore = true);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.refresh(), 250);
  }

  async refresh() {
    clearTimeout(this.#timer);
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      const [stations, stats, obstacles, told] = await Promise.all([
        this.#client.get("stations"), this.#client.get("stats"), this.#client.obstacles(),
        this.#client.maybe("webhooks", "webhooks"),
      ]);
      this.webhooks = told?.webhooks ?? [];
      this.#take(stations.stations, stats, obstacles);
    } catch (fault) {
      // What was seen last stays, and greys by its age.
      if (fault instanceof Fault && fault.status === 401) return;
    } finally {
      this.#isAsking = false;
    }
    for (const look of this.#watchers) look();
    if (!this.#isRunning || document.hidden) return;
    const seconds = this.#wantsMore ? 0.25 : pace;
    this.#wantsMore = false;
    this.#timer = setTimeout(() => this.refresh(), seconds * 1000);
  }

  /**
   * @param {Station[]} stations
   * @param {Stats} stats
   * @param {string[]} obstacles
   */
  #take(stations, stats, obstacles) {
    const now = Date.now() / 1000;
    this.stations = stations;
    this.stats = stats;
    this.obstacles = obstacles;
    // Looks that follow an event at once are too close together for a rate.
    const isEarly = now - this.lastSampled < pace - 1;
    this.lastSeen = now;
    if (isEarly) return;
    this.lastSampled = now;
    let received = 0;
    for (const station of stations) {
      const rate = this.#rate(`in/${station.id}`, station.upstream?.bytes ?? 0, now);
      received += rate ?? 0;
      this.samples(`in/${station.id}`).push(now, kbit(rate));
      this.samples(`listeners/${station.id}`).push(now, station.listeners.now + station.listeners.hls);
    }
    this.samples("in").push(now, this.samples("in").times.length ? kbit(received) : null);
    this.samples("out").push(now, kbit(this.#rate("out", stats.bytesSent, now)));
    const cpu = this.#rate("cpu", stats.process.cpuSeconds, now);
    this.samples("cpu").push(now, cpu === null ? null : cpu * 100);
    this.samples("memory").push(now, stats.process.memory);
    this.samples("listeners").push(now, stats.listeners.now + stats.listeners.hls);
  }

  lastSampled = 0;

  /**
   * @param {string} name
   * @param {number} value
   * @param {number} at
   */
  #rate(name, value, at) {
    let counter = this.#counters.get(name);
    if (!counter) this.#counters.set(name, (counter = new Counter()));
    return counter.rate(value, at);
  }
}

/** @param {number | null} bytes A second */
function kbit(bytes) {
  return bytes === null ? null : (bytes * 8) / 1000;
}
