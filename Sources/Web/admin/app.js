// The dashboard: who signs in, which view is shown, and what all views share.

import { ready, t } from "../i18n.js";
import { startTools } from "../tools.js";
import { Client, part, secret } from "./client.js";
import { EventLog, Feed } from "./feed.js";
import { Store } from "./store.js";
import { isReadable, login, refusal, warning } from "./login.js";
import { Player } from "./player.js";
import { age, count, h, listening, rate, size, useZone, when, words } from "./parts.js";

/**
 * A view: its element, what new figures do to it, and what an event does.
 * @typedef {{ title: string, element: HTMLElement, update?: () => void, told?: (event: RelayEvent) => void,
 *   close?: () => void }} View
 */
/** @typedef {import("./feed.js").RelayEvent} RelayEvent */
/** @typedef {import("./client.js").Listener} Listener */

/**
 * The views, each loaded when it is first looked at.
 * @type {Record<string, (app: App, id: string) => Promise<View>>}
 */
const views = {
  overview: async app => (await import("./overview.js")).overview(app),
  stations: async (app, id) => (id ? (await import("./station.js")).station(app, id)
    : (await import("./stations.js")).stations(app)),
  listeners: async app => (await import("./listeners.js")).listeners(app),
  library: async (app, id) => (id ? (await import("./track.js")).track(app, id)
    : (await import("./library.js")).library(app)),
  collections: async (app, id) => (id ? (await import("./collection.js")).collection(app, id)
    : (await import("./collections.js")).collections(app)),
  recordings: async (app, id) => (await import("./recordings.js")).recordings(app, id),
  bans: async app => (await import("./bans.js")).bans(app),
  webhooks: async app => (await import("./webhooks.js")).webhooks(app),
  configuration: async app => (await import("./config.js")).configuration(app),
  events: async app => (await import("./events.js")).events(app),
};

/** Kinds after which the stations' figures are asked for at once. */
const moving = /^(state|metadata-live|fallback-|listener-|config-reloaded|storage-)/;

export class App {
  client = new Client();
  store = new Store(this.client);
  log = new EventLog();
  feed = new Feed(this.client);
  player = new Player();
  /** @type {View | null} */
  #view = null;
  #root;
  #state;
  #place = h("section", { class: "view", tabindex: -1 });
  #links = Object.keys(views).map(name => h("a", { href: `#${name}` }, t(`admin.${name}`)));
  #figures = h("p", { class: "figures" });
  #away = h("p", { class: "notice bad", role: "alert", hidden: true });
  #said = h("div", { class: "said", role: "status" });
  #timer = 0;
  #turn = 0;
  #saying = 0;

  /**
   * @param {HTMLElement} root
   * @param {{ hasToken?: boolean, version?: string }} state
   */
  constructor(root, state) {
    this.#root = root;
    this.#state = state;
    this.client.refused = () => this.#signOut(t("admin.login.refused"));
    this.store.watch(() => this.#show());
    this.feed.told = event => this.#tell(event);
    this.feed.missed = missed => {
      // The first look asks for all there is, and misses what is gone.
      if (this.log.events.length) this.log.missed += missed;
    };
    this.feed.changed = () => this.#show();
    // A token or a code may come into a page that is open; it leaves the address at once.
    addEventListener("hashchange", () => (secret.test(location.hash) ? this.start() : this.#route()));
  }

  async start() {
    this.#leave();
    try {
      if (!await this.client.recall()) return this.#askToken();
      await this.client.signIn();
      this.#enter();
    } catch (fault) {
      this.#askToken(refusal(fault));
    }
  }

  /** @param {string} [trouble] */
  #askToken(trouble) {
    const options = { hasToken: this.#state.hasToken !== false, trouble, done: () => this.#enter() };
    this.#root.replaceChildren(login(this.client, options));
  }

  #enter() {
    if (this.client.timeZone) useZone(this.client.timeZone);
    const nav = h("nav", { class: "views", "aria-label": t("admin.views") }, ...this.#links,
      h("button", { type: "button", class: "out", onclick: () => this.#signOut() }, t("admin.signOut")));
    this.#root.replaceChildren(h("div", { class: "bar" }, nav, this.#figures), this.#away,
      isReadable() ? warning() : "", this.#place, this.player.element, this.#said);
    this.store.start();
    this.feed.start();
    this.#timer = setInterval(() => this.#showAge(), 1000);
    this.#route();
  }

  /** @param {string} [trouble] */
  #signOut(trouble) {
    this.client.signOut();
    this.#leave();
    this.#askToken(trouble);
  }

  #leave() {
    this.store.stop();
    this.feed.stop();
    this.player.stop();
    clearInterval(this.#timer);
    this.#view?.close?.();
    this.#view = null;
    document.querySelectorAll("dialog").forEach(dialog => dialog.close());
  }

  async #route() {
    if (!this.client.isSignedIn || !this.#place.isConnected) return;
    const turn = ++this.#turn;
    const [name, id] = location.hash.slice(1).split("/");
    const made = Object.keys(views).includes(name) ? name : "overview";
    for (const link of this.#links) {
      const isHere = link.hash === `#${made}`;
      link.toggleAttribute("aria-current", isHere);
      if (isHere) link.setAttribute("aria-current", "page");
      if (isHere) link.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    let view;
    try {
      view = await views[made](this, id ? decodeURIComponent(id) : "");
    } catch {
      return this.say(t("admin.fault.away"), { isBad: true });
    }
    // Who has gone on in the meantime is not brought back.
    if (turn !== this.#turn || !this.client.isSignedIn) return view.close?.();
    this.#view?.close?.();
    this.#view = view;
    this.#place.replaceChildren(view.element);
    document.title = `${view.title} – Longwave`;
    view.update?.();
    if (location.hash) this.#place.focus({ preventScroll: true });
  }

  /** @param {RelayEvent} event */
  #tell(event) {
    if (moving.test(event.kind)) this.store.soon();
    // Each change of state is told twice; the second has the state as its kind.
    if (event.kind === "state") return;
    this.log.add(event);
    this.#view?.told?.(event);
  }

  #show() {
    if (!this.client.isSignedIn) return;
    const { stats, obstacles } = this.store;
    if (stats) {
      const cpu = this.store.samples("cpu").last;
      const figure = (/** @type {string} */ key, /** @type {string} */ value) =>
        h("span", {}, h("b", {}, value), " ", t(`admin.figure.${key}`));
      const isReady = obstacles.length === 0;
      this.#figures.replaceChildren(
        figure("listening", listening(stats.listeners)), figure("in", rate(this.store.samples("in").last)),
        figure("out", rate(this.store.samples("out").last)), figure("cpu", cpu === null ? "–" : `${count(cpu)} %`),
        figure("memory", size(stats.process.memory)), figure("up", age(stats.uptime)),
        h("span", { class: isReady ? "good" : "bad" }, t(isReady ? "admin.ready" : "admin.notReady")));
    }
    this.#showAge();
    this.#view?.update?.();
  }

  #showAge() {
    const { isStale, lastSeen } = this.store;
    this.#root.classList.toggle("stale", isStale);
    this.#away.hidden = !isStale;
    if (isStale) this.#away.textContent = t("admin.stale", { time: when(lastSeen) });
  }

  /** Returns who listens. */
  async listeners(station = "") {
    const query = station ? `?station=${part(station)}` : "";
    return /** @type {Listener[]} */ ((await this.client.get(`listeners${query}`)).listeners);
  }

  /** @param {string} place */
  go(place) {
    location.hash = place;
  }

  /**
   * Does something and says that it is done, or why it is not.
   * @param {() => Promise<unknown>} act
   * @param {string} done
   */
  async run(act, done) {
    try {
      await act();
      this.say(done);
    } catch (fault) {
      this.say(words(fault), { isBad: true });
    }
  }

  /**
   * Says something below, for a while.
   * @param {string} text
   * @param {{ word?: string, act?: () => void, isBad?: boolean }} more What undoes it.
   */
  say(text, { word, act, isBad = false } = {}) {
    clearTimeout(this.#saying);
    const end = () => this.#said.replaceChildren();
    const undone = () => {
      end();
      act?.();
    };
    const undo = word && h("button", { type: "button", class: "act", onclick: undone }, word);
    const close = h("button", { type: "button", class: "act", "aria-label": t("admin.close"), onclick: end }, "×");
    this.#said.replaceChildren(h("p", { class: isBad ? "bad" : "" }, text, undo || null, close));
    this.#saying = setTimeout(end, act ? 20000 : isBad ? 12000 : 6000);
  }
}

ready().then(() => {
  startTools();
  const root = document.getElementById("app");
  const state = JSON.parse(document.getElementById("state")?.textContent ?? "{}");
  if (root) new App(root, state).start();
});
