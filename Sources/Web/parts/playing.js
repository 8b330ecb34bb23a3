// What a player needs once it plays: the system's media controls, other devices, and the picture of the sound.

import { span, t } from "./i18n.js";
import { connectMediaSession } from "./mediasession.js";

/** @type {WeakSet<object>} the players, and the pages that show them, which have it */
const started = new WeakSet();

/** @param {import("./app.js").App} app */
export function startPlaying(app) {
  if ("mediaSession" in navigator && !started.has(app)) {
    started.add(app);
    const { engine, timeline, station, pictures } = app;
    const words = (/** @type {number | null} */ behind) =>
      behind === null ? t("player.live") : t("player.behind", { length: span(behind) });
    app.lasting.push(
      connectMediaSession({
        engine, timeline, station, jump: (place) => app.jump(place), words, pictures, standIn: () => app.standIn,
        shows: () => app.shows, signal: app.life,
      }));
  }
  const row = document.getElementById("actions");
  if (row && app.isShown && ("remote" in app.audio || "webkitShowPlaybackTargetPicker" in app.audio)) {
    import("./cast.js").then(async ({ ready, startCast }) => {
      await ready;
      if (app.isShown && row.isConnected) startCast(app, row);
    }).catch(() => {});
  }
  // Without a page of its own, what it plays has its shows too.
  if (app.hasShows) import("./showline.js").then(({ tellShows }) => tellShows(app)).catch(() => {});
  const place = document.getElementById("sound");
  // The small page inside others has no place for it.
  if (app.isSmall || !app.isShown || !place || app.timeline.isEmpty || started.has(app.signal)) return;
  started.add(app.signal);
  const { signal } = app;
  import("./sound.js").then(async ({ ready, startSound }) => {
    await ready;
    if (!signal.aborted) app.parts.push(startSound(app, place));
  }).catch(() => {});
}
