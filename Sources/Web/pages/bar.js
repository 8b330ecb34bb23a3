// The bar under the stations: it plays one of them in place, with the player's own engine.

import { getJSON } from "./api.js";
import { makePicture, showPicture } from "./colour.js";
import { button, el, setAttribute, setIcon, setText } from "./dom.js";
import { Engine } from "./engine.js";
import { span, t } from "./i18n.js";
import { connectMediaSession } from "./mediasession.js";
import { chosen, qualitiesOf } from "./qualities.js";
import { keepPlace, token } from "./session.js";
import { Timeline } from "./timeline.js";

/** @typedef {import("./stations.js").Station} Station */

/** Milliseconds. */
const updateEvery = 250, timelineEvery = 15_000;

export class Bar {
  #place;
  #onChange;
  /** @type {{ station: Station, engine: Engine, timeline: Timeline, session: { update: () => void } } | null} */
  #playing = null;
  #art = el("span", { class: "art" });
  #song = el("span", { class: "song", dir: "auto" });
  #where = el("span", { class: "where" });
  #link = el("a", { class: "what" }, this.#art, el("span", { class: "words" }, this.#song, this.#where));
  #back = button("back30", t("player.back30"), () => this.#playing?.engine.skip(-30));
  #play = button("play", t("player.play"), () => this.#playing?.engine.toggle(), { class: "play" });
  #forward = button("forward30", t("player.forward30"), () => this.#playing?.engine.skip(30));
  #word = el("span");
  #live = el("button", { type: "button", class: "live", on: { click: () => this.#goLive() } }, this.#word);

  /**
   * @param {HTMLElement} place
   * @param {() => void} onChange called when another station plays, or none
   */
  constructor(place, onChange) {
    this.#place = place;
    this.#onChange = onChange;
    setInterval(() => this.#update(), updateEvery);
    setInterval(() => void this.#refresh(), timelineEvery);
    addEventListener("pagehide", () => this.#keepPlace());
  }

  /**
   * Plays a station live, or pauses it where it plays. Call it within a gesture.
   * @param {Station} station
   */
  toggle(station) {
    if (this.#playing?.station.id === station.id) this.#playing.engine.toggle();
    else this.#begin(station);
    this.#update();
  }

  /** @param {string | undefined} id */
  isSounding(id) {
    const playing = this.#playing;
    if (!playing || playing.station.id !== id) return false;
    return ["starting", "playing", "waiting", "retrying"].includes(playing.engine.state);
  }

  /** @param {Station} station */
  #begin(station) {
    this.#keepPlace();
    this.#playing?.engine.stop();
    const timeline = new Timeline(null);
    const quality = chosen(station.id, qualitiesOf(station));
    const bitrate = quality.bitrate ?? /** @type {any} */ (station.format)?.bitrate ?? null;
    const { id } = station, stream = quality.id;
    const engine = new Engine({ audio: new Audio(), station: id, stream, token: token(), timeline, bitrate });
    const session = connectMediaSession({ engine, timeline, station, jump: (place) => engine.play(place) });
    this.#playing = { station, engine, timeline, session };
    engine.addEventListener("state", () => this.#update());
    engine.play("live");
    void this.#refresh();
    this.#link.href = `/listen/${station.id}`;
    makePicture(this.#art, station.id, station.name);
    if (station.artwork || station.nowPlaying.artwork) {
      void showPicture(this.#art, station.id, station.name, `/api/v1/stations/${station.id}/artwork`);
    }
    const row = el("div", { class: "row" }, this.#back, this.#play, this.#forward, this.#live);
    this.#place.replaceChildren(this.#link, row);
    this.#place.setAttribute("role", "region");
    this.#place.setAttribute("aria-label", station.name);
  }

  async #refresh() {
    const playing = this.#playing;
    if (!playing) return;
    const { status, json } = await getJSON(`/api/v1/stations/${playing.station.id}/timeline`);
    if (status === 200 && json) playing.timeline.merge(json);
  }

  #goLive() {
    const engine = this.#playing?.engine;
    if (engine && !(engine.isLive() && engine.state === "playing")) engine.live();
  }

  #keepPlace() {
    const air = this.#playing?.engine.heardAir();
    if (this.#playing && typeof air === "number") keepPlace(this.#playing.station.id, air);
  }

  #update() {
    if (!this.#playing) return;
    const { station, engine, timeline, session } = this.#playing;
    const media = engine.heardMedia();
    const title = media === null || timeline.isEmpty ? station.nowPlaying : timeline.titleAt(media);
    setText(this.#song, [title?.title, title?.artist].filter(Boolean).join(" – ") || station.name);
    const behind = engine.behind() ?? 0, isLive = engine.isLive();
    const isLost = engine.state === "retrying" || engine.state === "gone";
    const where = isLost ? t(`player.fault.${engine.reason || "stopped"}`)
      : isLive ? station.name : `${station.name} · ${t("player.behind-live", { length: span(behind) })}`;
    setText(this.#where, where);
    const isSounding = this.isSounding(station.id);
    setIcon(this.#play, isSounding ? "pause" : "play");
    setAttribute(this.#play, "aria-label", t(isSounding ? "player.pause" : "player.play"));
    setText(this.#word, t(isLive ? "player.live" : "player.go-live"));
    setAttribute(this.#forward, "aria-disabled", isLive ? "true" : null);
    this.#live.dataset.live = String(isLive);
    this.#live.classList.toggle("on", isLive && isSounding);
    session.update();
    this.#onChange();
  }
}
