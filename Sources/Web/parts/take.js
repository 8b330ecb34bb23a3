// Taking the sound along: a code that another device reads, and then goes on at the very place.

import { addressed } from "./api.js";
import { el, setText } from "./dom.js";
import { addPhrases, t } from "./i18n.js";
import { qrCode } from "./qr.js";
import { token } from "./session.js";
import { addStyles } from "./styles.js";

export const ready = addPhrases("panel/");

addStyles(`
.take { display: flex; flex-wrap: wrap; gap: 16px 28px; align-items: center; }
.qr { flex: none; width: 208px; max-width: 100%; border-radius: 12px; }
.take-words { flex: 1 1 240px; display: grid; gap: 10px; }
`);

/** Modules around a code that stay light (ISO/IEC 18004 asks for four). */
const quiet = 4;

/**
 * Draws a code, dark on light in each theme: many readers know no other.
 * @param {string} text
 */
function picture(text) {
  const code = qrCode(text);
  if (!code) return null;
  const space = "http://www.w3.org/2000/svg";
  const size = code.length + 2 * quiet;
  const make = (/** @type {string} */ tag, /** @type {Record<string, string | number>} */ attributes) => {
    const element = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    return element;
  };
  const path = code.flatMap((row, y) => row.map((isDark, x) => isDark ? `M${x + quiet} ${y + quiet}h1v1h-1z` : ""));
  const svg = make("svg", {
    class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": t("player.take-code"),
    "shape-rendering": "crispEdges",
  });
  const ground = make("rect", { width: size, height: size, fill: "#fff" });
  svg.append(ground, make("path", { d: path.join(""), fill: "#111" }));
  return svg;
}

/**
 * @param {import("./app.js").App} app
 * @returns {import("./panel.js").Content}
 */
export function open(app) {
  const address = new URL(`/listen/${app.station.id}`, location.href);
  address.searchParams.set("session", token());
  const link = el("a", { href: addressed(`${address.pathname}${address.search}`) }, t("player.take-link"));
  const hint = el("p", {}, t("player.take-hint"));
  const said = el("p", { class: "hint", role: "status" });
  const elsewhere = () => {
    if (app.engine.reason === "elsewhere") setText(said, t("player.fault.elsewhere"));
  };
  app.engine.addEventListener("state", elsewhere);
  const facts = el("div", { class: "take-words" }, hint, el("p", { class: "hint" }, t("player.take-secret")),
    el("p", {}, link), said);
  return {
    label: t("player.take-title"), nodes: [el("div", { class: "take" }, picture(address.href), facts)],
    close: () => app.engine.removeEventListener("state", elsewhere),
  };
}
