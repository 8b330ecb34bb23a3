// "Listen again": what was recorded of a station's shows plays here as its files would; and what is on air this week.

import { Again, worksOf } from "./again.js";
import { addressed, getJSON, setAccess } from "./api.js";
import { colourAfter, colourOf, showPicture, tendPicture } from "./colour.js";
import { el, keep, part, setText } from "./dom.js";
import { playerOf } from "./fileplayer.js";
import { fileTools, showKeys } from "./filetools.js";
import { addPhrases, clock, day, ready, span, t } from "./i18n.js";
import { workKey } from "./recording.js";
import { keptAccess } from "./session.js";
import { addStyles } from "./styles.js";
import { startTools } from "./tools.js";
import { page } from "./visit.js";
import { zoneNote } from "./zone.js";

/** Milliseconds. */
const refreshEvery = 60_000, askAgain = 10_000;
const phrases = addPhrases("shows/");

addStyles(`
.player > .week { order: 7; margin-top: 40px; }
.week h3 { padding-block: 16px 4px; color: var(--muted); font-size: 0.8125rem; }
.week li {
  display: grid; grid-template-columns: 112px minmax(0, 1fr) auto; gap: 0 12px; align-items: center; min-height: 40px;
}
.week :is(time, .by) { color: var(--muted); }
.week .by { font-size: 0.8125rem; }
.week [aria-current] b { color: var(--accent); }
.week li:not([aria-current]) b { font-weight: 400; }
@media (max-width: 599px) {
  .week li { grid-template-columns: 96px minmax(0, 1fr); padding-block: 4px; }
  .week .by { grid-column: 2; }
}
`);

/** @param {import("./visit.js").Visit} visit */
async function start({ state, signal, isPressed }) {
  const { station } = state;
  setAccess({ station }, state.access ?? keptAccess(station));
  await ready();
  await phrases;
  if (signal.aborted) return;
  startTools({ onHelp: showKeys });
  const status = part("status"), path = `/api/v1/stations/${station.id}/shows`;
  let body = heard(state.shows);
  while (!body) {
    const { status: code, json } = await getJSON(path, { signal });
    if (signal.aborted) return;
    body = heard(json);
    const isClosed = code === 401 || code === 403;
    setText(status, body ? "" : t(isClosed ? "show.closed" : "show.away"));
    if (isClosed) return;
    if (!body) await new Promise((resolve) => setTimeout(resolve, askAgain));
    if (signal.aborted) return;
  }
  forget(station.id, body.recordings);
  const own = { id: station.id, name: station.name, artwork: station.artwork, page: `/listen/${station.id}/shows` };
  const audio = /** @type {HTMLAudioElement} */ (part("file"));
  // The relay does not know a key that the browser keeps.
  const first = body.recordings[0]?.files[0]?.path;
  if (first) audio.src = addressed(first);
  const { player, isSounding } = playerOf(own, audio, worksOf(body, station.id), { signal });
  const again = new Again(section("played"), station, player);
  section("played").hidden = !body.recordings.length && !body.shows.some((/** @type {any} */ show) => show.recorded);
  const showArt = pictures(station);
  const place = el("p", { class: "place" });
  part("artist").after(...zoneLine(body.timeZone), place);
  const tools = fileTools(player, signal);
  player.audio.after(tools);
  setText(part("title"), t("show.filter"));
  document.title = `${t("show.filter")} · ${station.name}`;
  const isShut = station.auth.length > 0 && !(state.access ?? keptAccess(station));
  player.say = (text, isRefused) => setText(status, isRefused && isShut ? t("show.closed") : text);
  let isHeard = false;
  player.onChange = () => {
    again.mark();
    const { work } = player;
    isHeard ||= player.engine.state !== "idle" || player.place > 0;
    if (!work || !isHeard) return;
    const { title, artist } = player.title();
    const length = (work.lengths ?? []).reduce((sum, each) => sum + each, 0);
    setText(part("title"), title || work.name);
    setText(part("artist"), artist ?? "");
    const line = `${title || work.name} · ${station.name}`;
    if (document.title !== line) document.title = line;
    setText(place, [title !== work.name && work.name, t("show.of", { place: span(player.place), length: span(length) })]
      .filter(Boolean).join(" · "));
    showArt(work.picture ?? "");
  };
  // The station's clock: that of this device may be wrong by hours.
  const live = station.state === "playing" ? Date.parse(station.window.live) : Date.now();
  const shift = (live || Date.now()) - performance.now();
  const show = () => {
    player.audio.hidden = tools.hidden = body.recordings.length === 0;
    again.show(body);
    const now = shift + performance.now();
    week(section("week"), body, now);
    if (!isHeard) setText(part("artist"), onAir(body, now));
  };
  show();
  // The way back to a page with a link leaves what sounds as it is.
  const asked = !isSounding || isPressed ? askedFor(station.id, player) : null;
  isHeard = asked !== null && asked.index >= 0;
  if (asked && isHeard) player.play(asked.index, asked.seconds);
  else if (asked) setText(status, t("show.gone"));
  player.onChange();
  const timer = setInterval(async () => {
    if (document.hidden) return;
    const { json } = await getJSON(path, { signal });
    if (signal.aborted) return;
    body = heard(json) ?? body;
    player.take(worksOf(body, station.id));
    show();
  }, refreshEvery);
  signal.addEventListener("abort", () => clearInterval(timer));
  import("./offline.js").then(({ startOffline }) => startOffline());
}

/**
 * Returns an answer of `shows` with what can be heard of its recordings; null for none.
 * @param {any} body
 */
function heard(body) {
  const has = (/** @type {{ files: unknown[] }} */ { files }) => files.length > 0;
  return body?.shows ? { ...body, recordings: body.recordings.filter(has) } : null;
}

/**
 * Returns what is on air now, else what comes next.
 * @param {any} body an answer of `shows`
 * @param {number} now
 */
function onAir({ airings, shows, timeZone }, now) {
  const coming = airings.filter((/** @type {any} */ { show, end }) => shows[show] && Date.parse(end) > now);
  // Of two at once the one that began last is on air.
  const one = coming.findLast((/** @type {any} */ { start }) => Date.parse(start) <= now) ?? coming[0];
  if (!one) return "";
  const from = Date.parse(one.start), air = from / 1_000, { name } = shows[one.show];
  return from <= now ? t("show.began", { name, clock: clock(air, timeZone) })
    : t("show.next", { name, clock: `${day(air, timeZone)} ${clock(air, timeZone)}` });
}

/**
 * Returns the number of the work that the address asks for, and where in it that begins; null where it asks for none.
 * @param {string} station
 * @param {import("./fileplayer.js").FilePlayer} player
 */
function askedFor(station, player) {
  const asked = new URLSearchParams(location.search), id = asked.get("recording"), from = asked.get("t") ?? "";
  if (id === null) return null;
  const key = workKey(station, id), seconds = /^\d{1,6}$/.test(from) ? Number(from) : null;
  return { index: player.works.findIndex((work) => work.key === key), seconds };
}

/**
 * Returns the line that says by which clock times are told, where that is not this device's.
 * @param {import("./i18n.js").TimeZone} zone
 */
function zoneLine(zone) {
  const note = zoneNote(zone);
  return note ? [el("p", { class: "place zone" }, note)] : [];
}

/** @param {string} name */
const section = (name) => /** @type {HTMLElement} */ (document.querySelector(`main .${name}`));

/**
 * Returns what shows a work's picture in the page, else the station's.
 * @param {{ id: string, name: string, artwork?: string | null }} station
 */
function pictures({ id, name, artwork }) {
  const frame = part("art"), own = artwork ? `/api/v1/stations/${id}/artwork` : "";
  const shown = (/** @type {HTMLImageElement} */ image) => void colourAfter(image);
  if (!frame.querySelector("img")) colourOf(id);
  tendPicture(frame, id, name, shown);
  let was = own;
  return (/** @type {string} */ picture) => {
    const wanted = picture || own;
    if (wanted === was || !wanted) return;
    was = wanted;
    void showPicture(frame, id, name, addressed(wanted), { shown });
  };
}

/**
 * Forgets the places of recordings that are no more.
 * @param {string} station
 * @param {{ id: number }[]} recordings
 */
function forget(station, recordings) {
  const there = new Set(recordings.map(({ id }) => workKey(station, id)));
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(workKey(station, "")) && !there.has(key)) keep(key, null);
    }
  } catch {
    // Nothing is kept.
  }
}

/**
 * Shows what is on air now and in the days to come.
 * @param {HTMLElement} place
 * @param {any} body an answer of `shows`
 * @param {number} now
 */
function week(place, { airings, shows, timeZone }, now) {
  /** @type {Map<string, HTMLElement[]>} */
  const days = new Map();
  for (const { show, start, end } of airings) {
    const from = Date.parse(start), to = Date.parse(end), about = shows[show];
    if (to <= now || !about) continue;
    const date = day(from / 1_000, timeZone);
    const row = el("li", { "aria-current": from <= now ? "true" : null },
      el("time", { datetime: start }, `${clock(from / 1_000, timeZone)}–${clock(to / 1_000, timeZone)}`),
      el("b", { dir: "auto" }, about.name), about.recorded && el("span", { class: "by" }, t("show.recorded")));
    days.set(date, [...days.get(date) ?? [], row]);
  }
  place.hidden = days.size === 0;
  place.replaceChildren(el("h2", {}, t("show.week")), ...zoneLine(timeZone), ...[...days].flatMap(([date, rows]) =>
    [el("h3", {}, date), el("ol", {}, ...rows)]));
}

page("shows", start);
