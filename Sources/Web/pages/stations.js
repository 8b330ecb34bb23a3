// The page of all stations: the relay rendered it; here it stays up to date and can be searched.

import { getJSON, setAccess } from "./api.js";
import { makePicture, pictureOf, showPicture, tendPicture } from "./colour.js";
import { Choice } from "./choice.js";
import { deck } from "./deck.js";
import { button, icon, part, setAttribute, setIcon } from "./dom.js";
import { joined, language, ready, spoken, t } from "./i18n.js";
import { moment } from "./moment.js";
import { startOffline } from "./offline.js";
import { qualitiesOf, stateOf } from "./qualities.js";
import { keptAccess, keptPlace } from "./session.js";
import { startTools } from "./tools.js";
import { go, page } from "./visit.js";

/** @typedef {import("./choice.js").Station} Station */

const pollSeconds = 30;
/** A place this close to live is not worth an offer, in milliseconds. */
const offerBehind = 60_000;

/** @type {Map<string, Station>} */
const known = new Map();
/** The player loads when a hand comes near a station. @type {Promise<typeof import("./app.js").App> | undefined} */
let playerLoad;
/** @type {HTMLElement} */
let list;
/** @type {Choice} */
let choice;

/** @param {import("./visit.js").Visit} visit */
async function start({ state, signal }) {
  await ready();
  if (signal.aborted) return;
  list = part("stations");
  known.clear();
  choice = new Choice(part("search"), () => show([...known.values()]));
  startTools();
  for (const card of cards()) {
    const frame = card.querySelector(".art");
    if (frame) tendPicture(frame, card.dataset.station ?? "", card.querySelector(".name")?.textContent ?? "");
  }
  show(state.stations ?? []);
  list.addEventListener("pointerover", () => void loadPlayer(), { once: true });
  list.addEventListener("focusin", () => void loadPlayer(), { once: true });
  deck.addEventListener("change", showPlaying, { signal });
  const timer = setInterval(showPlaying, 250);
  signal.addEventListener("abort", () => clearInterval(timer));
  showPlaying();
  keepUpToDate(signal);
  void offer(signal);
  startOffline();
}

/**
 * Offers to go on where a station was heard last.
 * @param {AbortSignal} signal
 */
async function offer(signal) {
  /** @type {{ station: Station, air: number, saved: number } | null} */
  let last = null;
  for (const station of known.values()) {
    const place = keptPlace(station.id), { live, oldest } = station.window;
    if (!place || !live || !oldest || station.rights?.shift === false || place.saved < (last?.saved ?? 0)) continue;
    if (place.air < Date.parse(oldest) || Date.parse(live) - place.air < offerBehind) continue;
    last = { station, ...place };
  }
  if (!last || deck.player?.isSounding) return;
  const { station, air } = last;
  const words = t("go-on-at", { clock: moment(air) });
  const { bar } = await import("./bar.js");
  bar.offer(station, words, () => void playInPlace(station.id, { air }), signal);
}

/** @returns {HTMLElement[]} */
function cards() {
  return [...list.querySelectorAll(/** @type {"li"} */ (".card"))];
}

/**
 * Shows a card for each programme: a rendition stands in the card of its original.
 * @param {Station[]} all
 */
function show(all) {
  const ids = new Set(all.map(({ id }) => id));
  const isPart = (/** @type {Station} */ { renditionOf }) => renditionOf !== null && ids.has(renditionOf);
  known.clear();
  for (const station of all) known.set(station.id, station);
  const stations = choice.sorted(all.filter((station) => !isPart(station)));
  const shown = new Map(cards().map((card) => [card.dataset.station, card]));
  const wanted = stations.map((station) => shown.get(station.id) ?? makeCard(station));
  stations.forEach((station, index) => fill(wanted[index], station));
  if (wanted.length !== shown.size || wanted.some((card, index) => list.children[index] !== card)) {
    list.replaceChildren(...wanted);
  }
  narrow(wanted, stations);
}

/**
 * Hides the cards that are not wanted.
 * @param {HTMLElement[]} cards
 * @param {Station[]} stations theirs
 */
function narrow(cards, stations) {
  cards.forEach((card, index) => {
    card.hidden = !choice.admits(stations[index], card.querySelector(".song")?.textContent ?? "");
  });
  choice.tell(cards.filter((card) => !card.hidden).length);
}

/** @param {Station} station */
function makeCard(station) {
  const card = document.createElement("li");
  card.className = "card";
  card.dataset.station = station.id;
  const link = document.createElement("a");
  link.href = `/listen/${station.id}`;
  for (const name of ["art", "name", "song", "state", "count"]) addPart(link, name);
  card.append(link);
  return card;
}

/**
 * Shows the picture of what is on air, where another one stands in the card.
 * @param {HTMLElement} card
 * @param {Station} station
 */
function showArt(card, station) {
  const frame = /** @type {HTMLElement} */ (card.querySelector(".art"));
  const wanted = pictureOf(station, station.nowPlaying);
  const shown = card.dataset.picture ?? frame.querySelector("img")?.getAttribute("src") ?? "";
  card.dataset.picture = wanted;
  if (!frame.firstChild || (!wanted && shown)) makePicture(frame, station.id, station.name);
  if (wanted && shown !== wanted) void showPicture(frame, station.id, station.name, wanted);
}

/**
 * @param {Element | null} link
 * @param {string} name
 */
function addPart(link, name) {
  const part = document.createElement("span");
  part.className = name;
  link?.append(part);
}

function loadPlayer() {
  playerLoad ??= Promise.all([import("./app.js"), import("./bar.js")]).then(([{ App }]) => App);
  return playerLoad;
}

/**
 * Plays a station in place, or pauses it where it plays; where that cannot be had, its page does.
 * @param {string} id
 * @param {import("./timeline.js").Place} [place]
 */
async function playInPlace(id, place) {
  const player = deck.playerOf(id);
  if (!place && player) return player.toggle();
  try {
    const App = await loadPlayer();
    const station = known.get(id);
    if (!station) return;
    const access = keptAccess(station);
    // Its page asks for what opens it.
    if (station.auth.length && !access) return void go(`/listen/${id}`);
    const qualities = qualitiesOf(station);
    setAccess({ station, qualities }, access);
    const audio = document.body.appendChild(document.createElement("audio"));
    const app = new App({ station, qualities }, audio);
    deck.watch(app);
    app.start();
    app.jump(place ?? "live");
  } catch {
    void go(`/listen/${id}`);
  }
}

/** Shows in the cards which station plays. */
function showPlaying() {
  for (const card of cards()) {
    const press = card.querySelector(".button.play");
    if (!press) continue;
    const isSounding = deck.isSounding(card.dataset.station);
    setIcon(press, isSounding ? "pause" : "play");
    const name = known.get(card.dataset.station ?? "")?.name ?? "";
    setAttribute(press, "aria-label", t(isSounding ? "pause-station" : "play-station", { name }));
    card.classList.toggle("playing", isSounding);
  }
}

/**
 * @param {HTMLElement} card
 * @param {Station} station
 */
function fill(card, station) {
  // One on demand begins with its listener, and a stand-in is heard too.
  const canSound = station.window.live || station.state === "paused" || station.fallback;
  if (canSound && !card.querySelector(".button.play")) {
    const label = t("play-station", { name: station.name });
    const press = button("play", label, () => void playInPlace(station.id), { class: "play", title: null });
    const spot = document.createElement("div");
    spot.className = "spot";
    spot.append(press);
    card.append(spot);
  }
  showArt(card, station);
  write(card, ".name", station.name);
  showLock(card, station.auth.length > 0);
  if (station.window.live) write(card, ".song", song(playingAt(station)));
  // Without a window there is nothing on air: what plays are files.
  setState(card, station.state === "playing" && !station.window.live ? "files" : stateOf(station), station.beginsAt);
  const qualities = qualitiesOf(station).filter(({ id }) => id === station.id || known.get(id)?.state !== "stopped");
  const all = qualities.length ? qualities.map(({ id }) => known.get(id)) : [station];
  setCount(card, all.reduce((sum, each) => sum + (each?.listeners.now ?? 0) + (each?.listeners.hls ?? 0), 0));
  const show = station.state === "playing" ? station.show?.name : null;
  const notes = [station.delay && t("later", { length: spoken(station.delay) }), show].filter(Boolean);
  if (notes.length && !card.querySelector(".later")) addPart(card.querySelector("a"), "later");
  write(card, ".later", notes.join(" · "));
  if (!card.querySelector(".star")) card.append(choice.star(station));
}

/**
 * Returns what is heard live: of the station that stands in, where one does.
 * @param {Station} station
 */
function playingAt({ fallback, nowPlaying }) {
  if (!fallback) return nowPlaying;
  const other = known.get(fallback.replace(/^station:/, ""));
  return other?.nowPlaying ?? { title: null, artist: null };
}

/**
 * @param {HTMLElement} card
 * @param {boolean} isClosed
 */
function showLock(card, isClosed) {
  const before = card.querySelector(".lock");
  if (!isClosed) return before?.remove();
  const lock = before ?? document.createElement("span");
  if (!before) {
    lock.className = "lock";
    card.querySelector("a .state")?.before(lock);
  }
  if (lock.textContent !== t("members-only")) lock.replaceChildren(icon("lock"), t("members-only"));
}

/**
 * @param {HTMLElement} card
 * @param {string} selector
 * @param {string} text
 */
function write(card, selector, text) {
  const part = /** @type {HTMLElement | null} */ (card.querySelector(selector));
  if (part && part.textContent !== text) part.textContent = text;
  return part;
}

/**
 * @param {HTMLElement} card
 * @param {string} state
 * @param {string | null} [beginsAt] of what is not on air yet
 */
function setState(card, state, beginsAt) {
  const words = beginsAt ? t("state-begins", { clock: moment(Date.parse(beginsAt)) }) : t(`state-${state}`);
  const word = write(card, ".state", words);
  if (word) word.dataset.state = state;
}

/**
 * @param {HTMLElement} card
 * @param {number} listeners
 */
function setCount(card, listeners) {
  const count = /** @type {HTMLElement} */ (card.querySelector(".count"));
  const words = t("listening", { n: listeners });
  count.hidden = listeners === 0;
  if (count.title === words) return;
  count.title = words;
  const heard = document.createElement("span");
  heard.className = "hidden";
  heard.textContent = words;
  const figure = document.createElement("span");
  figure.setAttribute("aria-hidden", "true");
  figure.textContent = listeners.toLocaleString(language());
  count.replaceChildren(icon("user"), figure, heard);
}

/** @param {{ title: string | null, artist: string | null }} playing */
function song(playing) {
  return joined([playing.title, playing.artist]);
}

/**
 * Events and polling, both only while somebody can see the page: six connections serve all of a browser's tabs.
 * @param {AbortSignal} signal
 */
function keepUpToDate(signal) {
  /** @type {EventSource | null} */
  let events = null;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  const follow = () => {
    clearInterval(timer);
    events?.close();
    events = null;
    if (document.hidden || signal.aborted) return;
    void poll();
    timer = setInterval(poll, pollSeconds * 1000);
    events = new EventSource("/events?kinds=state,metadata-live,fallback-started,fallback-stopped");
    events.addEventListener("state", (event) => onEvent(event, (card, told) => {
      const { pushed, fallback } = known.get(told.station) ?? {};
      setState(card, stateOf({ state: told.state, pushed, fallback }));
    }));
    events.addEventListener("metadata-live", (event) => onEvent(event, (card, told) => {
      write(card, ".song", song(told));
      void refresh(card, told.station);
    }));
    for (const kind of ["missed", "fallback-started", "fallback-stopped"]) {
      events.addEventListener(kind, () => void poll());
    }
    events.addEventListener("error", () => void poll());
    events.addEventListener("open", () => list.classList.contains("stale") && void poll());
  };
  document.addEventListener("visibilitychange", follow, { signal });
  addEventListener("pagehide", () => events?.close(), { signal });
  addEventListener("pageshow", (event) => {
    if (event.persisted) follow();
  }, { signal });
  signal.addEventListener("abort", follow);
  follow();
}

/**
 * @param {Event} event
 * @param {(card: HTMLElement, told: any) => void} change
 */
function onEvent(event, change) {
  const told = JSON.parse(/** @type {MessageEvent} */ (event).data);
  const card = cards().find((one) => one.dataset.station === told.station);
  if (card) change(card, told);
}

/**
 * Asks for what an event does not tell: the picture.
 * @param {HTMLElement} card
 * @param {string} id
 */
async function refresh(card, id) {
  if (deck.player?.station.id === id) deck.player.refresh?.();
  const { json } = await getJSON(`/api/v1/stations/${encodeURIComponent(id)}`);
  if (!json) return;
  known.set(id, json);
  showArt(card, json);
}

async function poll() {
  try {
    const answer = await fetch("/api/v1/stations", { cache: "no-cache" });
    if (answer.ok) show((await answer.json()).stations);
    list.classList.toggle("stale", !answer.ok);
  } catch {
    list.classList.add("stale");
    // What they were is not known to hold.
    for (const card of cards()) setState(card, "unknown");
  }
}

page("stations", start);
