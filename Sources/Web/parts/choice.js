// Which stations the list shows, and in which order: stars, what was heard last, a search, genres.

import { button, el, icon, keep, kept, setAttribute } from "./dom.js";
import { t } from "./i18n.js";
import { keptPlace } from "./session.js";

/**
 * @typedef {object} Station as the API has it
 * @property {{ name: string } | null} [show] on air now
 * @property {string} id
 * @property {string} name
 * @property {string | null} genre
 * @property {string} state
 * @property {boolean} pushed by encoders
 * @property {string[]} auth the ways to be let in; none where everybody is
 * @property {string | null} artwork
 * @property {object | null} format
 * @property {{ live: string | null, oldest: string | null }} window
 * @property {{ shift?: boolean }} [rights]
 * @property {{ now: number, hls?: number }} listeners
 * @property {{ title: string | null, artist: string | null, artwork: string | null, position: number | null
 *   }} nowPlaying
 * @property {string | null} renditionOf
 * @property {{ id: string, bitrate: number }[]} renditions
 * @property {string | null} beginsAt
 * @property {string | null} fallback
 * @property {number | null} delay seconds
 */
/** @typedef {"mine" | "name" | "listeners"} Order */

/** From so many stations on there are tools to choose among them. */
const toolsFrom = 6;
/** Genres that are offered: those of most stations. */
const genresMost = 10;
/**
 * What was chosen, as long as the document stands: the list goes and comes.
 * @type {{ stars: Set<string>, text: string, genre: string }}
 */
const wishes = { stars: new Set(starsKept()), text: "", genre: "" };
/** @type {Order[]} */
const orders = ["mine", "name", "listeners"];

export class Choice {
  #place;
  #onChange;
  /** When each was heard last: it does not change the order while the page stands. @type {Map<string, number>} */
  #heard = new Map();
  /** @type {Order} */
  #order = orders.find((order) => order === kept("order")) ?? "mine";
  #genres = "";
  #field = el("input", { type: "search", placeholder: t("search"), "aria-label": t("search-stations") });
  #none = el("p", { role: "status" });
  #chips = el("div", { class: "chips", role: "group", "aria-label": t("genres") });
  #menu = el("select", { "aria-label": t("order") },
    ...orders.map((order) => new Option(t(`order-${order}`), order)));

  /**
   * @param {HTMLElement} place
   * @param {() => void} onChange another order is wished for, or other stations
   */
  constructor(place, onChange) {
    this.#place = place;
    this.#onChange = onChange;
    this.#menu.value = this.#order;
    this.#field.value = wishes.text;
    this.#field.addEventListener("input", () => {
      wishes.text = this.#field.value;
      onChange();
    });
    this.#menu.addEventListener("change", () => {
      this.#order = /** @type {Order} */ (this.#menu.value);
      keep("order", this.#order === "mine" ? null : this.#order);
      onChange();
    });
  }

  /**
   * Returns the stations in the order that is wished for.
   * @param {Station[]} stations
   */
  sorted(stations) {
    this.#showTools(stations);
    const weight = (/** @type {Station} */ { id, listeners }) =>
      this.#order === "listeners" ? listeners.now + (listeners.hls ?? 0)
        : (wishes.stars.has(id) ? 1e15 : 0) + this.#heardAt(id);
    return this.#order === "name" ? [...stations].sort((one, other) => one.name.localeCompare(other.name))
      : [...stations].sort((one, other) => weight(other) - weight(one));
  }

  /**
   * Whether the list shows a station: it has every word of the search, and the genre.
   * @param {Station} station
   * @param {string} song as its card shows it
   */
  admits({ name, genre }, song) {
    const text = plain([name, song, genre ?? ""].join(" "));
    return plain(this.#field.value).split(/\s+/).every((word) => text.includes(word))
      && (!wishes.genre || genresOf(genre).some((one) => plain(one) === wishes.genre));
  }

  /** @param {number} count of stations that are shown */
  tell(count) {
    const wish = [this.#field.value.trim(), wishes.genre].filter(Boolean).join(", ");
    this.#none.textContent = count || !wish ? "" : t("no-match", { text: wish });
  }

  /** @param {Station} station whose star it is */
  star({ id, name }) {
    const press = button("star", t("star", { name }), () => {
      if (!wishes.stars.delete(id)) wishes.stars.add(id);
      keep("stars", wishes.stars.size ? JSON.stringify([...wishes.stars]) : null);
      setAttribute(press, "aria-pressed", String(wishes.stars.has(id)));
      this.#onChange();
      press.focus();
    }, { class: "star", "aria-pressed": String(wishes.stars.has(id)) });
    return press;
  }

  /** @param {string} id */
  #heardAt(id) {
    if (!this.#heard.has(id)) this.#heard.set(id, keptPlace(id)?.saved ?? 0);
    return this.#heard.get(id) ?? 0;
  }

  /** @param {Station[]} stations */
  #showTools(stations) {
    if (!this.#place.firstChild) {
      if (stations.length < toolsFrom) {
        // What is wished for has no field to take it back.
        wishes.text = wishes.genre = this.#field.value = "";
        return;
      }
      const field = el("div", { class: "field" }, icon("search"), this.#field);
      this.#place.append(field, this.#menu, this.#chips, this.#none);
    }
    /** @type {Map<string, { word: string, count: number }>} */
    const counts = new Map();
    for (const word of stations.flatMap(({ genre }) => genresOf(genre))) {
      const found = counts.get(plain(word));
      if (found) found.count += 1;
      else counts.set(plain(word), { word, count: 1 });
    }
    const genres = [...counts].sort(([, one], [, other]) => other.count - one.count).slice(0, genresMost);
    const offered = genres.length < 2 ? [] : genres, key = JSON.stringify(offered.map(([genre]) => genre));
    if (!offered.some(([genre]) => genre === wishes.genre)) wishes.genre = "";
    if (key === this.#genres) return;
    this.#genres = key;
    this.#chips.replaceChildren(...offered.map(([genre, { word }]) => this.#chip(genre, word)));
  }

  /**
   * @param {string} genre
   * @param {string} word
   */
  #chip(genre, word) {
    const chip = el("button", {
      type: "button", class: "button outlined chip", "aria-pressed": String(genre === wishes.genre), dir: "auto",
      on: { click: () => {
        wishes.genre = wishes.genre === genre ? "" : genre;
        for (const other of this.#chips.children) {
          setAttribute(other, "aria-pressed", String(other === chip && wishes.genre !== ""));
        }
        this.#onChange();
      } },
    }, word);
    return chip;
  }
}

/** @returns {string[]} */
function starsKept() {
  try {
    const stars = JSON.parse(kept("stars") ?? "[]");
    return Array.isArray(stars) ? stars.filter((star) => typeof star === "string") : [];
  } catch {
    // Another page of this address wrote it.
    return [];
  }
}

/**
 * Returns the genres that a station names in one text. A stroke without blanks is part of a name: "R&B/Hip-Hop".
 * @param {string | null} text
 */
function genresOf(text) {
  return (text ?? "").split(/[,;|]|\s\/|\/\s/).map((word) => word.trim()).filter(Boolean);
}

/** @param {string} text */
function plain(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
