// A clip: two handles on a stretch of the timeline, to hear, to download, or to link to.

import { addressed } from "./api.js";
import { button, el, icon, setAttribute, setText } from "./dom.js";
import { addPhrases, language, span, spoken, t } from "./i18n.js";
import { copy } from "./share.js";
import { airAt, coloursOf, paint, xOf } from "./strip.js";
import { addStyles } from "./styles.js";

export const ready = addPhrases("panel/");

addStyles(`
.grip { pointer-events: auto; cursor: ew-resize; touch-action: none; background: var(--accent); }
.grip::before { content: ""; position: absolute; inset: 0 -20px; }
.grip::after {
  inset: 50% auto auto 50%; width: 14px; height: 28px; border-radius: 7px; background: var(--accent);
  box-shadow: 0 0 0 3px var(--surface); transform: translate(-50%, -50%);
}
#panel .clip-scrubber { margin-block: 0; }
#panel .clip-times { justify-content: space-between; margin-block: 4px 16px; color: var(--muted); }
.clip-times b { color: var(--text); font-weight: 600; }
`);

/** @typedef {import("./app.js").App} App */
/** @typedef {{ from: number, to: number, isLink?: boolean }} Range milliseconds */

/** Milliseconds. */
const around = 15_000, least = 500, most = 3_600_000, margin = 20_000;
const snapWithin = 6;
const tenths = (/** @type {number} */ value) =>
  value.toLocaleString(language(), { maximumFractionDigits: 1, minimumFractionDigits: 1 });

class Clip {
  #app;
  /** @type {Range} */
  #range;
  #axis = { from: 0, to: 1, width: 1 };
  #canvas = el("canvas", { "aria-hidden": "true" });
  #ends = { from: this.#grip("from"), to: this.#grip("to") };
  #strip = el("div", { class: "track clip-strip" }, this.#canvas, this.#ends.from, this.#ends.to);
  #times = { from: el("b"), to: el("b") };
  #length = el("span");
  #link = el("input", { type: "text", readonly: true, class: "link hidden", tabindex: -1, "aria-hidden": "true" });
  #said = el("p", { class: "hint", role: "status" });
  #audio = el("audio", { preload: "none" });
  #listen = button("play", t("player.clip-listen"), () => this.#toggle(), {
    text: t("player.clip-listen"), class: "primary",
  });
  #size = el("span");
  #download = el("a", { class: "button outlined", download: true }, this.#size);
  #timer = 0;
  #resize = new ResizeObserver(() => this.#show());
  /** @type {"from" | "to" | null} */
  #dragged = null;
  #wasSounding = false;
  #position = 0;

  /**
   * @param {App} app
   * @param {Range} range
   */
  constructor(app, range) {
    this.#app = app;
    this.#range = range;
    this.#lay();
    const linkText = t("player.copy-link");
    const copies = button("copy", linkText, () => this.#copy(), { text: linkText, class: "outlined" });
    this.#download.prepend(icon("download"));
    this.nodes = [
      el("div", { class: "scrubber clip-scrubber" }, this.#strip),
      el("p", { class: "clip-times row" }, this.#times.from, this.#length, this.#times.to),
      el("div", { class: "row" }, this.#listen, this.#download, copies, this.#link), this.#said,
    ];
    for (const type of ["play", "pause", "ended", "emptied"]) {
      this.#audio.addEventListener(type, () => this.#showListen());
    }
    this.#audio.addEventListener("timeupdate", () => this.#paint());
    this.#audio.addEventListener("error", () => this.#audio.getAttribute("src") && this.#say("player.clip-failed"));
    this.#strip.addEventListener("pointerdown", (event) => this.#press(event));
    this.#strip.addEventListener("pointermove", (event) => this.#move(event));
    for (const type of ["pointerup", "pointercancel"]) {
      this.#strip.addEventListener(type, () => this.#letGo());
    }
    this.#resize.observe(this.#strip);
    this.#show();
    this.#ask();
    if (range.isLink) this.#say("player.clip-link-hint");
  }

  close() {
    clearTimeout(this.#timer);
    this.#resize.disconnect();
    this.#quiet();
  }

  /** Ends it at what is heard. */
  here() {
    this.#set("to", this.#app.place() ?? this.#range.to);
  }

  /** @param {string} key */
  #say(key) {
    setText(this.#said, t(key));
  }

  /** @param {"from" | "to"} side */
  #grip(side) {
    return el("div", {
      class: `handle grip ${side}`, role: "slider", tabindex: 0, "aria-label": t(`player.clip-${side}`),
      on: { keydown: (/** @type {KeyboardEvent} */ event) => this.#key(event, side) },
    });
  }

  /** Chooses the stretch that is shown around the clip. */
  #lay() {
    const { from, to } = this.#range;
    const room = Math.max(margin, (to - from) / 3);
    this.#axis.from = Math.max(this.#app.timeline.oldest.air, from - room);
    this.#axis.to = Math.min(this.#app.timeline.live().air, to + room);
  }

  /**
   * @param {"from" | "to"} side
   * @param {number} air
   */
  #set(side, air) {
    const range = this.#range;
    const oldest = this.#app.timeline.oldest.air, live = this.#app.timeline.live().air;
    if (side === "from") range.from = Math.min(range.to - least, Math.max(oldest, range.to - most, air));
    else range.to = Math.max(range.from + least, Math.min(live, range.from + most, air));
    this.#quiet();
    setText(this.#said, "");
    if (!this.#dragged) this.#lay();
    this.#show();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), 400);
  }

  get #address() {
    const [from, to] = [this.#range.from, this.#range.to].map((air) => new Date(air).toISOString());
    const path = `/${this.#app.station.id}/clip`;
    return addressed(`${path}?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`);
  }

  #show() {
    const { from, to } = this.#range, { timeline } = this.#app;
    this.#axis.width = Math.max(1, this.#strip.clientWidth);
    for (const side of /** @type {const} */ (["from", "to"])) {
      const air = this.#range[side], grip = this.#ends[side];
      const tenth = Math.floor(air % 1_000 / 100);
      const clock = `${timeline.clock(air, true)}.${tenth}`;
      grip.style.setProperty("left", `${xOf(this.#axis, air).toFixed(1)}px`);
      setText(this.#times[side], clock);
      setAttribute(grip, "aria-valuemin", Math.round((this.#axis.from - timeline.oldest.air) / 1_000));
      setAttribute(grip, "aria-valuemax", Math.round((this.#axis.to - timeline.oldest.air) / 1_000));
      setAttribute(grip, "aria-valuenow", Math.round((air - timeline.oldest.air) / 1_000));
      const long = t("player.clip-long", { length: spoken((to - from) / 1_000) });
      setAttribute(grip, "aria-valuetext", `${clock}, ${long}`);
    }
    const seconds = (to - from) / 1_000;
    setText(this.#length, seconds < 60 ? `${tenths(seconds)} s` : span(seconds));
    setAttribute(this.#download, "href", this.#address);
    this.#paint();
  }

  #paint() {
    const { timeline, layers } = this.#app;
    if (!this.#strip.isConnected) return;
    const { from, to } = this.#range;
    const isHeard = !this.#audio.paused || this.#audio.currentTime > 0;
    const played = isHeard ? Math.min(to, from + this.#audio.currentTime * 1_000) : to;
    paint(this.#canvas, this.#axis, {
      timeline, layers, heard: isHeard ? played : (from + to) / 2, live: timeline.live().air,
      colours: coloursOf(this.#strip), chosen: [from, to, played],
    });
  }

  /** Asks how large the clip is, and whether it is to be had. */
  async #ask() {
    const address = this.#address;
    setText(this.#size, t("player.download"));
    try {
      const answer = await fetch(address, { method: "HEAD" });
      if (address !== this.#address) return;
      const isGone = answer.status === 404 || answer.status === 410;
      if (!answer.ok) return this.#say(isGone ? "player.clip-gone" : "player.clip-failed");
      const bytes = Number(answer.headers.get("Content-Length"));
      if (bytes) setText(this.#size, `${t("player.download")} · ${tenths(bytes / 1e6)} MB`);
    } catch {
      // Without an answer the button still tries.
    }
  }

  #toggle() {
    if (!this.#audio.paused) return this.#audio.pause();
    if (this.#app.isSounding) {
      this.#wasSounding = true;
      this.#app.engine.pause();
    }
    if (!this.#audio.getAttribute("src")) this.#audio.src = this.#address;
    this.#audio.volume = this.#app.audio.volume;
    this.#audio.play().catch(() => {});
  }

  #showListen() {
    const isOn = !this.#audio.paused && !this.#audio.ended;
    const use = this.#listen.querySelector("use");
    use?.setAttribute("href", (use.getAttribute("href") ?? "").replace(/#.*/, isOn ? "#stop" : "#play"));
    setText(this.#listen.lastElementChild, t(isOn ? "player.clip-stop" : "player.clip-listen"));
    if (this.#audio.ended && this.#audio.currentTime > 0) this.#quiet();
    this.#paint();
  }

  /** Ends the clip's own sound; the radio goes on if it played before. */
  #quiet() {
    if (this.#audio.getAttribute("src")) {
      this.#audio.removeAttribute("src");
      this.#audio.load();
    }
    if (this.#wasSounding && !this.#range.isLink) this.#app.engine.resume();
    this.#wasSounding = false;
  }

  async #copy() {
    const { from, to } = this.#range;
    const path = `/listen/${this.#app.station.id}?clip=${new Date(from).toISOString()}/${new Date(to).toISOString()}`;
    this.#link.value = `${location.origin}${path}`;
    const isCopied = await copy(this.#link.value, this.#link);
    this.#say(isCopied ? "player.copied" : "player.copy-yourself");
    if (!isCopied) this.#link.classList.remove("hidden");
  }

  /** @param {PointerEvent} event */
  #press(event) {
    if (event.button !== 0) return;
    const x = this.#x(event);
    const { from, to } = this.#ends;
    const [left, right] = [this.#range.from, this.#range.to].map((air) => xOf(this.#axis, air));
    this.#dragged = Math.abs(x - left) <= Math.abs(x - right) ? "from" : "to";
    this.#strip.setPointerCapture(event.pointerId);
    event.preventDefault();
    (this.#dragged === "from" ? from : to).focus();
    this.#position = x;
    this.#move(event);
  }

  /** @param {PointerEvent} event */
  #x(event) {
    return event.clientX - this.#strip.getBoundingClientRect().left;
  }

  /** @param {PointerEvent} event */
  #move(event) {
    if (!this.#dragged) return;
    this.#position = Math.min(this.#axis.width, Math.max(0, this.#x(event)));
    let air = airAt(this.#axis, this.#position);
    if (!event.altKey) {
      const near = this.#app.timeline.titles.find((title) =>
        Math.abs(xOf(this.#axis, title.air) - this.#position) <= snapWithin);
      if (near) air = near.air;
    }
    this.#set(this.#dragged, air);
  }

  #letGo() {
    if (!this.#dragged) return;
    this.#dragged = null;
    this.#lay();
    this.#show();
  }

  /**
   * @param {KeyboardEvent} event
   * @param {"from" | "to"} side
   */
  #key(event, side) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.shiftKey ? 10_000 : 1_000;
    /** @type {Record<string, number>} */
    const steps = {
      ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step, PageDown: -30_000, PageUp: 30_000,
      Home: -most, End: most,
    };
    const change = steps[event.key];
    if (change === undefined) return;
    event.preventDefault();
    this.#set(side, this.#range[side] + change);
  }
}

/**
 * @param {App} app
 * @param {Range} [range]
 * @returns {import("./panel.js").Content}
 */
export function open(app, range) {
  const oldest = app.timeline.oldest.air, live = app.timeline.live().air;
  const place = app.place() ?? live;
  const to = Math.min(live, (range?.to ?? place + around));
  const from = Math.max(oldest, range?.from ?? Math.min(place - around, to - 2 * around));
  const isGone = range && (range.to < oldest || range.from > live);
  if (isGone) {
    return {
      label: t("player.clip-title"),
      nodes: [el("p", { class: "hint" }, t("player.clip-left", { clock: app.clock(range.from, true) }))],
    };
  }
  const clip = new Clip(app, { from, to: Math.max(to, from + least), isLink: range?.isLink });
  const keys = { c: () => clip.here() };
  return { label: t("player.clip-title"), nodes: clip.nodes, close: () => clip.close(), keys };
}
