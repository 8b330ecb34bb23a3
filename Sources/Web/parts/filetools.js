// What steers a recording besides the browser's own player: half a minute back and forward, its speed, and keys.

import { button, el, keep, kept } from "./dom.js";
import { t } from "./i18n.js";
import { addStyles } from "./styles.js";
import { onKeys, toggleTheme } from "./tools.js";

/** @typedef {import("./fileplayer.js").FilePlayer} FilePlayer */

const rates = [0.75, 1, 1.25, 1.5, 1.75, 2], rateKey = "speed";
/** The phrases of the keys that there are, in the words of help.js. */
const keys = [
  "player.key-play", "player.key-10", "player.key-60", "player.key-30", "player.key-titles", "player.key-theme",
  "player.key-help", "player.key-close",
];

addStyles(`
.file-tools { justify-content: center; gap: 4px 12px; margin-top: 8px; }
.file-tools select { border-radius: 999px; }
@media (min-width: 900px) { .file-tools { justify-content: start; } }
`);

/** Shows the list of keys. */
export const showKeys = () => void import("./help.js").then(({ showHelp }) => showHelp(keys)).catch(() => {});

/**
 * Returns the row of buttons, and lets keys do the same.
 * @param {FilePlayer} player
 * @param {AbortSignal} signal ends with the page
 */
export function fileTools(player, signal) {
  const { audio } = player;
  const speed = el("select", { "aria-label": t("show.speed"), title: t("show.speed"), on: { change: () => {
    player.setRate(Number(speed.value));
    keep(rateKey, speed.value === "1" ? null : speed.value);
  } } }, ...rates.map((rate) => new Option(`${rate}×`, String(rate))));
  const wish = Number(kept(rateKey));
  if (rates.includes(wish)) player.setRate(wish);
  // The browser's own menu has other speeds, too.
  const show = () => {
    const value = String(audio.playbackRate);
    if (![...speed.options].some((option) => option.value === value)) speed.add(new Option(`${value}×`, value));
    speed.value = value;
  };
  show();
  audio.addEventListener("ratechange", show, { signal });
  onKeys(signal, (key, isShift) => {
    // The browser's own player has keys of its own.
    if (document.activeElement === audio && key.startsWith("Arrow")) return null;
    switch (key) {
      case " ": case "k": return () => player.toggle();
      case "ArrowLeft": return () => player.nudge(isShift ? -60 : -10);
      case "ArrowRight": return () => player.nudge(isShift ? 60 : 10);
      case "j": return () => player.nudge(-30);
      case "l": return () => player.nudge(30);
      case "p": return () => player.step(-1);
      case "n": return () => player.step(1);
      case "d": return () => toggleTheme();
      case "?": return showKeys;
    }
    return null;
  });
  return el("div", { class: "row file-tools" },
    button("back30", t("player.back30"), () => player.nudge(-30)),
    button("forward30", t("player.forward30"), () => player.nudge(30)), speed);
}
