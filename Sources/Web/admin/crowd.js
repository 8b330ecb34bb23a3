// How many listeners are where, with which player and in which state: figures, not a list of all of them.

import { t } from "../i18n.js";
import { part } from "./client.js";
import { count, h } from "./parts.js";
import { playerName } from "./words.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./client.js").Listener} Listener */
/** @typedef {{ behind: number, listeners: number }} Bucket `behind` live is its near end, in seconds. */
/** @typedef {{ name: string | null, listeners: number }} Share A player as it names itself; `other` is all the rest. */
/**
 * The answer of GET /api/v1/stations/ID/audience.
 * @typedef {{ seconds: number, buckets: Bucket[], players: Share[], states: Record<string, number> }} Crowd
 */
/** @typedef {[string, number][]} Pairs Names with how many listeners. */

/** Players that have a bar of their own. */
const playersMax = 7;
/** Stations whose listeners are added up: those with the most. */
const stationsMax = 32;

/**
 * Returns a station's audience.
 * @param {App} app
 * @param {string} id
 * @returns {Promise<Crowd>}
 */
export const askCrowd = (app, id) => app.client.get(`stations/${part(id)}/audience`);

/**
 * Returns the audiences of all stations together: places of several have nothing to do with each other.
 * @param {App} app
 * @returns {Promise<Crowd>}
 */
export async function askCrowds(app) {
  const heard = app.store.stations.filter(({ listeners }) => listeners.now > 0)
    .sort((a, b) => b.listeners.now - a.listeners.now).slice(0, stationsMax);
  const crowds = await Promise.all(heard.map(({ id }) => askCrowd(app, id)));
  const states = summed(crowds.flatMap(({ states }) => Object.entries(states)));
  return { seconds: 1, buckets: [], players: crowds.flatMap(({ players }) => players),
    states: Object.fromEntries(states) };
}

/** @param {Pairs} pairs */
function summed(pairs) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const [name, listeners] of pairs) sums.set(name, (sums.get(name) ?? 0) + listeners);
  return sums;
}

/**
 * Counts listeners of whom the whole list is known.
 * @param {Listener[]} listeners
 * @returns {Crowd}
 */
export function counted(listeners) {
  return {
    seconds: 1, buckets: [], players: listeners.map(({ player }) => ({ name: player, listeners: 1 })),
    states: Object.fromEntries(summed(listeners.map(({ state }) => [state, 1]))),
  };
}

/** @param {Crowd} crowd */
export const heads = ({ states }) => Object.values(states).reduce((sum, listeners) => sum + listeners, 0);

/**
 * Returns players by their short names, those with the most first, and how many listeners have other ones.
 * @param {Share[]} players
 * @returns {Pairs}
 */
function named(players) {
  const isRest = (/** @type {Share} */ { name }) => name === "other";
  const sums = summed(players.filter(share => !isRest(share)).map(({ name, listeners }) =>
    [playerName(name) || t("admin.crowd.unknown"), listeners]));
  const order = [...sums].sort((a, b) => b[1] - a[1]);
  const rest = [...order.slice(playersMax), ...players.filter(isRest).map(({ name, listeners }) =>
    /** @type {[string, number]} */ ([name ?? "", listeners]))].reduce((sum, [, listeners]) => sum + listeners, 0);
  return [...order.slice(0, playersMax), ...(rest ? /** @type {Pairs} */ ([[t("admin.crowd.others"), rest]]) : [])];
}

/** Bars with names and figures. */
class Bars {
  #list = h("ul", { class: "bars" });
  #shown = "";
  element;

  /** @param {string} title */
  constructor(title) {
    this.element = h("section", {}, h("h2", {}, title), this.#list);
  }

  /** @param {Pairs} rows */
  update(rows) {
    this.element.hidden = rows.length === 0;
    const sign = JSON.stringify(rows);
    if (sign === this.#shown) return;
    this.#shown = sign;
    const most = Math.max(1, ...rows.map(([, listeners]) => listeners));
    const all = Math.max(1, rows.reduce((sum, [, listeners]) => sum + listeners, 0));
    this.#list.replaceChildren(...rows.map(([name, listeners]) => {
      const bar = h("span", { class: "share", "aria-hidden": "true" });
      bar.style.setProperty("--share", String(listeners / most));
      const share = t("admin.percent", { n: Math.round((listeners / all) * 100) });
      const said = h("span", { class: "name", title: name }, name);
      return h("li", {}, said, bar, h("b", {}, count(listeners)), h("small", {}, share));
    }));
  }
}

/** Who listens with what, and in which state. */
export class CrowdBars {
  #players = new Bars(t("admin.crowd.players"));
  #states = new Bars(t("admin.crowd.states"));
  element = h("div", { class: "columns crowd" }, this.#players.element, this.#states.element);

  /** @param {Crowd} crowd */
  update({ players, states }) {
    this.#players.update(named(players));
    const order = ["live", "shifted", "paused", "stalled", "fallback"].filter(state => states[state] > 0);
    const row = (/** @type {string} */ state) =>
      /** @type {[string, number]} */ ([t(`admin.listening.${state}`), states[state]]);
    this.#states.update(order.map(row));
  }
}
