// What the player's page shows once it can play: all of it comes as one file.

import { startArt } from "./art.js";
import { part } from "./dom.js";
import { startHistory } from "./history.js";
import { startWaveform } from "./waveform.js";

/** @param {import("./app.js").App} app */
export function startAfter(app) {
  app.parts.push(startHistory(app, part("history")), startArt(app, part("art")));
  if (!app.timeline.isEmpty) void startWaveform(app);
}
