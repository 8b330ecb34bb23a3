// Pages take turns in one document, so that what sounds goes on. Each address is a page of its own all the same.

import { deck } from "./deck.js";
import { el, kept } from "./dom.js";
import { chooseHere } from "./i18n.js";

/**
 * @typedef {object} Visit one page, while it is shown
 * @property {any} state as the relay wrote it into the page
 * @property {AbortSignal} signal ends with the page
 * @property {boolean} isPressed whether a link led here, and not the history or another language
 */

/** A relay that does not answer for so many milliseconds is away. */
const patience = 10_000;
/** A place in the page is kept when scrolling rests for so many milliseconds. */
const restAfter = 200;

/** @type {Map<string, (visit: Visit) => unknown>} by the kind of page */
const starts = new Map();
/** @type {Map<string, Promise<unknown>>} style sheets that other pages brought, by their addresses */
const styles = new Map();
/** The page's style is smooth, and TypeScript's list of the ways is older than this one. */
const instant = /** @type {ScrollBehavior} */ (/** @type {unknown} */ ("instant"));
let control = new AbortController();
/** Grows with each turn, so that a late answer is known as such. */
let turn = 0;
let shown = "";
let resting = 0;
/**
 * Asks for what is on its way.
 * @type {(() => Promise<void>) | null}
 */
let pending = null;

/** Path and query: what is behind them is a place in the page. */
const address = () => location.pathname + location.search;

/**
 * Says how a kind of page begins. The first one that is told of is the page that the browser loaded.
 * @param {string} kind as the body's `data-page` names it
 * @param {(visit: Visit) => unknown} start
 */
export function page(kind, start) {
  const isFirst = starts.size === 0;
  starts.set(kind, start);
  if (!isFirst) return;
  begin();
  // Inside other pages there is one page only.
  if (!document.querySelector(".top")) return;
  history.scrollRestoration = "manual";
  scrollTo({ top: Number(history.state?.scroll) || 0, behavior: instant });
  document.addEventListener("click", follow);
  document.addEventListener("language", speak);
  deck.addEventListener("change", () => void import("./bar.js").catch(() => {}));
  addEventListener("scroll", () => {
    clearTimeout(resting);
    resting = setTimeout(keepScroll, restAfter);
  }, { passive: true });
  addEventListener("popstate", () => {
    clearTimeout(resting);
    if (address() !== shown) return void show(location.href, { from: shown });
    // Back at the page that stands: one that was on its way is not wanted any more.
    turn += 1;
    pending = null;
    document.querySelector("main")?.removeAttribute("aria-busy");
  });
}

/**
 * Goes to another of the pages.
 * @param {string} href
 */
export const go = (href) => show(new URL(href, location.href).href, { isNew: true });

/** Shows the page anew, as the relay has it now; one that is on its way comes in its place. */
export const again = () => pending?.() ?? show(location.href, { isSame: true });

function begin(isPressed = false) {
  control = new AbortController();
  shown = address();
  const state = JSON.parse(document.getElementById("state")?.textContent || "{}");
  document.documentElement.classList.add("js");
  return starts.get(document.body.dataset.page ?? "")?.({ state, signal: control.signal, isPressed });
}

function keepScroll() {
  history.replaceState({ ...history.state, scroll: Math.round(scrollY) }, "");
}

/**
 * Takes a press on a link to another of these pages.
 * @param {MouseEvent} event
 */
function follow(event) {
  const { defaultPrevented, button, metaKey, ctrlKey, shiftKey, altKey, target } = event;
  if (defaultPrevented || button || metaKey || ctrlKey || shiftKey || altKey || !(target instanceof Element)) return;
  const link = target.closest("a[href]");
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return;
  const { origin, pathname, search, hash } = link;
  if (origin !== location.origin || !/^\/(listen\/[^/]+(\/shows)?)?$/.test(pathname)) return;
  const isOther = pathname + search !== address();
  if (hash && !isOther) return;
  event.preventDefault();
  void show(link.href, { isNew: isOther });
}

/**
 * @param {string} href
 * @param {{ isNew?: boolean, isSame?: boolean, from?: string }} how `isNew`: the history gets an entry; `isSame`:
 *   the page is the one that is shown; `from`: the address from which the history leads here
 */
async function show(href, { isNew = false, isSame = false, from = "" }) {
  const number = turn += 1;
  pending = isSame ? null : () => show(href, { isNew, from });
  const main = document.querySelector("main");
  main?.setAttribute("aria-busy", "true");
  const answer = await fetched(href);
  const canBe = answer && await canShow(answer.page);
  if (number !== turn) return;
  pending = null;
  main?.removeAttribute("aria-busy");
  if ((answer === null || canBe === null) && deck.isSounding()) {
    // The sound is worth more than the page: it stays, and says that the relay is away.
    if (!isNew && !isSame) history.pushState(history.state, "", shown);
    return void dispatchEvent(new Event("offline"));
  }
  const next = answer?.page.querySelector("main"), { hash } = new URL(href);
  if (!answer || !next || !canBe) return void location.assign(href);
  if (isNew) {
    clearTimeout(resting);
    keepScroll();
    history.pushState(null, "", new URL(hash, answer.address));
  }
  turnTo(answer.page, next);
  const top = isSame ? scrollY : Number(history.state?.scroll) || 0;
  // Before what the page puts in, so that little is seen of it, and behind it.
  const begun = begin(!isSame && !from);
  scrollTo({ top, behavior: instant });
  await begun;
  if (number !== turn) return;
  scrollTo({ top, behavior: instant });
  if (!isSame) focusIn(next, from);
  if (isNew && hash) document.getElementById(hash.slice(1))?.scrollIntoView({ behavior: instant });
}

/**
 * Returns a page of the relay and its address, or null where none came.
 * @param {string} href
 */
async function fetched(href) {
  const impatience = new AbortController();
  const timer = setTimeout(() => impatience.abort(), patience);
  try {
    const answer = await fetch(href, { headers: { Accept: "text/html" }, signal: impatience.signal });
    // What a proxy says while the relay starts is no page.
    if (answer.status >= 500 || answer.status === 429) return null;
    const text = await answer.text();
    return { page: new DOMParser().parseFromString(text, "text/html"), address: answer.url || href };
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Loads what a page begins with. False where it cannot take its turn here: it is another program's, or of another
 * version of the relay. Null where its script cannot be had now.
 * @param {Document} page
 */
async function canShow(page) {
  const script = page.querySelector('script[type="module"]')?.getAttribute("src") ?? "";
  const folder = new URL(".", import.meta.url).pathname, house = new URL("../house-", import.meta.url).pathname;
  const sheets = [...page.querySelectorAll('link[rel="stylesheet"]')].map((link) => link.getAttribute("href") ?? "");
  const isKnown = (/** @type {string} */ path) => path.startsWith(folder) || path.startsWith(house);
  if (!script.startsWith(folder) || !sheets.every(isKnown)) return false;
  try {
    await Promise.all([import(script), ...sheets.map(addStyle)]);
  } catch {
    return null;
  }
  return starts.has(page.body.dataset.page ?? "");
}

/**
 * Loads a style sheet that is not here yet.
 * @param {string} href
 */
function addStyle(href) {
  const added = styles.get(href);
  if (added || document.querySelector(`link[rel="stylesheet"][href="${href}"]`)) return added;
  const link = el("link", { rel: "stylesheet", href });
  const load = new Promise((resolve, reject) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", () => {
      link.remove();
      styles.delete(href);
      reject(new Error(href));
    });
  });
  styles.set(href, load);
  document.head.append(link);
  return load;
}

/**
 * Puts a page in the place of the one that is shown.
 * @param {Document} page
 * @param {Element} main
 */
function turnTo(page, main) {
  control.abort();
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
  document.title = page.title;
  document.documentElement.removeAttribute("style");
  document.body.dataset.page = page.body.dataset.page;
  document.querySelector('link[rel="manifest"]')?.remove();
  const manifest = page.querySelector('link[rel="manifest"]');
  if (manifest) document.head.append(manifest);
  const state = document.getElementById("state");
  if (state) state.textContent = page.getElementById("state")?.textContent ?? "{}";
  document.querySelector("main")?.replaceWith(main);
}

/**
 * Moves the focus to where a reader goes on: to the link that led away from here, else to the heading.
 * @param {Element} main
 * @param {string} from
 */
function focusIn(main, from) {
  const links = /** @type {HTMLAnchorElement[]} */ ([...main.querySelectorAll("a[href]")]);
  const back = from && links.find(({ pathname, search }) => pathname + search === from);
  const heading = main.querySelector("h1");
  heading?.setAttribute("tabindex", "-1");
  (back || heading)?.focus({ preventScroll: true });
}

/**
 * Shows the page in another language.
 * @param {Event} event
 */
async function speak(event) {
  const wish = /** @type {CustomEvent} */ (event).detail;
  event.preventDefault();
  const own = new URL(location.href);
  // Without storage the address has to carry the choice.
  if (kept("language") === wish) own.searchParams.delete("lang");
  else own.searchParams.set("lang", wish);
  history.replaceState(history.state, "", own);
  await chooseHere(wish);
  await again();
  document.dispatchEvent(new Event("said-anew"));
  /** @type {HTMLElement | null} */ (document.querySelector("#tools select"))?.focus();
}
