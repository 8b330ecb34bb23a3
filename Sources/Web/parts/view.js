// What part of the window the strip shows: all of it, or a stretch of at least a minute, by wheel, fingers or keys.

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {import("./strip.js").Axis} Axis */

/** Milliseconds. A window of a few seconds would else fill the bar and race. */
const spanLeast = 60_000;
/** For a press of a key, and for a pixel of a wheel. */
const keyPace = 1.6, wheelPace = 1.0022;
/** Where the heard place is put when it has left the stretch, and how near the end it may come: parts of it. */
const enterAt = 0.2, leaveAt = 0.94;

export class View {
  /** @type {Axis} */
  axis = { from: 0, to: 1, width: 1 };
  #timeline;
  /**
   * Milliseconds that are shown; null: the whole window.
   * @type {number | null}
   */
  #span = null;
  /** False once the user has looked elsewhere. */
  #isFollowing = true;
  #heard = 0;

  /** @param {Timeline} timeline */
  constructor(timeline) {
    this.#timeline = timeline;
  }

  get isZoomed() {
    return this.#span !== null;
  }

  get #whole() {
    const to = this.#timeline.live().air;
    return { from: Math.min(this.#timeline.oldest.air, to - spanLeast), to };
  }

  /**
   * Moves the axis on with time.
   * @param {number} heard
   * @param {boolean} isHeld nothing moves under a finger
   */
  update(heard, isHeld) {
    const isJump = Math.abs(heard - this.#heard) > 2_000;
    this.#heard = heard;
    if (isHeld) return;
    const whole = this.#whole;
    if (this.#span === null || this.#span >= whole.to - whole.from) {
      this.#span = null;
      Object.assign(this.axis, whole);
      return;
    }
    if (isJump) this.#isFollowing = true;
    let from = this.axis.from;
    const place = (heard - from) / this.#span;
    if (this.#isFollowing && (place > leaveAt || place < 0)) {
      // Live stands at the right edge; what is behind it goes on from the left.
      from = whole.to - heard < (1 - leaveAt) * this.#span ? whole.to - this.#span : heard - enterAt * this.#span;
    }
    this.#show(from);
  }

  /** @param {number} from */
  #show(from) {
    const span = this.#span ?? 0, whole = this.#whole;
    this.axis.from = Math.max(whole.from, Math.min(whole.to - span, from));
    this.axis.to = this.axis.from + span;
  }

  /**
   * Shows a shorter or longer stretch; the moment under `x` stays there.
   * @param {number} factor above 1: closer
   * @param {number} x in pixels
   */
  zoom(factor, x) {
    const { from, to, width } = this.axis, whole = this.#whole;
    const span = Math.max(spanLeast, (to - from) / factor);
    if (span >= whole.to - whole.from) return this.reset();
    const under = from + x / width * (to - from);
    this.#span = span;
    this.#show(under - x / width * span);
    this.#isFollowing = this.#heard >= this.axis.from && this.#heard <= this.axis.to;
  }

  /**
   * Zooms by a key, around what is heard.
   * @param {boolean} isCloser
   */
  key(isCloser) {
    const { from, to, width } = this.axis;
    const x = Math.min(width, Math.max(0, (this.#heard - from) / (to - from) * width));
    this.zoom(isCloser ? keyPace : 1 / keyPace, x);
  }

  /**
   * Answers a wheel; false where the page should scroll instead.
   * @param {WheelEvent} event
   * @param {number} x
   */
  wheel(event, x) {
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (isSideways) {
      if (this.#span === null) return false;
      const pixels = (event.shiftKey ? event.deltaY || event.deltaX : event.deltaX) * unit;
      this.pan(pixels);
      return true;
    }
    if (!this.isZoomed && event.deltaY > 0) return false;
    // Fingers on a touch pad come as a wheel with Ctrl, in small steps.
    const pace = event.ctrlKey ? 1.01 : wheelPace;
    this.zoom(pace ** (-event.deltaY * unit), x);
    return true;
  }

  /** @param {number} pixels */
  pan(pixels) {
    if (this.#span === null) return;
    this.#show(this.axis.from + pixels / this.axis.width * this.#span);
    this.#isFollowing = this.#heard >= this.axis.from && this.#heard <= this.axis.to;
  }

  reset() {
    this.#span = null;
    this.#isFollowing = true;
    Object.assign(this.axis, this.#whole);
  }
}
