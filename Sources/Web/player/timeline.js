// The station's time: media seconds, time on air, titles and gaps, as the relay last told them.

import { clock } from "./i18n.js";

/**
 * @typedef {"live" | "track-start" | "previous-track" | "next-track" | { air: number } | { media: number }} Place
 * air in milliseconds by the station's clock, media in seconds
 */
/** @typedef {{ media: number, air: number, position: number }} Point air in milliseconds since 1970 */
/** @typedef {{ media: number, air: number }} Anchor the packet at `media` was on air at `air` */
/**
 * @typedef {object} Title
 * @property {number} media
 * @property {number | null} end media seconds; null while it lasts
 * @property {number} air
 * @property {number | null} endAir
 * @property {string | null} title
 * @property {string | null} artist
 * @property {string | null} url
 * @property {string | null} artwork
 * @property {number} position
 */
/** @typedef {{ media: number, air: number, seconds: number, cause: string, position: number }} Gap */

/** Without newer news, live is taken to move on for so many seconds: hidden tabs ask once a minute. */
const trustSeconds = 150;
/** A live edge that stood still for so many milliseconds between two answers: the station is away. */
const stillMilliseconds = 3000;
/** Seconds. */
const day = 86_400;
/** Smaller differences than this come from packet bounds. */
const learnMilliseconds = 200;
/** Live edges that are kept: those of two minutes. */
const edgesMost = 8;

/**
 * Returns a moment as the addresses of pages have it.
 * @param {number} air
 * @returns {string} to the second, as people read it
 */
export const addressTime = (air) => `${new Date(Math.floor(air / 1_000) * 1_000).toISOString().slice(0, 19)}Z`;

export class Timeline {
  version = 0;
  /** Grows with each other log: what was known of the one before holds no more. */
  log = 0;
  zoneSeconds = 0;
  zoneName = "";
  /** @type {Title[]} oldest first */
  titles = [];
  /** @type {Gap[]} oldest first */
  gaps = [];

  /** @type {Point} */
  #oldest = { media: 0, air: 0, position: 0 };
  /** @type {Point} */
  #edge = { media: 0, air: 0, position: 0 };
  /** @type {Point[]} those that were told before, newest first */
  #edges = [];
  /** When the edge was told. */
  #toldAt = 0;
  #isStill = false;
  /** The station's clock stood at `air` when performance.now() was `at`. */
  #clock = { air: 0, at: 0 };
  /** @type {Anchor[]} oldest first */
  #anchors = [];

  /**
   * @param {any} json an answer of `timeline`, or null
   * @param {number} [now]
   */
  constructor(json, now = performance.now()) {
    if (json) this.merge(json, now);
  }

  /** True before the first answer, and for a station of files. */
  get isEmpty() {
    return this.#anchors.length === 0;
  }

  get oldest() {
    return this.#oldest;
  }

  /** The station's zone. */
  get zone() {
    return { name: this.zoneName, seconds: this.zoneSeconds };
  }

  /**
   * Takes a newer answer, whole or of `?since=`.
   * @param {any} json
   * @param {number} [now]
   */
  merge(json, now = performance.now()) {
    this.zoneSeconds = json?.timeZone?.seconds ?? this.zoneSeconds;
    this.zoneName = json?.timeZone?.name ?? this.zoneName;
    if (!json?.live || !json.oldest || !json.anchors?.length) return;
    const oldest = point(json.oldest);
    const edge = point(json.live);
    // Another log, which counts from the start: nothing that is known holds.
    if (oldest.position < this.#oldest.position || edge.media < this.#edge.media) {
      this.titles = [];
      this.gaps = [];
      this.#edges = [];
      this.log += 1;
      this.#isStill = false;
    } else {
      const isSame = !this.isEmpty && edge.media === this.#edge.media;
      this.#isStill = isSame && now - this.#toldAt >= stillMilliseconds;
    }
    // The clock is read off a moving edge alone.
    const isMoved = this.isEmpty || edge.media !== this.#edge.media;
    if (isMoved) this.#clock = { air: edge.air, at: now };
    if (isMoved || this.#isStill) this.#toldAt = now;
    if (isMoved && !this.isEmpty) this.#edges = [this.#edge, ...this.#edges].slice(0, edgesMost);
    this.#oldest = oldest;
    this.#edge = edge;
    this.#anchors = json.anchors.map((/** @type {any} */ anchor) => ({
      media: anchor.media, air: Date.parse(anchor.air),
    }));
    this.#mergeTitles(json.titles ?? []);
    this.#mergeGaps(json.gaps ?? []);
    this.version += 1;
  }

  /** Takes the answer that nothing is new: then the live edge stands still. */
  stay(now = performance.now()) {
    if (this.isEmpty || now - this.#toldAt < stillMilliseconds) return;
    this.#isStill = true;
    this.#toldAt = now;
  }

  /** Whether the live edge stands still. */
  get isStill() {
    return this.#isStill;
  }

  /**
   * Takes what a connection began with: after a gap it knows more than the last answer.
   * @param {number} media
   * @param {number} air
   */
  learn(media, air) {
    if (this.isEmpty || Math.abs(this.airOf(media) - air) < learnMilliseconds) return;
    const last = this.#anchors[this.#anchors.length - 1];
    if (media <= last.media) return;
    this.#anchors.push({ media, air });
    this.version += 1;
  }

  /**
   * Returns the live edge, moved on since it was told.
   * @param {number} [now]
   * @returns {Anchor}
   */
  live(now = performance.now()) {
    const passed = this.#isStill || this.isEmpty ? 0 : clamp((now - this.#toldAt) / 1000, 0, trustSeconds);
    return { media: this.#edge.media + passed, air: this.#edge.air + passed * 1000 };
  }

  /**
   * Returns how many seconds before the live edge hold so many bytes; 0 where that is not known.
   * @param {number} bytes
   */
  secondsOf(bytes) {
    const edge = this.#edge, target = edge.position - bytes;
    let near = { media: edge.media, position: edge.position };
    for (const far of [...this.titles, ...this.#edges, this.#oldest].sort((a, b) => b.media - a.media)) {
      if (far.position <= target) {
        const part = (near.position - target) / Math.max(1, near.position - far.position);
        return edge.media - near.media + (near.media - far.media) * part;
      }
      near = far;
    }
    return 0;
  }

  /**
   * Returns the station's time now: the clock of this device may be wrong by hours.
   * @param {number} [now]
   */
  stationNow(now = performance.now()) {
    return this.#clock.air + (now - this.#clock.at);
  }

  /**
   * Returns when the packet at `media` was on air.
   * @param {number} media
   */
  airOf(media) {
    const anchor = lastUpTo(this.#anchors, media, "media") ?? this.#anchors[0];
    return anchor ? anchor.air + (media - anchor.media) * 1000 : 0;
  }

  /**
   * Returns the media time of what was on air; in a gap, of the first packet behind it.
   * @param {number} air
   */
  mediaOf(air) {
    const anchor = lastUpTo(this.#anchors, air, "air") ?? this.#anchors[0];
    if (!anchor) return 0;
    const media = anchor.media + (air - anchor.air) / 1000;
    const next = this.#anchors[this.#anchors.indexOf(anchor) + 1];
    return next ? Math.min(media, next.media) : media;
  }

  /**
   * @param {number} media
   * @returns {Title | null}
   */
  titleAt(media) {
    return lastUpTo(this.titles, media, "media");
  }

  /**
   * @param {number} media
   * @returns {Title | null} the one before the title at `media`
   */
  titleBefore(media) {
    const title = this.titleAt(media);
    return title ? this.titles[this.titles.indexOf(title) - 1] ?? null : null;
  }

  /**
   * @param {number} media
   * @returns {Title | null}
   */
  titleAfter(media) {
    const title = this.titleAt(media);
    return this.titles[title ? this.titles.indexOf(title) + 1 : 0] ?? null;
  }

  /**
   * Says titles as times: the relay counts them from what it has sent, which is seconds ahead of what is heard.
   * @param {Place} place
   * @param {number | null} heard seconds of media
   * @returns {Place}
   */
  exact(place, heard) {
    if (typeof place === "object") {
      return "media" in place && !this.isEmpty ? { air: this.airOf(place.media) } : place;
    }
    if (place === "live" || heard === null || this.isEmpty) return place;
    if (place === "next-track") {
      const next = this.titleAfter(heard);
      return next ? { air: next.air } : "live";
    }
    const before = place === "previous-track" ? this.titleBefore(heard) : null;
    const title = before ?? this.titleAt(heard);
    return title ? { air: Math.max(title.air, this.oldest.air) } : place;
  }

  /**
   * Returns the time of day at the station: "18:03" or "18:03:12". The zone's name tells it across a clock change.
   * @param {number} air
   */
  clock(air, withSeconds = false) {
    return Number.isFinite(air) ? clock(air / 1000, this.zone, withSeconds) : "";
  }

  /**
   * Returns by how many seconds the station's clock was ahead of UTC.
   * @param {number} air
   */
  zoneOffset(air) {
    const [hours, minutes] = this.clock(air).split(":").map(Number);
    const off = (hours * 60 + minutes) * 60 - Math.floor(air / 1000 / 60) * 60 % day - this.zoneSeconds;
    // The offset of now tells which day it is.
    return this.zoneSeconds + (off % day + 1.5 * day) % day - day / 2;
  }

  /** @param {any[]} news */
  #mergeTitles(news) {
    const known = new Map(this.titles.map((title) => [title.position, title]));
    for (const item of news) {
      const since = Date.parse(item.since);
      known.set(item.position, {
        media: item.media, end: null, air: Number.isFinite(since) ? since : this.airOf(item.media), endAir: null,
        title: item.title ?? null, artist: item.artist ?? null, url: item.url ?? null,
        artwork: item.artwork ?? null, position: item.position,
      });
    }
    const titles = [...known.values()].sort((a, b) => a.position - b.position);
    titles.forEach((title, index) => {
      title.end = titles[index + 1]?.media ?? null;
      title.endAir = titles[index + 1]?.air ?? null;
    });
    this.titles = titles.filter((title) => title.end === null || title.end > this.#oldest.media);
  }

  /** @param {any[]} news */
  #mergeGaps(news) {
    const known = new Map(this.gaps.map((gap) => [gap.position, gap]));
    for (const { media, position, seconds, cause } of news) {
      known.set(position, { media, position, seconds, cause, air: 0 });
    }
    this.gaps = [...known.values()]
      .filter((gap) => gap.position >= this.#oldest.position)
      .sort((a, b) => a.position - b.position);
    for (const gap of this.gaps) gap.air = this.airOf(gap.media) - gap.seconds * 1000;
  }
}

/**
 * @param {any} json
 * @returns {Point}
 */
function point({ media, air, position }) {
  return { media, air: Date.parse(air), position };
}

/**
 * Returns the last item that is not behind `value`; the items are in order.
 * @template {Record<Key, number>} Item
 * @template {string} Key
 * @param {Item[]} items
 * @param {number} value
 * @param {Key} key
 * @returns {Item | null}
 */
function lastUpTo(items, value, key) {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle][key] <= value) low = middle + 1;
    else high = middle;
  }
  return items[low - 1] ?? null;
}

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}
