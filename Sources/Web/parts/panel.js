// The place under the controls for one thing at a time: sharing, a clip, sleep, an offer. Its parts load when used.

import { button, el } from "./dom.js";
import { t } from "./i18n.js";

/** @typedef {import("./app.js").App} App */
/**
 * @typedef {object} Content
 * @property {string} label
 * @property {Node[]} nodes
 * @property {() => void} [close] called when the panel goes
 * @property {() => void} [shown] called when it stands in the page
 * @property {import("./app.js").Keys} [keys] of the whole page, while it is open
 */
/**
 * @typedef {object} Module a part of the panel
 * @property {(app: App, options?: any) => Content} open
 * @property {Promise<unknown>} [ready] resolves when its phrases are there
 * @property {() => string | null} [word] what its button says while it goes on; null: its name
 */
/** @typedef {"share" | "clip" | "sleep" | "take" | "quality"} PanelName */

const loaders = {
  share: () => import("./share.js"),
  clip: () => import("./clip.js"),
  sleep: () => import("./sleep.js"),
  take: () => import("./take.js"),
  quality: () => import("./quality.js"),
};

/** @type {Map<string, Module>} those that were opened so far, on any page */
const loaded = new Map();

export class Panel {
  /** True while an offer stands that the first press of play answers. */
  isOffer = false;
  /** @type {Content | null} */
  #content = null;
  #name = "";
  /** @type {Element | null} */
  #opener = null;
  #app;
  #element;

  /**
   * @param {App} app
   * @param {HTMLElement} element
   */
  constructor(app, element) {
    this.#app = app;
    this.#element = element;
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
    });
  }

  get name() {
    return this.#name;
  }

  get keys() {
    return this.#content?.keys;
  }

  /** @param {PanelName} name whose button gets the word */
  word(name) {
    return loaded.get(name)?.word?.() ?? t(`player.${name}`);
  }

  /**
   * Opens a part, or closes it where it is open.
   * @param {PanelName} name
   * @param {any} [options] for the part
   */
  async toggle(name, options) {
    if (this.#name === name && !options) return this.close();
    const opener = document.activeElement;
    try {
      /** @type {Module} */
      const module = await loaders[name]();
      await module.ready;
      loaded.set(name, module);
      this.show(name, module.open(this.#app, options), opener);
    } catch (error) {
      console.error(error);
      this.#app.say(t("player.not-loaded"));
    }
  }

  /**
   * Shows content; a heading takes the focus, so that keys and screen readers are there at once.
   * @param {string} name
   * @param {Content} content
   * @param {Element | null} [opener] gets the focus back; without one the focus stays where it is
   */
  show(name, content, opener) {
    this.#content?.close?.();
    this.#name = name;
    this.#content = content;
    this.#opener = opener ?? null;
    this.isOffer = false;
    const heading = el("h2", { tabindex: -1 }, content.label);
    const close = button("close", t("player.close"), () => this.close(), { class: "close" });
    this.#element.replaceChildren(el("div", { class: "panel-head row" }, heading, close), ...content.nodes);
    this.#element.dataset.name = name;
    content.shown?.();
    if (opener) {
      heading.focus({ preventScroll: true });
      this.#element.scrollIntoView({ block: "nearest" });
    }
    this.#app.update();
  }

  close() {
    if (!this.#content) return;
    const hadFocus = this.#element.contains(document.activeElement);
    this.#content.close?.();
    this.#content = null;
    this.#name = "";
    this.isOffer = false;
    this.#element.replaceChildren();
    if (hadFocus && this.#opener instanceof HTMLElement) this.#opener.focus();
    this.#app.update();
  }

  /** Opens the list of keys. */
  async help() {
    const { showHelp } = await import("./help.js");
    await showHelp();
  }
}
