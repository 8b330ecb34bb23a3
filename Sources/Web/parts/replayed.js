// Which minutes others went back to: a faint curve over the strip. The relay tells it only where several did.
//
// waveform.js asks for it; this module is loaded where there is something to draw.

import { xOf } from "./strip.js";

/** @typedef {import("./strip.js").Axis} Axis */

/** From this byte on a minute is often replayed: 5 of 8 steps. */
const oftenFrom = 159;
/** Seen closer, minutes are a flat line: milliseconds. */
const spanLeast = 900_000;
/** As much higher and lower than the bars as the titles' grounds, in pixels. */
const beyond = 4;
/** Of the line, and of the area below it. */
const lineAlpha = 0.55, areaAlpha = 0.14;

export class Replayed {
  /** @type {import("./waveform.js").Tier} */
  #tier;
  #timeline;
  #log;

  /**
   * @param {import("./timeline.js").Timeline} timeline
   * @param {import("./waveform.js").Tier} tier
   */
  constructor(timeline, tier) {
    this.#timeline = timeline;
    this.#tier = tier;
    this.#log = timeline.log;
  }

  /** Whether it was told of another log, which counts from its own start. */
  get #isOld() {
    return this.#timeline.log !== this.#log;
  }

  /**
   * Whether many went back to a moment.
   * @param {number} air
   */
  isOften(air) {
    const { media, step, data } = this.#tier;
    return !this.#isOld && (data[Math.floor((this.#timeline.mediaOf(air) - media) / step)] ?? 0) >= oftenFrom;
  }

  /**
   * Draws the curve through the middles of the minutes.
   * @param {CanvasRenderingContext2D} context
   * @param {Axis} axis
   * @param {import("./strip.js").Band} band
   * @param {number} live
   * @param {import("./strip.js").Colours} colours
   */
  draw(context, axis, band, live, colours) {
    const { media, step, data } = this.#tier;
    if (this.#isOld || axis.to - axis.from < spanLeast) return;
    const top = band.top - beyond, high = band.bar + 2 * beyond, bottom = top + high;
    const at = (/** @type {number} */ second) => xOf(axis, this.#timeline.airOf(second));
    const line = new Path2D();
    let x = at(media - step / 2), y = bottom;
    line.moveTo(x, y);
    // Level at each minute and halfway between two, so that the curve never leaves the strip.
    for (let k = 0; k <= data.length; k += 1) {
      const nextX = at(media + (k + 0.5) * step);
      const nextY = bottom - high * (data[k] ?? 0) / 255;
      const middle = (x + nextX) / 2;
      line.bezierCurveTo(middle, y, middle, nextY, nextX, nextY);
      [x, y] = [nextX, nextY];
    }
    const left = xOf(axis, Math.max(this.#timeline.oldest.air, axis.from)), right = xOf(axis, Math.min(live, axis.to));
    context.save();
    context.beginPath();
    // What nobody went back to has no line.
    context.rect(left, top - 2, Math.max(0, right - left), high + 1);
    context.clip();
    context.fillStyle = context.strokeStyle = colours.text;
    context.globalAlpha = areaAlpha;
    context.fill(line);
    context.globalAlpha = lineAlpha;
    context.lineWidth = 1.5;
    context.stroke(line);
    context.restore();
  }
}
