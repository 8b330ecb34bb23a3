// A programme's rules as a small form. What is changed here stays beside the station's definition, until it is reset.

import { t } from "../i18n.js";
import { addStyles } from "../styles.js";
import { button, choice, field, h, words } from "./parts.js";

/** @typedef {import("./programme.js").Programme} Programme */
/** @typedef {Record<string, string | number | null>} Change */

const orders = ["sequence", "shuffle", "newest"];
const repeats = ["all", "one", "none"];
const joins = ["cut", "gapless", "fade"];

export class Rules {
  #save;
  /** @type {Programme | null} */
  #shown = null;
  #order = offered("order", orders);
  #repeat = offered("repeat", repeats);
  #join = offered("join", joins);
  #fade = h("input", { name: "fade", type: "number", min: 0.5, max: 15, step: 0.5, placeholder: "4" });
  #loudness = h("input", { name: "loudness", type: "number", min: -30, max: -8, step: 0.5 });
  #trouble = h("p", { class: "trouble", role: "alert" });
  #changed = h("p", { class: "notes" });
  #go = h("button", { class: "act main", "data-action": "save-rules" }, t("admin.form.save"));
  #reset = button(t("music.rules.reset"), () => this.#send(this.#emptied()));
  #fadeField = field(t("music.rules.fade"), this.#fade, t("music.rules.fadeHint"));
  element;

  /** @param {(body: Change) => Promise<unknown>} save */
  constructor(save) {
    this.#save = save;
    this.#reset.dataset.action = "reset-rules";
    this.#join.addEventListener("change", () => this.#showFade());
    const form = h("form", { class: "rules", onsubmit: (/** @type {Event} */ event) => this.#submit(event) },
      field(t("music.rules.order"), this.#order), field(t("music.rules.repeat"), this.#repeat),
      field(t("music.rules.join"), this.#join), this.#fadeField,
      field(t("music.rules.loudness"), this.#loudness, t("music.rules.loudnessHint")),
      h("p", { class: "acts" }, this.#go, this.#reset), this.#changed, this.#trouble);
    this.element = h("details", {}, h("summary", { "data-action": "rules" }, t("music.rules")), form);
  }

  /** @param {Programme} shown */
  show(shown) {
    // What somebody is about to change stays as it is.
    const isEdited = this.#shown !== null && Object.keys(this.#meant()).length > 0;
    this.#shown = shown;
    if (!isEdited) this.#fill();
    const changed = shown.changed ?? [];
    this.#reset.disabled = changed.length === 0;
    const keys = changed.map(key => t(`music.rules.${key}`)).join(", ");
    this.#changed.textContent = changed.length ? t("music.rules.changed", { keys }) : t("music.rules.same");
  }

  #fill() {
    const { order, repeat, join, fade, loudness } = /** @type {Programme} */ (this.#shown);
    this.#order.value = order ?? "";
    this.#repeat.value = repeat ?? "";
    this.#join.value = join ?? "";
    this.#fade.value = String(fade ?? "");
    this.#loudness.value = String(loudness ?? "");
    this.#showFade();
  }

  #showFade() {
    this.#fadeField.hidden = this.#join.value !== "fade";
  }

  /** Returns what differs from what holds; a loudness that was emptied goes back to the definition's. */
  #meant() {
    const shown = /** @type {Programme} */ (this.#shown);
    /** @type {Change} */
    const change = {};
    for (const [key, control] of /** @type {const} */ ([["order", this.#order], ["repeat", this.#repeat],
      ["join", this.#join]])) {
      if (control.value && control.value !== shown[key]) change[key] = control.value;
    }
    for (const [key, control] of /** @type {const} */ ([["fade", this.#fade], ["loudness", this.#loudness]])) {
      if (key === "fade" && this.#fadeField.hidden) continue;
      const wanted = control.value === "" ? null : Number(control.value);
      if (wanted !== (shown[key] ?? null)) change[key] = wanted;
    }
    return change;
  }

  #emptied() {
    return Object.fromEntries((this.#shown?.changed ?? []).map(key => [key, null]));
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    const change = this.#meant();
    if (Object.keys(change).length === 0) return void (this.#trouble.textContent = t("admin.form.same"));
    this.#send(change);
  }

  /** @param {Change} change */
  async #send(change) {
    this.#go.disabled = true;
    this.#trouble.textContent = "";
    try {
      await this.#save(change);
      this.#fill();
    } catch (fault) {
      this.#trouble.textContent = words(fault);
    } finally {
      this.#go.disabled = false;
    }
  }
}

/**
 * @param {string} name
 * @param {string[]} words
 */
const offered = (name, words) =>
  choice(words.map(word => /** @type {[string, string]} */ ([word, t(`music.${name}.${word}`)])), { name });

addStyles(`
.rules {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; align-items: start;
  padding: 12px 14px; border: 1px solid var(--line); border-radius: 10px; background: var(--surface);
}
.rules :is(.acts, .notes, .trouble) { grid-column: 1 / -1; }
.rules .acts { display: flex; gap: 8px; }
`);
