// Tries a station's upstreams before it has them, and says step by step what the relay found.

import { t } from "../i18n.js";
import { button, h, stateWord, words } from "./parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {{ step: string, text: string, seconds: number }} Step `seconds` since the check began. */
/**
 * What the relay found at one URL.
 * @typedef {object} Finding
 * @property {string} url
 * @property {boolean} ok Whether audio came.
 * @property {string | null} codec
 * @property {number | null} bitrate
 * @property {string | null} name
 * @property {string | null} title
 * @property {string | null} trouble
 * @property {Step[]} steps
 */

/** The most URLs that the relay tries at once. */
const urlsMax = 8;

export class Check {
  #app;
  #area;
  #turn = 0;
  #go = button(t("admin.check.go"), () => this.#run());
  #found = h("div", { class: "findings", role: "status" });
  /** @type {(finding: Finding) => void} */
  found = () => {};
  element = h("div", { class: "check" }, h("p", {}, this.#go), this.#found);

  /**
   * @param {App} app
   * @param {HTMLTextAreaElement} area The URLs, one a line.
   */
  constructor(app, area) {
    this.#app = app;
    this.#area = area;
    // What was found is not true of other URLs.
    area.addEventListener("input", () => this.#clear());
  }

  get #urls() {
    return this.#area.value.split("\n").map(line => line.trim()).filter(line => /^(https?|icyx?):/i.test(line))
      .slice(0, urlsMax);
  }

  #clear() {
    this.#turn++;
    this.#go.disabled = false;
    this.#found.replaceChildren();
  }

  async #run() {
    const upstream = this.#urls;
    if (!upstream.length) return this.#found.replaceChildren(h("p", { class: "trouble" }, t("admin.check.nothing")));
    const turn = ++this.#turn;
    this.#go.disabled = true;
    this.#found.replaceChildren(h("p", { class: "quiet" }, t("admin.check.trying", { seconds: 10 })));
    try {
      const { upstreams } = await this.#app.client.post("stations/check", { upstream });
      if (turn !== this.#turn) return;
      const findings = /** @type {Finding[]} */ (upstreams);
      this.#found.replaceChildren(...findings.map(shown));
      const first = findings.find(({ ok }) => ok);
      if (first) this.found(first);
    } catch (fault) {
      if (turn === this.#turn) this.#found.replaceChildren(h("p", { class: "trouble" }, words(fault)));
    } finally {
      if (turn === this.#turn) this.#go.disabled = false;
    }
  }
}

/** @param {Finding} finding */
function shown({ url, ok, codec, bitrate, name, title, trouble, steps }) {
  const about = [codec, bitrate && `${bitrate} kbit/s`, name, title].filter(Boolean).join(" · ");
  return h("section", { class: ok ? "finding" : "finding bad" },
    h("h3", {}, stateWord(ok ? "playing" : "failed", t(ok ? "admin.check.ok" : "admin.check.bad")),
      h("span", { class: "url" }, url)),
    h("p", { class: ok ? "" : "trouble" }, ok ? about : trouble ?? ""),
    h("ol", { class: "steps" }, ...steps.map(step)));
}

/** @param {Step} step */
function step({ step, text, seconds }) {
  const time = h("small", {}, t("admin.seconds", { seconds: Math.round(seconds * 10) / 10 }));
  return h("li", { class: step === "failed" ? "bad" : null }, time, h("b", {}, named(step)), h("span", {}, text));
}

/** @param {string} step */
function named(step) {
  const phrase = t(`admin.check.${step}`);
  // A step that a newer relay knows keeps its own word.
  return phrase === `admin.check.${step}` ? step : phrase;
}

/**
 * Returns an id made of a name: Jazz à la carte becomes jazz-a-la-carte.
 * @param {string} name
 */
export function idOf(name) {
  const plain = name.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, "-").slice(0, 40).replace(/^-+|-+$/g, "");
}
