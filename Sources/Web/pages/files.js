// The page of a station of files: a press plays a file in its place, and the next one of the list follows. What was
// heard last is where the next visit goes on.

import { setAccess } from "./api.js";
import { colourAfter, colourOf, tendPicture } from "./colour.js";
import { part } from "./dom.js";
import { playerOf } from "./fileplayer.js";
import { addPhrases, ready, t } from "./i18n.js";
import { startTools } from "./tools.js";
import { page } from "./visit.js";

/** Puts what the relay wrote into the reader's language. */
function translate() {
  const further = document.getElementById("further");
  for (const [id, text] of Object.entries({
    list: t("files"), "hidden-files": t("files.hidden"),
    further: t("files.further", { n: Number(further?.dataset.count ?? 0) }),
  })) {
    const element = document.getElementById(id);
    if (element) element.textContent = text;
  }
}

/**
 * Shows a player in its page.
 * @param {import("./fileplayer.js").FilePlayer} player
 * @param {HTMLAnchorElement[]} links of its files
 */
function show(player, links) {
  player.say = (text) => part("status").textContent = text;
  player.onChange = () => {
    links.forEach((link, index) => {
      if (index === player.current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
    part("title").textContent = player.name || player.station.name;
  };
  links.forEach((link, index) => link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    player.play(index);
  }));
}

/** @param {import("./visit.js").Visit} visit */
async function start({ state, signal }) {
  const id = part("main").dataset.station ?? "";
  setAccess({ station: { id } }, state.access);
  const frame = part("art");
  const name = document.querySelector(".station .name")?.textContent ?? "";
  const audio = /** @type {HTMLAudioElement} */ (part("file"));
  /** @type {HTMLAnchorElement[]} */
  const links = [...document.querySelectorAll(/** @type {"a"} */ ("#files .from"))];
  const key = `file:${id}`;
  const works = links.map((link) =>
    ({ key, name: link.querySelector(".song")?.textContent ?? "", files: [link.href] }));
  // The station is one file, which the element holds.
  if (!works.length && audio.src) works.push({ key, name: "", files: [audio.src] });
  const station = { id, name, artwork: frame.querySelector("img")?.getAttribute("src") };
  const { player, isSounding } = playerOf(station, audio, works, { isList: true, signal });
  show(player, links);
  if (isSounding || player.current > 0 || player.audio.src.includes("#t=")) player.onChange();
  if (!frame.querySelector("img")) colourOf(id);
  tendPicture(frame, id, name, (image) => void colourAfter(image));
  await Promise.all([ready(), addPhrases("shows/")]);
  if (signal.aborted) return;
  startTools();
  translate();
}

page("files", start);
