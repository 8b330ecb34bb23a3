// A station's past as one axis of air time: what was on, what is missing, and which listener is where.

import { unix } from "./parts.js";

/** @typedef {import("./client.js").Station} Station */
/** @typedef {import("./client.js").Listener} Listener */
/** @typedef {{ from: number, to: number, text: string }} Stretch Unix seconds of air time. */
/** @typedef {{ media: number, air: string }} Anchor */
/**
 * @typedef {object} Timeline The answer of GET /api/v1/stations/ID/timeline.
 * @property {{ name: string }} [timeZone]
 * @property {{ media: number, air: string }} live
 * @property {{ media: number, air: string }} oldest
 * @property {Anchor[]} anchors
 * @property {{ media: number, seconds: number, cause: string }[]} gaps
 * @property {{ media: number, title: string | null, artist: string | null }[]} titles
 */

export class Past {
  /** The station's time zone, in which its schedules and `18:00` are meant. */
  zone = "";
  oldest = 0;
  live = 0;
  /** @type {Stretch[]} */
  titles = [];
  /** @type {(Stretch & { cause: string, seconds: number })[]} */
  gaps = [];
  #liveMedia = 0;
  /** @type {{ media: number, air: number }[]} */
  #anchors = [];

  /**
   * Takes a timeline as the relay tells it.
   * @param {Timeline} timeline
   */
  static of(timeline) {
    const past = new Past();
    past.#anchors = timeline.anchors.map(({ media, air }) => ({ media, air: unix(air) }));
    past.zone = timeline.timeZone?.name ?? "";
    past.#liveMedia = timeline.live.media;
    past.oldest = unix(timeline.oldest.air);
    past.live = unix(timeline.live.air);
    const air = (/** @type {number} */ media) => past.air(media);
    past.titles = timeline.titles.map((title, at) => {
      const next = timeline.titles[at + 1]?.media ?? timeline.live.media;
      return { from: Math.max(past.oldest, air(title.media)), to: air(next), text: named(title) };
    }).filter(({ from, to }) => to > from);
    past.gaps = timeline.gaps.map(({ media, seconds, cause }) =>
      ({ from: air(media) - seconds, to: air(media), text: "", cause, seconds })).filter(({ to }) => to > past.oldest);
    return past;
  }

  /**
   * Makes one of the history alone, for a relay without timelines; it knows no gaps.
   * @param {Station} station
   * @param {{ since: string, end: string | null, title: string | null, artist: string | null }[]} history
   */
  static fromHistory(station, history) {
    const past = new Past();
    past.oldest = unix(station.window.oldest);
    past.live = unix(station.window.live);
    past.#liveMedia = past.live;
    past.titles = [...history].reverse().map(entry => ({
      from: Math.max(past.oldest, unix(entry.since)), to: entry.end ? unix(entry.end) : past.live, text: named(entry),
    })).filter(({ from, to }) => to > from);
    return past;
  }

  /**
   * Moves the live edge on, and with it the end of what plays.
   * @param {number} live Air time of the edge.
   */
  goOn(live) {
    if (!(live > this.live)) return;
    this.live = live;
    const last = this.titles[this.titles.length - 1];
    if (last) last.to = live;
  }

  /** @param {number} media */
  air(media) {
    let anchor = this.#anchors[0] ?? { media: 0, air: 0 };
    for (const next of this.#anchors) if (next.media <= media) anchor = next;
    return anchor.air + (media - anchor.media);
  }

  /**
   * Returns where a listener is, in air time; null where the relay does not know it just now.
   * @param {Listener} listener
   */
  place({ offset }) {
    return offset === null ? null : Math.max(this.oldest, Math.min(this.live, this.air(this.#liveMedia - offset)));
  }

  /** @param {number} air */
  titleAt(air) {
    return this.titles.find(({ from, to }) => from <= air && air < to)?.text ?? "";
  }

  /** @param {number} air */
  gapAt(air) {
    return this.gaps.find(({ from, to }) => from <= air && air < to) ?? null;
  }

  get seconds() {
    return Math.max(1, this.live - this.oldest);
  }
}

/** @param {{ title: string | null, artist: string | null }} title */
const named = ({ title, artist }) => [title, artist].filter(Boolean).join(" – ") || "–";
