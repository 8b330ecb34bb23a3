// A station's shows: what is on air when, as the relay last told.

/** @typedef {{ name: string, text: string | null, picture: string | null, recorded: boolean }} Show */
/** @typedef {{ show: Show, start: number, end: number }} Airing times on air in milliseconds */

export class Airings {
  /** Grows with each answer. */
  version = 0;
  /** Whether more is known than what is on now and next. */
  isWhole = false;
  /** Whether there is something to hear again. */
  hasRecordings = false;
  /** @type {Airing[]} The first one first. */
  all = [];

  /**
   * Takes what is on now and next, as a station has it. An answer of `shows` tells more.
   * @param {any} station
   */
  learn({ show, nextShow }) {
    if (this.isWhole) return;
    this.all = [show, nextShow].flatMap((one) => one ? [{
      show: { name: one.name, text: null, picture: null, recorded: false },
      start: Date.parse(one.start), end: Date.parse(one.end),
    }] : []);
    this.version += 1;
  }

  /** @param {any} json an answer of `shows` */
  merge(json) {
    /** @type {Show[]} */
    const shows = json?.shows ?? [];
    this.all = (json?.airings ?? []).flatMap((/** @type {any} */ { show, start, end }) => {
      const airing = { show: shows[show], start: Date.parse(start), end: Date.parse(end) };
      return airing.show && airing.end > airing.start ? [airing] : [];
    });
    this.isWhole = true;
    this.hasRecordings = Boolean(json?.recordings?.length);
    this.version += 1;
  }

  /**
   * Returns what was on air at a time, or null; of two, the one that began last.
   * @param {number} air
   */
  at(air) {
    return this.all.reduce((found, one) => one.start <= air && air < one.end ? one : found,
      /** @type {Airing | null} */ (null));
  }

  /**
   * Returns the first one that begins behind a time, or null; of two, the last one told, as on air.
   * @param {number} air
   */
  after(air) {
    const begin = this.all.find(({ start }) => start > air)?.start;
    return this.all.filter(({ start }) => start === begin).pop() ?? null;
  }

  /**
   * Returns those of a stretch, with the part of each that lies in it.
   * @param {number} from
   * @param {number} to
   */
  within(from, to) {
    return this.all.filter(({ start, end }) => start < to && end > from)
      .map((airing) => ({ airing, from: Math.max(from, airing.start), to: Math.min(to, airing.end) }));
  }

  /**
   * Whether one begins or ends in a stretch.
   * @param {number} from
   * @param {number} to
   */
  changes(from, to) {
    return this.all.some(({ start, end }) => (start > from && start <= to) || (end > from && end <= to));
  }
}
