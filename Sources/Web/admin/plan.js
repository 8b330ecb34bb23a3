// What would be on air within a day: asked for when somebody opens it, since the relay reckons it anew.

import { t } from "../i18n.js";
import { addStyles } from "../styles.js";
import { length, named, notes, phrase } from "./music.js";
import { button, h, unix, when, words } from "./parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./music.js").Item} Item */
/**
 * @typedef {{ from: string, to: string, items: Item[], truncated: boolean,
 *   missed: { rule: string, due: string, reason: string }[], relaxed: Record<string, number>, silent: number }} Day
 */

export class Plan {
  #app;
  #path;
  #turn = 0;
  #said = h("p", { class: "quiet", role: "status" });
  #list = h("ol", { class: "boxed planned", "data-plan": true, tabindex: 0, hidden: true });
  #again = button(t("admin.config.again"), () => this.#load());
  element = h("details", {}, h("summary", { "data-action": "plan" }, t("music.plan")),
    h("div", { class: "head" }, this.#said, this.#again), this.#list);

  /**
   * @param {App} app
   * @param {string} path The programme's.
   */
  constructor(app, path) {
    this.#app = app;
    this.#path = path;
    this.#list.setAttribute("aria-label", t("music.plan"));
    this.element.addEventListener("toggle", () => this.element.open && this.#turn === 0 && this.#load());
  }

  async #load() {
    const turn = ++this.#turn;
    this.#again.disabled = true;
    this.#said.textContent = t("music.plan.coming");
    try {
      const day = /** @type {Day} */ (await this.#app.client.get(`${this.#path}/plan?for=24h`));
      if (turn !== this.#turn) return;
      this.#said.textContent = sum(day);
      this.#list.hidden = day.items.length === 0;
      this.#list.replaceChildren(...rows(day));
    } catch (fault) {
      if (turn === this.#turn) this.#said.textContent = words(fault);
    } finally {
      if (turn === this.#turn) this.#again.disabled = false;
    }
  }
}

/** @param {Day} day */
function sum({ items, to, missed, relaxed, silent, truncated }) {
  const near = Object.values(relaxed ?? {}).reduce((all, n) => all + n, 0);
  return [
    t("music.plan.sum", { n: items.length, time: when(to, false) }),
    missed?.length ? t("music.plan.missed", { n: missed.length }) : null,
    near ? t("music.plan.relaxed", { n: near }) : null,
    silent ? t("music.plan.silent", { length: length(silent) }) : null,
    truncated ? t("music.plan.truncated") : null,
  ].filter(Boolean).join(" · ");
}

/** @param {Day} day */
function rows({ items, missed }) {
  const lines = [
    ...items.map(item => ({ at: unix(item.at), line: row(item) })),
    ...(missed ?? []).map(one => ({ at: unix(one.due), line: lost(one) })),
  ];
  return lines.sort((a, b) => a.at - b.at).map(({ line }) => line);
}

/** @param {Item} item */
const row = item => h("li", { "data-item": item.item, "data-why": item.why },
  h("time", { datetime: item.at }, when(item.at, false)), h("span", { class: "named" }, named(item)),
  h("span", { class: "figure" }, length(item.seconds)), h("span", { class: "notes" }, notes(item).join(" · ")));

/** @param {Day["missed"][number]} missed */
const lost = ({ rule, due, reason }) => h("li", { class: "lost" },
  h("time", { datetime: due }, when(due, false)), h("span", { class: "named" }, rule), h("span"),
  h("span", { class: "notes" }, t("music.plan.lost", { reason: phrase("music.missed", reason) })));

addStyles(`
.music details .head { padding-block: 0 8px; }
ol.planned { max-height: 60vh; overflow-y: auto; }
ol.planned > li {
  grid-template-columns: 104px minmax(0, 1fr) 56px minmax(0, 220px); min-height: 28px; padding-block: 3px;
  content-visibility: auto; contain-intrinsic-height: 28px;
}
.planned .lost { color: var(--bad); }
@media (max-width: 720px) {
  ol.planned > li { grid-template-columns: 92px minmax(0, 1fr) 48px; }
  .planned .notes { grid-column: 2 / -1; }
  .planned .notes:empty { display: none; }
}
`);
