// Lock screens, media keys and watches: they show what is heard, and steer it.

import { addressed } from "./api.js";
import { pictureOf } from "./colour.js";

/** @typedef {import("./timeline.js").Place} Place */
/** @typedef {{ update: () => void }} Shown */

const skipSeconds = 30;
/** The window slides, so its length and the place in it are told again after so many milliseconds. */
const positionEvery = 30_000;
const artworkSizes = ["96x96", "256x256", "512x512"];

/**
 * @param {object} options
 * @param {import("./engine.js").Engine} options.engine
 * @param {import("./timeline.js").Timeline} options.timeline
 * @param {{ id: string, name: string, artwork?: string | null, nowPlaying?: any }} options.station as the API has it
 * @param {(place: Place) => void} options.jump
 * @param {(behind: number | null) => string} [options.words] says how far behind live, in seconds
 * @param {() => { title: string | null, artist: string | null, name: string, picture: string } | null}
 *   [options.standIn] what is heard in the station's place
 * @param {Set<string>} [options.pictures] addresses of artwork that have loaded: the others would only be waited for
 * @param {() => import("./airings.js").Airings | null} [options.shows] the one that is heard is named, not the station
 * @param {AbortSignal} [options.signal] ends it
 * @returns {Shown}
 */
export function connectMediaSession({ engine, timeline, station, jump, words, pictures, standIn, shows, signal }) {
  const session = navigator.mediaSession;
  if (!session || typeof MediaMetadata === "undefined") return { update() {} };
  let shownText = "";
  let positionAt = -positionEvery;

  const update = () => {
    session.playbackState = stateOf(engine.state);
    showTitle();
    if (performance.now() - positionAt >= positionEvery) showPosition();
  };

  const showTitle = () => {
    const heard = engine.heardMedia();
    const other = standIn?.();
    const title = other ?? (heard === null || timeline.isEmpty ? station.nowPlaying : timeline.titleAt(heard));
    const behind = engine.isLive() ? null : engine.behind();
    const air = engine.heardAir(), show = air === null || other ? null : shows?.()?.at(air)?.show.name;
    const album = [show ?? station.name, words?.(behind)].filter(Boolean).join(" · ");
    const data = { title: title?.title || (other ?? station).name, artist: title?.artist ?? "", album };
    const wanted = other ? other.picture : pictureOf(station, title);
    const path = wanted && pictures && !pictures.has(wanted) ? null : wanted;
    const text = JSON.stringify([data, path]);
    if (text === shownText) return;
    shownText = text;
    const artwork = path ? artworkSizes.map((sizes) => ({ src: addressed(path), sizes })) : [];
    session.metadata = new MediaMetadata({ ...data, artwork });
  };

  const showPosition = () => {
    const heard = engine.heardAir();
    if (!session.setPositionState) return;
    positionAt = performance.now();
    if (heard === null || timeline.isEmpty) return void session.setPositionState();
    // A finite length makes the lock screen offer its slider, over the hours of the window.
    const duration = Math.max(1, (timeline.live().air - timeline.oldest.air) / 1000);
    const position = Math.min(duration, Math.max(0, (heard - timeline.oldest.air) / 1000));
    session.setPositionState({ duration, position, playbackRate: 1 });
  };

  const handle = () => {
    for (const [action, work] of handlers(engine, timeline, jump)) {
      try {
        session.setActionHandler(action, work);
      } catch {
        // An action that this browser does not know.
      }
    }
  };

  engine.addEventListener("state", () => {
    // Safari forgets handlers and metadata when another element's sound begins.
    if (engine.state === "playing") {
      shownText = "";
      handle();
    }
    positionAt = -positionEvery;
    update();
  }, { signal });
  engine.addEventListener("place", () => {
    positionAt = -positionEvery;
    update();
  }, { signal });
  // What plays next sets its own.
  signal?.addEventListener("abort", () => {
    for (const [action] of handlers(engine, timeline, jump)) session.setActionHandler(action, null);
  });
  handle();
  return { update };
}

/**
 * @param {import("./engine.js").Engine} engine
 * @param {import("./timeline.js").Timeline} timeline
 * @param {(place: Place) => void} jump
 * @returns {[MediaSessionAction, MediaSessionActionHandler][]}
 */
function handlers(engine, timeline, jump) {
  /** @param {number} seconds */
  const skip = (seconds) => {
    const heard = engine.heardAir();
    if (heard === null || timeline.isEmpty) return;
    const air = Math.max(timeline.oldest.air, heard + seconds * 1000);
    jump(air >= timeline.live().air ? "live" : { air });
  };
  /** @type {[MediaSessionAction, MediaSessionActionHandler][]} */
  const all = [
    ["play", () => engine.resume()],
    ["pause", () => engine.pause()],
    ["stop", () => engine.stop()],
  ];
  if (timeline.isEmpty) return all;
  all.push(
    ["seekto", ({ seekTime }) => {
      if (typeof seekTime !== "number") return;
      const air = timeline.oldest.air + seekTime * 1000;
      jump(air >= timeline.live().air - 1000 ? "live" : { air });
    }],
    ["previoustrack", () => jump("previous-track")],
    ["nexttrack", () => jump("next-track")],
  );
  // There are two places on iPhones: ±30 s would take those of the titles.
  if (!isPhoneOfApple()) {
    all.push(
      ["seekbackward", ({ seekOffset }) => skip(-(seekOffset || skipSeconds))],
      ["seekforward", ({ seekOffset }) => skip(seekOffset || skipSeconds)],
    );
  }
  return all;
}

/**
 * @param {import("./engine.js").State} state
 * @returns {MediaSessionPlaybackState}
 */
function stateOf(state) {
  if (state === "idle" || state === "gone") return "none";
  return state === "paused" || state === "released" ? "paused" : "playing";
}

function isPhoneOfApple() {
  // An iPad says that it is a Mac, but no Mac has a touch screen.
  return /iPhone|iPad|iPod/.test(navigator.userAgent)
    || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
}
