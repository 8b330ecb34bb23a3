// What an administrator does to stations and listeners. What ends something says first what it hits.

import { t } from "../i18n.js";
import { part } from "./client.js";
import { ask, choice, field, h, lasting, song, value } from "./parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./client.js").Station} Station */
/** @typedef {import("./client.js").Listener} Listener */
/** @typedef {[string, () => void, string?]} Act */

/**
 * Starts, stops or restarts a station.
 * @param {App} app
 * @param {Station} station
 * @param {"start" | "stop" | "restart"} command
 */
async function perform(app, station, command) {
  await app.client.post(`stations/${part(station.id)}/${command}`);
  app.store.soon();
}

/**
 * @param {App} app
 * @param {Station} station
 */
export function start(app, station) {
  app.run(() => perform(app, station, "start"), t("admin.station.started", { id: station.id }));
}

/**
 * @param {App} app
 * @param {Station} station
 */
export function restart(app, station) {
  app.run(() => perform(app, station, "restart"), t("admin.station.restarted", { id: station.id }));
}

/**
 * @param {App} app
 * @param {Station} station
 */
export async function stop(app, station) {
  const isStopped = await ask({
    title: t("admin.station.stop.title", { name: station.name }),
    body: [h("p", {}, t("admin.station.stop.text", { n: station.listeners.now }))],
    action: t("admin.station.stop"), isDangerous: true, act: () => perform(app, station, "stop"),
  });
  if (!isStopped) return;
  const undo = { word: t("admin.station.start"), act: () => start(app, station) };
  app.say(t("admin.station.stopped", { id: station.id }), undo);
}

/**
 * @param {App} app
 * @param {Station} station
 */
export async function announce(app, station) {
  const playing = station.nowPlaying;
  const title = h("input", { name: "title", required: true, value: playing.title, autocomplete: "off" });
  const artist = h("input", { name: "artist", value: playing.artist, autocomplete: "off" });
  const url = h("input", { name: "url", type: "url", autocomplete: "off" });
  const isDone = await ask({
    title: t("admin.announce.title", { name: station.name }),
    body: [
      h("p", {}, t("admin.announce.text")), field(t("admin.announce.song"), title),
      field(t("admin.announce.artist"), artist), field(t("admin.announce.url"), url),
    ],
    action: t("admin.announce"),
    act: form => app.client.put(`stations/${part(station.id)}/metadata`, {
      title: value(form, "title"), artist: value(form, "artist") || null, url: value(form, "url") || null,
    }),
  });
  if (!isDone) return;
  app.store.soon();
  app.say(t("admin.announce.done", { id: station.id }));
}

/**
 * @param {App} app
 * @param {Station} station
 */
export async function remove(app, station) {
  const typed = h("input", { name: "id", required: true, autocomplete: "off", autocapitalize: "none" });
  typed.pattern = station.id.replace(/[.-]/g, "\\$&");
  const isDone = await ask({
    title: t("admin.station.remove.title", { name: station.name }),
    body: [
      h("p", {}, t("admin.station.remove.listeners", { n: station.listeners.now }), " ",
        t("admin.station.remove.window", { length: lasting(station.window.seconds) })),
      field(t("admin.station.remove.type", { id: station.id }), typed),
    ],
    action: t("admin.station.remove"), isDangerous: true, act: () => app.client.delete(`stations/${part(station.id)}`),
  });
  if (!isDone) return;
  app.store.soon();
  app.say(t("admin.station.removed", { id: station.id }));
  if (location.hash === `#stations/${part(station.id)}`) app.go("stations");
}

/**
 * The acts on a station.
 * @param {App} app
 * @param {Station} station
 * @returns {Act[]}
 */
export function stationActs(app, station) {
  const isStopped = station.state === "stopped";
  // What the configuration file has, only the file changes.
  const isFixed = station.isConfigured;
  return [
    ...(isStopped ? [act(t("admin.station.start"), () => start(app, station))]
      : [act(t("admin.station.restart"), () => restart(app, station))]),
    act(t("admin.announce.menu"), () => announce(app, station)),
    act(t("admin.record.menu"), async () => (await import("./recordings.js")).record(app, station.id)),
    act(t(isFixed ? "admin.station.settings" : "admin.station.edit"),
      async () => (await import("./station-form.js")).edit(app, station)),
    ...(isStopped ? [] : [act(t("admin.station.stop.menu"), () => stop(app, station), "danger")]),
    ...(isFixed ? [] : [act(t("admin.station.remove.menu"), () => remove(app, station), "danger")]),
  ];
}

/**
 * @param {string} word
 * @param {() => void} does
 * @param {string} [kind]
 * @returns {Act}
 */
const act = (word, does, kind) => [word, does, kind];

/** @param {Listener} listener */
export const who = listener => [listener.address, listener.player?.split("/")[0]].filter(Boolean).join(", ");

/**
 * @param {App} app
 * @param {Listener} listener
 */
export async function kick(app, listener) {
  const values = { who: who(listener), id: listener.station, length: lasting(listener.seconds) };
  const isDone = await ask({
    title: t("admin.kick.title", { who: listener.address }), body: [h("p", {}, t("admin.kick.text", values))],
    action: t("admin.kick"), isDangerous: true, act: () => app.client.delete(`listeners/${listener.id}`),
  });
  if (!isDone) return;
  app.say(t("admin.kick.done", { who: listener.address }));
  app.store.soon();
}

/** Lengths of a ban in seconds; 0 is for good. */
export const banLengths = [600, 3600, 86400, 604800, 2592000, 0];

/** Returns the words of a ban's length. */
export const banChoices = () => banLengths.map(seconds =>
  /** @type {[string, string]} */ ([String(seconds), t(`admin.ban.for.${seconds}`)]));

/**
 * @param {App} app
 * @param {Listener} listener
 */
export async function ban(app, listener) {
  const others = (await app.listeners()).filter(other => other.address === listener.address).length;
  /** @type {import("./client.js").Ban | null} */
  let made = null;
  const isDone = await ask({
    title: t("admin.ban.title", { who: listener.address }),
    body: [
      h("p", {}, t("admin.ban.text", { n: Math.max(1, others) })),
      field(t("admin.ban.length"), choice(banChoices(), { name: "seconds" }, "86400")),
      field(t("admin.ban.reason"), h("input", { name: "reason", autocomplete: "off" })),
    ],
    action: t("admin.ban"), isDangerous: true,
    act: async form => {
      const seconds = Number(value(form, "seconds"));
      made = await app.client.post("bans", {
        listener: listener.id, reason: value(form, "reason") || null, seconds: seconds || null,
      });
    },
  });
  if (!isDone || !made) return;
  app.store.soon();
  const { id, address } = /** @type {import("./client.js").Ban} */ (made);
  const lift = () => app.run(() => app.client.delete(`bans/${id}`), t("admin.ban.lifted", { who: address }));
  app.say(t("admin.ban.done", { who: address }), { word: t("admin.ban.lift"), act: lift });
}

/**
 * @param {App} app
 * @param {Listener} listener
 */
export async function move(app, listener) {
  const here = app.store.station(listener.station);
  const others = app.store.stations.filter(station => station.id !== listener.station);
  // Listeners go on in the same format only; the relay knows exactly, the codec is a good guess.
  const isLike = (/** @type {Station} */ other) => other.format?.codec === here?.format?.codec;
  const choices = [...others].sort((a, b) => Number(isLike(b)) - Number(isLike(a))).map(other =>
    /** @type {[string, string]} */ ([other.id, isLike(other) ? other.id : t("admin.move.other", { id: other.id })]));
  if (!choices.length) return app.say(t("admin.move.nowhere"));
  let to = "";
  const isDone = await ask({
    title: t("admin.move.title", { who: listener.address }),
    body: [h("p", {}, t("admin.move.text")), field(t("admin.station"), choice(choices, { name: "station" }))],
    action: t("admin.move"),
    act: form => app.client.post(`listeners/${listener.id}/move`, { station: (to = value(form, "station")) }),
  });
  if (!isDone) return;
  app.say(t("admin.move.done", { who: listener.address, id: to }));
  app.store.soon();
}

/**
 * @param {App} app
 * @param {Listener} listener
 */
export async function seek(app, listener) {
  const place = h("input", { name: "place", placeholder: "5m", autocomplete: "off" });
  const how = choice([["seconds", t("admin.seek.behind")], ["at", t("admin.seek.at")], ["live", t("admin.seek.live")],
    ["track-start", t("admin.seek.start")], ["previous-track", t("admin.seek.previous")]], { name: "how" });
  const around = field(t("admin.seek.place"), place, t("admin.seek.hint"));
  how.addEventListener("change", () => (around.hidden = how.value !== "seconds" && how.value !== "at"));
  const isDone = await ask({
    title: t("admin.seek.title", { who: listener.address }),
    body: [h("p", {}, song(listener.nowPlaying)), field(t("admin.seek.how"), how), around],
    action: t("admin.seek"),
    act: form => {
      const [key, text] = [value(form, "how"), value(form, "place")];
      const body = key === "seconds" || key === "at" ? { [key]: text } : { to: key };
      return app.client.post(`listeners/${listener.id}/seek`, body);
    },
  });
  if (!isDone) return;
  app.say(t("admin.seek.done", { who: listener.address }));
  app.store.soon();
}

/**
 * The acts on a listener.
 * @param {App} app
 * @param {Listener} listener
 * @returns {Act[]}
 */
export function listenerActs(app, listener) {
  const isPaused = listener.state === "paused";
  const word = isPaused ? "resume" : "pause";
  const steer = () => app.run(() => app.client.post(`listeners/${listener.id}/${word}`),
    t(`admin.listener.${word}d`, { who: listener.address })).then(() => app.store.soon());
  return [
    act(t(`admin.listener.${word}`), steer), act(t("admin.seek.menu"), () => seek(app, listener)),
    act(t("admin.move.menu"), () => move(app, listener)),
    act(t("admin.kick.menu"), () => kick(app, listener), "danger"),
    act(t("admin.ban.menu"), () => ban(app, listener), "danger"),
  ];
}
