// Small curves as SVG. Each says in words what it shows, for who does not see it.

import { span, t } from "../i18n.js";
import { h, svg, when } from "./parts.js";

/** @typedef {import("./store.js").Samples} Samples */

/** A curve of samples, drawn anew by `update`. */
export class Spark {
  #line = svg("path", { class: "line" });
  #area = svg("path", { class: "area" });
  #name = svg("title");
  element;

  /**
   * @param {number} width
   * @param {number} height
   * @param {string} kind "spark", or "chart" for one that fills its place
   */
  constructor(width = 96, height = 20, kind = "spark") {
    this.width = width;
    this.height = height;
    this.element = svg("svg", {
      class: kind, viewBox: `0 0 ${width} ${height}`, role: "img", preserveAspectRatio: "none",
    }, this.#name, this.#area, this.#line);
  }

  /**
   * @param {Samples} samples
   * @param {(value: number) => string} shown
   * @param {{ seconds?: number, floor?: number }} options The time it shows, and the least value of its top.
   */
  update(samples, shown, { seconds = 900, floor = 1 } = {}) {
    const { times, values } = samples;
    const end = times[times.length - 1] ?? 0;
    // A young curve fills its place; it becomes denser as it grows.
    seconds = Math.min(seconds, Math.max(60, end - (times[0] ?? end)));
    const first = times.findIndex(time => time >= end - seconds);
    const points = [];
    let [least, most] = [Infinity, -Infinity];
    for (let at = Math.max(0, first); at < times.length; at++) {
      const value = values[at];
      if (value !== null) [least, most] = [Math.min(least, value), Math.max(most, value)];
      points.push({ at: times[at], value });
    }
    const top = Math.max(floor, most * 1.1);
    const x = (/** @type {number} */ at) => (this.width * (1 - (end - at) / seconds)).toFixed(1);
    const y = (/** @type {number} */ value) => (this.height - 1 - (value / top) * (this.height - 2)).toFixed(1);
    let [line, area, from] = ["", "", ""];
    for (const { at, value } of points) {
      if (value === null) {
        if (from) area += `V${this.height}H${from}Z`;
        from = "";
        continue;
      }
      line += `${from ? "L" : "M"}${x(at)} ${y(value)}`;
      area += from ? `L${x(at)} ${y(value)}` : `M${x(at)} ${this.height}V${y(value)}`;
      from = from || x(at);
    }
    if (from) area += `V${this.height}H${from}Z`;
    this.#line.setAttribute("d", line);
    this.#area.setAttribute("d", area);
    const last = samples.last;
    this.#name.textContent = most < least || last === null ? t("admin.spark.nothing") : t("admin.spark.words", {
      length: span(end - points[0].at), least: shown(least), most: shown(most), last: shown(last),
    });
  }
}

/** A figure with its curve over the last hour. */
export class Tile {
  #value = h("strong");
  #more = h("small");
  #chart = new Spark(240, 40, "chart");
  #from = h("span");
  #shown;

  /**
   * @param {string} title
   * @param {(value: number) => string} shown
   */
  constructor(title, shown) {
    this.#shown = shown;
    this.element = h("div", { class: "tile" }, h("h3", {}, title), h("p", {}, this.#value, " ", this.#more),
      this.#chart.element, h("p", { class: "axis", "aria-hidden": "true" }, this.#from, h("span", {}, t("admin.now"))));
  }

  /**
   * @param {Samples} samples
   * @param {string} [more]
   */
  update(samples, more = "") {
    const { times, last } = samples;
    this.#value.textContent = last === null ? "–" : this.#shown(last);
    this.#more.textContent = more;
    const seconds = Math.min(3600, Math.max(60, times[times.length - 1] - times[0] || 0));
    this.#chart.update(samples, this.#shown, { seconds });
    this.#from.textContent = times.length ? when(times[times.length - 1] - seconds, seconds < 300) : "";
  }
}
