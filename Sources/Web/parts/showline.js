// The show that is heard, by name, with the way to its beginning; the next one; and the way to what was recorded.

import { Airings } from "./airings.js";
import { addressed, getJSON } from "./api.js";
import { button, el, setAttribute, setText } from "./dom.js";
import { addPhrases, t } from "./i18n.js";
import { paintLane } from "./lane.js";
import { addStyles } from "./styles.js";

/** @typedef {import("./app.js").App} App */

/** Milliseconds between two questions, and at least. */
const askEvery = 600_000, askLeast = 5_000;
/** After no answer. */
const askAgain = 30_000;
/** So near a show's beginning there is no way to it, in milliseconds. */
const nearBegin = 1_000;

const ready = addPhrases("shows/");

addStyles(`
.show-line { display: flex; align-items: center; justify-content: center; gap: 0 12px; min-height: 32px; }
.show-line > :not(span) { flex: none; font-size: 0.8125rem; }
.show-line > span { display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; }
.show-line .button { gap: 4px; min-width: 32px; min-height: 32px; padding-inline: 8px; color: var(--text); }
.show-line .button .icon { width: 18px; height: 18px; }
.show-line a { padding-block: 6px; }
@media (max-width: 599px) {
  .show-line > span { font-size: 0.8125rem; -webkit-line-clamp: 3; }
  .now:has(.show-line) .art { width: min(100%, 25vh); }
  .show-line .button > span {
    position: absolute; width: 1px; height: 1px; padding: 0; overflow: hidden; clip-path: inset(50%);
  }
}
@media (min-width: 900px), (max-height: 480px) and (min-width: 560px) {
  .show-line { justify-content: start; }
}
`);

/**
 * Keeps an app's shows as the relay has them, for as long as it lives.
 * @param {App} app
 */
export function tellShows(app) {
  if (app.shows) return app.shows;
  const shows = app.shows = new Airings();
  shows.learn(app.station);
  const path = `/api/v1/stations/${app.station.id}/shows`;
  let askedAt = -Infinity, askedAir = 0, was = "";
  /** @type {string | null} */
  let etag = null;

  async function ask() {
    const answer = await getJSON(path, { etag, signal: app.life });
    if (answer.status === 0 || answer.status >= 500) askedAt = performance.now() + askAgain - askEvery;
    if (answer.status !== 200 || !answer.json) return;
    etag = answer.etag;
    shows.merge(answer.json);
    app.update();
  }

  app.lasting.push({
    update() {
      const now = performance.now(), live = app.timeline.live().air, { show, nextShow } = app.station;
      if (document.hidden || now - askedAt < askLeast) return;
      const said = [show?.name, show?.start, nextShow?.name, nextShow?.start].join();
      if (said === was && now - askedAt < askEvery && !shows.changes(askedAir, live)) return;
      [askedAt, askedAir, was] = [now, live, said];
      void ask();
    },
  });
  return shows;
}

/**
 * @param {App} app
 * @param {HTMLElement} place
 */
export async function startShows(app, place) {
  const { signal } = app;
  app.paintLane = paintLane;
  const shows = tellShows(app);
  await ready;
  if (signal.aborted) return;
  const words = el("span", { dir: "auto" });
  const begin = button("begin", t("show.begin"), fromBegin, {
    class: "outlined", text: t("show.begin"), title: t("show.begin"),
  });
  const again = el("a", { href: addressed(`/listen/${app.station.id}/shows`) });
  begin.hidden = true;
  place.append(words, begin, again);

  const heard = () => {
    const air = app.place();
    return air === null ? null : shows.at(air);
  };

  /** Where the window begins behind the show's beginning, there is no way to it. */
  function canBegin() {
    const airing = heard();
    return app.canShift && airing !== null && airing.start >= app.timeline.oldest.air;
  }

  function fromBegin() {
    const airing = heard();
    if (airing && canBegin()) app.jump({ air: airing.start });
  }

  app.parts.push({
    update() {
      const air = app.place();
      setText(again, t(shows.hasRecordings ? "show.again" : "show.all"));
      if (air === null) return;
      const airing = heard(), next = app.isLive ? shows.after(air) : null;
      setText(words, [
        airing && t("show.began", { name: airing.show.name, clock: app.clock(airing.start) }),
        next && t("show.next", { name: next.show.name, clock: app.clock(next.start) }),
      ].filter(Boolean).join(" · "));
      begin.hidden = !canBegin();
      setAttribute(begin, "aria-disabled", airing && air - airing.start < nearBegin ? "true" : null);
    },
    keys: { a: fromBegin },
  });
  app.update();
}
