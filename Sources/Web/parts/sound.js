// A picture of the sound that is heard: bars, a wave or a level meter. It is drawn only while it is seen and plays.

import { watchLook } from "./colour.js";
import { Columns, bands, perSecond } from "./columns.js";
import { button, el, keep, kept, setText } from "./dom.js";
import { addPhrases, t } from "./i18n.js";
import { addStyles } from "./styles.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {"bars" | "wave" | "meter" | "off"} Mode */

export const ready = addPhrases("keys/");

/** @type {Mode[]} */
const modes = ["bars", "wave", "meter", "off"];
/** The meter: 0…1 is −60…0 dB. From here on it is yellow, and red. */
const yellowFrom = 0.6, redFrom = 0.85;
/** A bar falls by 20 dB a second; a peak stays for so many seconds. */
const fallPerSecond = 20 / 60, holdSeconds = 1.5;
const barCount = 2 * bands, waveSeconds = 5;
/** Milliseconds between two pictures where motion is unwelcome. */
const calmEvery = 500;

addStyles(`
.wave {
  display: block; position: relative; width: 100%; margin-top: 16px; padding: 0; border: 0; border-radius: 8px;
  background: none; color: var(--muted); cursor: pointer;
}
.wave-canvas { display: block; width: 100%; height: 56px; }
.wave-figures {
  position: absolute; inset-block-end: 0; inset-inline-end: 0; font-size: 0.75rem; font-variant-numeric: tabular-nums;
}
.wave[data-mode="meter"] .wave-canvas { height: 36px; margin-bottom: 20px; }
.wave[data-mode="off"] { min-height: 44px; }
.wave[data-mode="off"] .wave-canvas { display: none; }
.wave[data-mode="off"] .wave-figures { position: static; }
`);
/** Seconds behind live within which events tell the sound. */
const nearSeconds = 40;

/**
 * @param {App} app
 * @param {HTMLElement} place
 * @returns {import("./app.js").Part}
 */
export function startSound(app, place) {
  let columns = new Columns(app.station.id);
  const canvas = el("canvas", { class: "wave-canvas", "aria-hidden": "true" });
  const figures = el("span", { class: "wave-figures" });
  const toggle = button("wave", t("player.key-wave"), () => next(), { class: "wave" });
  toggle.replaceChildren(canvas, figures);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const bars = new Float32Array(barCount), meters = new Float32Array(2), holds = new Float32Array(2);
  const heldUntil = new Float32Array(2), levels = new Float32Array(2);
  /** What was drawn last: media seconds, dB left and right, the loudest band, pictures so far. */
  const drawn = Object.assign(canvas, { drawn: new Float64Array(5) }).drawn;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let mode = /** @type {Mode} */ (kept("wave") ?? "bars");
  if (!modes.includes(mode)) mode = "bars";
  let frame = 0, before = 0, said = 0, isWatching = false;
  const colours = { bar: "", good: "", warn: "", bad: "", muted: "" };

  function next() {
    mode = modes[(modes.indexOf(mode) + 1) % modes.length] ?? "bars";
    keep("wave", mode === "bars" ? null : mode);
    show();
    look();
  }

  function show() {
    toggle.dataset.mode = mode;
    setText(figures, mode === "off" ? t("player.wave-off") : "");
  }

  function isWanted() {
    return mode !== "off" && columns.canBe && !document.hidden && app.engine.state === "playing";
  }

  /** Fetches what is needed, and begins or ends to draw. */
  function look() {
    const station = app.standIn?.id ?? app.station.id;
    if (station !== columns.station) columns = new Columns(station);
    place.hidden = !columns.canBe;
    const isOn = isWanted(), media = isOn ? heardMedia() : null;
    const live = app.standIn?.live ?? (app.timeline.isEmpty ? 0 : app.timeline.live().media);
    // Events tell of the page's own station.
    const isNear = media !== null && !app.standIn && live - media < nearSeconds;
    if (isNear !== isWatching) {
      isWatching = isNear;
      if (isNear) app.news.besides.set("sound", (text) => columns.take(text));
      else app.news.besides.delete("sound");
      app.news.reopen();
    }
    if (media !== null && live > 0) columns.fetchAround(media, live);
    if (isOn && !frame) {
      readColours();
      before = performance.now();
      frame = calm.matches ? 1 : requestAnimationFrame(draw);
    } else if (!isOn && frame) {
      cancelAnimationFrame(frame);
      frame = 0;
      context.clearRect(0, 0, canvas.width, canvas.height);
    }
    if (isOn) say();
  }

  function heardMedia() {
    return app.standIn ? app.standIn.media : app.engine.heardMedia();
  }

  function readColours() {
    const style = getComputedStyle(toggle);
    colours.bar = style.getPropertyValue("--accent");
    colours.good = style.getPropertyValue("--good");
    colours.warn = style.getPropertyValue("--wait");
    colours.bad = style.getPropertyValue("--bad");
    colours.muted = style.getPropertyValue("--line");
  }

  /** @param {number} now */
  function draw(now) {
    frame = requestAnimationFrame(draw);
    paint(now);
  }

  /** @param {number} now */
  function paint(now) {
    const passed = Math.min(0.25, Math.max(0, (now - before) / 1000));
    before = now;
    const media = heardMedia() ?? -1, at = columns.find(media);
    const ratio = devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    context.clearRect(0, 0, width, height);
    follow(at, passed, now / 1000);
    drawn[0] = media;
    drawn[4] += 1;
    if (mode === "bars") paintBars(width, height);
    else if (mode === "wave") paintWave(width, height, media);
    else paintMeter(width, height);
  }

  /**
   * Lets bars rise to what is heard, or fall.
   * @param {number} at
   * @param {number} passed seconds
   * @param {number} now seconds
   */
  function follow(at, passed, now) {
    const { bytes } = columns, fall = fallPerSecond * passed;
    // All of the way in 50 ms.
    const rise = Math.min(1, passed / 0.05);
    let loudest = -1, most = 0;
    for (let k = 0; k < barCount; k += 1) {
      let level = 0;
      if (at >= 0) {
        const low = bytes[at + 4 + (k >> 1)] ?? 0, high = bytes[at + 4 + Math.min(bands - 1, (k + 1) >> 1)] ?? 0;
        level = display(k % 2 ? (low + high) / 2 : low);
        if (k % 2 === 0 && low > most) [loudest, most] = [k >> 1, low];
      }
      const old = bars[k] ?? 0;
      bars[k] = level > old ? old + (level - old) * rise : Math.max(level, old - fall);
    }
    for (let k = 0; k < 2; k += 1) {
      const rms = at < 0 ? 0 : bytes[at + 2 * k] ?? 0, peak = at < 0 ? 0 : bytes[at + 2 * k + 1] ?? 0;
      const level = display(rms), old = meters[k] ?? 0;
      levels[k] = rms ? decibels(rms) : -Infinity;
      meters[k] = level > old ? old + (level - old) * rise : Math.max(level, old - fall);
      const top = display(peak);
      if (top >= (holds[k] ?? 0) || now > (heldUntil[k] ?? 0)) [holds[k], heldUntil[k]] = [top, now + holdSeconds];
      drawn[1 + k] = levels[k] ?? -Infinity;
    }
    drawn[3] = loudest;
  }

  /**
   * @param {number} width
   * @param {number} height
   */
  function paintBars(width, height) {
    const step = width / barCount, wide = Math.max(1, step * 0.62);
    context.fillStyle = colours.bar;
    context.beginPath();
    for (let k = 0; k < barCount; k += 1) {
      const high = Math.max(height * 0.03, (bars[k] ?? 0) * height);
      context.rect(k * step, height - high, wide, high);
    }
    context.fill();
  }

  /**
   * The last seconds up to what is heard, mirrored.
   * @param {number} width
   * @param {number} height
   * @param {number} media
   */
  function paintWave(width, height, media) {
    const { bytes } = columns, count = waveSeconds * perSecond, step = width / count, middle = height / 2;
    // Columns move by less than their width from picture to picture.
    const newest = Math.floor(media * perSecond), shift = (media * perSecond - newest) * step;
    context.fillStyle = colours.bar;
    context.beginPath();
    for (let k = 0; k <= count; k += 1) {
      const at = columns.find((newest - count + k + 0.5) / perSecond);
      const level = at < 0 ? 0 : display(Math.max(bytes[at + 1] ?? 0, bytes[at + 3] ?? 0));
      const high = Math.max(1, level * level * middle);
      context.rect(k * step - shift, middle - high, Math.max(1, step * 0.7), 2 * high);
    }
    context.fill();
  }

  /**
   * @param {number} width
   * @param {number} height
   */
  function paintMeter(width, height) {
    const high = height * 0.34, gap = height * 0.12;
    for (let k = 0; k < 2; k += 1) {
      const y = gap + k * (high + gap), level = meters[k] ?? 0;
      context.fillStyle = colours.muted;
      context.fillRect(0, y, width, high);
      part(0, Math.min(level, yellowFrom), colours.good, y);
      part(yellowFrom, Math.min(level, redFrom), colours.warn, y);
      part(redFrom, level, colours.bad, y);
      const hold = holds[k] ?? 0;
      if (hold > 0) {
        context.fillStyle = hold < yellowFrom ? colours.good : hold < redFrom ? colours.warn : colours.bad;
        context.fillRect(Math.min(width - 2, hold * width), y, 2, high);
      }
    }

    /**
     * @param {number} from
     * @param {number} to
     * @param {string} colour
     * @param {number} y
     */
    function part(from, to, colour, y) {
      if (to <= from) return;
      context.fillStyle = colour;
      context.fillRect(from * width, y, (to - from) * width, high);
    }
  }

  /** The meter's figures, once a second. */
  function say() {
    const now = performance.now();
    if (calm.matches && now - before >= calmEvery) paint(now);
    if (mode !== "meter" || now - said < 1_000) return;
    said = now;
    const text = (/** @type {number | undefined} */ level) =>
      level === undefined || level === -Infinity ? "−∞ dB" : `${level.toFixed(1).replace("-", "−")} dB`;
    setText(figures, `${text(levels[0])}  ${text(levels[1])}`);
  }

  place.append(toggle);
  show();
  const { signal } = app;
  document.addEventListener("visibilitychange", look, { signal });
  watchLook(readColours, signal);
  calm.addEventListener("change", () => {
    cancelAnimationFrame(frame);
    frame = 0;
    look();
  }, { signal });
  signal.addEventListener("abort", () => {
    cancelAnimationFrame(frame);
    app.news.besides.delete("sound");
  });
  look();
  return { update: look, keys: { v: next } };
}

/**
 * dB of a byte, as the relay writes levels.
 * @param {number} byte
 */
function decibels(byte) {
  return byte * 0.375 - 96;
}

/**
 * −60…0 dB as 0…1.
 * @param {number} byte
 */
function display(byte) {
  return byte ? Math.min(1, Math.max(0, (decibels(byte) + 60) / 60)) : 0;
}
