// Draws a station's past with its audience on it, and lets a stretch be chosen by dragging.

import { span, t } from "../i18n.js";
import { count, h, svg, when, zoneSeconds } from "./parts.js";

/** @typedef {import("./past.js").Past} Past */
/** @typedef {import("./crowd.js").Crowd} Crowd */
/** @typedef {{ x: number, end: number, listeners: number, isLive: boolean }} Bar */
/** @typedef {{ from: number, to: number, isRunning: boolean, text: string }} Lane A recording on the axis. */

/** Heights in pixels, from above. */
const rows = { bars: 96, strip: 116, lane: 8, axis: 20 };
/** Steps of the axis in seconds, of which the first is taken that leaves 90 pixels between two labels. */
const steps = [10, 30, 60, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800];

export class Audience {
  #figure = svg("svg", { class: "audience", role: "img" });
  #pointed = h("p", { class: "pointed" });
  #cursor = svg("line", { class: "cursor", y1: 0 });
  #choice = svg("rect", { class: "choice", y: 0 });
  /** @type {Past | null} */
  #past = null;
  /** @type {Crowd | null} */
  #crowd = null;
  /** @type {Bar[]} */
  #bars = [];
  /** @type {Lane[]} */
  #lanes = [];
  #width = 0;
  #chosenFrom = NaN;
  #wait = "";
  /** @type {(from: number, to: number) => void} */
  chosen = () => {};
  element;

  constructor() {
    this.element = h("div", { class: "past" }, this.#figure, this.#pointed);
    new ResizeObserver(([entry]) => {
      this.#width = Math.floor(entry.contentRect.width);
      this.#draw();
    }).observe(this.element);
    this.#figure.addEventListener("pointermove", event => this.#point(event));
    this.#figure.addEventListener("pointerleave", () => this.#point(null));
    this.#figure.addEventListener("pointerdown", event => this.#begin(event));
    this.#figure.addEventListener("pointerup", event => this.#end(event));
    this.#figure.addEventListener("pointercancel", () => this.#forget());
  }

  /**
   * @param {Past} past
   * @param {Crowd | null} crowd
   * @param {Lane[]} lanes
   * @param {string} wait What is said while nobody points at anything.
   */
  update(past, crowd, lanes, wait) {
    this.#past = past;
    this.#crowd = crowd;
    this.#lanes = lanes;
    this.#wait = wait;
    // The axis stands still while somebody chooses a stretch.
    if (Number.isNaN(this.#chosenFrom)) this.#draw();
    if (!this.#cursor.isConnected) this.#pointed.textContent = wait;
  }

  #draw() {
    const past = this.#past;
    const width = this.#width;
    if (!past || width < 40) return;
    const height = rows.strip + 6 + this.#laneCount * rows.lane + rows.axis;
    const isPointed = this.#cursor.isConnected;
    this.#figure.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#figure.setAttribute("height", String(height));
    this.#bars = this.#placed();
    this.#figure.setAttribute("aria-label", this.#inWords());
    const layers = [this.#axis(height), this.#strip(), this.#drawn(), this.#recordings()].flat();
    this.#figure.replaceChildren(hatching(), ...layers, this.#choice, ...(isPointed ? [this.#cursor] : []));
    this.#cursor.setAttribute("y2", String(height - rows.axis));
    this.#choice.setAttribute("height", String(height - rows.axis));
  }

  get #laneCount() {
    return Math.min(4, this.#lanes.length);
  }

  /** @param {number} air */
  #x(air) {
    const past = /** @type {Past} */ (this.#past);
    return Math.max(0, Math.min(1, (air - past.oldest) / past.seconds)) * this.#width;
  }

  /** Returns where each bar stands; that of the live edge stands at the right. */
  #placed() {
    const past = /** @type {Past} */ (this.#past);
    const { seconds, buckets } = this.#crowd ?? { seconds: 1, buckets: [] };
    const reach = past.seconds + seconds;
    return buckets.filter(({ behind }) => behind < reach).map(({ behind, listeners }) => {
      const isLive = behind === 0;
      const end = isLive ? this.#width : this.#x(past.airBehind(behind));
      const x = Math.min(end - 5, this.#x(past.airBehind(behind + seconds)));
      return { x: Math.max(0, x), end: Math.max(5, end), listeners, isLive };
    });
  }

  #drawn() {
    const bars = this.#bars;
    // Most people hear live: their bar would flatten all others, so it is cut and has its figure.
    const others = bars.filter(({ isLive }) => !isLive);
    const most = Math.max(3, ...others.map(({ listeners }) => listeners));
    const tallest = others.find(({ listeners }) => listeners === most);
    const room = rows.bars - 18;
    return bars.flatMap(bar => {
      const { x, end, listeners, isLive } = bar;
      const tall = Math.max(3, Math.min(1, listeners / most) * room);
      const top = rows.bars - tall;
      const box = svg("rect", { class: `count${isLive ? " live" : ""}`, rx: 1.5, x: (x + 1).toFixed(1),
        y: top.toFixed(1), width: Math.max(2, end - x - 2).toFixed(1), height: tall.toFixed(1) });
      // A figure beside that of the live bar would run into it.
      const hasFigure = isLive || (bar === tallest && this.#width - end > 36);
      const middle = (x + end) / 2;
      const anchor = middle > this.#width - 20 ? "end" : middle < 12 ? "start" : "middle";
      const at = anchor === "end" ? end - 2 : anchor === "start" ? x + 1 : middle;
      const text = svg("text", { class: "counted", x: at.toFixed(1), y: (top - 5).toFixed(1), "text-anchor": anchor },
        count(listeners));
      return hasFigure ? [box, text] : [box];
    });
  }

  #strip() {
    const past = /** @type {Past} */ (this.#past);
    const tall = rows.strip - rows.bars;
    /** @type {SVGElement[]} */
    const made = [];
    past.titles.forEach((title, at) => {
      const [x, end] = [this.#x(title.from), this.#x(title.to)];
      if (end - x < 0.5) return;
      made.push(svg("rect", { class: `title${at % 2 ? " odd" : ""}`, x: x.toFixed(1), y: rows.bars,
        width: Math.max(0.5, end - x - 1).toFixed(1), height: tall }));
      // 6.2 px is the width of a letter at 11 px, on average.
      const letters = Math.floor((end - x - 10) / 6.2);
      if (letters < 5) return;
      const text = title.text.length > letters ? `${title.text.slice(0, letters - 1).trimEnd()}…` : title.text;
      made.push(svg("text", { class: "named", x: (x + 5).toFixed(1), y: rows.strip - 6 }, text));
    });
    for (const { from, to } of past.gaps) {
      const [x, end] = [this.#x(from), this.#x(to)];
      const wide = Math.max(2, end - x).toFixed(1);
      made.push(svg("rect", { class: "gap", x: x.toFixed(1), y: rows.bars, width: wide, height: tall }));
    }
    return made;
  }

  #recordings() {
    return this.#lanes.slice(0, 4).map(({ from, to, isRunning, text }, at) => {
      const [x, end] = [this.#x(from), this.#x(to)];
      const place = { x: x.toFixed(1), y: rows.strip + 5 + at * rows.lane, width: Math.max(3, end - x).toFixed(1) };
      const about = { class: `recording${isRunning ? " running" : ""}`, height: rows.lane - 3, rx: 2 };
      return svg("rect", { ...about, ...place }, svg("title", {}, text));
    });
  }

  /** @param {number} height */
  #axis(height) {
    const past = /** @type {Past} */ (this.#past);
    const least = (past.seconds * 90) / this.#width;
    const step = steps.find(seconds => seconds >= least) ?? steps[steps.length - 1];
    // Labels stand at round times of the relay's zone.
    const shift = -zoneSeconds();
    const label = (/** @type {number} */ x, /** @type {string} */ anchor, /** @type {string} */ text) =>
      svg("text", { class: "label", x: x.toFixed(1), y: height - 4, "text-anchor": anchor }, text);
    /** @type {SVGElement[]} */
    const made = [];
    for (let air = Math.ceil((past.oldest - shift) / step) * step + shift; air <= past.live; air += step) {
      const x = this.#x(air);
      made.push(svg("line", { class: "tick", x1: x.toFixed(1), x2: x.toFixed(1), y1: 0, y2: height - rows.axis + 4 }));
      if (x > 18 && x < this.#width - 60) made.push(label(x, "middle", when(air, step < 60).replace(/^.*, /, "")));
    }
    made.push(label(this.#width, "end", t("admin.place.live")),
      svg("line", { class: "ground", x1: 0, x2: this.#width, y1: rows.bars, y2: rows.bars }));
    return made;
  }

  /** What the picture shows, for who does not see it. */
  #inWords() {
    const past = /** @type {Past} */ (this.#past);
    const others = this.#bars.filter(({ isLive }) => !isLive).sort((a, b) => b.listeners - a.listeners);
    const live = this.#bars.find(({ isLive }) => isLive)?.listeners ?? 0;
    const [top] = others;
    const at = top && past.oldest + ((top.x + top.end) / 2 / this.#width) * past.seconds;
    const most = top ? ` ${t("admin.audience.most", { n: top.listeners, time: when(at, false) })}` : "";
    const n = others.reduce((sum, { listeners }) => sum + listeners, live);
    return t("admin.audience.words", { length: span(past.seconds), live, n }) + most;
  }

  /** @param {PointerEvent} event */
  #air(event) {
    const box = this.#figure.getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    const past = /** @type {Past} */ (this.#past);
    return past.oldest + share * past.seconds;
  }

  /** @param {PointerEvent | null} event */
  #point(event) {
    const past = this.#past;
    if (!past || !event) {
      this.#cursor.remove();
      this.#pointed.textContent = this.#wait;
      return;
    }
    const air = this.#air(event);
    const x = this.#x(air).toFixed(1);
    this.#cursor.setAttribute("x1", x);
    this.#cursor.setAttribute("x2", x);
    if (!this.#cursor.isConnected) this.#figure.append(this.#cursor);
    const here = this.#x(air);
    const near = this.#bars.find(({ x, end }) => x <= here && here < end)?.listeners ?? 0;
    const gap = past.gapAt(air);
    const what = gap ? t("admin.audience.gap", { length: span(gap.seconds) }) : past.titleAt(air);
    const parts = [when(air), t("admin.audience.behind", { length: span(past.live - air) }), what,
      near ? t("admin.audience.here", { n: near }) : ""];
    if (!Number.isNaN(this.#chosenFrom)) {
      const [from, to] = [Math.min(this.#chosenFrom, air), Math.max(this.#chosenFrom, air)];
      this.#choice.setAttribute("x", this.#x(from).toFixed(1));
      this.#choice.setAttribute("width", (this.#x(to) - this.#x(from)).toFixed(1));
      parts.splice(0, 2, t("admin.audience.chosen", { from: when(from), to: when(to), length: span(to - from) }));
    }
    this.#pointed.textContent = parts.filter(Boolean).join(" · ");
  }

  /** @param {PointerEvent} event */
  #begin(event) {
    // A finger scrolls the page; it chooses by the form.
    if (event.button !== 0 || event.pointerType === "touch" || !this.#past) return;
    this.#figure.setPointerCapture(event.pointerId);
    this.#chosenFrom = this.#air(event);
  }

  /** @param {PointerEvent} event */
  #end(event) {
    const past = this.#past;
    if (Number.isNaN(this.#chosenFrom) || !past) return;
    const [from, to] = [this.#chosenFrom, this.#air(event)].sort((a, b) => a - b);
    this.#forget();
    // Less than four pixels is a click.
    if (to - from > (past.seconds / this.#width) * 4) this.chosen(from, to);
  }

  #forget() {
    this.#chosenFrom = NaN;
    this.#choice.setAttribute("width", "0");
    this.#draw();
  }
}

/** The pattern of what is missing. */
function hatching() {
  const line = svg("path", { d: "M0 6L6 0", class: "hatch" });
  return svg("defs", {}, svg("pattern", { id: "hatching", width: 6, height: 6, patternUnits: "userSpaceOnUse" }, line));
}
