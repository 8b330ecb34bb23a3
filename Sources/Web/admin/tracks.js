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
const favourites = "favourites";
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

/**
 * The acts on a track.
 * @param {App} app
 * @param {Target} target
 * @param {Track} track
 * @param {(change: Partial<Track>) => void} changed Shows the track with what is other than before.
 */
export function trackActs(app, target, track, changed) {
  const title = named(track);
  const favour = () => {
    const favourite = !track.favourite;
    return app.run(async () => {
      await setFavourite(app, track.track, favourite);
      changed({ favourite });
    }, t(favourite ? "music.favourite.done" : "music.favourite.gone", { title }));
  };
  const exclude = () => {
    const excluded = !track.excluded;
    return app.run(async () => {
      await app.client.patch(`tracks/${part(track.track)}`, { excluded });
      changed({ excluded });
    }, t(excluded ? "music.exclude.done" : "music.exclude.gone", { title }));
  };
  const heart = button(track.favourite ? "♥" : "♡", favour, { label: t("music.favourite", { title }) });
  const favourite = act("favourite", heart);
  favourite.setAttribute("aria-pressed", String(track.favourite === true));
  const left = act("exclude", button(t("music.exclude"), exclude, { label: t("music.excludeLabel", { title }) }));
  left.setAttribute("aria-pressed", String(track.excluded));
  const queue = (/** @type {"next" | "end"} */ at) =>
    act(`queue-${at}`, button(t(`music.queue.${at}`), () => target.queue([track.track], title, at),
      { label: t(`music.queue.${at}Label`, { title }) }));
  return [
    queue("next"), queue("end"), favourite, left,
    act("collect", button("+", () => collect(app, track), { label: t("music.collect", { title }) })),
  ];
}

/**
 * @param {App} app
 * @param {string} track
 * @param {boolean} isWanted
 */
async function setFavourite(app, track, isWanted) {
  const path = `collections/${favourites}/members`;
  if (!isWanted) {
    const member = await memberOf(app, favourites, track);
    return member === null ? undefined : app.client.delete(`${path}/${member}`);
  }
  try {
    await app.client.post(path, { tracks: [track] });
  } catch (fault) {
    if (!(fault instanceof Fault && fault.code === "unknown-collection")) throw fault;
    await app.client.post("collections", { collection: favourites });
    await app.client.post(path, { tracks: [track] });
  }
}

/**
 * Returns the member of a collection that a track is; null where it is none.
 * @param {App} app
 * @param {string} collection
 * @param {string} track
 */
async function memberOf(app, collection, track) {
  for (let next = /** @type {string | null} */ (""); next !== null;) {
    const page = await app.client.get(`collections/${part(collection)}?limit=1000${next && `&after=${part(next)}`}`);
    const found = /** @type {Collection} */ (page).members?.find(member => member.track?.track === track);
    if (found) return found.member;
    next = page.next === null || page.next === undefined ? null : String(page.next);
  }
  return null;
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
