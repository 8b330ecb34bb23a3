// A moment has an address: this builds it, and gives it away.

import { button, el, setText } from "./dom.js";
import { addPhrases, span, t } from "./i18n.js";
import { addStyles } from "./styles.js";
import { addressTime } from "./timeline.js";

/** Phrases of all parts that open under the controls. */
export const ready = addPhrases("panel/");

addStyles(`
.more > summary { min-height: 44px; padding-block: 11px; cursor: pointer; }
.code { min-height: 88px; font: 0.8125rem/1.5 ui-monospace, monospace; resize: vertical; }
.more .row { align-items: flex-start; }
`);

/** @typedef {import("./app.js").App} App */

/** What other pages may show of a station, each with the height of its frame in pixels. */
const heights = { player: 152, now: 96, history: 520 };

/**
 * Copies a text, also on plain HTTP, where browsers have no clipboard for pages.
 * @param {string} text
 * @param {HTMLInputElement | HTMLTextAreaElement} field that holds the text
 */
export async function copy(text, field) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    field.focus();
    field.select();
    return document.execCommand("copy");
  }
}

/**
 * Copies a link. Where a browser does not let pages, it stands selected in a field before what says so.
 * @param {string} link
 * @param {HTMLElement} said
 */
export async function copyLink(link, said) {
  await ready;
  const attributes = { class: "link", "aria-label": t("player.link"), value: link };
  const field = el("input", { type: "text", readonly: true, ...attributes });
  said.before(field);
  const isCopied = await copy(link, field);
  setText(said, t(isCopied ? "player.copied" : "player.copy-yourself"));
  if (isCopied) field.remove();
  else field.addEventListener("blur", () => field.remove());
}

/**
 * @param {App} app
 * @returns {import("./panel.js").Content}
 */
export function open(app) {
  const { timeline, station } = app;
  const place = app.place();
  const base = `${location.origin}/listen/${station.id}`;
  const field = el("input", { type: "text", readonly: true, "aria-label": t("player.link"), class: "link" });
  const hint = el("p", { class: "hint" });
  const said = el("p", { class: "hint", role: "status" });
  const moment = place !== null && app.canShift;
  const choices = el("div", { class: "row", role: "radiogroup", "aria-label": t("player.share") });

  /**
   * @param {string} value
   * @param {string} text
   * @param {boolean} checked
   */
  function radio(value, text, checked) {
    const input = el("input", { type: "radio", name: "share", value, on: { change: show } });
    input.checked = checked;
    choices.append(el("label", { class: "choice" }, input, text));
    return input;
  }

  const here = moment ? radio("here", t("player.share-moment", { clock: app.clock(place, true) }), true) : null;
  radio("live", t("player.share-live"), !moment);

  function show() {
    const isMoment = here?.checked && place !== null;
    field.value = isMoment ? `${base}?at=${addressTime(place)}` : base;
    setText(hint, isMoment ? until() : t("player.share-live-hint"));
    setText(said, "");
    showCode();
  }
  let showCode = () => {};

  function until() {
    const longest = station.window?.secondsMax;
    if (!longest || place === null) return "";
    // What the window's size in bytes takes away earlier cannot be known; so it is "about".
    const left = longest - (timeline.live().air - place) / 1_000;
    return t("player.share-until", { clock: app.clock(timeline.live().air + left * 1_000), length: span(left) });
  }

  /** @type {(field: HTMLInputElement | HTMLTextAreaElement, kind: string) => HTMLButtonElement} */
  const copier = (field, kind) => button("copy", t("player.copy"), async () => {
    setText(said, t(await copy(field.value, field) ? "player.copied" : "player.copy-yourself"));
  }, { text: t("player.copy"), class: kind });
  const row = el("div", { class: "row" }, field, copier(field, "primary"));
  if ("share" in navigator) {
    row.append(button("share", t("player.share-system"), () => {
      navigator.share({ title: document.title, url: field.value }).catch(() => {});
    }, { text: t("player.share-system"), class: "outlined" }));
  }
  field.addEventListener("focus", () => field.select());
  const embed = embedding();
  show();
  return { label: t("player.share-title"), nodes: [choices, row, hint, said, embed] };

  /** What puts the small player into another page, as a frame or as an element. */
  function embedding() {
    const code = el("textarea", { class: "link code", readonly: true, rows: 3, spellcheck: "false",
      "aria-label": t("player.embed"), on: { focus: () => code.select() } });
    const kinds = el("div", { class: "row", role: "radiogroup", "aria-label": t("player.embed") });
    const inputs = ["frame", "element"].map((kind) => {
      const input = el("input", { type: "radio", name: "embed", value: kind, on: { change: () => showCode() } });
      input.checked = kind === "frame";
      kinds.append(el("label", { class: "choice" }, input, t(`player.embed-${kind}`)));
      return input;
    });
    const what = el("select", { "aria-label": t("player.embed-what"), on: { change: () => showCode() } },
      ...Object.keys(heights).map((show) => el("option", { value: show }, t(`player.embed-${show}`))));
    showCode = () => {
      const show = /** @type {keyof heights} */ (what.value), isPlayer = show === "player";
      const at = isPlayer && here?.checked && place !== null && !app.isLive ? addressTime(place) : "";
      const query = isPlayer ? at && `?at=${at}` : `?show=${show}`;
      const address = `${location.origin}/listen/${station.id}/embed${query}`;
      const allowed = isPlayer ? 'allow="autoplay; clipboard-write" ' : "";
      code.value = inputs[0].checked
        ? `<iframe src="${address}" width="100%" height="${heights[show]}" ${allowed}`
          + `style="border: 0; border-radius: 16px" title="${escaped(station.name)}"></iframe>`
        : `<script type="module" src="${location.origin}/assets/player-element.js"></script>\n`
          + `<longwave-player station="${station.id}"${at && ` at="${at}"`}`
          + `${isPlayer ? "" : ` show="${show}"`}></longwave-player>`;
    };
    return el("details", { class: "more" }, el("summary", {}, t("player.embed")),
      el("div", { class: "row" }, what, kinds),
      el("div", { class: "row" }, code, copier(code, "outlined")));
  }
}

/**
 * Names are strangers' texts, also where they are copied into somebody's page.
 * @param {string} text
 */
function escaped(text) {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
