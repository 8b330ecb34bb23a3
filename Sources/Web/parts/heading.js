// What is heard, in words: title and artist, the place in time, the name of the tab; and what a screen reader is told.

import { kept, setText } from "./dom.js";
import { joined, span, t } from "./i18n.js";

/** @typedef {import("./app.js").App} App */

/**
 * @param {App} app
 * @returns {import("./app.js").Part}
 */
export function startHeading(app) {
  let announced = "";

  return {
    update() {
      const { station, standIn } = app;
      const now = standIn ?? (app.timeline.isEmpty ? station.nowPlaying : app.title());
      setText(document.getElementById("title"), now?.title || (standIn ?? station).name);
      setText(document.getElementById("artist"), now?.artist ?? "");
      setText(document.getElementById("place"), placeText(app));
      const line = joined([now?.title, now?.artist]), name = joined([line, station.name], " · ");
      if (document.title !== name) document.title = name;
      if (!line || line === announced || app.preview !== null) return;
      const isNew = announced !== "" && app.engine.state === "playing" && kept("announce") !== "off";
      if (isNew) setText(document.getElementById("announcer"), t("player.now", { line }));
      announced = line;
    },
  };
}

/** Live is what is heard so many seconds later; from here on that is said. */
const saidFrom = 10;

/** @param {App} app */
function placeText(app) {
  const place = app.place(), title = app.title();
  if (place === null || app.aside) return "";
  const isIdle = app.engine.state === "idle" && app.wanted === null && app.preview === null;
  // What was on air last is not on air now.
  if (isIdle) return title && !app.isAway ? t("player.since", { clock: app.timeline.clock(title.air) }) : "";
  const clock = app.clock(place, true);
  const behind = app.behind();
  if (app.isLive && behind < saidFrom) return t("player.at-live", { clock });
  return t("player.at", { clock, behind: span(behind) });
}
