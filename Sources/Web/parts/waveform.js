// How loud the station was, second by second: asked from the relay, and drawn as bars in a strip.
//
// Two tiers: points of the whole window, some for each bar of the strip; and seconds of the stretches that are looked
// at closely, in blocks. A bar shows the mean of what it covers: some second of a minute is nearly always loud.

import { getJSON } from "./api.js";
import { xOf } from "./strip.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./strip.js").Axis} Axis */
/** @typedef {{ media: number, step: number, data: Uint8Array }} Tier point k covers `step` seconds */
/**
 * Told up to `until`; from `settled` on it is asked for again after `pause` milliseconds.
 * @typedef {{ data: Uint8Array, until: number, settled: number, isAsking: boolean, askedAt: number, pause: number }}
 *   Block
 */
/** @typedef {{ low: number, high: number }} Bounds bytes that are drawn as thin and as full */
/** @typedef {{ colour: string, alpha: number }} Ink */

/** Pixels of a bar and of the space behind it. */
const barWidth = 2, barStep = 3;
/** Seconds of a block; so many are kept. */
const blockSeconds = 1_200, blocksMost = 24;
/** Shorter bars than this are made of seconds. */
const closeSeconds = 4;
/** Behind a block's end: the page only guesses where live is. */
const settleSeconds = 30;
/** Milliseconds between questions. */
const wholeEvery = 60_000, tailEvery = 4_000, tailRarely = 32_000;
const pointsMost = 4_096, pointsOfBar = 4;
/** Shares of the station's own points. What is loud all the time is not blown up: 24 steps are 9 dB. */
const lowShare = 0.05, highShare = 0.95, rangeLeast = 24;
/** Of the bar's height. */
const quietest = 0.12;

export class Waveform {
  /** Grows with each answer. */
  version = 0;
  /** True while the station is not for this listener, who may still have to say the password. */
  isRefused = false;
  #app;
  #path;
  /** @type {Tier | null} */
  #whole = null;
  /** @type {Map<number, Block>} by their number */
  #blocks = new Map();
  /** How often each byte stands in the blocks. */
  #counts = new Uint32Array(256);
  /** @type {{ whole: Bounds | null, seconds: Bounds | null }} */
  #bounds = { whole: null, seconds: null };
  /** Bars begin at multiples of their length from here, so that a moving axis does not change them. */
  #origin;
  #edge = 0;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#path = `/api/v1/stations/${app.station.id}/waveform`;
    this.#origin = app.timeline.oldest.air;
  }

  /** True once there is something to draw. */
  get isKnown() {
    return this.#whole !== null;
  }

  /**
   * Asks for the whole window.
   * @param {number} width of the strip, in pixels
   * @returns {Promise<boolean>} false where the station has none
   */
  async refresh(width) {
    const { timeline } = this.#app;
    const edge = timeline.live().media;
    // Another log: it counts from the start.
    if (edge < this.#edge - 60) this.#forget();
    this.#edge = edge;
    const points = Math.min(pointsMost, Math.max(60, Math.floor(width / barStep) * pointsOfBar));
    const { status, json } = await getJSON(`${this.#path}?points=${points}`);
    if (status === 404 || json?.kind === "none") return false;
    this.isRefused = status === 401 || status === 403;
    const tier = status === 200 ? tierOf(json) : null;
    if (!tier) return true;
    this.#whole = tier;
    const counts = new Uint32Array(256);
    const together = Math.max(1, Math.round(tier.data.length * barStep / width));
    for (let k = 0; k < tier.data.length; k += together) counts[mean(tier.data, k, k + together)] += 1;
    this.#bounds.whole = boundsOf(counts);
    this.#changed();
    return true;
  }

  /**
   * Draws the bars of a strip.
   * @param {CanvasRenderingContext2D} context
   * @param {Axis} axis
   * @param {object} room
   * @param {number} room.top
   * @param {number} room.bar
   * @param {number} room.from air times between which there is sound
   * @param {number} room.to
   * @param {number[]} room.cuts air times where a bar is left out
   * @param {(air: number) => Ink} ink
   */
  draw(context, axis, { top, bar, from, to, cuts }, ink) {
    const { timeline } = this.#app;
    const length = (axis.to - axis.from) / axis.width * barStep;
    const seconds = length / 1_000;
    const isClose = this.#whole !== null && seconds < Math.max(closeSeconds, this.#whole.step * 0.75);
    if (isClose) this.#want(timeline.mediaOf(Math.max(from, axis.from)), timeline.mediaOf(Math.min(to, axis.to)));
    const bounds = (isClose ? this.#bounds.seconds : null) ?? this.#bounds.whole;
    if (!bounds) return;
    /** @type {Map<Ink, Path2D>} */
    const paths = new Map();
    const ratio = devicePixelRatio || 1;
    const middle = top + bar / 2;
    let cut = 0;
    for (let k = Math.ceil((Math.max(from, axis.from) - this.#origin) / length - 0.5); ; k += 1) {
      const begin = this.#origin + k * length;
      if (begin + length / 2 > Math.min(to, axis.to)) break;
      while (cut < cuts.length && cuts[cut] < begin) cut += 1;
      if (cuts[cut] < begin + length) continue;
      const media = timeline.mediaOf(begin + length / 2);
      const level = heightOf(this.#level(media - seconds / 2, media + seconds / 2), bounds);
      const high = Math.max(2, Math.round(bar * level * ratio / 2) * 2 / ratio);
      const style = ink(begin + length / 2);
      let path = paths.get(style);
      if (!path) paths.set(style, path = new Path2D());
      path.rect(Math.round(xOf(axis, begin) * ratio) / ratio, middle - high / 2, barWidth, high);
    }
    for (const [{ colour, alpha }, path] of paths) {
      context.globalAlpha = alpha;
      context.fillStyle = colour;
      context.fill(path);
    }
    context.globalAlpha = 1;
  }

  /** @type {(from: number, to: number) => number} the mean byte of a stretch of media time */
  #level(from, to) {
    return this.#levelOfSeconds(from, to) ?? this.#levelOfPoints(from, to);
  }

  /** @type {(from: number, to: number) => number | null} null where a second is not known */
  #levelOfSeconds(from, to) {
    // A second belongs to the bar in which its middle lies; a shorter bar has the second around it.
    const first = Math.ceil(from - 0.5), end = Math.max(first + 1, Math.ceil(to - 0.5));
    const number = Math.floor(first / blockSeconds), last = Math.floor((end - 1) / blockSeconds);
    if (last - number > 1) return null;
    const levels = [];
    for (const each of number === last ? [number] : [number, last]) {
      const block = this.#blocks.get(each), begin = each * blockSeconds;
      if (!block || Math.min(end, begin + blockSeconds) > block.until) return null;
      levels.push(mean(block.data, Math.max(first - begin, 0), Math.min(end - begin, blockSeconds)));
    }
    return mean(levels, 0, levels.length);
  }

  /** @type {(from: number, to: number) => number} */
  #levelOfPoints(from, to) {
    if (!this.#whole) return 0;
    const { media, step, data } = this.#whole;
    let index = Math.ceil((from - media) / step - 0.5);
    const end = Math.ceil((to - media) / step - 0.5);
    if (end <= index) index = Math.floor(((from + to) / 2 - media) / step);
    return mean(data, Math.max(0, index), Math.min(data.length, Math.max(end, index + 1)));
  }

  /**
   * Asks for the seconds of a stretch, where they are not there.
   * @param {number} from
   * @param {number} to
   */
  #want(from, to) {
    const live = this.#app.timeline.live().media;
    const first = Math.floor(from / blockSeconds), last = Math.floor(Math.min(to, live) / blockSeconds);
    if (last - first > blocksMost / 2) return;
    for (let number = first; number <= last; number += 1) void this.#ask(number, live);
  }

  /**
   * @param {number} number
   * @param {number} live
   */
  async #ask(number, live) {
    const begin = number * blockSeconds, end = begin + blockSeconds;
    const block = this.#blocks.get(number) ?? {
      data: new Uint8Array(blockSeconds), until: begin, settled: begin, isAsking: false, askedAt: -Infinity,
      pause: tailEvery,
    };
    // The one that is used stands last; the first is dropped.
    this.#blocks.delete(number);
    this.#blocks.set(number, block);
    for (const key of this.#blocks.keys()) if (this.#blocks.size > blocksMost) this.#drop(key);
    const now = performance.now();
    const isLate = block.settled < Math.min(end, Math.floor(live) - 1);
    if (block.isAsking || !isLate || now - block.askedAt < block.pause) return;
    [block.isAsking, block.askedAt] = [true, now];
    const from = block.settled;
    const { json } = await getJSON(`${this.#path}?from=${from}&to=${end}&points=${blockSeconds}`);
    block.isAsking = false;
    const tier = tierOf(json);
    if (!tier || !this.#blocks.has(number)) return;
    const known = Math.min(end, tier.media + tier.data.length * tier.step);
    let isNew = known > block.until;
    for (let second = Math.max(from, tier.media); second < known; second += 1) {
      const byte = tier.data[Math.floor((second - tier.media) / tier.step)], before = block.data[second - begin];
      if (second < block.until) this.#counts[before] -= 1;
      isNew ||= byte !== before;
      block.data[second - begin] = byte;
      this.#counts[byte] += 1;
    }
    block.pause = isNew ? tailEvery : Math.min(2 * block.pause, tailRarely);
    block.until = Math.max(block.until, known);
    // The second that still goes on grows louder.
    const whole = Math.min(live < end + settleSeconds ? known - 1 : known, Math.floor(live));
    // A 0 may be silence, or a second that is measured once it is heard.
    block.settled = Math.max(from, Math.min(whole, tier.media));
    while (block.settled < whole && block.data[block.settled - begin] !== 0) block.settled += 1;
    if (!isNew) return;
    this.#bounds.seconds = boundsOf(this.#counts);
    this.#changed();
  }

  /** @param {number} number */
  #drop(number) {
    const block = this.#blocks.get(number);
    if (!block) return;
    const known = block.until - number * blockSeconds;
    for (const byte of block.data.subarray(0, known)) if (this.#counts[byte] > 0) this.#counts[byte] -= 1;
    this.#blocks.delete(number);
  }

  #forget() {
    this.#whole = null;
    this.#blocks.clear();
    this.#counts.fill(0);
    this.#bounds = { whole: null, seconds: null };
  }

  #changed() {
    this.version += 1;
    this.#app.timeline.version += 1;
  }
}

/**
 * Returns the mean of some bytes, of those that are known where these are the most, else 0.
 * @param {ArrayLike<number>} data
 * @param {number} from
 * @param {number} end
 */
function mean(data, from, end) {
  let sum = 0, count = 0;
  for (let k = from; k < end && k < data.length; k += 1) {
    if (data[k] === 0) continue;
    sum += data[k];
    count += 1;
  }
  return count * 2 < Math.min(end, data.length) - from || count === 0 ? 0 : Math.round(sum / count);
}

/**
 * @param {number} byte
 * @param {Bounds} bounds
 */
function heightOf(byte, { low, high }) {
  if (byte === 0) return 0;
  const part = Math.min(1, Math.max(0, (byte - low) / (high - low)));
  return quietest + (1 - quietest) * part;
}

/**
 * Returns the station's own quiet and loud; without enough to tell, what music mostly is.
 * @param {Uint32Array} counts
 * @returns {Bounds}
 */
function boundsOf(counts) {
  let total = 0;
  // 0 is silence, or not known.
  for (let byte = 1; byte < 256; byte += 1) total += counts[byte];
  if (total < 20) return { low: 120, high: 230 };
  const at = (/** @type {number} */ share) => {
    let seen = 0;
    for (let byte = 1; byte < 256; byte += 1) {
      seen += counts[byte];
      if (seen >= share * total) return byte;
    }
    return 255;
  };
  const high = at(highShare);
  return { low: Math.min(at(lowShare), high - rangeLeast), high };
}

/**
 * Returns an answer's points, or null for one that makes no sense.
 * @param {any} json
 * @returns {Tier | null}
 */
function tierOf(json) {
  const media = Number(json?.media), step = Number(json?.secondsPerPoint);
  if (!Number.isFinite(media) || !(step >= 1) || typeof json.data !== "string") return null;
  try {
    return { media, step, data: Uint8Array.from(atob(json.data), (letter) => letter.charCodeAt(0)) };
  } catch {
    return null;
  }
}

/**
 * Fetches the waveform, and again as the window moves on. Where there is none the strip stays a plain bar.
 * @param {App} app
 */
export async function startWaveform(app) {
  const { signal } = app;
  if (app.canShift) startReplayed(app);
  const waveform = new Waveform(app);
  const width = () => document.querySelector("#scrubber .track")?.clientWidth || 600;
  let asked = width();
  if (!await waveform.refresh(asked) || signal.aborted) return;
  app.layers.waveform = waveform;
  app.update();
  let at = performance.now();
  const timer = setInterval(async () => {
    const now = width();
    // A strip that became much wider wants finer points at once.
    const isSettled = waveform.isKnown || waveform.isRefused;
    const isOld = performance.now() - at >= wholeEvery || now > asked * 1.3 || !isSettled;
    if (document.hidden || !isOld) return;
    [at, asked] = [performance.now(), now];
    if (await waveform.refresh(now)) return;
    app.layers.waveform = null;
    clearInterval(timer);
  }, 5_000);
  signal.addEventListener("abort", () => clearInterval(timer));
}

/**
 * Asks what others went back to while the page is seen, and no more once the relay has none.
 * @param {App} app
 */
function startReplayed({ timeline, station, layers, signal }) {
  const look = async () => {
    if (document.hidden) return;
    const { status, json } = await getJSON(`/api/v1/stations/${station.id}/replayed`);
    if (status >= 400) clearInterval(timer);
    const tier = tierOf(json);
    // What was told stays: it leaves the strip with the window.
    if (!tier?.data.length) return;
    const { Replayed } = await import("./replayed.js");
    layers.replayed = new Replayed(timeline, tier);
    timeline.version += 1;
  };
  const timer = setInterval(look, 180_000);
  signal.addEventListener("abort", () => clearInterval(timer));
  look();
}
