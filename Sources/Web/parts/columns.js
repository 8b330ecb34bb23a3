// The station's sound, 25 columns a second, by media time: levels of the channels and a spectrum.
//
// What is near live comes with the page's events, a second at a time; what is further back is asked for in chunks.

import { addressed } from "./api.js";

export const perSecond = 25, bands = 24;
/** Seconds that are kept: what is heard, and the chunks around it. */
const keptSeconds = 120;
/** Seconds of a chunk, and how many are fetched ahead. */
const chunkSeconds = 10, ahead = 2;
/** Bytes of a chunk's head; bytes of a column are two channels' RMS and peak, and the bands. */
const headBytes = 16, stride = 4 + bands;
/** Milliseconds until a chunk that was not whole is asked for again, and one that the relay had no time for. */
const againAfter = 2_000, busyFor = 5_000;

export class Columns {
  /** False once the relay has said that it cannot decode the station. */
  canBe = true;
  /** The station whose sound it is. */
  station;
  #path;
  #size = keptSeconds * perSecond;
  /** Which column stands in each place. */
  #numbers = new Float64Array(this.#size).fill(-1);
  #bytes = new Uint8Array(this.#size * stride);
  /**
   * When each chunk may be asked for again, by its media time; for ever where it is whole.
   * @type {Map<number, number>}
   */
  #asked = new Map();

  /** @param {string} station */
  constructor(station) {
    this.station = station;
    this.#path = `/api/v1/stations/${station}/sound`;
  }

  /**
   * Returns where a column's bytes begin in `bytes`; -1 where it is not known.
   * @param {number} media seconds
   */
  find(media) {
    const number = Math.floor(media * perSecond), place = number % this.#size;
    return number >= 0 && this.#numbers[place] === number ? place * stride : -1;
  }

  /** Each column: RMS and peak of the left and of the right channel, then the bands. */
  get bytes() {
    return this.#bytes;
  }

  /**
   * Takes columns.
   * @param {number} media of the first, in seconds
   * @param {number} channels
   * @param {Uint8Array} data
   */
  put(media, channels, data) {
    const bytes = 2 * channels + bands, first = Math.round(media * perSecond);
    for (let k = 0; (k + 1) * bytes <= data.length; k += 1) {
      const from = k * bytes, number = first + k;
      // Where nothing is known, all is zero; known silence is drawn the same.
      if (number < 0 || isEmpty(data, from, bytes)) continue;
      const place = number % this.#size, to = place * stride, right = channels > 1 ? 2 : 0;
      this.#numbers[place] = number;
      this.#bytes[to] = data[from] ?? 0;
      this.#bytes[to + 1] = data[from + 1] ?? 0;
      this.#bytes[to + 2] = data[from + right] ?? 0;
      this.#bytes[to + 3] = data[from + right + 1] ?? 0;
      this.#bytes.set(data.subarray(from + 2 * channels, from + bytes), to + 4);
    }
  }

  /**
   * Takes the data of a `sound` event.
   * @param {string} text
   */
  take(text) {
    try {
      const { media, channels, data } = JSON.parse(text);
      this.put(media, channels, Uint8Array.from(atob(data), (each) => each.charCodeAt(0)));
    } catch {
      // What cannot be read is not drawn.
    }
  }

  /**
   * Asks for what is to be heard soon and is not here.
   * @param {number} media what is heard, in seconds
   * @param {number} live the edge, in seconds
   */
  fetchAround(media, live) {
    const first = Math.floor(media / chunkSeconds) * chunkSeconds;
    for (let k = 0; k <= ahead; k += 1) {
      const from = first + k * chunkSeconds;
      const isKnown = this.find(Math.max(from, media)) >= 0 && this.find(from + chunkSeconds - 0.1) >= 0;
      if (from < live && !isKnown) void this.#fetch(from);
    }
  }

  /** @param {number} from */
  async #fetch(from) {
    const now = performance.now();
    if (!this.canBe || now < (this.#asked.get(from) ?? 0)) return;
    this.#asked.set(from, now + busyFor);
    if (this.#asked.size > 64) this.#asked.delete(this.#asked.keys().next().value ?? 0);
    try {
      const response = await fetch(addressed(`${this.#path}?media=${from}`));
      if (response.status === 404) this.canBe = false;
      if (!response.ok) return;
      const bytes = new Uint8Array(await response.arrayBuffer());
      const view = new DataView(bytes.buffer);
      if (bytes.length < headBytes || view.getUint32(0) !== 0x4c575343) return;
      this.put(view.getFloat64(8, true), view.getUint8(7), bytes.subarray(headBytes));
      const isWhole = response.headers.get("Cache-Control")?.includes("immutable");
      this.#asked.set(from, isWhole ? now + keptSeconds * 500 : performance.now() + againAfter);
    } catch {
      // The next second asks again.
    }
  }
}

/**
 * @param {Uint8Array} data
 * @param {number} from
 * @param {number} count
 */
function isEmpty(data, from, count) {
  for (let k = from; k < from + count; k += 1) if (data[k]) return false;
  return true;
}
