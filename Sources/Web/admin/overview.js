// The overview: what is wrong now, the relay's figures over the last hour, and what happened last.

import { t } from "../i18n.js";
import { Charts } from "./charts.js";
import { part } from "./client.js";
import { count, h, rate, size, when } from "./parts.js";
import { Tile } from "./spark.js";
import { recentLines } from "./events.js";
import { Facts } from "./facts.js";
import { groupOf, oneLine } from "./words.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./client.js").Station} Station */
/** @typedef {{ weight: "bad" | "odd", station?: string, webhook?: number, text: string }} Trouble */

/** @param {App} app */
export function overview(app) {
  const troubles = h("ul", { class: "troubles" });
  const tiles = {
    listeners: new Tile(t("admin.tile.listeners"), count), out: new Tile(t("admin.tile.out"), rate),
    in: new Tile(t("admin.tile.in"), rate), cpu: new Tile(t("admin.tile.cpu"), value => `${count(value)} %`),
    memory: new Tile(t("admin.tile.memory"), size),
  };
  const figures = new Facts();
  const charts = new Charts(app, "figures");
  const last = h("ul", { class: "log" });
  const element = h("div", { class: "overview" },
    h("h1", {}, t("admin.overview")),
    h("section", { class: "now" }, h("h2", {}, t("admin.overview.now")), troubles),
    h("section", { class: "tiles" }, ...Object.values(tiles).map(tile => tile.element)), charts.element,
    h("div", { class: "columns" },
      h("section", {}, h("h2", {}, t("admin.overview.last")), last,
        h("p", {}, h("a", { href: "#events" }, t("admin.overview.all")))),
      h("section", {}, h("h2", {}, t("admin.overview.relay")), figures.element)));

  function showLast() {
    // Listeners and titles come and go all the time; here stands what somebody may have to look at.
    const quiet = ["listeners", "titles"];
    const events = app.log.events.filter(({ kind }) => !quiet.includes(groupOf(kind)));
    last.replaceChildren(...recentLines(events, 12));
  }

  let shownTroubles = "";
  function update() {
    const { stats, stations } = app.store;
    charts.update();
    if (!stats) return;
    const found = wrong(app);
    const sign = JSON.stringify(found);
    if (sign !== shownTroubles) {
      shownTroubles = sign;
      troubles.replaceChildren(...found.map(line));
      if (!found.length) troubles.append(h("li", { class: "good" }, t("admin.overview.well", { n: stations.length })));
    }
    const samples = (/** @type {string} */ name) => app.store.samples(name);
    const { peak, hls } = stats.listeners, most = t("admin.tile.peak", { n: peak });
    tiles.listeners.update(samples("listeners"), hls ? `${count(hls)} HLS, ${most}` : most);
    tiles.out.update(samples("out"));
    tiles.in.update(samples("in"), t("admin.tile.stations", { n: stations.length }));
    tiles.cpu.update(samples("cpu"), t("admin.tile.loops", { n: stats.loops }));
    tiles.memory.update(samples("memory"));
    figures.update([
      ["version", stats.version], ["connections", of(stats.connections)], ["refused", count(stats.connections.refused)],
      ["listenersMax", of({ now: stats.listeners.now, max: stats.listeners.max })],
      ["stalled", count(stats.listeners.stalled)], ["watchers", of(stats.watchers)],
      ["openFiles", of({ now: stats.process.openFiles, max: stats.process.openFilesMax })],
      ["sent", size(stats.bytesSent)], ["skips", count(stats.skips)], ["overruns", count(stats.overruns)],
      ["threads", count(stats.process.threads)],
      ["lanes", lanes(stats) || "–"],
    ]);
  }
  showLast();
  return { title: t("admin.overview"), element, update, told: showLast };
}

/**
 * Work that goes on or waits: its name, how much at once, and how much of it waits.
 * @param {import("./client.js").Stats} stats
 */
function lanes(stats) {
  return stats.lanes.filter(({ busy, waiting }) => busy || waiting)
    .map(({ name, busy, limit, waiting }) => `${name} ${busy}/${limit}${waiting ? ` +${waiting}` : ""}`).join(", ");
}

/** @param {{ now: number, max: number }} figures */
const of = ({ now, max }) => t("admin.of", { now: count(now), max: count(max) });

/** @param {Trouble} trouble */
function line({ weight, station, webhook, text }) {
  const place = station ? h("a", { href: `#stations/${part(station)}` }, station)
    : webhook && h("a", { href: "#webhooks" }, t("admin.webhook.name", { n: webhook }));
  return h("li", { class: weight }, place || null, place ? " " : null, text);
}

/**
 * Returns what is wrong now, the worst first.
 * @param {App} app
 * @returns {Trouble[]}
 */
function wrong({ store }) {
  /** @type {Trouble[]} */
  const found = store.obstacles.map(text => ({ weight: "bad", text }));
  for (const station of store.stations) found.push(...wrongAt(station));
  for (const { number, state, url, failingSince, lastError, queued } of store.webhooks) {
    if (state !== "retrying" && state !== "stopped") continue;
    const values = { url, time: when(failingSince), reason: lastError ?? "", n: queued };
    found.push({ weight: "bad", webhook: number, text: t(`admin.trouble.webhook-${state}`, values) });
  }
  const { stats } = store;
  if (!stats) return found;
  if (stats.leftOut && !store.obstacles.includes(stats.leftOut)) found.push({ weight: "bad", text: stats.leftOut });
  if (stats.listeners.stalled) {
    found.push({ weight: "odd", text: t("admin.trouble.stalled", { n: stats.listeners.stalled }) });
  }
  /** @type {[string, number, number][]} */
  const limits = [
    ["listeners", stats.listeners.now, stats.listeners.max],
    ["connections", stats.connections.now, stats.connections.max],
    ["openFiles", stats.process.openFiles, stats.process.openFilesMax],
    ["watchers", stats.watchers.now, stats.watchers.max],
  ];
  for (const [key, now, max] of limits) {
    if (max > 0 && now > max * 0.85) {
      const text = t(`admin.trouble.${key}`, { now: count(now), max: count(max) });
      found.push({ weight: now >= max ? "bad" : "odd", text });
    }
  }
  return found.sort((a, b) => Number(a.weight === "odd") - Number(b.weight === "odd"));
}

/**
 * @param {Station} station
 * @returns {Trouble[]}
 */
function wrongAt({ id, state, stateReason, upstream, window, metadata, listeners, sound }) {
  /** @type {Trouble[]} */
  const found = [];
  const reason = oneLine(stateReason);
  if (state === "failed") found.push({ weight: "bad", station: id, text: t("admin.trouble.failed", { reason }) });
  // A later copy of another station waits for its time.
  if (state === "connecting" || (state === "buffering" && upstream.url)) {
    const text = t("admin.trouble.connecting", { reason, attempts: upstream.attempts, n: listeners.now });
    found.push({ weight: listeners.now ? "bad" : "odd", station: id, text: text.replace(/[:, ]+$/, "") });
  }
  if (sound?.silent) found.push({ weight: "bad", station: id, text: t("admin.dead-air") });
  const loudness = sound?.loudnessState;
  if (loudness === "below" || loudness === "above") {
    found.push({ weight: "odd", station: id, text: t(`admin.trouble.loudness-${loudness}`) });
  }
  if (window.storage === "failed") found.push({ weight: "bad", station: id, text: t("admin.trouble.storage") });
  if (metadata?.trouble) {
    found.push({ weight: "odd", station: id, text: t("admin.trouble.metadata", { reason: metadata.trouble }) });
  }
  return found;
}
