// Codes that another device's camera reads.

import { addPhrases, t } from "./i18n.js";
import { qrCode } from "./qr.js";
import { addStyles } from "./styles.js";

addStyles(`
.qr { flex: none; width: 208px; max-width: 100%; border-radius: 12px; }
.elsewhere .qr { display: block; margin-top: 12px; }
`);

/** Modules around a code that stay light (ISO/IEC 18004 asks for four). */
const quiet = 4;

/**
 * Draws a code, dark on light in each theme: many readers know no other.
 * @param {string} text
 */
export function picture(text) {
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
 * Shows the code of an address at the end of its section, or takes it away.
 * @param {Element} address
 * @param {HTMLElement} press
 */
export async function toggleCode(address, press) {
  await addPhrases("panel/");
  const place = address.closest("section"), shown = place?.querySelector(".qr");
  const code = shown ? null : picture(address.textContent ?? "");
  shown?.remove();
  if (code) place?.append(code);
  code?.scrollIntoView({ block: "nearest" });
  press.setAttribute("aria-expanded", String(Boolean(code)));
  // An address too long for a code stays text.
  if (!code && !shown) press.remove();
}
