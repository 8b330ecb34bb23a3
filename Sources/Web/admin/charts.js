// Figures over the last hour or day, as the relay has kept them: curves with their values under the pointer or by keys.

import { span, t } from "../i18n.js";
import { choice, count, h, rate, svg, unix, when } from "./parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {(number | null)[]} Values One for each step; null where nothing was sampled. */
/** @typedef {"listeners" | "kbitIn" | "kbitOut" | "lagMax"} Name */
/** @typedef {{ from: string, step: number } & Record<Name, Values>} Figures */

const height = 72;

/** @param {number} seconds */
const lag = seconds => t("admin.seconds", { seconds: Math.round(seconds * 10) / 10 });
/** @type {[Name, (value: number) => string][]} */
const kinds = [["listeners", count], ["kbitOut", rate], ["kbitIn", rate], ["lagMax", lag]];

/** One curve. */
class Chart {
  #shown;
  #title;
  #line = svg("path", { class: "line" });
  #area = svg("path", { class: "area" });
  #cursor = svg("line", { class: "cursor", y1: 0, y2: height, visibility: "hidden" });
  #figure = svg("svg", { class: "curve", role: "img", tabindex: 0, preserveAspectRatio: "none" },
    this.#area, this.#line, this.#cursor);
  #value = h("span", { class: "value" });
  #spoken = h("span", { class: "spoken", role: "status" });
  #top = h("span", { "aria-hidden": "true" });
  #from = h("span");
  /** @type {Values} */
  #values = [];
  #begin = 0;
  #step = 10;
  #at = -1;
  element;

  /**
   * @param {Name} name
   * @param {(value: number) => string} shown
   */
  constructor(name, shown) {
    this.#shown = shown;
    this.#title = t(`admin.chart.${name}`);
    this.element = h("figure", { class: "charted" }, h("figcaption", {}, h("span", {}, this.#title), this.#value),
      h("p", { class: "axis" }, this.#top), this.#figure,
      h("p", { class: "axis", "aria-hidden": "true" }, this.#from, h("span", {}, t("admin.now"))), this.#spoken);
    this.#figure.addEventListener("pointermove", event => {
      const box = this.#figure.getBoundingClientRect();
      this.#point(Math.floor(((event.clientX - box.left) / box.width) * this.#values.length));
    });
    for (const end of ["pointerleave", "blur"]) this.#figure.addEventListener(end, () => this.#point(-1));
    this.#figure.addEventListener("keydown", event => this.#press(event));
  }

  /**
   * @param {Values} values
   * @param {number} begin Unix seconds
   * @param {number} step Seconds
   */
  update(values, begin, step) {
    // Who looks at a moment goes on looking at it.
    if (this.#at >= 0) this.#at = step === this.#step ? this.#at - Math.round((begin - this.#begin) / step) : -1;
    [this.#values, this.#begin, this.#step] = [values, begin, step];
    const known = /** @type {number[]} */ (values.filter(value => value !== null));
    const top = Math.max(1, ...known) * 1.05;
    this.#figure.setAttribute("viewBox", `0 0 ${Math.max(1, values.length)} ${height}`);
    let [line, area, from] = ["", "", -1];
    const end = () => {
      if (from >= 0) area += `V${height}H${from}Z`;
      from = -1;
    };
    values.forEach((value, x) => {
      if (value === null) return end();
      const y = (height - 1 - (value / top) * (height - 3)).toFixed(1);
      line += from < 0 ? `M${x} ${y}h1` : `L${x + 1} ${y}`;
      area += from < 0 ? `M${x} ${height}V${y}h1` : `L${x + 1} ${y}`;
      if (from < 0) from = x;
    });
    end();
    this.#line.setAttribute("d", line);
    this.#area.setAttribute("d", area);
    this.#top.textContent = known.length ? this.#shown(Math.max(...known)) : "";
    this.#from.textContent = when(begin, false);
    const last = values[values.length - 1] ?? null;
    this.#figure.setAttribute("aria-label", `${this.#title}: ${known.length ? t("admin.spark.words", {
      length: span(values.length * step), least: this.#shown(Math.min(...known)),
      most: this.#shown(Math.max(...known)), last: last === null ? t("admin.chart.gap") : this.#shown(last),
    }) : t("admin.spark.nothing")}`);
    this.#point(this.#at);
  }

  /** @param {number} at The step that is looked at; -1 for the last one. */
  #point(at) {
    const values = this.#values;
    this.#at = at >= 0 ? Math.min(at, values.length - 1) : -1;
    const x = this.#at + 0.5;
    this.#cursor.setAttribute("visibility", this.#at < 0 ? "hidden" : "visible");
    this.#cursor.setAttribute("x1", String(x));
    this.#cursor.setAttribute("x2", String(x));
    const value = (this.#at < 0 ? values[values.length - 1] : values[this.#at]) ?? null;
    const words = value === null ? t("admin.chart.gap") : this.#shown(value);
    const time = this.#at < 0 ? "" : `${when(this.#begin + this.#at * this.#step, this.#step < 60)} · `;
    this.#value.textContent = values.length ? time + words : "–";
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const last = this.#values.length - 1;
    const here = this.#at < 0 ? last : this.#at;
    const page = Math.max(1, Math.round(last / 12));
    const to = { ArrowLeft: here - 1, ArrowRight: here + 1, PageUp: here - page, PageDown: here + page, Home: 0,
      End: last, Escape: -1 }[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.#point(event.key === "Escape" ? -1 : Math.max(0, Math.min(last, to)));
    this.#spoken.textContent = this.#value.textContent;
  }
}

/** All curves of the relay, or of one of its stations. */
export class Charts {
  #app;
  #path;
  #askedAt = 0;
  #turn = 0;
  #charts = kinds.map(([name, shown]) => ({ name, chart: new Chart(name, shown) }));
  #length = choice([["10", t("admin.chart.hour")], ["60", t("admin.chart.day")]],
    { "aria-label": t("admin.chart.length"), onchange: () => this.update(true) });
  element = h("section", { class: "charts", hidden: true },
    h("div", { class: "head" }, h("h2", {}, t("admin.chart.title")), this.#length),
    h("div", { class: "curves" }, ...this.#charts.map(({ chart }) => chart.element)));

  /**
   * @param {App} app
   * @param {string} path Below /api/v1/
   */
  constructor(app, path) {
    this.#app = app;
    this.#path = path;
  }

  /** Asks for new figures when there may be some. */
  async update(isAsked = false) {
    const step = Number(this.#length.value);
    if (document.hidden || (!isAsked && Date.now() - this.#askedAt < step * 1000)) return;
    this.#askedAt = Date.now();
    const turn = ++this.#turn;
    try {
      const answer = await this.#app.client.maybe("figures", `${this.#path}?step=${step}`);
      const figures = /** @type {Figures | null} */ (answer);
      if (turn !== this.#turn || !figures) return;
      this.element.hidden = false;
      const begin = unix(figures.from);
      for (const { name, chart } of this.#charts) chart.update(figures[name], begin, figures.step);
    } catch {
      // The curves stay as they were; the bar above says that the relay does not answer.
    }
  }
}
