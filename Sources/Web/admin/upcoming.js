// What comes in a programme, a line each: when, what, why, and what takes it out.

import { t } from "../i18n.js";
import { addStyles } from "../styles.js";
import { act, length, named, notes, setText } from "./music.js";
import { button, h, when } from "./parts.js";

/** @typedef {import("./music.js").Item} Item */

export class Upcoming {
  #act;
  /** @type {Map<number, HTMLElement>} */
  #lines = new Map();
  #list = h("ol", { class: "boxed upcoming", "data-upcoming": true, "aria-label": t("music.comes") });
  #empty = h("p", { class: "empty" }, t("music.nothing"));
  element = h("div", {}, this.#list, this.#empty);

  /** @param {(body: { action: string, item?: number, items?: number[] }) => void} act */
  constructor(act) {
    this.#act = act;
  }

  /** @param {Item[]} items */
  show(items) {
    this.#forget(new Set(items.map(({ item }) => item)));
    let before = /** @type {Element | null} */ (null);
    for (const item of items) {
      const line = this.#lines.get(item.item) ?? this.#line(item);
      fill(line, item);
      const next = before ? before.nextElementSibling : this.#list.firstElementChild;
      if (next !== line) this.#list.insertBefore(line, next);
      before = line;
    }
    this.#list.hidden = items.length === 0;
    this.#empty.hidden = items.length > 0;
  }

  /** @param {Set<number>} kept */
  #forget(kept) {
    for (const [item, line] of this.#lines) {
      if (kept.has(item)) continue;
      // The focus goes to the line that moves up, not to the page's beginning.
      const next = line.contains(document.activeElement) && (line.nextElementSibling ?? line.previousElementSibling);
      if (next) next.querySelector("button")?.focus();
      line.remove();
      this.#lines.delete(item);
    }
  }

  /** @param {Item} about */
  #line(about) {
    const { item, why } = about;
    const isQueued = why === "queue";
    const action = isQueued ? "unqueue" : "skip";
    const does = button(t(`music.${action}`), () => this.#act(isQueued ? { action, items: [item] } : { action, item }),
      { label: t(`music.${action}Label`, { title: named(about) }) });
    const line = h("li", { "data-item": item }, h("time"),
      h("span", { class: "what" }, h("span", { class: "named" }), h("span", { class: "notes" })),
      h("span", { class: "figure" }), act(action, does));
    this.#lines.set(item, line);
    return line;
  }
}

/**
 * @param {HTMLElement} line
 * @param {Item} item
 */
function fill(line, item) {
  line.dataset.why = item.why ?? "";
  const [time, title, more, seconds] = ["time", ".named", ".notes", ".figure"].map(part => line.querySelector(part));
  time?.setAttribute("datetime", item.at);
  setText(time, when(item.at));
  setText(title, named(item));
  setText(more, notes(item).join(" · "));
  setText(seconds, length(item.seconds));
}

addStyles(`
.upcoming li, .planned li {
  display: grid; grid-template-columns: 72px minmax(0, 1fr) 56px auto; align-items: center; gap: 2px 10px;
  min-height: 40px; padding: 4px 10px; font-size: 13px;
}
.upcoming .what { display: grid; }
:is(.upcoming, .planned) time { color: var(--muted); font-variant-numeric: tabular-nums; }
:is(.upcoming, .planned) .figure { text-align: end; font-variant-numeric: tabular-nums; }
:is(.upcoming, .planned) [data-why="queue"] { box-shadow: inset 3px 0 var(--accent); }
:is(.upcoming, .planned) [data-why="insert"] .named { color: var(--muted); }
@media (max-width: 720px) {
  .upcoming li { grid-template-columns: 64px minmax(0, 1fr) auto; }
  .upcoming time { align-self: end; }
  .upcoming li > .figure { grid-area: 2 / 1; align-self: start; text-align: start; color: var(--muted); }
  .upcoming .what { grid-area: 1 / 2 / 3; }
  .upcoming .act { grid-area: 1 / 3 / 3; }
}
`);
