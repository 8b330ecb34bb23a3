// The folders that are looked through, with what is wrong in them, and a look now.

import { t } from "../i18n.js";
import { addStyles } from "../styles.js";
import { act, length } from "./music.js";
import { ask, brief, button, count, h, stateWord, when, words } from "./parts.js";
import { Table } from "./table.js";

/** @typedef {import("./app.js").App} App */
/**
 * @typedef {object} Root
 * @property {string} root
 * @property {string} path
 * @property {"ok" | "scanning" | "suspect" | "missing" | "unreadable"} state
 * @property {string | null} reason
 * @property {number | null} files
 * @property {number | null} tracks
 * @property {number | null} missing
 * @property {number | null} problems
 * @property {boolean | null} watched
 * @property {string | null} why Why it is not watched.
 * @property {number | null} [pause] Seconds between two looks at it.
 * @property {{ began: string | null, seconds: number | null, added: number | null, changed: number | null,
 *   gone: number | null } | null} scan
 */
/** @typedef {{ roots: Root[], tracks: number, artists: number, albums: number, measured: number, waiting: number }}
 *   Library */

/** Colours of the stations' states, for what means the same. */
const looks = { ok: "playing", scanning: "connecting", suspect: "failed", missing: "failed", unreadable: "failed" };
/** Seconds between two looks while nothing is being looked through. */
const pace = 30;
const problemsMax = 200;

export class Roots {
  #app;
  #told;
  #lookedAt = 0;
  #turn = 0;
  #table;
  #trouble = h("p", { class: "trouble", role: "alert" });
  #problems = h("ul", { class: "boxed problems" });
  #problemsSaid = h("p", { class: "quiet", role: "status" });
  #folded = h("details", {}, h("summary", { "data-action": "problems" }, t("music.problems")), this.#problemsSaid,
    this.#problems);
  element;
  /** @type {Library | null} */
  shown = null;

  /**
   * @param {App} app
   * @param {(shown: Library) => void} told Called with each answer.
   */
  constructor(app, told) {
    this.#app = app;
    this.#told = told;
    this.#table = /** @type {Table<Root>} */ (new Table({
      name: t("music.roots"), key: row => row.root, empty: t("music.roots.none"),
      about: row => ({ "data-root": row.root, "data-state": row.state }),
      columns: [
        { title: t("music.column.root"), text: row => `${row.root}\n${row.path}`,
          fill: row => [h("b", {}, row.root), h("small", {}, row.path)] },
        { title: t("admin.column.state"), kind: "wide", text: row => `${row.state}\n${row.reason ?? ""}`, fill: row =>
          [stateWord(looks[/** @type {"ok"} */ (row.state)] ?? "stopped", t(`music.root.${row.state}`)),
            row.reason ? h("small", {}, row.reason) : null] },
        { title: t("music.tracks"), kind: "figure", text: row => `${row.tracks}\n${row.missing}`, fill: row =>
          [count(row.tracks), row.missing ? h("small", {}, t("music.missing", { n: row.missing })) : null] },
        { title: t("music.column.seen"), text: row => `${row.watched}\n${row.why ?? ""}`,
          fill: row => [seen(row), row.why ? h("small", {}, row.why) : null] },
        { title: t("music.column.scan"), text: row => JSON.stringify(row.scan), fill: row => scan(row) },
        { title: t("admin.column.acts"), kind: "acts", text: row => row.state, fill: row => this.#acts(row) },
      ],
    }));
    this.#folded.addEventListener("toggle", () => this.#folded.open && this.#readProblems());
    const all = act("scan-all", button(t("music.scan.all"), () => this.#scan({}, t("music.scan.all.done"))));
    this.element = h("section", { class: "roots" },
      h("div", { class: "head" }, h("h2", {}, t("music.roots")), h("p", { class: "quiet" }), all),
      this.#trouble, this.#table.element, this.#folded);
  }

  async look() {
    this.#lookedAt = Date.now();
    const turn = ++this.#turn;
    try {
      const shown = /** @type {Library | null} */ (await this.#app.client.maybe("library", "library"));
      if (turn === this.#turn && shown) this.#show(shown);
      this.#trouble.textContent = "";
    } catch (fault) {
      this.#trouble.textContent = words(fault);
    }
  }

  update() {
    const isBusy = this.shown?.roots.some(({ state }) => state === "scanning");
    if (isBusy || Date.now() - this.#lookedAt > pace * 1000) this.look();
  }

  /** @param {import("./feed.js").RelayEvent} event */
  told({ kind }) {
    if (/^(scan-|root-)/.test(kind)) this.look();
  }

  /** @param {Library} shown */
  #show(shown) {
    this.shown = shown;
    this.#table.update(shown.roots);
    this.#told(shown);
  }

  /** @param {Root} row */
  #acts(row) {
    const { root, state } = row;
    const look = () => this.#scan({ root }, t("music.scan.done", { root }));
    const accept = act("accept", button(t("music.accept"), () => this.#accept(row)));
    return [state === "suspect" ? accept : null,
      act("scan", button(t("music.scan"), look, { label: t("music.scanLabel", { root }) }))];
  }

  /**
   * @param {{ root?: string, accept?: boolean }} body
   * @param {string} done
   */
  async #scan(body, done) {
    await this.#app.run(() => this.#app.client.post("library/scan", body), done);
    this.look();
  }

  /** @param {Root} row */
  async #accept({ root, reason, tracks }) {
    const isDone = await ask({
      title: t("music.accept.title", { root }),
      body: [h("p", { class: "reason" }, reason ?? ""), h("p", {}, t("music.accept.text", { n: tracks ?? 0 }))],
      action: t("music.accept"), isDangerous: true,
      act: () => this.#app.client.post("library/scan", { root, accept: true }),
    });
    if (isDone) this.#app.say(t("music.scan.done", { root }));
    this.look();
  }

  async #readProblems() {
    try {
      const { problems, next } = await this.#app.client.get(`library/problems?limit=${problemsMax}`);
      const isMore = next !== null && next !== undefined;
      const some = { n: problems.length };
      this.#problemsSaid.textContent = t(isMore ? "music.problems.more" : "music.problems.sum", some);
      const line = (/** @type {{ path: string, reason: string }} */ { path, reason }) =>
        h("li", {}, h("span", { class: "named" }, path), h("span", { class: "notes" }, reason));
      this.#problems.replaceChildren(...problems.map(line));
    } catch (fault) {
      this.#problemsSaid.textContent = words(fault);
    }
  }
}

/** @param {Root} row */
const seen = ({ watched, pause }) =>
  (watched ? t("music.watched") : pause ? t("music.every", { time: brief(pause) }) : "–");

/** @param {Root} row */
function scan({ scan }) {
  if (!scan?.began) return ["–"];
  const figures = [scan.seconds === null ? null : length(scan.seconds),
    scan.added ? t("music.scan.added", { n: scan.added }) : null,
    scan.changed ? t("music.scan.changed", { n: scan.changed }) : null,
    scan.gone ? t("music.scan.gone", { n: scan.gone }) : null];
  return [when(scan.began, false), h("small", {}, figures.filter(Boolean).join(", "))];
}

addStyles(`
.roots .table td > small { max-width: none; white-space: normal; overflow-wrap: anywhere; }
.problems li { display: grid; gap: 2px; padding: 6px 10px; font-size: 13px; }
.problems:empty { display: none; }
.problems { max-height: 50vh; overflow-y: auto; }
`);
