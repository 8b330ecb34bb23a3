// What is done with a track, wherever it is shown: queued on a programme, kept as a favourite, left out, collected.

import { t } from "../i18n.js";
import { addStyles } from "../styles.js";
import { Fault, isUnknown, part } from "./client.js";
import { act, named } from "./music.js";
import { ask, button, choice, field, h, value, when, words } from "./parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./music.js").Track} Track */
/** @typedef {import("./collections.js").Collection} Collection */

/** The collection of favourites. */
const favourites = "favourites", path = `collections/${favourites}`;
/** The programme that was chosen last, for all views. */
let chosen = "";

/** Which programme is meant; with one or none there is nothing to choose. */
export class Target {
  #app;
  #select = choice([], { name: "programme" });
  element = h("label", { class: "target", hidden: true }, h("span", {}, t("music.queueOn")), this.#select);

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#select.addEventListener("change", () => (chosen = this.#select.value));
    this.update();
  }

  update() {
    const ids = this.#app.store.stations.filter(({ programme }) => programme).map(({ id }) => id);
    this.element.hidden = ids.length < 2;
    if ([...this.#select.options].map(({ value }) => value).join() === ids.join()) return;
    this.#select.replaceChildren(...ids.map(id => h("option", { value: id }, id)));
    if (!ids.includes(chosen)) chosen = ids[0] ?? "";
    this.#select.value = chosen;
  }

  /**
   * Queues tracks on the programme that is chosen, and says when they play.
   * @param {string[]} tracks
   * @param {string} title
   * @param {"next" | "end"} at
   */
  async queue(tracks, title, at) {
    const id = this.#select.value;
    if (!id) return this.#app.say(t("music.queue.nowhere"), { isBad: true });
    try {
      const wish = { action: "queue", track: tracks, at };
      const shown = await this.#app.client.post(`stations/${part(id)}/programme`, wish);
      const queued = (shown?.upcoming ?? []).filter((/** @type {import("./music.js").Item} */ { why, track }) =>
        why === "queue" && track !== null && tracks.includes(track));
      const first = tracks.length > 1 || at === "next" ? queued[0] : queued[queued.length - 1];
      const values = { title, id, time: first ? when(first.at) : "" };
      this.#app.say(t(first ? "music.queued.at" : "music.queued", values));
    } catch (fault) {
      this.#app.say(words(fault), { isBad: true });
    }
  }
}

/** The tracks of the collection of favourites. */
export class Favourites {
  #app;
  /** @type {Map<string, number>} The member that each of them is. */
  #members = new Map();

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
  }

  /** @param {string} track */
  has(track) {
    return this.#members.has(track);
  }

  async load() {
    /** @type {[string, number][]} */
    const found = [];
    try {
      for (let next = /** @type {string | null} */ (""); next !== null;) {
        const page = await this.#app.client.get(`${path}?limit=1000${next && `&after=${part(next)}`}`);
        for (const { track, member } of /** @type {Collection} */ (page).members ?? []) {
          if (track) found.push([track.track, member]);
        }
        next = page.next === null || page.next === undefined ? null : String(page.next);
      }
    } catch (fault) {
      // Before the first favourite there is no such collection, and in an older relay there are none at all.
      if (!(fault instanceof Fault && fault.status === 404)) throw fault;
    }
    this.#members = new Map(found);
  }

  /**
   * @param {string} track
   * @param {boolean} isWanted
   */
  async set(track, isWanted) {
    const { client } = this.#app, member = this.#members.get(track);
    if (!isWanted && member !== undefined) await client.delete(`${path}/members/${member}`);
    if (isWanted) {
      const body = { tracks: [track] };
      try {
        await client.post(`${path}/members`, body);
      } catch (fault) {
        if (!(fault instanceof Fault && fault.code === "unknown-collection")) throw fault;
        await client.post("collections", { collection: favourites });
        await client.post(`${path}/members`, body);
      }
    }
    await this.load();
  }
}

/**
 * The acts on a track.
 * @param {App} app
 * @param {Target} target
 * @param {Favourites} kept
 * @param {Track} track
 * @param {(change: Partial<Track>) => void} changed Shows the track with what is other than before.
 */
export function trackActs(app, target, kept, track, changed) {
  const title = named(track), isKept = kept.has(track.track);
  const favour = () => app.run(async () => {
    await kept.set(track.track, !isKept);
    changed({});
  }, t(isKept ? "music.favourite.gone" : "music.favourite.done", { title }));
  const exclude = () => {
    const excluded = !track.excluded;
    return app.run(async () => {
      await app.client.patch(`tracks/${part(track.track)}`, { excluded });
      changed({ excluded });
    }, t(excluded ? "music.exclude.done" : "music.exclude.gone", { title }));
  };
  const heart = act("favourite", button(isKept ? "♥" : "♡", favour, { label: t("music.favourite", { title }) }));
  heart.setAttribute("aria-pressed", String(isKept));
  const left = act("exclude", button(t("music.exclude"), exclude, { label: t("music.excludeLabel", { title }) }));
  left.setAttribute("aria-pressed", String(track.excluded));
  const queue = (/** @type {"next" | "end"} */ at) =>
    act(`queue-${at}`, button(t(`music.queue.${at}`), () => target.queue([track.track], title, at),
      { label: t(`music.queue.${at}Label`, { title }) }));
  return [
    queue("next"), queue("end"), heart, left,
    act("collect", button("+", () => collect(app, track), { label: t("music.collect", { title }) })),
  ];
}

/**
 * Asks for a collection, and adds a track to it.
 * @param {App} app
 * @param {Track} track
 */
async function collect(app, track) {
  const title = named(track);
  let lists = /** @type {Collection[]} */ ([]);
  try {
    const { collections } = await app.client.get("collections");
    lists = collections.filter((/** @type {Collection} */ { kind }) => kind === "list");
  } catch (fault) {
    return app.say(isUnknown(fault) ? t("music.older") : words(fault), { isBad: true });
  }
  if (!lists.length) return app.say(t("music.collect.none"));
  const choices = lists.map(({ collection, name }) =>
    /** @type {[string, string]} */ ([collection, name || collection]));
  let to = "";
  const isDone = await ask({
    title: t("music.collect", { title }), action: t("music.collect.go"),
    body: [field(t("music.collection"), choice(choices, { name: "collection" }))],
    act: form => {
      to = value(form, "collection");
      return app.client.post(`collections/${part(to)}/members`, { tracks: [track.track] });
    },
  });
  if (isDone) app.say(t("music.collect.done", { title, to }));
}

addStyles(`
.target { display: inline-flex; align-items: center; gap: 8px; font-size: 13px; }
.target[hidden] { display: none; }
[data-page="admin"] .target select { min-height: 32px; padding: 2px 10px; border-radius: 8px; }
`);
