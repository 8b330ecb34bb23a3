// The page of all stations: the relay rendered it; here it stays up to date and can be searched.

import { makePicture, showPicture, tendPicture } from "./colour.js";
import { button, icon, setAttribute, setIcon } from "./dom.js";
import { clock, day, language, ready, t } from "./i18n.js";
import { qualitiesOf } from "./qualities.js";
import { startTools } from "./tools.js";

/** @typedef {{ title: string | null, artist: string | null, artwork: string | null }} NowPlaying */
/**
 * @typedef {{ id: string, name: string, state: string, artwork: string | null, format: object | null,
 *   window: { live: string | null }, listeners: { now: number }, nowPlaying: NowPlaying, renditionOf: string | null,
 *   renditions: { id: string, bitrate: number }[], beginsAt: string | null }} Station
 */

const pollSeconds = 30;
/** From so many stations on there is a search field. */
const searchableCount = 12;

/** @type {Map<string, Station>} */
const known = new Map();
/** The bar and its engine load when a hand comes near a station. @type {Promise<import("./bar.js").Bar> | undefined} */
let barLoad;
/** @type {import("./bar.js").Bar | undefined} */
let bar;

const list = /** @type {HTMLElement} */ (document.getElementById("stations"));

document.documentElement.classList.add("js");
start();

async function start() {
  await ready;
  const state = JSON.parse(document.getElementById("state")?.textContent ?? "{}");
  startTools();
  for (const card of cards()) {
    const frame = card.querySelector(".art");
    if (frame) tendPicture(frame, card.dataset.station ?? "", card.querySelector(".name")?.textContent ?? "");
  }
  show(state.stations ?? []);
  list.addEventListener("pointerover", () => void loadBar(), { once: true });
  list.addEventListener("focusin", () => void loadBar(), { once: true });
  keepUpToDate();
  import("./offline.js").then(({ startOffline }) => startOffline());
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
  for (const station of all) known.set(station.id, station);
  const stations = all.filter((station) => !isPart(station));
  const shown = new Map(cards().map((card) => [card.dataset.station, card]));
  const wanted = stations.map((station) => shown.get(station.id) ?? makeCard(station));
  stations.forEach((station, index) => fill(wanted[index], station));
  if (wanted.length !== shown.size || wanted.some((card, index) => list.children[index] !== card)) {
    list.replaceChildren(...wanted);
  }
  showSearch(stations.length);
  narrow();
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
  const frame = /** @type {HTMLElement} */ (link.firstElementChild);
  makePicture(frame, station.id, station.name);
  if (station.artwork || station.nowPlaying.artwork) {
    void showPicture(frame, station.id, station.name, `/api/v1/stations/${encodeURIComponent(station.id)}/artwork`);
  }
  return card;
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

function loadBar() {
  const place = /** @type {HTMLElement} */ (document.getElementById("bar"));
  barLoad ??= import("./bar.js").then(({ Bar }) => bar = new Bar(place, showPlaying));
  return barLoad;
}

/**
 * Plays a station in place; where that cannot be had, its page does.
 * @param {string} id
 */
async function playInPlace(id) {
  try {
    const loaded = bar ?? await loadBar();
    const station = known.get(id);
    if (station) loaded.toggle(station);
  } catch {
    location.href = `/listen/${id}`;
  }
}

/** Shows in the cards which station plays. */
function showPlaying() {
  for (const card of cards()) {
    const press = card.querySelector(".button.play");
    if (!press) continue;
    const isSounding = bar?.isSounding(card.dataset.station) ?? false;
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
  if (station.window.live && !card.querySelector(".button.play")) {
    const label = t("play-station", { name: station.name });
    const press = button("play", label, () => void playInPlace(station.id), { class: "play", title: null });
    const spot = document.createElement("div");
    spot.className = "spot";
    spot.append(press);
    card.append(spot);
  }
  write(card, ".name", station.name);
  if (station.window.live) write(card, ".song", song(station.nowPlaying));
  // Without a window there is nothing on air: what plays are files.
  setState(card, station.state === "playing" && !station.window.live ? "files" : station.state, station.beginsAt);
  const qualities = qualitiesOf(station).filter(({ id }) => id === station.id || known.get(id)?.state !== "stopped");
  setCount(card, qualities.reduce((sum, { id }) => sum + (known.get(id)?.listeners.now ?? 0),
    qualities.length ? 0 : station.listeners.now));
  const rates = qualities.map(({ bitrate }) => bitrate).filter(Boolean);
  if (rates.length > 1 && !card.querySelector(".qualities")) addPart(card.querySelector("a"), "qualities");
  write(card, ".qualities", rates.length > 1 ? t("player.kbit", { n: rates.join(" · ") }) : "");
}

/**
 * Returns a moment by the clock of who looks: this page shows stations of several zones.
 * @param {string} time
 */
function moment(time) {
  const air = Date.parse(time) / 1_000;
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone, seconds = -60 * new Date().getTimezoneOffset();
  const zone = { name, seconds };
  const date = day(air, zone), text = clock(air, zone);
  return date === day(Date.now() / 1_000, zone) ? text : `${date} ${text}`;
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
  const words = beginsAt ? t("state-begins", { clock: moment(beginsAt) }) : t(`state-${state}`);
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
  figure.textContent = listeners.toLocaleString(language);
  count.replaceChildren(icon("user"), figure, heard);
}

/** @param {NowPlaying} playing */
function song(playing) {
  return [playing.title, playing.artist].filter(Boolean).join(" – ");
}

/** Events and polling, both only while somebody can see the page: six connections serve all of a browser's tabs. */
function keepUpToDate() {
  /** @type {EventSource | null} */
  let events = null;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  const follow = () => {
    clearInterval(timer);
    events?.close();
    events = null;
    if (document.hidden) return;
    void poll();
    timer = setInterval(poll, pollSeconds * 1000);
    events = new EventSource("/events?kinds=state,metadata-live");
    events.addEventListener("state", (event) => onEvent(event, (card, told) => setState(card, told.state)));
    events.addEventListener("metadata-live", (event) =>
      onEvent(event, (card, told) => write(card, ".song", song(told))));
    events.addEventListener("missed", () => void poll());
  };
  document.addEventListener("visibilitychange", follow);
  addEventListener("pagehide", () => events?.close());
  addEventListener("pageshow", (event) => {
    if (event.persisted) follow();
  });
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

async function poll() {
  try {
    const answer = await fetch("/api/v1/stations", { cache: "no-cache" });
    if (answer.ok) show((await answer.json()).stations);
    list.classList.toggle("stale", !answer.ok);
  } catch {
    list.classList.add("stale");
  }
}

/** @param {number} count */
function showSearch(count) {
  const place = document.getElementById("search");
  if (!place || place.childElementCount > 0 || count < searchableCount) return;
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = t("search-stations");
  field.setAttribute("aria-label", t("search-stations"));
  field.addEventListener("input", narrow);
  const none = document.createElement("p");
  none.setAttribute("role", "status");
  place.append(icon("search"), field, none);
}

/** Shows the cards whose name or title holds every word of the search field. */
function narrow() {
  const place = document.getElementById("search");
  const field = place?.querySelector("input");
  if (!place || !field) return;
  const words = plain(field.value).split(/\s+/);
  let count = 0;
  for (const card of cards()) {
    const text = plain(["name", "song"].map((part) => card.querySelector(`.${part}`)?.textContent).join(" "));
    card.hidden = !words.every((word) => text.includes(word));
    if (!card.hidden) count += 1;
  }
  const none = place.querySelector("p");
  if (none) none.textContent = count ? "" : t("no-match", { text: field.value.trim() });
}

/** @param {string} text */
function plain(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
