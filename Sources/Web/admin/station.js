// One station: its past with the audience on it, its figures, who listens, and what happened to it.

import { t } from "../i18n.js";
import { restart, start, stationActs } from "./actions.js";
import { Audience } from "./audience.js";
import { Charts } from "./charts.js";
import { part } from "./client.js";
import { recentLines } from "./events.js";
import { Facts } from "./facts.js";
import { askCrowd, CrowdBars, heads } from "./crowd.js";
import { Levels } from "./levels.js";
import { Listing } from "./listeners.js";
import {
  button, count, h, lasting, listening, menuButton, rate, size, song, stateWord, unix, when, words,
} from "./parts.js";
import { Past } from "./past.js";
import { from, record } from "./recordings.js";
import { Spark } from "./spark.js";
import { isFiles, stateMore, windowWords } from "./stations.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./client.js").Station} Station */
/** @typedef {import("./crowd.js").Crowd} Crowd */
/** @typedef {import("./client.js").Recording} Recording */

/** Seconds between two looks at the timeline; titles come by event in between. */
const timelinePace = 15;

/**
 * @param {App} app
 * @param {string} id
 */
export async function station(app, id) {
  const programme = await programmeOf(app, id);
  const name = h("h1", {}, id);
  const state = h("span", { class: "stateful" });
  const acts = h("span", { class: "acts" });
  const playing = h("p", { class: "song" });
  const sum = h("p", { class: "quiet" });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const facts = new Facts();
  const charts = new Charts(app, `stations/${part(id)}/figures`);
  const sparks = { listeners: new Spark(160, 28), in: new Spark(160, 28) };
  const log = h("ol", { class: "log", "aria-label": t("admin.station.log") });
  const audience = new Audience();
  const bars = new CrowdBars();
  const listing = new Listing(app, false, fault => fault && (trouble.textContent = words(fault)));
  listing.station = id;
  const recordIt = button(t("admin.record.menu"), () => record(app, id).then(() => look()), {});
  const audienceSection = h("section", {},
    h("div", { class: "head" }, h("h2", {}, t("admin.audience.title")), sum, recordIt), audience.element);
  const element = h("div", { class: "station" },
    h("p", { class: "back" }, h("a", { href: "#stations" }, t("admin.stations"))),
    h("div", { class: "head" }, name, state, acts), playing, trouble,
    programme?.element, audienceSection, charts.element,
    h("div", { class: "columns" },
      h("section", {}, h("h2", {}, t("admin.station.figures")), facts.element),
      h("section", {}, h("h2", {}, t("admin.station.log")), log)),
    bars.element,
    h("section", {}, h("div", { class: "head" }, h("h2", {}, t("admin.listeners")), listing.order),
      listing.table.element));

  /** @type {Past | null} */
  let past = null;
  let pastAt = 0;
  /** @type {Crowd | null} */
  let crowd = null;
  /** @type {Recording[]} */
  let recordings = [];
  let isClosed = false;
  let isLooking = false;
  let shownActs = "";

  const levels = new Levels(app.client, id);
  audience.element.hidden = true;
  audience.chosen = (begin, end) =>
    record(app, id, { from: iso(begin), until: iso(end) }).then(() => look());

  async function look() {
    const here = app.store.station(id);
    if (!here || isLooking) return;
    isLooking = true;
    try {
      const now = Date.now() / 1000;
      if (now - pastAt > timelinePace) {
        past = await readPast(here);
        pastAt = now;
      }
      const asked = isFiles(here) ? null : askCrowd(app, id);
      const [told, kept] = await Promise.all([asked, app.client.get("recordings"), listing.ask()]);
      crowd = told;
      recordings = kept.recordings.filter((/** @type {Recording} */ { station }) => station === id);
      trouble.textContent = "";
    } catch (fault) {
      trouble.textContent = words(fault);
    } finally {
      isLooking = false;
    }
    if (!isClosed) show();
  }

  /** @param {Station} here */
  const readPast = async here => (here.window.live
    ? Past.of(await app.client.get(`stations/${part(id)}/timeline`)) : null);

  function show() {
    const here = app.store.station(id);
    if (crowd) {
      const { live = 0, fallback = 0 } = crowd.states;
      const n = heads(crowd);
      sum.textContent = t("admin.audience.sum", { n, live: live + fallback, behind: n - live - fallback });
      bars.update(crowd);
    }
    audience.element.hidden = !past;
    if (!past || !here) return;
    // Between two looks the edge goes on: the newest air time is the station's own.
    past.goOn(unix(here.window.live));
    const edge = past.live;
    const lanes = recordings.map(recording => {
      const [begin, isRunning] = [unix(from(recording)), recording.state === "recording"];
      const end = isRunning && recording.until ? unix(recording.until) : edge;
      const to = isRunning ? Math.min(edge, end) : begin + recording.seconds;
      return { from: begin, to, isRunning, text: recordingText(recording) };
    }).filter(({ to }) => to > /** @type {Past} */ (past).oldest).reverse();
    audience.update(past, crowd, lanes, t("admin.audience.hint"));
  }

  function showFacts() {
    const here = app.store.station(id);
    if (!here) {
      if (app.store.lastSeen) trouble.textContent = t("admin.station.gone", { id });
      return;
    }
    name.textContent = here.name;
    state.replaceChildren(stateWord(here.state), h("small", {}, stateMore(here)));
    playing.textContent = song(here.nowPlaying) || t("admin.station.noTitle");
    playing.hidden = programme !== null;
    const sign = `${here.state} ${app.player.station}`;
    if (sign !== shownActs) acts.replaceChildren(...buttons(here));
    shownActs = sign;
    sparks.listeners.update(app.store.samples(`listeners/${id}`), count, { floor: 4 });
    sparks.in.update(app.store.samples(`in/${id}`), rate, { floor: 64 });
    facts.update(factsOf(here));
    audienceSection.hidden = isFiles(here);
    bars.element.hidden = !crowd || heads(crowd) === 0;
  }

  /**
   * @param {Station} here
   * @returns {import("./facts.js").Fact[]}
   */
  function factsOf(here) {
    const { upstream, format, window, listeners, metadata } = here;
    const kind = [format?.codec, format?.bitrate && `${format.bitrate} kbit/s`,
      format?.sampleRate && `${format.sampleRate / 1000} kHz`,
      format?.channels && t("admin.channels", { n: format.channels })].filter(Boolean).join(", ");
    const heard = { now: listening(listeners), peak: count(listeners.peak), total: count(listeners.total) };
    const skipped = upstream.skipped ? `, ${t("admin.fact.skipped", { size: size(upstream.skipped) })}` : "";
    const answers = metadata ? `${metadata.url}, ${t("admin.fact.answers", { n: metadata.answers })}` : null;
    const kept = isFiles(here) ? t("admin.window.files") : windowWords(window);
    const disk = window.secondsMax ? `${size(window.onDisk)}, ${t(`admin.storage.${window.storage}`)}` : null;
    return [
      ["listeners", t("admin.fact.listenersOf", heard), sparks.listeners.element],
      ["in", upstream.url ? rate(app.store.samples(`in/${id}`).last) : null, sparks.in.element],
      ["format", kind || null], ["upstream", upstream.url],
      ["connected", upstream.connectedSince && when(upstream.connectedSince)],
      ["received", upstream.url ? size(upstream.bytes) + skipped : null], ["window", kept], ["disk", disk],
      ["oldest", window.oldest && when(window.oldest)], ["metadata", metadata?.trouble ?? answers],
      ["fallback", here.fallback ?? null], ["zone", past?.zone || null],
      ["levels", isFiles(here) ? null : levels.text(here), levels.element], ["loudness", levels.loudness()],
    ];
  }

  /** @param {Station} here */
  function buttons(here) {
    const isPlaying = app.player.station === id;
    const now = () => app.store.station(id) ?? here;
    const turn = here.state === "stopped" ? button(t("admin.station.start"), () => start(app, now()), { kind: "main" })
      : button(t("admin.station.restart"), () => restart(app, now()), {});
    const listen = button(t(isPlaying ? "admin.play.stop" : "admin.play"), () => app.player.toggle(id));
    return [...(isFiles(here) ? [] : [listen]), turn,
      h("a", { class: "act", href: `/listen/${part(id)}` }, t("admin.station.page")),
      menuButton(t("admin.acts", { what: id }), () => stationActs(app, now()))];
  }

  function showLog() {
    const events = app.log.events.filter(event => event.station === id && !event.kind.startsWith("listener-"));
    log.replaceChildren(...recentLines(events, 14));
  }

  function update() {
    showFacts();
    charts.update();
    programme?.update();
    look();
  }
  app.player.changed = showFacts;
  showLog();

  function close() {
    isClosed = true;
    levels.close();
    programme?.close();
    app.player.changed = () => {};
  }

  /** @param {import("./feed.js").RelayEvent} event */
  function told(event) {
    if (event.station !== id) return;
    showLog();
    programme?.told(event);
    if (event.kind === "gap" || event.kind === "metadata-live") pastAt = 0;
  }
  return { title: id, element, update, told, close };
}

/**
 * The part of the view that only programmes have. It is there before the view is shown, so that nothing moves.
 * @param {App} app
 * @param {string} id
 */
async function programmeOf(app, id) {
  if (!app.store.lastSeen) await app.store.looked();
  return app.store.station(id)?.programme ? (await import("./programme.js")).programme(app, id) : null;
}

/** @param {number} air Unix seconds */
const iso = air => new Date(air * 1000).toISOString();

/** @param {Recording} recording */
function recordingText({ id, state, seconds, bytes }) {
  const name = t("admin.record.one", { id: String(id) });
  return [name, t(`admin.record.${state}`), lasting(seconds), size(bytes)].join(", ");
}
