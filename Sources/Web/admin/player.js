// Plays a station in place, live: to hear whether it is well. The page for listening is /listen/ID.

import { t } from "../i18n.js";
import { part } from "./client.js";
import { button, h } from "./parts.js";

export class Player {
  #audio = new Audio();
  #what = h("span");
  #volume = h("input", { type: "range", min: 0, max: 1, step: 0.01, value: 1, "aria-label": t("admin.volume") });
  /** The station that plays; "" for none. */
  station = "";
  changed = () => {};
  element = h("div", { class: "playing", hidden: true },
    button(t("admin.play.stop"), () => this.stop(), { kind: "main" }), this.#what, this.#volume);

  constructor() {
    this.#volume.addEventListener("input", () => (this.#audio.volume = Number(this.#volume.value)));
    this.#audio.addEventListener("waiting", () => this.#say("waiting"));
    this.#audio.addEventListener("playing", () => this.#say("playing"));
    this.#audio.addEventListener("error", () => this.station && this.#say("failed"));
    this.#audio.addEventListener("ended", () => this.station && this.#say("failed"));
  }

  /** @param {string} id */
  toggle(id) {
    if (this.station === id) return this.stop();
    this.station = id;
    this.element.hidden = false;
    this.#audio.src = `/${part(id)}`;
    this.#say("waiting");
    this.#audio.play().catch(() => this.station === id && this.#say("failed"));
    this.changed();
  }

  stop() {
    this.station = "";
    this.element.hidden = true;
    // Taking the address away ends the connection; pausing alone would let it read on.
    this.#audio.removeAttribute("src");
    this.#audio.load();
    this.changed();
  }

  /** @param {"waiting" | "playing" | "failed"} state */
  #say(state) {
    this.#what.textContent = t(`admin.play.${state}`, { id: this.station });
  }
}
