// Taking the sound along: a code that another device reads, and then goes on at the very place.

import { addressed } from "./api.js";
import { picture } from "./code.js";
import { el, setText } from "./dom.js";
import { addPhrases, t } from "./i18n.js";
import { token } from "./session.js";
import { addressTime } from "./timeline.js";
import { addStyles } from "./styles.js";

export const ready = addPhrases("panel/");

addStyles(`
.take { display: flex; flex-wrap: wrap; gap: 16px 28px; align-items: center; }
.take-words { flex: 1 1 240px; display: grid; gap: 10px; }
`);

/**
 * @param {import("./app.js").App} app
 * @returns {import("./panel.js").Content}
 */
export function open(app) {
  const address = new URL(`/listen/${app.station.id}`, location.href);
  const place = app.place(), { steady } = app.quality;
  if (!steady) address.searchParams.set("session", token());
  // What HLS plays has no session.
  else if (place !== null && !app.isLive) address.searchParams.set("at", addressTime(place));
  const link = el("a", { href: addressed(`${address.pathname}${address.search}`) }, t("player.take-link"));
  const hint = el("p", {}, t("player.take-hint"));
  const said = el("p", { class: "hint", role: "status" });
  const elsewhere = () => {
    if (app.engine.reason === "elsewhere") setText(said, t("player.fault.elsewhere"));
  };
  app.engine.addEventListener("state", elsewhere);
  const secret = el("p", { class: "hint" }, t("player.take-secret"));
  const facts = el("div", { class: "take-words" }, ...(steady ? [] : [hint, secret]), el("p", {}, link), said);
  return {
    label: t("player.take-title"), nodes: [el("div", { class: "take" }, picture(address.href), facts)],
    close: () => app.engine.removeEventListener("state", elsewhere),
  };
}
