// Paints a stretch of air time: titles, gaps, clock labels, live. The time runs left to right in every language.

import { day } from "./i18n.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {{ from: number, to: number, width: number }} Axis air times in milliseconds; width in CSS pixels */
/** @typedef {[from: number, to: number, played: number]} Chosen the bright part ends at `played` */
/**
 * What lies over the titles, where the station tells: how loud it was, and what others went back to.
 * @typedef {object} Layers
 * @property {import("./waveform.js").Waveform | null} waveform
 * @property {import("./replayed.js").Replayed | null} replayed
 */
/** @typedef {{ text: string, muted: string, line: string, accent: string, ground: string }} Colours */

const second = 1_000, minute = 60 * second, hour = 60 * minute;
const steps = [
  second, 5 * second, 15 * second, 30 * second, minute, 5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, 12 * hour,
  24 * hour, 48 * hour, 7 * 24 * hour,
];
/** Pixels. */
const labelRoom = 68, labelHeight = 24, namesHeight = 22, barMost = 40, edge = 0.5, tickLeast = 4, lowBelow = 64;
const labelGap = 6;
/** Narrower titles would cut the bars of a waveform to crumbs. */
const waveLeast = 15;
/** A shortened name says something from so many pixels on, and anything at all from so many. */
const nameGood = 48, nameLeast = 28;
/** Where less than this part of the strip has room for good names, none is shown. */
const namedLeast = 0.75;
/** A name that does not fit is shortened only where some of it can be read. */
const shortenedLeast = 78;
/** Of the shows at a strip's foot. */
export const laneHeight = 24;

/**
 * @param {Axis} axis
 * @param {number} air
 */
export const xOf = (axis, air) => (air - axis.from) / (axis.to - axis.from) * axis.width;

/**
 * @param {Axis} axis
 * @param {number} x
 */
export const airAt = (axis, x) => axis.from + x / axis.width * (axis.to - axis.from);

/**
 * @param {Element} element
 * @returns {Colours}
 */
export function coloursOf(element) {
  const style = getComputedStyle(element);
  const read = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return {
    text: read("--text"), muted: read("--muted"), line: read("--line"), accent: read("--accent"),
    ground: read("--surface"),
  };
}

/**
 * Returns the moments that get a label, from left to right: full ones by the station's clock, also where it changes.
 * @param {Axis} axis
 * @param {{ zoneOffset: (air: number) => number }} timeline
 * @param {number} dayRoom pixels that a day needs, which is wider than a clock
 */
export function labelTimes(axis, timeline, dayRoom = labelRoom) {
  const span = axis.to - axis.from, shift = timeline.zoneOffset(axis.from) * 1_000;
  const dayOf = (/** @type {number} */ air) => Math.floor((air + timeline.zoneOffset(air) * 1_000) / (24 * hour));
  const isOneDay = dayOf(axis.from) === dayOf(axis.to);
  const room = (/** @type {number} */ step) => step < hour || isOneDay ? labelRoom : Math.max(labelRoom, dayRoom);
  const step = steps.find((each) => each / span * axis.width >= room(each)) ?? steps[steps.length - 1];
  const times = [];
  for (let at = Math.ceil((axis.from + shift) / step) * step - shift; at < axis.to; at += step) {
    const time = at + shift - timeline.zoneOffset(at) * 1_000;
    if (time >= axis.from && time < axis.to) times.push(time);
  }
  return { step, times };
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Axis} axis
 * @param {object} what
 * @param {Timeline} what.timeline
 * @param {Layers} what.layers
 * @param {number} what.heard air time up to which the bar is filled
 * @param {number} what.live
 * @param {Colours} what.colours
 * @param {Chosen} [what.chosen] a stretch to fill instead of what was heard
 * @param {number} [what.foot] pixels that stay free at the bottom
 */
export function paint(canvas, axis, { timeline, layers, heard, live, colours, chosen, foot = 0 }) {
  const ratio = devicePixelRatio || 1;
  const width = axis.width, height = canvas.clientHeight - foot;
  const wide = Math.round(width * ratio), high = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, canvas.clientHeight);
  context.font = `13px ${getComputedStyle(canvas).fontFamily}`;
  context.textBaseline = "middle";
  // A low strip has no room for texts.
  const isLow = height < lowBelow;
  const room = isLow ? height - 12 : height - labelHeight - namesHeight;
  const bar = Math.min(barMost, room);
  const top = isLow ? 6 : labelHeight + (room - bar) / 2;
  const band = { top, bar, height };
  if (!isLow) labels(context, axis, timeline, live, colours, band);
  titles(context, axis, [timeline, layers], heard, live, colours, band, chosen);
  gaps(context, axis, timeline, colours, band);
  layers.replayed?.draw(context, axis, band, live, colours);
  const liveX = Math.min(width - 1, Math.max(1, xOf(axis, live)));
  if (axis.to >= live) {
    context.fillStyle = colours.accent;
    context.fillRect(Math.round(liveX) - 1, top - 6, 2, bar + 12);
  }
}

/** @typedef {{ top: number, bar: number, height: number }} Band */
/** @typedef {CanvasRenderingContext2D} Context */
/** @typedef {{ air: number, endAir: number | null, title?: string | null, isJoined?: boolean }} Segment */

/** @type {(c: Context, axis: Axis, timeline: Timeline, live: number, colours: Colours, band: Band) => void} */
function labels(context, axis, timeline, live, colours, { top, bar }) {
  const { zone } = timeline;
  const dayRoom = context.measureText(day(live / 1_000, zone)).width + 2 * labelGap;
  const { step, times } = labelTimes(axis, timeline, dayRoom);
  const middle = labelHeight / 2 + 1;
  let free = 0;
  for (const time of times) {
    const x = Math.round(xOf(axis, time)) + edge;
    const local = time + timeline.zoneOffset(time) * 1_000;
    const isDay = step >= hour && local % (24 * hour) === 0;
    const text = isDay ? day(time / 1_000, zone) : timeline.clock(time, step < minute);
    const wide = context.measureText(text).width;
    // At the right end the label stands on the other side of its line; a line without one says nothing.
    const from = x + labelGap + wide <= axis.width - 4 ? x + labelGap : x - labelGap - wide;
    if (from < free) continue;
    free = Math.max(x, from + wide) + labelGap;
    context.strokeStyle = colours.line;
    context.beginPath();
    context.moveTo(x, 4);
    context.lineTo(x, top + bar);
    context.stroke();
    context.fillStyle = isDay ? colours.text : colours.muted;
    context.fillText(text, from, middle);
  }
}

/**
 * Titles as segments, with their names beneath where there is room for most. What has no title yet is one as well.
 * @type {(c: Context, axis: Axis, known: [timeline: Timeline, layers: Layers], heard: number, live: number,
 *   colours: Colours, band: Band, chosen?: Chosen) => void}
 */
function titles(context, axis, [timeline, { waveform }], heard, live, colours, band, chosen) {
  const { top, bar, height } = band;
  const oldest = timeline.oldest.air;
  const isWave = waveform?.isKnown ?? false;
  const first = timeline.titles[0]?.air ?? live;
  /** @type {Segment[]} */
  const all = first > oldest ? [{ air: oldest, endAir: first }, ...timeline.titles] : timeline.titles;
  const pixel = (axis.to - axis.from) / axis.width;
  // Where most are too narrow all are joined: a few ticks among blocks would mean nothing.
  const tick = isWave ? waveLeast : tickLeast;
  const least = (live - oldest) / all.length < tick * pixel ? 4 * tick : isWave ? waveLeast : 1;
  const segments = merged(all, least * pixel);
  const places = segments.map((segment) => {
    const begin = Math.max(segment.air, oldest, axis.from);
    const end = Math.min(segment.endAir ?? live, live, axis.to);
    return { segment, from: xOf(axis, begin), to: xOf(axis, end) };
  }).filter(({ from, to }) => to > from);
  const isNamed = height >= lowBelow && areNamed(places);
  /** @type {Segment | null} */
  let current = null;
  for (const { segment, from, to } of places) {
    const right = Math.max(from + 0.5, to - Math.min(2, (to - from) / 3));
    const isCurrent = !segment.isJoined && heard >= segment.air && heard < (segment.endAir ?? Infinity);
    if (isCurrent) current = segment;
    if (isWave) fill(context, from, right, isCurrent ? 0.2 : 0.09, colours.muted, top - 4, bar + 8);
    else block(context, axis, [from, right], isCurrent, [heard, chosen], colours, band);
    const colour = isCurrent ? colours.text : colours.muted;
    if (isNamed && to - from > nameLeast) name(context, segment, from, to - from, height, colour);
  }
  context.globalAlpha = 1;
  const room = { top, bar, from: oldest, to: live, cuts: segments.slice(1).map((each) => each.air) };
  waveform?.draw(context, axis, room, inkOf(heard, current, chosen, colours));
}

/**
 * A title without its waveform.
 * @type {(c: Context, axis: Axis, place: [from: number, right: number], isCurrent: boolean,
 *   heard: [air: number, chosen?: Chosen], colours: Colours, band: Band) => void}
 */
function block(context, axis, [from, right], isCurrent, [heard, chosen], colours, { top, bar, height }) {
  const [fillFrom, fillTo, played] = chosen ?? [-Infinity, heard, -Infinity];
  fill(context, from, right, isCurrent ? 0.34 : 0.2, colours.muted, top, bar);
  for (const [end, alpha] of [[fillTo, isCurrent && !chosen ? 1 : 0.5], [played, 1]]) {
    const filledFrom = Math.max(from, xOf(axis, fillFrom)), filledTo = Math.min(right, xOf(axis, end));
    if (filledTo <= filledFrom) continue;
    context.save();
    context.beginPath();
    context.rect(filledFrom, 0, filledTo - filledFrom, height);
    context.clip();
    fill(context, from, right, alpha, colours.accent, top, bar);
    context.restore();
  }
}

/**
 * Returns the colour of each moment's bar: accent where it was heard or chosen, grey elsewhere.
 * @param {number} heard
 * @param {Segment | null} current
 * @param {Chosen | undefined} chosen
 * @param {Colours} colours
 */
function inkOf(heard, current, chosen, { accent, muted, text }) {
  const full = { colour: accent, alpha: 1 }, past = { colour: accent, alpha: 0.66 };
  const ahead = { colour: text, alpha: 0.5 }, rest = { colour: muted, alpha: 0.5 };
  return (/** @type {number} */ air) => {
    if (chosen) return air < chosen[0] || air > chosen[1] ? rest : air <= chosen[2] ? full : past;
    const isCurrent = current !== null && air >= current.air && air < (current.endAir ?? Infinity);
    return air <= heard ? (isCurrent ? full : past) : isCurrent ? ahead : rest;
  };
}

/**
 * Joins titles that are too narrow to be told apart: their ticks would make a pattern that means nothing.
 * @param {Segment[]} segments
 * @param {number} least milliseconds
 */
function merged(segments, least) {
  /** @type {Segment[]} */
  const result = [];
  let isOpen = false;
  for (const segment of segments) {
    const isNarrow = (segment.endAir ?? Infinity) - segment.air < least;
    const last = result[result.length - 1];
    if (isNarrow && isOpen) last.endAir = segment.endAir;
    else result.push(isNarrow ? { air: segment.air, endAir: segment.endAir, isJoined: true } : segment);
    isOpen = isNarrow;
  }
  return result;
}

/** @type {(c: Context, from: number, to: number, alpha: number, colour: string, top: number, bar: number) => void} */
function fill(context, from, to, alpha, colour, top, bar) {
  context.globalAlpha = alpha;
  context.fillStyle = colour;
  const radius = Math.min(5, (to - from) / 2);
  context.beginPath();
  const shapes = /** @type {any} */ (context);
  if (shapes.roundRect) shapes.roundRect(from, top, to - from, bar, radius);
  else context.rect(from, top, to - from, bar);
  context.fill();
  context.globalAlpha = 1;
}

/**
 * Whether titles are named, shortened where they have to be: a few names among many without one would mean nothing.
 * @param {{ segment: Segment, from: number, to: number }[]} places
 */
function areNamed(places) {
  let all = 0, good = 0;
  for (const { segment, from, to } of places) {
    all += to - from;
    if (segment.title && to - from >= nameGood) good += to - from;
  }
  return good >= namedLeast * all;
}

/** @type {(c: Context, segment: any, x: number, room: number, height: number, colour: string) => void} */
function name(context, segment, x, room, height, colour) {
  const text = segment.title ?? "";
  if (!text) return;
  context.fillStyle = colour;
  context.fillText(shortened(context, text, room - 10), x + 2, height - namesHeight / 2);
}

/**
 * Returns a name as it fits; empty where too little of it could be read.
 * @param {CanvasRenderingContext2D} context
 * @param {string} text
 * @param {number} room in pixels
 */
export function fitted(context, text, room) {
  return !text || (room < shortenedLeast && context.measureText(text.slice(0, 60)).width > room) ? ""
    : shortened(context, text, room);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} text
 * @param {number} room in pixels
 */
function shortened(context, text, room) {
  // Strangers' titles may be very long, and measuring is slow.
  let short = text.slice(0, 120);
  if (short === text && context.measureText(text).width <= room) return text;
  let low = 0, high = short.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${short.slice(0, middle).trimEnd()}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  short = short.slice(0, low).trimEnd();
  return low > 1 ? `${short}…` : "";
}

/**
 * Gaps are hatched, in their true width.
 * @type {(c: Context, axis: Axis, t: Timeline, k: Colours, b: Band) => void}
 */
function gaps(context, axis, timeline, colours, { top, bar }) {
  for (const gap of timeline.gaps) {
    const from = xOf(axis, gap.air);
    const width = Math.max(2, xOf(axis, gap.air + gap.seconds * 1_000) - from);
    if (from + width < 0 || from > axis.width) continue;
    context.save();
    context.beginPath();
    context.rect(from, top, width, bar);
    context.clip();
    context.clearRect(from, top, width, bar);
    context.strokeStyle = colours.muted;
    context.beginPath();
    for (let x = from - bar - (from % 6); x < from + width; x += 6) {
      context.moveTo(x, top + bar);
      context.lineTo(x + bar, top);
    }
    context.stroke();
    context.restore();
  }
}
