// A station's past as one axis of air time: what was on, and what is missing.

import { unix } from "./parts.js";

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
    // What was on before a gap was not on in it.
    for (const title of past.titles) {
      const gap = past.gaps.find(({ from }) => title.from <= from && from < title.to);
      if (gap) title.to = gap.from;
    }
    return past;
  }

  /**
   * Moves the live edge on, and with it the end of what plays.
   * @param {number} live Air time of the edge.
   */
  goOn(live) {
    if (!(live > this.live)) return;
    this.#liveMedia += live - this.live;
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
   * Returns the air time of what is heard so far behind live; gaps in between were never sent.
   * @param {number} seconds
   */
  airBehind(seconds) {
    return Math.max(this.oldest, Math.min(this.live, this.air(this.#liveMedia - seconds)));
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
