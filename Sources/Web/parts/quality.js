// The choice of quality: what is heard goes on at its place, with other bits.

import { getJSON } from "./api.js";
import { el, keep, setText } from "./dom.js";
import { addPhrases, t } from "./i18n.js";
import { canSteady, keyOf, steadily } from "./qualities.js";
import { addStyles } from "./styles.js";

export const ready = addPhrases("panel/");

addStyles(`
.qualities .choice { display: flex; flex-wrap: wrap; min-height: 44px; gap: 0 8px; margin: 0; cursor: pointer; }
`);

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./qualities.js").Quality} Quality */

/** A place so near to the beginning of what is there counts as there, in milliseconds. */
const near = 1_000;

/**
 * Says where a quality is not kept: it may have been made since later than the place that is heard.
 * @param {App} app
 * @param {string} id
 * @param {Element} note
 */
async function tellReach(app, id, note) {
  const place = app.place();
  if (place === null || app.isLive) return;
  const { status, json } = await getJSON(`/api/v1/stations/${encodeURIComponent(id)}`);
  if (status !== 200 || !json) return;
  const oldest = Date.parse(json.window?.oldest ?? "");
  if (!Number.isFinite(oldest)) return setText(note, t("player.quality-live"));
  if (oldest > place + near) setText(note, t("player.quality-from", { clock: app.clock(oldest) }));
}

/** What the address asks for would win at the next visit. */
function forgetAddress() {
  const address = new URL(location.href);
  for (const key of ["bitrate", "via"]) address.searchParams.delete(key);
  if (address.href !== location.href) history.replaceState(history.state, "", address);
}

/**
 * Changes what is heard, and keeps it for the next visit.
 * @param {App} app
 * @param {Quality} quality
 */
function choose(app, quality) {
  keep(keyOf(app.station.id), quality.id === app.station.id ? null : quality.id);
  forgetAddress();
  app.setQuality(quality);
}

/** @param {App} app */
async function chooseSteady(app) {
  keep(keyOf(app.station.id), steadily);
  forgetAddress();
  await app.beSteady();
}

/**
 * @param {App} app
 * @returns {import("./panel.js").Content}
 */
export function open(app) {
  const group = el("div", { class: "qualities", role: "radiogroup", "aria-label": t("player.quality") });
  const isChoice = app.qualities.length > 0;
  /** @type {Quality[]} */
  const all = isChoice ? app.qualities : [{ id: app.station.id, bitrate: app.station.format?.bitrate ?? null }];
  const row = (/** @type {string} */ value, /** @type {() => void} */ change, /** @type {string} */ name) => {
    const radio = el("input", { type: "radio", name: "quality", value, on: { change } });
    const note = el("span", { class: "hint" });
    group.append(el("label", { class: "choice" }, radio, el("span", {}, name), note));
    return { radio, note };
  };
  const rows = all.map((quality) => {
    const { radio, note } = row(quality.id, () => choose(app, quality), nameOf(quality, all));
    if (quality.id !== app.station.id) void tellReach(app, quality.id, note);
    return { radio, quality };
  });
  const steady = canSteady(app) ? row(steadily, () => void chooseSteady(app), t("player.steady")) : null;
  if (steady) setText(steady.note, t("player.steady-hint"));
  const said = el("p", { class: "hint", role: "status" });
  const show = () => {
    const { id, steady: isSteady } = app.quality;
    for (const { radio, quality } of rows) radio.checked = quality.id === id && !isSteady;
    if (steady) steady.radio.checked = Boolean(isSteady);
    // The relay moves listeners whose line is too slow, where the station wants that.
    const heard = app.qualities.find(({ id }) => id === app.engine.sent);
    const isMoved = heard && heard.id !== app.quality.id;
    setText(said, isMoved ? t("player.quality-moved", { quality: nameOf(heard, app.qualities) }) : "");
  };
  const part = { update: show };
  app.parts.push(part);
  show();
  return {
    label: t("player.quality"),
    nodes: [...(isChoice ? [el("p", { class: "hint" }, t("player.quality-hint"))] : []), group, said],
    close: () => app.parts.splice(app.parts.indexOf(part), 1),
  };
}

/**
 * Returns a quality's name; two of the same bit rate are told apart by their addresses.
 * @param {Quality} quality
 * @param {Quality[]} all the original first
 */
function nameOf(quality, all) {
  const { id, bitrate } = quality, isOriginal = quality === all[0];
  const rate = bitrate ? t("player.kbit", { n: bitrate }) : "";
  if (isOriginal) return [t("player.original"), rate].filter(Boolean).join(" · ");
  const isDouble = !rate || all.some((other) => other.id !== id && other.bitrate === bitrate);
  return isDouble ? [rate, id].filter(Boolean).join(" · ") : rate;
}
