// The detail strip: five minutes before and after a moment, with titles by name, floating at the strip.

import { el } from "./dom.js";
import { coloursOf, paint, xOf } from "./strip.js";
import { addStyles } from "./styles.js";

addStyles(`
.card-hover.wide { width: 640px; max-width: 100%; padding: 12px 0 0; overflow: hidden; }
.card-hover.wide > :not(.lens) { padding-inline: 16px; }
.lens { position: relative; display: none; height: 96px; margin-top: 8px; border-top: 1px solid var(--line); }
.wide .lens { display: block; }
.lens canvas { display: block; width: 100%; height: 100%; }
.needle {
  position: absolute; inset-block: 20px 18px; width: 2px; border-radius: 2px; background: var(--text);
  transform: translateX(-50%);
}
`);

/** @typedef {import("./app.js").App} App */

/** Milliseconds before and after the moment. */
const around = 300_000;

export class Lens {
  #app;
  #canvas = el("canvas");
  #needle = el("i", { class: "needle" });
  #painted = "";
  element = el("div", { class: "lens" }, this.#canvas, this.#needle);

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
  }

  /**
   * Shows the surroundings of a moment. At the ends of the window the strip stands still and the needle moves.
   * @param {number} air
   */
  show(air) {
    const { timeline, layers } = this.#app;
    const live = timeline.live().air, width = this.element.clientWidth;
    if (width === 0) return;
    const least = Math.min(timeline.oldest.air, live - 2 * around);
    const from = Math.max(least, Math.min(live - 2 * around, air - around));
    const axis = { from, to: from + 2 * around, width };
    this.#needle.style.setProperty("left", `${xOf(axis, air).toFixed(1)}px`);
    const heard = this.#app.preview === null ? this.#app.place() ?? live : this.#app.engine.heardAir() ?? live;
    const pixel = 2 * around / width;
    const key = [timeline.version, Math.round(from / pixel), Math.round(heard / pixel), Math.round(live / pixel), width,
      document.documentElement.dataset.theme].join(" ");
    if (key === this.#painted) return;
    this.#painted = key;
    paint(this.#canvas, axis, { timeline, layers, heard, live, colours: coloursOf(this.element) });
  }
}
