// Elements without HTML strings, so that a title can never become markup.

/** @typedef {Record<string, any>} Attributes `on` holds listeners; false, null and undefined leave one out. */

/**
 * Returns a new element with its attributes and children; strings become text.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [type, listener] of Object.entries(value)) element.addEventListener(type, listener);
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.filter((child) => child || child === "").map((child) => /** @type {Node} */ (child)));
  return element;
}

/**
 * Returns an element that the relay always writes.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function part(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no #${id}`);
  return element;
}

/**
 * Returns an icon of the sprite, hidden from screen readers.
 * @param {string} name
 */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const use = document.createElementNS(space, "use");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", iconAddress(name));
  svg.append(use);
  return svg;
}

/** @param {string} name */
const iconAddress = (name) => `${new URL("icons.svg", import.meta.url).pathname}#${name}`;

/**
 * Shows another picture in a button.
 * @param {Element} button
 * @param {string} name
 */
export function setIcon(button, name) {
  const use = button.querySelector("use");
  const address = iconAddress(name);
  if (use && use.getAttribute("href") !== address) use.setAttribute("href", address);
}

/**
 * Returns a button with an icon. Its label is its text where `text` is given, and a tooltip otherwise.
 * @param {string} name of the icon
 * @param {string} label
 * @param {() => void} action
 * @param {{ class?: string, text?: string, [name: string]: any }} [options] further ones are attributes
 */
export function button(name, label, action, options) {
  const { class: kind = "", text = "", ...attributes } = options ?? {};
  return el("button", {
    type: "button", class: `button ${kind}`.trim(), "aria-label": text === label ? null : label,
    title: text === label ? null : label, on: { click: action }, ...attributes,
  }, icon(name), text && el("span", {}, text));
}

/**
 * Sets a text only where it is another one: each change costs a layout.
 * @param {Element | null} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

/**
 * Sets an attribute only where it is another one.
 * @param {Element} element
 * @param {string} name
 * @param {string | number | null} value null removes it
 */
export function setAttribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

/**
 * Reads a kept choice; storage may be forbidden.
 * @param {string} key
 */
export function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/**
 * Keeps a choice where that is allowed.
 * @param {string} key
 * @param {string | null} value null forgets it
 */
export function keep(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // It lasts for this page.
  }
}
