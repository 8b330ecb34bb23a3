// The window of a station as one slider on the axis of air time: click, drag, keys. Its facts are in text as well.

import { el, setAttribute, setText } from "./dom.js";
import { joined, span, spoken, t } from "./i18n.js";
import { airAt, coloursOf, laneHeight, paint, xOf } from "./strip.js";
import { View } from "./view.js";

/** @typedef {import("./app.js").App} App */

/** Pixels. */
const snapWithin = 6, dragAfter = 4, slowerEach = 64;
/** Milliseconds. */
const paintEvery = 250, wordsEvery = 30_000, wheelRest = 300, jumpLeast = 1_000;
/** A strip that shows less than this at once is as close as the lens, in milliseconds. */
const lensFrom = 900_000;

class Scrubber {
  #app;
  #track;
  #canvas = el("canvas", { "aria-hidden": "true" });
  #handle = el("div", { class: "handle" });
  #clock = el("b");
  #name = el("span", { dir: "auto" });
  #show = el("span", { dir: "auto" });
  #often = el("span", {}, t("player.often"));
  #card = el("div", { class: "card-hover", "aria-hidden": "true", hidden: true },
    this.#clock, this.#name, this.#show, this.#often);
  #view;
  #axis;
  #whole = el("button", { type: "button", class: "button outlined whole", hidden: true }, t("player.whole"));
  /** @type {import("./lens.js").Lens | null} */
  #lens = null;
  #isLensAsked = false;
  /** Keys have the focus: the lens shows what is heard. */
  #isFocused = false;
  /**
   * Fingers on the strip, and how far apart two were.
   * @type {Map<number, number>}
   */
  #fingers = new Map();
  #apart = 0;
  #wheelAt = -Infinity;
  /**
   * @type {{ x: number, startX: number, lastX: number, pointer: number, moved: boolean, muted: boolean,
   *   isFree: boolean } | null}
   */
  #drag = null;
  /**
   * Where the pointer hovers, in pixels.
   * @type {number | null}
   */
  #hover = null;
  #isSnapping = true;
  #painted = "";
  #paintedAt = 0;
  #said = -Infinity;
  #was = { heard: 0, at: 0 };
  #top = 0;

  /**
   * @param {App} app
   * @param {HTMLElement} place
   */
  constructor(app, place) {
    this.#app = app;
    this.#view = new View(app.timeline);
    this.#axis = this.#view.axis;
    this.#track = el("div", {
      class: "track", role: "slider", tabindex: 0, "aria-label": t("player.slider"), "aria-valuemin": 0,
      "aria-disabled": app.canShift ? null : "true",
    }, this.#canvas, this.#handle);
    // Its room is there from the beginning, so that nothing moves when the shows come.
    this.#track.classList.toggle("tall", app.hasShows && !app.isSmall);
    place.append(this.#track, this.#card, this.#whole);
    const { signal } = app;
    new ResizeObserver(() => this.#measure()).observe(this.#track);
    document.addEventListener("look", () => setTimeout(() => this.update(true), 50), { signal });
    if (!app.canShift) return;
    const track = this.#track;
    track.addEventListener("pointerdown", (event) => this.#press(event));
    track.addEventListener("pointermove", (event) => this.#move(event));
    track.addEventListener("pointerup", (event) => this.#release(event));
    track.addEventListener("pointercancel", (event) => {
      this.#fingers.delete(event.pointerId);
      this.#cancel();
    });
    track.addEventListener("pointerleave", () => this.#hoverAt(null));
    track.addEventListener("keydown", (event) => this.#key(event));
    track.addEventListener("focus", () => {
      this.#isFocused = track.matches(":focus-visible");
      this.#say();
      this.#rest();
    });
    track.addEventListener("blur", () => {
      this.#isFocused = false;
      this.#rest();
    });
    track.addEventListener("dblclick", () => this.#reset());
    this.#whole.addEventListener("click", () => this.#reset());
    // A page that is being scrolled goes on when the strip comes under the pointer.
    if (!app.isSmall) addEventListener("wheel", (event) => this.#wheel(event), { passive: false, signal });
  }

  #measure() {
    this.#axis.width = Math.max(1, this.#track.clientWidth);
    this.update(true);
  }

  /** @param {boolean} [now] paints at once */
  update(now = false) {
    const { timeline } = this.#app;
    if (timeline.isEmpty || document.hidden) return;
    const live = timeline.live().air;
    const heard = this.#app.place() ?? live;
    this.#view.update(heard, this.#drag !== null || this.#fingers.size > 0);
    const place = xOf(this.#axis, heard);
    const x = Math.min(this.#axis.width, Math.max(0, place));
    this.#handle.style.setProperty("left", `${x.toFixed(1)}px`);
    this.#handle.hidden = place < -1 || place > this.#axis.width + 1;
    this.#whole.hidden = !this.#view.isZoomed;
    this.#handle.classList.toggle("idle", this.#app.engine.state === "idle");
    const time = performance.now();
    const hasJumped = Math.abs(heard - this.#was.heard) > time - this.#was.at + jumpLeast;
    this.#was = { heard, at: time };
    if (hasJumped || time - this.#said > wordsEvery) this.#say();
    this.#paint(heard, live, x, now);
    if (this.#hover !== null && !this.#drag) this.#showCard(this.#hover);
    else if (this.#isFocused && !this.#drag) this.#showCard(x);
  }

  #reset() {
    if (!this.#view.isZoomed) return;
    const hadFocus = document.activeElement === this.#whole;
    this.#view.reset();
    this.update(true);
    if (hadFocus) this.#track.focus();
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    const isInside = event.target instanceof Node && this.#track.contains(event.target);
    const isFresh = event.timeStamp - this.#wheelAt > wheelRest;
    if (!isInside || (!isFresh && !this.#isWheeling)) {
      this.#wheelAt = event.timeStamp;
      this.#isWheeling = false;
      return;
    }
    this.#wheelAt = event.timeStamp;
    this.#isWheeling = !this.#drag && this.#view.wheel(event, this.#x(event));
    if (!this.#isWheeling) return;
    event.preventDefault();
    this.update(true);
  }
  #isWheeling = false;

  /** Two fingers: what is between them stays between them. */
  #pinch() {
    const [one, other] = [...this.#fingers.values()];
    const apart = Math.max(8, Math.abs(one - other));
    if (this.#apart) this.#view.zoom(apart / this.#apart, (one + other) / 2);
    this.#apart = apart;
    this.update(true);
  }

  /** @type {(heard: number, live: number, x: number, now: boolean) => void} */
  #paint(heard, live, x, now) {
    const { timeline, layers, shows } = this.#app;
    const { from, to, width } = this.#axis;
    // A pixel in milliseconds, in steps, so that a growing window does not change it each time.
    const pixel = 2 ** (Math.round(Math.log2((to - from) / width) * 8) / 8);
    const time = performance.now();
    const colours = coloursOf(this.#track);
    // What cannot be seen to have changed is not painted again.
    const key = [timeline.version, Math.round(x), Math.round(to / pixel), Math.round(from / pixel), pixel, width,
      this.#canvas.clientHeight, devicePixelRatio, this.#app.title()?.media, shows?.version, shows?.at(heard)?.start,
      this.#app.paintLane !== null, ...Object.values(colours)].join(" ");
    if (key === this.#painted || (!now && !this.#drag && time - this.#paintedAt < paintEvery - 20)) return;
    [this.#painted, this.#paintedAt] = [key, time];
    const foot = this.#track.classList.contains("tall") ? laneHeight : 0;
    paint(this.#canvas, this.#axis, { timeline, layers, heard, live: Math.min(live, to), colours, foot });
    const { air: oldest } = timeline.oldest;
    if (foot && shows) this.#app.paintLane?.(this.#canvas, this.#axis, shows, { oldest, live, heard, colours });
  }

  /** Sets the slider's value and words: when the place jumps, else rarely (a screen reader says each change). */
  #say() {
    const { timeline } = this.#app;
    const place = this.#app.place();
    if (place === null) return;
    this.#said = performance.now();
    const oldest = timeline.oldest.air;
    setAttribute(this.#track, "aria-valuemax", Math.round((timeline.live().air - oldest) / 1_000));
    setAttribute(this.#track, "aria-valuenow", Math.max(0, Math.round((place - oldest) / 1_000)));
    const title = this.#app.title();
    const song = title?.title && title.artist ? t("player.song-by", { title: title.title, artist: title.artist })
      : title?.title ?? "";
    const behind = spoken(this.#app.behind());
    const distance = this.#app.isLive ? t("player.live") : t("player.behind-live", { length: behind });
    const show = this.#app.shows?.at(place)?.show.name;
    const words = [this.#app.clock(place, true), distance, song, show].filter(Boolean).join(", ");
    setAttribute(this.#track, "aria-valuetext", words);
  }

  /**
   * Returns the moment under a pixel; near a title's beginning that beginning, near the right end live.
   * @param {number} x
   */
  #airUnder(x) {
    const { timeline } = this.#app;
    const live = timeline.live().air;
    const air = Math.min(live, Math.max(timeline.oldest.air, airAt(this.#axis, x)));
    if (!this.#isSnapping) return air;
    if (xOf(this.#axis, live) - x < snapWithin) return live;
    let nearest = air, distance = snapWithin + 1;
    const shows = (this.#app.shows?.all ?? []).map(({ start, end }) => ({ air: start, endAir: end }));
    for (const title of [...timeline.titles, ...shows]) {
      if (title.air < timeline.oldest.air || title.air > live) continue;
      const begin = xOf(this.#axis, title.air), away = Math.abs(begin - x);
      // Within narrow titles every moment stays to be had.
      const reach = Math.min(snapWithin, (xOf(this.#axis, title.endAir ?? live) - begin) / 4);
      if (away < distance && away <= reach) [nearest, distance] = [title.air, away];
    }
    return nearest;
  }

  /** @param {MouseEvent} event */
  #x(event) {
    const box = this.#track.getBoundingClientRect();
    this.#top = box.top + box.height / 2;
    return Math.min(box.width, Math.max(0, event.clientX - box.left));
  }

  /** @param {PointerEvent} event */
  #press(event) {
    const x = this.#x(event);
    if (event.pointerType === "touch") this.#fingers.set(event.pointerId, x);
    if (this.#fingers.size === 2) {
      this.#apart = 0;
      this.#cancel();
      return this.#pinch();
    }
    if (event.button !== 0 || this.#drag || this.#fingers.size > 1) return;
    this.#isSnapping = !event.altKey;
    this.#track.setPointerCapture(event.pointerId);
    this.#drag = {
      x, startX: x, lastX: event.clientX, pointer: event.pointerId, moved: false, muted: this.#app.audio.muted,
      isFree: false,
    };
    this.#app.preview = this.#airUnder(x);
    this.#track.classList.add("dragging");
    this.#card.classList.toggle("below", event.pointerType === "mouse");
    this.#showCard(x);
    this.#app.update();
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const x = this.#x(event);
    if (this.#fingers.has(event.pointerId)) this.#fingers.set(event.pointerId, x);
    if (this.#fingers.size > 1) return this.#pinch();
    this.#isSnapping = !event.altKey;
    const drag = this.#drag;
    if (!drag) return event.pointerType === "mouse" ? this.#hoverAt(x) : undefined;
    if (event.pointerId !== drag.pointer) return;
    // A finger away from the strip moves it finer; back at the strip it moves it as before, from where it is.
    const away = event.pointerType === "mouse" ? 0 : Math.abs(event.clientY - this.#top);
    const pace = away <= slowerEach ? 1 : away <= 2 * slowerEach ? 0.5 : 0.25;
    const isFree = pace < 1 || drag.isFree;
    drag.isFree = isFree;
    drag.x = isFree ? Math.min(this.#axis.width, Math.max(0, drag.x + (event.clientX - drag.lastX) * pace)) : x;
    drag.lastX = event.clientX;
    if (!drag.moved && Math.abs(drag.x - drag.startX) < dragAfter) return;
    if (!drag.moved) this.#app.audio.muted = true;
    drag.moved = true;
    this.#app.preview = this.#airUnder(drag.x);
    this.#showCard(drag.x);
    this.#app.update();
    this.#say();
  }

  /** @param {PointerEvent} event */
  #release(event) {
    this.#fingers.delete(event.pointerId);
    const drag = this.#drag;
    if (!drag || event.pointerId !== drag.pointer) return;
    const target = this.#airUnder(drag.x);
    this.#end(drag);
    this.#hoverAt(event.pointerType === "mouse" ? this.#x(event) : null);
    this.#app.land(target);
    this.#say();
  }

  #cancel() {
    if (!this.#drag) return;
    this.#end(this.#drag);
    this.#app.preview = null;
    this.#hoverAt(null);
    this.#app.update();
  }

  /** @param {{ moved: boolean, muted: boolean }} drag */
  #end(drag) {
    if (drag.moved) this.#app.audio.muted = drag.muted;
    this.#drag = null;
    this.#track.classList.remove("dragging");
  }

  /** @param {number | null} x */
  #hoverAt(x) {
    if (this.#drag) return;
    this.#hover = x;
    // A finger covers what is below it, a mouse does not.
    this.#card.classList.toggle("below", x !== null);
    if (x === null) this.#rest();
    else this.#showCard(x);
  }

  /** Nothing points anywhere: with keys the card shows what is heard, else it goes. */
  #rest() {
    if (this.#drag || this.#hover !== null) return;
    if (this.#isFocused) this.#showCard(Math.min(this.#axis.width, this.#handle.offsetLeft));
    else this.#card.hidden = true;
  }

  /** The lens comes with its first use. */
  async #showLens(/** @type {number} */ air) {
    const isWanted = this.#axis.to - this.#axis.from > lensFrom;
    this.#card.classList.toggle("wide", isWanted && this.#lens !== null);
    if (this.#lens) {
      if (isWanted) this.#lens.show(air);
      return;
    }
    if (this.#isLensAsked || !isWanted) return;
    this.#isLensAsked = true;
    try {
      const { Lens } = await import("./lens.js");
      this.#lens = new Lens(this.#app);
      this.#card.append(this.#lens.element);
      this.#lens.show(air);
    } catch {
      // The card says it in words.
    }
  }

  /** @param {number} x */
  #showCard(x) {
    if (this.#app.isSmall) return;
    const { timeline } = this.#app;
    const air = this.#airUnder(x), live = timeline.live().air;
    const gap = timeline.gaps.find((each) => air >= each.air && air < each.air + each.seconds * 1_000);
    const behind = (live - air) / 1_000;
    const distance = behind < 1 ? t("player.live") : t("player.behind", { length: span(behind) });
    setText(this.#clock, `${this.#app.clock(air, true)} · ${distance}`);
    const title = timeline.titleAt(timeline.mediaOf(air));
    const line = joined([title?.title, title?.artist]);
    setText(this.#name, gap ? t("player.missing", { length: spoken(gap.seconds) }) : line);
    this.#name.hidden = !this.#name.textContent;
    setText(this.#show, this.#app.shows?.at(air)?.show.name ?? "");
    this.#show.hidden = !this.#show.textContent;
    this.#often.hidden = !this.#app.layers.replayed?.isOften(air);
    this.#card.hidden = false;
    void this.#showLens(air);
    const half = this.#card.offsetWidth / 2;
    const left = Math.min(Math.max(half, this.#axis.width - half), Math.max(half, xOf(this.#axis, air)));
    this.#card.style.setProperty("left", `${Math.round(left)}px`);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && this.#drag) {
      event.preventDefault();
      return this.#cancel();
    }
    if (event.key === "Escape" && (this.#view.isZoomed || !this.#card.hidden)) {
      event.preventDefault();
      this.#isFocused = false;
      this.#hover = null;
      this.#rest();
      return this.#reset();
    }
    if (/^[+=-]$/.test(event.key) && !this.#app.isSmall) {
      event.preventDefault();
      this.#view.key(event.key !== "-");
      return this.update(true);
    }
    const step = event.shiftKey ? 60 : 10;
    const { timeline } = this.#app;
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowLeft: () => this.#app.nudge(-step), ArrowDown: () => this.#app.nudge(-step),
      ArrowRight: () => this.#app.nudge(step), ArrowUp: () => this.#app.nudge(step),
      PageDown: () => this.#app.nudge(-300), PageUp: () => this.#app.nudge(300),
      Home: () => this.#app.jumpSoon(timeline.oldest.air), End: () => this.#app.jumpSoon(timeline.live().air),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    this.#isFocused = true;
    action();
    this.#say();
  }
}

/**
 * @param {App} app
 * @param {HTMLElement} place
 * @returns {import("./app.js").Part}
 */
export function startScrubber(app, place) {
  return new Scrubber(app, place);
}
