// The choice of quality: what is heard goes on at its place, with other bits.

import { getJSON } from "./api.js";
import { el, setText } from "./dom.js";
import { addPhrases, t } from "./i18n.js";
import { keepQuality, nameOf } from "./qualities.js";

export const ready = addPhrases("panel/");

/** @typedef {import("./app.js").App} App */

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

/**
 * Changes what is heard, and keeps it for the next visit.
 * @param {App} app
 * @param {import("./qualities.js").Quality} quality
 */
function choose(app, quality) {
  keepQuality(app.station.id, quality.id);
  const address = new URL(location.href);
  // What the address asks for would win at the next visit.
  address.searchParams.delete("bitrate");
  if (address.href !== location.href) history.replaceState(history.state, "", address);
  app.setQuality(quality);
}

/**
 * @param {App} app
 * @returns {import("./panel.js").Content}
 */
export function open(app) {
  const group = el("div", { class: "qualities", role: "radiogroup", "aria-label": t("player.quality") });
  const rows = app.qualities.map((quality) => {
    const radio = el("input", {
      type: "radio", name: "quality", value: quality.id, on: { change: () => choose(app, quality) },
    });
    const note = el("span", { class: "hint" });
    if (quality.id !== app.station.id) void tellReach(app, quality.id, note);
    group.append(el("label", { class: "choice" }, radio, el("span", {}, nameOf(quality, app.qualities)), note));
    return { radio, quality };
  });
  const said = el("p", { class: "hint", role: "status" });
  const show = () => {
    for (const { radio, quality } of rows) radio.checked = quality.id === app.quality.id;
    // The relay moves listeners whose line is too slow, where the station wants that.
    const heard = app.qualities.find(({ id }) => id === app.engine.sent);
    const isMoved = heard && heard.id !== app.quality.id;
    setText(said, isMoved ? t("player.quality-moved", { quality: nameOf(heard, app.qualities) }) : "");
  };
  const part = { update: show };
  app.parts.push(part);
  show();
  return {
    label: t("player.quality"), nodes: [el("p", { class: "hint" }, t("player.quality-hint")), group, said],
    close: () => app.parts.splice(app.parts.indexOf(part), 1),
  };
}
