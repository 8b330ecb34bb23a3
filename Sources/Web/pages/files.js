// The page of a station of files: a press plays a file in its place, and the next one of the list follows. What was
// heard last is where the next visit goes on.

import { colourAfter, colourOf, tendPicture } from "./colour.js";
import { keep, kept } from "./dom.js";
import { ready, t } from "./i18n.js";
import { startTools } from "./tools.js";

const skipSeconds = 30;
/** Seconds: so often the place is kept; a file that has hardly begun is begun again. */
const keepEvery = 5, leastKept = 10;

const audio = /** @type {HTMLAudioElement} */ (document.getElementById("file"));
/** @type {HTMLAnchorElement[]} */
const links = [...document.querySelectorAll(/** @type {"a"} */ ("#files .from"))];
/** Number of the file that the element holds: the relay has put in the first one. */
let current = 0;

/** @param {number} index */
const nameOf = (index) => links[index]?.querySelector(".song")?.textContent ?? "";

const stationName = () => document.querySelector(".station .name")?.textContent ?? "";

/** @param {number} index */
function play(index) {
  if (!links[index]) return;
  if (index !== current || audio.error) audio.src = links[index].href;
  current = index;
  audio.play().catch(() => {
    // The element's own events say what became of it.
  });
}

const stationID = () => document.getElementById("main")?.dataset.station ?? "";
const placeKey = () => `file:${stationID()}`;

/** Keeps the place for the next visit. */
function keepPlace() {
  if (!audio.currentTime) return;
  keptAt = audio.currentTime;
  keep(placeKey(), JSON.stringify({ path: new URL(audio.src).pathname, seconds: Math.floor(keptAt) }));
}
let keptAt = 0;

/** @returns {{ path: string, seconds: number } | null} */
function keptFile() {
  try {
    const place = JSON.parse(kept(placeKey()) ?? "null");
    return place?.seconds >= leastKept ? place : null;
  } catch {
    // Another page of this address wrote it.
    return null;
  }
}

/** Puts the file that was heard last into the element, at the place that was heard. */
function goOn() {
  const place = keptFile();
  if (!place) return;
  const addresses = links.length ? links.map((link) => link.href) : [audio.src].filter(Boolean);
  const index = addresses.findIndex((address) => new URL(address).pathname === place.path);
  if (index < 0) return;
  current = index;
  audio.src = `${addresses[index]}#t=${place.seconds}`;
  show();
}

/** Shows which file plays. */
function show() {
  links.forEach((link, index) => {
    if (index === current) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  });
  say("");
  const station = stationName();
  const title = nameOf(current) || station;
  const heading = document.getElementById("title");
  if (heading) heading.textContent = title;
  if (navigator.mediaSession && typeof MediaMetadata !== "undefined") {
    navigator.mediaSession.metadata = new MediaMetadata({ title, album: station });
  }
}

/** Shows the station's picture, and the page in its colour. */
function paint() {
  const frame = document.getElementById("art");
  if (!frame) return;
  const id = stationID();
  if (!frame.querySelector("img")) colourOf(id);
  tendPicture(frame, id, stationName(), (image) => void colourAfter(image));
}

/** @param {string} text */
function say(text) {
  const status = document.getElementById("status");
  if (status) status.textContent = text;
}

/** Lets lock screens and media keys steer what plays. */
function connectKeys() {
  const session = navigator.mediaSession;
  if (!session) return;
  /** @param {number} seconds */
  const move = (seconds) => audio.currentTime = Math.max(0, audio.currentTime + seconds);
  /** @type {Partial<Record<MediaSessionAction, MediaSessionActionHandler>>} */
  const actions = {
    previoustrack: () => play(current - 1),
    nexttrack: () => play(current + 1),
    seekbackward: (details) => move(-(details.seekOffset ?? skipSeconds)),
    seekforward: (details) => move(details.seekOffset ?? skipSeconds),
    seekto: (details) => audio.currentTime = details.seekTime ?? audio.currentTime,
  };
  for (const [action, handler] of Object.entries(actions)) {
    try {
      session.setActionHandler(/** @type {MediaSessionAction} */ (action), handler);
    } catch {
      // The browser does not know the action.
    }
  }
}

/** Puts what the relay wrote into the reader's language. */
function translate() {
  const further = document.getElementById("further");
  for (const [id, text] of Object.entries({
    list: t("files"), "hidden-files": t("files.hidden"),
    further: t("files.further", { n: Number(further?.dataset.count ?? 0) }),
  })) {
    const element = document.getElementById(id);
    if (element) element.textContent = text;
  }
}

async function start() {
  document.documentElement.classList.add("js");
  links.forEach((link, index) => link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    play(index);
  }));
  goOn();
  audio.addEventListener("play", show);
  audio.addEventListener("timeupdate", () => Math.abs(audio.currentTime - keptAt) >= keepEvery && keepPlace());
  audio.addEventListener("pause", keepPlace);
  addEventListener("pagehide", keepPlace);
  audio.addEventListener("ended", () => {
    keep(placeKey(), null);
    play(current + 1);
  });
  audio.addEventListener("error", () => say(t("files.failed", { name: nameOf(current) })));
  connectKeys();
  paint();
  await ready;
  startTools();
  translate();
}

start();
