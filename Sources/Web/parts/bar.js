// The bar at the foot of the pages: what sounds is steered there while another page is shown.

import { addressed } from "./api.js";
import { makePicture, pictureOf, showPicture } from "./colour.js";
import { deck } from "./deck.js";
import { button, el, setAttribute, setIcon, setText } from "./dom.js";
import { joined, span, t } from "./i18n.js";
import { addStyles } from "./styles.js";

addStyles(`
.bar:empty { display: none; }
.bar {
  order: 1; position: sticky; z-index: 4; inset-block-end: 0; display: flex; align-items: center; gap: 8px 16px;
  padding: 10px max(var(--side), calc((100vw - 1120px) / 2)); padding-bottom: max(10px, env(safe-area-inset-bottom));
  border-top: 1px solid var(--line); background: var(--surface);
}
.bar .what { flex: 1; min-width: 0; display: flex; align-items: center; gap: 14px; text-decoration: none; }
.bar .art { flex: none; width: 56px; border-radius: 8px; }
.words { display: grid; min-width: 0; }
.words > * { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar .song { font-weight: 600; }
.where { font-size: 0.8125rem; color: var(--muted); }
.bar .row { flex-wrap: nowrap; gap: 0; }
.bar .button.play { width: 52px; height: 52px; }
.bar .button.play .icon { width: 26px; height: 26px; }
.bar .live { margin-inline-start: 12px; }
.bar:not(.rests) .close { display: none; }
@media (max-width: 599px) {
  .bar { padding-block: 8px; gap: 8px; }
  .bar .art { width: 48px; }
  .bar .row > :is(.live, .play ~ .button:not(.close)) { display: none; }
  .bar.offer .art { display: none; }
  .bar.rests .row > .button:has(~ .play) { display: none; }
}
`);

/** @typedef {import("./deck.js").Player} Player */
/** @typedef {Player["station"]} Station */

/** Milliseconds. */
const updateEvery = 250;

class Bar {
  #place = document.body.appendChild(el("div", { id: "bar", class: "bar" }));
  #art = el("span", { class: "art" });
  #song = el("span", { class: "song", dir: "auto" });
  #where = el("span", { class: "where" });
  /** @type {Player | null} what it is made for */
  #player = null;
  #update = () => {};
  /** Stations whose offer was closed. @type {Set<string>} */
  #declined = new Set();
  /** The address of the picture, or the station that has none. */
  #picture = "";

  constructor() {
    setInterval(() => this.show(), updateEvery);
    deck.addEventListener("change", () => this.show());
    document.addEventListener("said-anew", () => {
      if (this.#player) this.#fill(this.#player);
    });
    this.show();
  }

  /** Shows what sounds, unless its own page does. */
  show() {
    const player = deck.player && !deck.player.isShown && deck.player.engine.state !== "idle" ? deck.player : null;
    if (player !== this.#player) {
      this.#player = player;
      if (player) this.#fill(player);
      else this.#empty();
    }
    this.#update();
  }

  /**
   * Offers a station until something sounds, or until the page goes.
   * @param {Station} station
   * @param {string} words
   * @param {() => void} play
   * @param {AbortSignal} signal of the page
   * @param {string} [note] why it is offered
   */
  offer(station, words, play, signal, note = "") {
    if (this.#player || signal.aborted || !note && this.#declined.has(station.id)) return;
    const close = () => this.#player || this.#empty();
    setText(this.#song, station.name);
    setText(this.#where, note);
    this.#frame(station, button("play", words, play, { class: "primary", text: words }),
      button("close", t("player.close"), () => {
        this.#declined.add(station.id);
        close();
      }));
    this.#paint(station, station.nowPlaying);
    this.#place.classList.add("offer");
    signal.addEventListener("abort", close);
  }

  #empty() {
    this.#update = () => {};
    this.#place.replaceChildren();
    this.#place.removeAttribute("role");
  }

  /**
   * @param {Station} station
   * @param {...HTMLElement} buttons
   */
  #frame(station, ...buttons) {
    this.#place.className = "bar";
    this.#place.setAttribute("role", "region");
    this.#place.setAttribute("aria-label", station.name);
    this.#place.replaceChildren(
      el("a", { class: "what", href: addressed(station.page ?? `/listen/${station.id}`) }, this.#art,
        el("span", { class: "words" }, this.#song, this.#where)),
      el("div", { class: "row" }, ...buttons));
  }

  /** @param {Player} player */
  #fill(player) {
    const { engine, station } = player;
    const back = button("back30", t("player.back30"), () => player.nudge(-30));
    const play = button("play", t("player.play"), () => player.toggle(), { class: "play" });
    const forward = button("forward30", t("player.forward30"), () => player.nudge(30));
    const word = el("span");
    const goLive = () => player.isLive && engine.state === "playing" || player.jump?.("live");
    const live = el("button", { type: "button", class: "live", on: { click: goLive } }, word);
    live.hidden = !player.jump;
    const close = button("close", t("player.close"), () => deck.end(), { class: "close" });
    if (player.canShift) this.#frame(station, back, play, forward, live, close);
    else this.#frame(station, play, close);
    // A station's past comes after its first sound.
    const couldShift = player.canShift;
    this.#update = () => {
      if (player.canShift !== couldShift) return this.#fill(player);
      const isLive = player.isLive, isSounding = player.isSounding;
      const isStandIn = Boolean(player.station.fallback) && isLive;
      const own = player.timeline.isEmpty ? player.station.nowPlaying ?? player.title() : player.title();
      const title = isStandIn ? null : own;
      setText(this.#song, joined([title?.title, title?.artist]) || station.name);
      this.#paint(station, title);
      const isLost = engine.state === "retrying" || engine.state === "gone";
      setText(this.#where, isLost ? t(`player.fault.${engine.reason || "stopped"}`)
        : isStandIn ? t("state-fallback") : isLive ? joined([title?.album, station.name], " · ")
        : joined([station.name, t("player.behind-live", { length: span(player.behind()) })], " · "));
      setIcon(play, isSounding ? "pause" : "play");
      setAttribute(play, "aria-label", t(isSounding ? "player.pause" : "player.play"));
      setText(word, t(isLive ? "player.live" : "player.go-live"));
      setAttribute(forward, "aria-disabled", isLive && player.jump ? "true" : null);
      live.dataset.live = String(isLive);
      live.classList.toggle("on", isLive && isSounding);
      this.#place.classList.toggle("rests", !isSounding);
    };
    this.#update();
  }

  /**
   * Shows the picture of a title, else the station's.
   * @param {Station} station
   * @param {{ artwork?: string | null, position?: number, picture?: string } | null | undefined} title
   */
  #paint(station, title) {
    const { id, name } = station, wanted = title?.picture || pictureOf(station, title);
    const key = `${id} ${wanted}`;
    if (key === this.#picture) return;
    this.#picture = key;
    if (wanted) void showPicture(this.#art, id, name, addressed(wanted));
    else makePicture(this.#art, id, name);
  }
}

export const bar = new Bar();
