// What the views are made of: elements, buttons, dialogs, and figures as people read them.

import { el, icon } from "../dom.js";
import { clock, day, language, span, t } from "../i18n.js";
import { Fault } from "./client.js";

/** @typedef {Node | string | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes */

/**
 * Makes an element as `el` does; an attribute that is a function, such as `onclick`, is a handler.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function h(name, attributes = {}, ...children) {
  /** @type {Record<string, any>} */
  const plain = { on: {} };
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") plain.on[key.replace(/^on/, "")] = value;
    else plain[key] = value;
  }
  return el(name, plain, ...children);
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/**
 * @param {string} text
 * @param {(event: MouseEvent) => void} click
 * @param {{ kind?: string, icon?: string, label?: string }} [options] `label` names it for who does not see its row.
 */
export function button(text, click, options = {}) {
  const label = options.label ?? (options.icon ? text : null);
  const shown = options.icon ? icon(options.icon) : text;
  const kind = options.icon ? "pictured" : options.kind ?? "";
  const about = { type: "button", class: `act ${kind}`.trim(), "aria-label": label, title: label };
  return h("button", { ...about, onclick: click }, shown);
}

/**
 * A state as dot and word.
 * @param {string} state
 * @param {string} [word]
 */
export function stateWord(state, word = t(`admin.state.${state}`)) {
  return h("span", { class: "state", "data-state": state }, word);
}

let fields = 0;

/**
 * A labelled field of a form.
 * @param {string} label
 * @param {HTMLElement} control
 * @param {string} [hint]
 */
export function field(label, control, hint) {
  control.id = control.id || `field-${++fields}`;
  if (hint) control.setAttribute("aria-describedby", `${control.id}-hint`);
  return h("p", { class: control.matches("[type=checkbox]") ? "field check" : "field" },
    h("label", { for: control.id }, label), control, hint ? h("small", { id: `${control.id}-hint` }, hint) : null);
}

/**
 * @param {[string, string][]} choices Values and words.
 * @param {Attributes} [attributes]
 * @param {string} [value]
 */
export function choice(choices, attributes = {}, value) {
  const select = h("select", attributes, ...choices.map(([key, word]) => h("option", { value: key }, word)));
  if (value !== undefined) select.value = value;
  return select;
}

/**
 * Returns what a field of a form holds, without the spaces around it.
 * @param {HTMLFormElement} form
 * @param {string} name
 */
export const value = (form, name) => String(new FormData(form).get(name) ?? "").trim();

/**
 * Offers all stations and each of them; what was chosen stays chosen.
 * @param {HTMLSelectElement} select
 * @param {{ id: string }[]} stations
 * @param {string} [first] What is chosen at first.
 */
export function offerStations(select, stations, first = "") {
  const ids = stations.map(({ id }) => id);
  const offered = [...select.options].slice(1).map(option => option.value);
  if (select.options.length && ids.join() === offered.join()) return;
  const kept = select.options.length ? select.value : first;
  const all = h("option", { value: "" }, t("admin.listeners.all"));
  select.replaceChildren(all, ...ids.map(id => h("option", { value: id }, id)));
  select.value = ids.includes(kept) ? kept : "";
}

/**
 * Asks by a dialog. `act` does what its button says; where it fails, the dialog stays and says why.
 * @param {object} question
 * @param {string} question.title
 * @param {Child[]} [question.body]
 * @param {string} question.action
 * @param {boolean} [question.isDangerous]
 * @param {boolean} [question.isWide]
 * @param {boolean} [question.isReading] Whether there is nothing to do but to read and close.
 * @param {(form: HTMLFormElement) => Promise<unknown> | unknown} question.act
 * @returns {Promise<boolean>} Whether it was done.
 */
export function ask({ title, body = [], action, act, isDangerous = false, isWide = false, isReading = false }) {
  return new Promise(resolve => {
    const trouble = h("p", { class: "trouble", role: "alert" });
    const look = `button primary${isDangerous ? " dangerous" : ""}`;
    const go = h("button", { class: look, autofocus: isReading }, action);
    const cancel = h("button", { type: "button", class: "button outlined", onclick: () => dialog.close() },
      t("admin.cancel"));
    /** @type {HTMLFormElement} */
    const form = h("form", { method: "dialog", novalidate: false, onsubmit: submit }, ...body, trouble,
      h("p", { class: "buttons" }, isReading ? null : cancel, go));
    /** @type {HTMLDialogElement} */
    const dialog = h("dialog", { class: `dialog${isWide ? " wide" : ""}`, "aria-labelledby": "dialog-title" },
      h("h2", { id: "dialog-title" }, title), form);
    let isDone = false;
    /** @param {Event} event */
    async function submit(event) {
      event.preventDefault();
      if (go.disabled) return;
      go.disabled = true;
      trouble.textContent = "";
      try {
        await act(form);
        isDone = true;
        dialog.close();
      } catch (fault) {
        trouble.textContent = words(fault);
        const name = fault instanceof Fault ? fault.field : null;
        const culprit = name && form.elements.namedItem(name);
        if (culprit instanceof HTMLElement) culprit.focus();
      } finally {
        go.disabled = false;
      }
    }
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(isDone);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * Returns what went wrong, in words.
 * @param {unknown} fault
 */
export function words(fault) {
  if (!(fault instanceof Fault)) return String(fault instanceof Error ? fault.message : fault);
  if (fault.status === 0) return t("admin.fault.away");
  if (fault.status === 429) return t("admin.fault.tooMany");
  return fault.message || t("admin.fault.status", { status: String(fault.status) });
}

/** Offers acts in a menu below its button. */
class Menu {
  #list = h("div", { class: "menu", role: "menu" });
  /** @type {HTMLElement | null} */
  #opener = null;

  constructor() {
    this.#list.addEventListener("keydown", event => this.#key(event));
    addEventListener("pointerdown", event => {
      const target = /** @type {Node} */ (event.target);
      if (this.#opener && !this.#list.contains(target) && !this.#opener.contains(target)) this.close();
    }, true);
    addEventListener("scroll", event => event.target !== this.#list && this.close(), true);
    addEventListener("resize", () => this.close());
  }

  /**
   * @param {HTMLElement} opener
   * @param {[string, () => void, string?][]} acts Words, what to do, and "danger" where it ends something.
   */
  toggle(opener, acts) {
    const isOpen = this.#opener === opener;
    this.close();
    if (isOpen) return;
    this.#opener = opener;
    opener.setAttribute("aria-expanded", "true");
    this.#list.replaceChildren(...acts.map(([word, act, kind]) =>
      h("button", { type: "button", role: "menuitem", class: kind, onclick: () => this.#choose(act) }, word)));
    document.body.append(this.#list);
    const box = opener.getBoundingClientRect();
    const [width, height] = [this.#list.offsetWidth, this.#list.offsetHeight];
    const below = box.bottom + height + 8 < innerHeight;
    const top = below ? box.bottom + 4 : Math.max(4, box.top - height - 4);
    const left = Math.max(4, Math.min(box.right - width, innerWidth - width - 4));
    this.#list.style.setProperty("top", `${top}px`);
    this.#list.style.setProperty("left", `${left}px`);
    /** @type {HTMLElement} */ (this.#list.firstElementChild).focus({ preventScroll: true });
  }

  /** @param {() => void} act */
  #choose(act) {
    this.close(true);
    act();
  }

  close(isFocused = this.#list.contains(document.activeElement)) {
    this.#list.remove();
    this.#opener?.setAttribute("aria-expanded", "false");
    if (isFocused) this.#opener?.focus({ preventScroll: true });
    this.#opener = null;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const items = /** @type {HTMLElement[]} */ ([...this.#list.children]);
    const here = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const step = { ArrowDown: here + 1, ArrowUp: here - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") this.close(true);
    else if (step !== undefined) items[step % items.length].focus();
    else return;
    event.preventDefault();
  }
}

const menu = new Menu();

/**
 * The button that opens a row's further acts.
 * @param {string} label
 * @param {() => [string, () => void, string?][]} acts
 */
export function menuButton(label, acts) {
  const opener = button(label, () => menu.toggle(opener, acts()), { icon: "more" });
  opener.setAttribute("aria-haspopup", "menu");
  opener.setAttribute("aria-expanded", "false");
  return opener;
}

/**
 * The relay's zone, in which all of the dashboard's times are, those that are typed too.
 * @type {{ name: string, seconds: number }}
 */
let zone = { name: Intl.DateTimeFormat().resolvedOptions().timeZone, seconds: -new Date().getTimezoneOffset() * 60 };

/** @param {{ name: string, seconds: number }} told */
export const useZone = told => (zone = told);
export const zoneSeconds = () => zone.seconds;

/**
 * Returns a moment in the relay's zone: 18:03:12, with its day where that is not today.
 * @param {string | number | null | undefined} time RFC 3339 or Unix seconds
 * @param {boolean} [hasSeconds]
 */
export function when(time, hasSeconds = true) {
  if (time === null || time === undefined) return "–";
  const moment = typeof time === "number" ? time : unix(time);
  const text = clock(moment, zone, hasSeconds), date = day(moment, zone, false);
  return date === day(Date.now() / 1000, zone, false) ? text : `${date}, ${text}`;
}

/** @param {string | null | undefined} time RFC 3339 */
export const unix = time => (time ? Date.parse(time) / 1000 : NaN);

/**
 * Returns a length of time that may be days: 12 d 4 h, or 3:41:07.
 * @param {number} seconds
 */
export function lasting(seconds) {
  if (seconds < 86400) return span(seconds);
  const hours = Math.floor(seconds / 3600);
  return t("admin.days", { days: Math.floor(hours / 24), hours: hours % 24 });
}

/**
 * Returns how long something has lasted, to the minute: 11 min, 3 h 12 min, 12 d 4 h.
 * @param {number} seconds
 */
export function age(seconds) {
  if (seconds >= 86400) return lasting(seconds);
  const minutes = Math.floor(seconds / 60);
  const rest = t("admin.minutes", { minutes: minutes % 60 });
  return minutes < 60 ? rest : `${t("admin.hours", { hours: Math.floor(minutes / 60) })} ${rest}`;
}

/**
 * Returns a length in short words, such as 4 h or 30 min.
 * @param {number} seconds
 */
export function brief(seconds) {
  if (seconds >= 86400 && seconds % 3600 === 0) return lasting(seconds);
  if (seconds >= 3600 && seconds % 3600 === 0) return t("admin.hours", { hours: seconds / 3600 });
  if (seconds >= 60 && seconds < 3600 && seconds % 60 === 0) return t("admin.minutes", { minutes: seconds / 60 });
  return seconds < 60 ? t("admin.seconds", { seconds }) : lasting(seconds);
}

const whole = new Intl.NumberFormat(language(), { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(language(), { maximumFractionDigits: 1, minimumFractionDigits: 1 });

/** @param {number | null | undefined} value */
export const count = value => (value === null || value === undefined ? "–" : whole.format(value));

/**
 * Returns how many listen; those of HLS hold no connection, and are none of `now`.
 * @param {{ now: number, hls: number }} listeners
 */
export const listening = ({ now, hls }) => (hls ? `${count(now)} + ${count(hls)} HLS` : count(now));

/** @param {number} bytes */
export function size(bytes) {
  const steps = ["B", "kB", "MB", "GB", "TB"];
  let [value, step] = [bytes, 0];
  for (; value >= 1000 && step < steps.length - 1; step++) value /= 1000;
  return `${value < 100 && step > 0 ? tenths.format(value) : whole.format(value)} ${steps[step]}`;
}

/** @param {number | null | undefined} kbit A second */
export function rate(kbit) {
  if (kbit === null || kbit === undefined) return "–";
  return kbit >= 1000 ? `${tenths.format(kbit / 1000)} Mbit/s` : `${whole.format(kbit)} kbit/s`;
}

/** @param {import("./client.js").NowPlaying | null | undefined} playing */
export function song(playing) {
  return [playing?.title, playing?.artist].filter(Boolean).join(" – ");
}
