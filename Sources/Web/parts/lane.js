// The shows of a stretch, by name: a lane at the foot of the strip.

import { fitted, laneHeight, xOf } from "./strip.js";

/** Pixels: what is narrower has no block; and between the lane and what stands over it. */
const blockLeast = 2, above = 3, between = 2, radius = 5, padding = 6;
/** Of the ground of what is heard, and of the others. */
const heardAlpha = 0.3, restAlpha = 0.12;

/**
 * @param {HTMLCanvasElement} canvas
 * @param {import("./strip.js").Axis} axis
 * @param {import("./airings.js").Airings} airings
 * @param {{ oldest: number, live: number, heard: number, colours: import("./strip.js").Colours }} what
 */
export function paintLane(canvas, axis, airings, { oldest, live, heard, colours }) {
  const context = canvas.getContext("2d");
  if (!context) return;
  const bottom = canvas.clientHeight, top = bottom - laneHeight + above, high = laneHeight - above;
  const current = airings.at(heard);
  context.textBaseline = "middle";
  for (const { airing, from, to } of airings.within(Math.max(oldest, axis.from), Math.min(live, axis.to))) {
    const left = xOf(axis, from), right = xOf(axis, to) - (to < live ? between : 0);
    if (right - left < blockLeast) continue;
    const isHeard = airing === current;
    // A show inside of another stands over it.
    context.clearRect(left, top, right - left, high);
    context.globalAlpha = isHeard ? heardAlpha : restAlpha;
    context.fillStyle = isHeard ? colours.accent : colours.muted;
    context.beginPath();
    const shapes = /** @type {any} */ (context);
    if (shapes.roundRect) shapes.roundRect(left, top, right - left, high, Math.min(radius, (right - left) / 2));
    else context.rect(left, top, right - left, high);
    context.fill();
    context.globalAlpha = 1;
    context.fillStyle = isHeard ? colours.text : colours.muted;
    context.fillText(fitted(context, airing.show.name, right - left - 2 * padding), left + padding, top + high / 2 + 1);
  }
}
