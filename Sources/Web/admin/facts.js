// A list of facts that stays still: only what has changed is written anew, so that text can be marked and copied.

import { t } from "../i18n.js";
import { h } from "./parts.js";

/** A fact: its key, its words (null hides it), and what stands beside them. */
/** @typedef {[string, string | null, Element?]} Fact */

export class Facts {
  /** @type {Map<string, { term: HTMLElement, words: HTMLElement }>} */
  #rows = new Map();
  element = h("dl", { class: "facts" });

  /** @param {Fact[]} facts Always the same keys in the same order. */
  update(facts) {
    for (const [key, words, beside] of facts) {
      const row = this.#rows.get(key) ?? this.#add(key, beside);
      row.term.hidden = words === null;
      if (row.words.parentElement) row.words.parentElement.hidden = words === null;
      if (words !== null && row.words.textContent !== words) row.words.textContent = words;
    }
  }

  /**
   * @param {string} key
   * @param {Element} [beside]
   */
  #add(key, beside) {
    const row = { term: h("dt", {}, t(`admin.fact.${key}`)), words: h("span") };
    this.#rows.set(key, row);
    this.element.append(row.term, h("dd", {}, row.words, beside));
    return row;
  }
}
