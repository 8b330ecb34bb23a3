// One track: what is known of it, its files, and how it sounds.

import { t } from "../i18n.js";
import { addStyles } from "../styles.js";
import { isUnknown, part } from "./client.js";
import { Facts } from "./facts.js";
import { Fetched } from "./files.js";
import { act, length, named, ready } from "./music.js";
import { button, count, h, size, when, words } from "./parts.js";
import { Favourites, Target, trackActs } from "./tracks.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./music.js").Track} Track */

/**
 * @param {App} app
 * @param {string} id
 */
export async function track(app, id) {
  await ready;
  const path = `tracks/${part(id)}`;
  const target = new Target(app), kept = new Favourites(app);
  const name = h("h1", { class: "named" }, id);
  const by = h("p", { class: "song" });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const facts = new Facts();
  const picture = h("img", { class: "cover", alt: "", width: 160, height: 160, hidden: true });
  const audio = h("audio", { controls: true, hidden: true });
  const said = h("p", { class: "quiet", role: "status" });
  const files = h("ul", { class: "boxed" });
  const acts = h("span", { class: "acts" });
  const listen = act("listen", button(t("admin.play"), play, { kind: "main" }));
  const body = h("div", { hidden: true },
    h("div", { class: "about" }, picture,
      h("div", {}, h("p", { class: "acts" }, listen, acts), target.element, said, audio)),
    h("div", { class: "columns" }, h("section", {}, h("h2", {}, t("music.details")), facts.element),
      h("section", {}, h("h2", {}, t("music.files")), files)));
  const element = h("div", { class: "music track", "data-track": id },
    h("p", { class: "back" }, h("a", { href: "#library" }, t("admin.library"))),
    h("div", { class: "head" }, name), by, trouble, body);
  const abort = new AbortController();
  let sound = new Fetched();
  let cover = "";

  async function look() {
    try {
      const [shown] = /** @type {[Track, void]} */ (await Promise.all([app.client.get(path), kept.load()]));
      show(shown);
      if (shown.artwork && !cover) showPicture();
    } catch (fault) {
      trouble.textContent = isUnknown(fault) ? t("music.older") : words(fault);
    }
  }

  /** @param {Track} shown */
  function show(shown) {
    body.hidden = false;
    name.textContent = named({ ...shown, artist: null });
    by.textContent = [shown.artist, shown.album].filter(Boolean).join(" – ");
    trouble.textContent = shown.playable ? "" : shown.reason ?? t("music.ready.failed");
    // Its place is kept: nothing moves when it comes.
    picture.hidden = !shown.artwork;
    acts.replaceChildren(...trackActs(app, target, kept, shown, change => show({ ...shown, ...change })));
    facts.update(factsOf(shown));
    files.replaceChildren(...(shown.files ?? []).map(file => h("li", {}, h("span", { class: "named" }, file.path),
      h("span", { class: "notes" }, [file.root, size(file.bytes), when(file.modified, false),
        file.missingSince ? t("music.missingSince", { time: when(file.missingSince, false) }) : null]
        .filter(Boolean).join(" · ")))));
  }

  async function showPicture() {
    try {
      cover = URL.createObjectURL(await (await app.client.file(`${path}/artwork`, abort.signal)).blob());
      if (!abort.signal.aborted) picture.src = cover;
    } catch {
      picture.hidden = true;
    }
  }

  async function play() {
    sound.end();
    const mine = (sound = new Fetched());
    said.textContent = t("music.listen.coming");
    try {
      await mine.load(app, `${path}/audio`, bytes => {
        if (mine === sound) said.textContent = t("music.listen.came", { size: size(bytes) });
      });
      if (mine !== sound || abort.signal.aborted) return;
      said.textContent = "";
      audio.src = mine.address;
      audio.hidden = false;
      audio.setAttribute("aria-label", name.textContent ?? "");
      audio.play().catch(() => {});
    } catch (fault) {
      if (mine === sound && !abort.signal.aborted) said.textContent = words(fault);
    }
  }

  await look();
  function close() {
    abort.abort();
    audio.pause();
    sound.end();
    if (cover) URL.revokeObjectURL(cover);
  }
  return { title: name.textContent ?? id, element, update: () => target.update(), close };
}

/**
 * @param {Track} shown
 * @returns {import("./facts.js").Fact[]}
 */
function factsOf(shown) {
  const { disc, number, seconds, codec, bitrate, sampleRate, channels, loudness, truePeak, gain, lyrics } = shown;
  const kind = [codec, bitrate && `${bitrate} kbit/s`, sampleRate && `${sampleRate / 1000} kHz`,
    channels && t("admin.channels", { n: channels })].filter(Boolean).join(", ");
  const loud = [typeof loudness === "number" && `${loudness} LUFS`,
    typeof truePeak === "number" && t("music.peak", { n: String(truePeak) }),
    typeof gain === "number" && t("music.gain", { n: String(gain) })].filter(Boolean).join(", ");
  return [
    ["albumArtist", shown.albumArtist], ["year", shown.year ? String(shown.year) : null],
    ["place", number ? [disc, number].filter(Boolean).join(" / ") : null],
    ["genres", shown.genres?.join(", ") || null], ["length", length(seconds)], ["format", kind || null],
    ["loudness", loud || null], ["lyrics", lyrics && t(`music.lyrics.${lyrics}`)],
    ["added", shown.added && when(shown.added, false)],
    ["plays", typeof shown.plays === "number" ? count(shown.plays) : null],
    ["lastPlayed", shown.lastPlayed ? when(shown.lastPlayed, false) : null],
  ];
}

addStyles(`
.track .back { padding-block-start: 12px; font-size: 13px; color: var(--muted); }
.track .back + .head { padding-block: 2px 4px; }
.about { display: flex; flex-wrap: wrap; gap: 16px; padding-block: 14px; }
.about > div { display: grid; gap: 10px; align-content: start; flex: 1 1 240px; min-width: 0; }
.about .acts { display: flex; flex-wrap: wrap; gap: 6px; }
.about audio { width: min(480px, 100%); }
.cover { width: 160px; height: 160px; border-radius: 10px; background: var(--surface); object-fit: cover; }
.track .boxed li { display: grid; gap: 2px; padding: 6px 10px; font-size: 13px; }
`);
