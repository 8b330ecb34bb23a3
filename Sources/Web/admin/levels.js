// The levels and the loudness of one station, as they are measured while its view is seen.

import { t } from "../i18n.js";
import { Feed } from "./feed.js";
import { h } from "./parts.js";

/** @typedef {import("./client.js").Station} Station */

/** Figures a second: the bars glide in between. */
const rate = 4;

export class Levels {
  element = h("span", { class: "levels", "aria-hidden": "true" });
  /** @type {any} */
  #told = null;
  #feed;

  /**
   * @param {import("./client.js").Client} client
   * @param {string} id
   */
  constructor(client, id) {
    // An administrator is told of stations that not everybody may hear.
    this.#feed = new Feed(client, `?station=${encodeURIComponent(id)}&kinds=levels&rate=${rate}`);
    this.#feed.told = ({ data }) => this.#take(data);
    this.#feed.start();
  }

  close() {
    this.#feed.stop();
  }

  /** @param {any} told */
  #take(told) {
    this.#told = told;
    while (this.element.children.length < told.channels.length) this.element.append(h("span"));
    for (const [index, { display }] of told.channels.entries()) {
      const bar = /** @type {HTMLElement | undefined} */ (this.element.children[index]);
      bar?.style.setProperty("--level", String(display));
      if (bar) bar.dataset.zone = display < 0.6 ? "good" : display < 0.85 ? "wait" : "bad";
    }
  }

  /**
   * The levels in words; null while nothing is known.
   * @param {Station} station
   */
  text({ sound }) {
    if (sound?.state === "unavailable") return sound.reason;
    if (!this.#told) return null;
    const words = this.#told.channels.map((/** @type {{ rms: number }} */ { rms }) =>
      rms <= -119 ? "−∞ dB" : `${rms.toFixed(1).replace("-", "−")} dB`);
    return [...words, sound?.silent && t("admin.dead-air")].filter(Boolean).join(" · ");
  }

  /** The loudness in words; null while nothing is known. */
  loudness() {
    const { momentary, integrated } = this.#told?.loudness ?? {};
    const words = (/** @type {number | null} */ value) => value?.toFixed(1).replace("-", "−") ?? "−∞";
    return this.#told ? t("admin.fact.lufs", { now: words(momentary), all: words(integrated) }) : null;
  }
}
