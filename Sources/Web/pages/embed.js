// The small player inside other pages. It may be steered by the page around it, and tells that page what is heard.

import { setAccess } from "./api.js";
import { App } from "./app.js";
import { placeOf } from "./arrive.js";
import { startArt } from "./art.js";
import { makePicture } from "./colour.js";
import { startControls, startVolume } from "./controls.js";
import { el, icon, part, setText } from "./dom.js";
import { ready, t } from "./i18n.js";
import { startKeys } from "./keys.js";
import { startScrubber } from "./scrubber.js";
import { addressTime } from "./timeline.js";
import { startWaveform } from "./waveform.js";

/** The place is told again after so many milliseconds, while it sounds. */
const tellEvery = 5_000;

/**
 * The same moment in the whole page.
 * @param {App} app
 */
function fullPage(app) {
  const address = `/listen/${app.station.id}`;
  const link = el("a", {
    class: "button full", href: address, target: "_blank", rel: "noopener", title: t("player.full"),
    "aria-label": t("player.full"),
  }, icon("open"));
  link.addEventListener("click", () => {
    const place = app.place();
    link.href = place === null || app.isLive ? address : `${address}?at=${addressTime(place)}`;
  });
  return link;
}

/**
 * Answers the page around, and no other.
 * @param {App} app
 */
function startMessages(app) {
  if (parent === window) return;
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.longwave !== 1) return;
    const isSounding = app.isSounding;
    if (data.do === "play" && !isSounding) app.toggle();
    else if (data.do === "pause" && isSounding) app.engine.pause();
    else if (data.do === "live") app.jump("live");
    else if (data.do === "seek" && app.canShift) {
      const air = typeof data.at === "number" ? data.at : Date.parse(String(data.at));
      if (Number.isFinite(air)) app.land(Math.max(app.timeline.oldest.air, air));
    }
  });
  // What is told is public, except where the station has a password.
  const around = document.referrer ? new URL(document.referrer).origin : app.station.auth.length ? null : "*";
  let told = "", at = 0;
  const tell = () => {
    const title = app.title() ?? app.station.nowPlaying;
    const facts = { longwave: 1, state: app.engine.state, title: title?.title ?? null, artist: title?.artist ?? null };
    const key = JSON.stringify([facts, app.isLive]);
    if (around === null || (key === told && !(app.isSounding && performance.now() - at >= tellEvery))) return;
    [told, at] = [key, performance.now()];
    const place = app.place();
    parent.postMessage({
      ...facts, air: place === null ? null : new Date(place).toISOString(), behind: Math.round(app.behind()),
    }, around);
  };
  app.parts.push({ update: tell });
}

async function start() {
  document.documentElement.classList.add("js");
  const state = JSON.parse(part("state").textContent ?? "{}");
  setAccess(state, state.access);
  await ready();
  const audio = /** @type {HTMLAudioElement} */ (part("audio"));
  const app = new App(state, audio, { isSmall: true });
  app.show(new AbortController().signal);
  const wish = placeOf(app, state.place);
  if (wish !== null && Number.isFinite(wish)) app.wanted = Math.max(app.timeline.oldest.air, wish);
  const song = el("div", { class: "song" });
  part("title").before(song);
  song.append(part("title"), part("artist"));
  song.after(fullPage(app));
  const controls = part("controls");
  app.parts.push(startControls(app, controls));
  const volume = startVolume(app);
  app.parts.push(volume);
  controls.insertBefore(volume.element, controls.querySelector(".live"));
  if (!app.timeline.isEmpty) app.parts.push(startScrubber(app, part("scrubber")));
  if (!part("art").firstElementChild) makePicture(part("art"), app.station.id, app.station.name);
  app.parts.push(startArt(app, part("art")));
  // The name of the station stands where a title would, once.
  const name = part("place").previousElementSibling;
  const nameOf = () => part("title").textContent === app.station.name ? "" : app.station.name;
  app.parts.push({ update: () => setText(name, nameOf()) });
  const { zone } = app.timeline;
  if (zone.seconds !== -60 * new Date().getTimezoneOffset()) {
    void import("./zone.js").then(({ zoneNote }) => {
      const note = zoneNote(zone);
      part("place").after(el("span", { class: "zone", title: note }, note));
    });
  }
  startMessages(app);
  startKeys(app);
  app.start();
  if (!app.timeline.isEmpty) void startWaveform(app);
}

start();
