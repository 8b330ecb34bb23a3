// The page's colour, from the artwork; and a picture for a station that has none.
//
// The artwork gives a hue and how colourful the page may be. Lightness is ours, so that text stays readable; contrast
// is computed, not hoped for.

/** @typedef {[number, number, number]} Triple Oklab's L, a, b, or linear red, green, blue. */
/** @typedef {{ hue: number, chroma: number }} Colour */

/** @type {Map<string, Colour | null>} By address of the picture; null: it is grey. */
const known = new Map();
const side = 32;
const clusters = 5;
const rounds = 8;
/** Below this chroma a colour is grey to the eye; of dark ones, which screens show with less, below half of it. */
const greyChroma = 0.035;

/** @param {number} byte */
const linear = (byte) => byte <= 10 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4;

/**
 * Björn Ottosson’s Oklab of 2020, as CSS Color 4 has it.
 * @param {number} red 0…255
 * @param {number} green 0…255
 * @param {number} blue 0…255
 * @returns {Triple}
 */
export function oklab(red, green, blue) {
  const r = linear(red), g = linear(green), b = linear(blue);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/**
 * Returns WCAG's relative luminance of an `oklch()` colour, clipped to what a screen shows.
 * @param {number} lightness
 * @param {number} chroma
 * @param {number} hue in degrees
 */
export function luminance(lightness, chroma, hue) {
  const a = chroma * Math.cos(hue * Math.PI / 180), b = chroma * Math.sin(hue * Math.PI / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clip = (/** @type {number} */ value) => Math.min(1, Math.max(0, value));
  return 0.2126 * clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)
    + 0.7152 * clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)
    + 0.0722 * clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
}

/**
 * @param {number} one a relative luminance
 * @param {number} other
 */
export const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);

/**
 * Returns the colour of RGBA pixels that a person would name, or null where all is grey.
 * @param {Uint8ClampedArray} pixels
 * @returns {Colour | null}
 */
export function dominant(pixels) {
  /** @type {Triple[]} */
  const points = [];
  for (let at = 0; at < pixels.length; at += 4) {
    if (pixels[at + 3] > 127) points.push(oklab(pixels[at], pixels[at + 1], pixels[at + 2]));
  }
  if (points.length === 0) return null;
  const means = kMeans(points);
  let best = null, bestScore = 0;
  for (const { mean: [lightness, a, b], share } of means) {
    const chroma = Math.hypot(a, b);
    if (chroma < greyChroma * Math.min(1, Math.max(0.5, 2 * lightness)) || share * chroma <= bestScore) continue;
    bestScore = share * chroma;
    best = { hue: (Math.atan2(b, a) * 180 / Math.PI + 360) % 360, chroma };
  }
  return best;
}

/** @param {Triple[]} points */
function kMeans(points) {
  let means = Array.from({ length: clusters }, (_, index) =>
    points[Math.floor((index + 0.5) * points.length / clusters)]);
  let shares = new Array(clusters).fill(0);
  for (let round = 0; round < rounds; round += 1) {
    const sums = means.map(() => [0, 0, 0, 0]);
    for (const [l, a, b] of points) {
      let nearest = 0, nearestDistance = Infinity;
      means.forEach((mean, index) => {
        const distance = (l - mean[0]) ** 2 + (a - mean[1]) ** 2 + (b - mean[2]) ** 2;
        if (distance < nearestDistance) [nearest, nearestDistance] = [index, distance];
      });
      const sum = sums[nearest];
      sum[0] += l;
      sum[1] += a;
      sum[2] += b;
      sum[3] += 1;
    }
    means = sums.map(([l, a, b, n], index) => n ? /** @type {Triple} */ ([l / n, a / n, b / n]) : means[index]);
    shares = sums.map((sum) => sum[3] / points.length);
  }
  return means.map((mean, index) => ({ mean, share: shares[index] }));
}

/**
 * Returns the custom properties of base.css for a colour: tints of the ground, and an accent that can be read on it.
 * @param {Colour} colour
 * @returns {Record<string, number>}
 */
export function palette({ hue, chroma }) {
  const accentChroma = Math.min(0.15, Math.max(0.07, chroma));
  const tintDark = Math.min(0.05, chroma * 0.4), tintLight = Math.min(0.03, chroma * 0.25);
  // The lightest dark ground and the darkest light one: .glow and the surface of base.css.
  const dark = luminance(0.29, tintDark * 1.6, hue), light = luminance(0.93, tintLight, hue);
  let accentDark = 0.78, accentLight = 0.5;
  while (contrast(luminance(accentDark, accentChroma, hue), dark) < 4.5 && accentDark < 0.94) accentDark += 0.02;
  while (contrast(luminance(accentLight, accentChroma, hue), light) < 4.5 && accentLight > 0.3) accentLight -= 0.02;
  return {
    "--hue": hue, "--tint-dark": tintDark, "--tint-light": tintLight, "--accent-chroma": accentChroma,
    "--accent-dark": accentDark, "--accent-light": accentLight,
  };
}

const properties = Object.keys(palette({ hue: 0, chroma: 0 }));

/**
 * Colours the page after a picture of this server; a grey one gives the house's colour back.
 * @param {HTMLImageElement} image
 */
export async function colourAfter(image) {
  const address = image.currentSrc || image.src;
  if (!known.has(address)) {
    try {
      await image.decode();
      known.set(address, read(image));
    } catch {
      return;
    }
  }
  const colour = known.get(address);
  const root = document.documentElement.style;
  if (!colour) properties.forEach((name) => root.removeProperty(name));
  else for (const [name, value] of Object.entries(palette(colour))) root.setProperty(name, value.toFixed(4));
  document.dispatchEvent(new Event("look"));
}

/**
 * Calls back when the page's colours change, at once and again when their crossfade of 600 ms is over: for canvases.
 * @param {() => void} listener
 * @param {AbortSignal} signal
 */
export function watchLook(listener, signal) {
  const follow = () => {
    listener();
    setTimeout(listener, 650);
  };
  document.addEventListener("look", follow, { signal });
  for (const wish of ["(prefers-color-scheme: light)", "(forced-colors: active)"]) {
    matchMedia(wish).addEventListener("change", follow, { signal });
  }
}

/** @param {HTMLImageElement} image */
function read(image) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return null;
  context.drawImage(image, 0, 0, side, side);
  return dominant(context.getImageData(0, 0, side, side).data);
}

/**
 * Returns a station's own two hues, always the same for an id (FNV-1a).
 * @param {string} id
 */
export function huesOf(id) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193) >>> 0;
  const hue = hash % 360;
  const far = (hue + 300 + (hash >>> 9) % 40) % 360;
  // Dark yellow is mud.
  return [hue, far > 55 && far < 135 ? far + 90 : far];
}

/**
 * Colours the page after a station that has no artwork, where the house has no colour of its own.
 * @param {string} id
 */
export function colourOf(id) {
  const root = document.documentElement;
  if (getComputedStyle(root).getPropertyValue("--house")) return;
  root.style.setProperty("--hue", String(huesOf(id)[0]));
  document.dispatchEvent(new Event("look"));
}

/**
 * Gives a made picture its hues.
 * @param {HTMLElement} picture `.art-made`
 * @param {string} id
 */
export function paint(picture, id) {
  const [hue, far] = huesOf(id);
  picture.style.setProperty("--made", String(hue));
  picture.style.setProperty("--made-far", String(far));
}

/**
 * Returns the address of a title's picture, which stays what it is, else of the station's; empty where there is none.
 * @param {{ id: string, artwork?: string | null }} station
 * @param {{ artwork?: string | null, position?: number | null } | null | undefined} title
 */
export function pictureOf(station, title) {
  if (!title?.artwork && !station.artwork) return "";
  // From this server: pages over https must not load pictures over http.
  const path = `/api/v1/stations/${encodeURIComponent(station.id)}/artwork`;
  return title?.artwork && typeof title.position === "number" ? `${path}?position=${title.position}` : path;
}

/**
 * Puts a made picture where a station's artwork is, and returns it.
 * @param {Element} frame `.art`
 * @param {string} id
 * @param {string} name
 */
export function makePicture(frame, id, name) {
  wanted.delete(frame);
  const picture = document.createElement("span");
  picture.className = "art-made";
  picture.setAttribute("aria-hidden", "true");
  picture.textContent = [...name.trim()][0]?.toUpperCase() ?? "";
  paint(picture, id);
  frame.replaceChildren(picture);
  return picture;
}

/**
 * The address of the picture that a frame waits for.
 * @type {WeakMap<Element, string>}
 */
const wanted = new WeakMap();
/** Milliseconds before each try: the relay answers 503 at once while it fetches a picture. */
const tries = [0, 4_000, 15_000, 60_000];

/**
 * Shows a picture of this server as soon as it can be had, and a made one until then.
 * @param {Element} frame `.art`
 * @param {string} id
 * @param {string} name
 * @param {string} address
 * @param {{ isLate?: boolean, shown?: (image: HTMLImageElement) => void }} options `isLate`: it has failed once
 */
export async function showPicture(frame, id, name, address, { isLate = false, shown } = {}) {
  if (isLate) makePicture(frame, id, name);
  wanted.set(frame, address);
  for (const wait of isLate ? tries.slice(1) : tries) {
    if (wait) await new Promise(resolve => setTimeout(resolve, wait));
    if (wanted.get(frame) !== address) return;
    const image = new Image(320, 320);
    image.alt = "";
    image.src = address;
    try {
      await image.decode();
    } catch {
      if (wanted.get(frame) !== address) return;
      makePicture(frame, id, name);
      wanted.set(frame, address);
      continue;
    }
    if (wanted.get(frame) !== address) return;
    frame.replaceChildren(image);
    return void shown?.(image);
  }
}

/**
 * Looks after a frame that the relay rendered: hues for a made picture, and one in place of artwork that fails.
 * @param {Element} frame `.art`
 * @param {string} id
 * @param {string} name
 * @param {(image: HTMLImageElement) => void} [shown] called when there is artwork
 */
export function tendPicture(frame, id, name, shown) {
  const image = frame.querySelector("img");
  const made = /** @type {HTMLElement | null} */ (frame.querySelector(".art-made"));
  if (made) paint(made, id);
  if (!image) return;
  const failed = () => void showPicture(frame, id, name, image.src, { isLate: true, shown });
  if (image.complete) return image.naturalWidth === 0 ? failed() : shown?.(image);
  image.addEventListener("error", failed, { once: true });
  image.addEventListener("load", () => shown?.(image), { once: true });
}
