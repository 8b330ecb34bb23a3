// Where the listener is: what the connection was sent first and what has sounded of it, else the place asked for.

/** @typedef {import("./timeline.js").Place} Place */
/**
 * @typedef {object} Connection what the relay says about it
 * @property {string} since
 * @property {number} media of its first packet, or of the first one after the last jump
 * @property {string} air
 * @property {number} jumps
 * @property {number | null} after seconds of audio that it was sent before
 * @property {Connection} [before] what is heard until then
 * @property {boolean} [isOther] of another station, whose media time is not the timeline's: its time on air is
 */

/** Seconds: what begins this much later than asked for begins there. */
const lostLeast = 2;

export class Heard {
  /**
   * Where it should play; an empty text: where the relay thinks that the session is.
   * @type {Place | "" | null}
   */
  place = null;
  /**
   * The same as media time, while the connection's is unknown.
   * @type {number | null}
   */
  #media = null;
  /** @type {Connection | null} */
  #connection = null;
  #timeline;
  #now;
  #time;

  /**
   * @param {import("./timeline.js").Timeline} timeline
   * @param {() => number} now
   * @param {() => number} time seconds that have sounded of the connection
   */
  constructor(timeline, now, time) {
    this.#timeline = timeline;
    this.#now = now;
    this.#time = time;
  }

  /** Whether what is heard is known, not only asked for. */
  get isKnown() {
    return this.#connection !== null;
  }

  /** @returns {number | null} seconds */
  media() {
    const time = this.#time();
    let from = this.#connection;
    // A jump by remote is heard when what was sent before it has played.
    while (from?.before && time < (from.after ?? 0)) from = from.before;
    if (from) return this.#begin(from) + time - (from.after ?? 0);
    if (this.place === "live" && !this.#timeline.isEmpty) return this.#timeline.live(this.#now()).media;
    return this.#media;
  }

  /** @param {Connection} connection */
  #begin({ media, air, isOther }) {
    return isOther && !this.#timeline.isEmpty ? this.#timeline.mediaOf(Date.parse(air)) : media;
  }

  /** @returns {number | null} milliseconds by the station's clock */
  air() {
    const media = this.media();
    if (this.#connection && media !== null && this.#timeline.isEmpty) {
      return Date.parse(this.#connection.air) + (media - this.#connection.media) * 1000;
    }
    // Within a gap the asked-for time says more than the media time behind it.
    if (!this.#connection && typeof this.place === "object" && this.place && "air" in this.place) return this.place.air;
    return media === null || this.#timeline.isEmpty ? null : this.#timeline.airOf(media);
  }

  /** Returns the seconds from the place asked for to where it began, which the relay no longer keeps. */
  lost() {
    const { place } = this, told = this.#connection, timeline = this.#timeline;
    if (!told || told.jumps > 0 || timeline.isEmpty || !place || typeof place !== "object") return 0;
    const asked = "air" in place ? place.air : timeline.airOf(place.media);
    const isGap = timeline.gaps.some(({ air, seconds }) => asked >= air - 1_000 && asked < air + seconds * 1_000);
    const late = (Date.parse(told.air) - asked) / 1_000;
    return late > lostLeast && !isGap ? late : 0;
  }

  /**
   * A new connection is to play there.
   * @param {Place | ""} place
   */
  ask(place) {
    this.#media = this.#mediaOf(place);
    this.place = place;
    this.#connection = null;
  }

  /** Turns what is heard into the place to go on from: the connection ends. */
  hold() {
    const air = this.#connection ? this.air() : null;
    if (air !== null) {
      this.#media = this.media();
      this.place = { air };
    } else if (typeof this.place === "string" && this.place !== "live") {
      // Said twice, a relative place would move twice.
      this.place = "";
    }
    this.#connection = null;
  }

  forget() {
    this.place = this.#media = this.#connection = null;
  }

  /**
   * Returns true when the session's connection is another one: this one would have jumped more often, not less.
   * @param {Connection | null} told
   */
  isElsewhere(told) {
    const known = this.#connection;
    return Boolean(told && known && told.since !== known.since && told.jumps <= known.jumps);
  }

  /**
   * Takes what the relay says; returns true when that is new.
   * @param {Connection | null} told
   * @param {boolean} [isOther] whether it plays another station than the timeline's
   */
  take(told, isOther = false) {
    const known = this.#connection;
    if (!told || told.since === known?.since) return false;
    if (told.after === null && told.jumps > 0) told.after = this.#time();
    if (known) told.before = known;
    this.#connection = told;
    told.isOther = isOther;
    if (!isOther) this.#timeline.learn(told.media, Date.parse(told.air));
    return true;
  }

  /** @param {Place | ""} place */
  #mediaOf(place) {
    if (typeof place !== "object") return this.media();
    if ("media" in place) return place.media;
    return this.#timeline.isEmpty ? null : this.#timeline.mediaOf(place.air);
  }
}
