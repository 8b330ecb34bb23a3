// The page of a station of files: a press plays a file in its place, and the next one of the list follows. What was
// heard last is where the next visit goes on.

import { setAccess } from "./api.js";
import { colourAfter, colourOf, tendPicture } from "./colour.js";
import { deck } from "./deck.js";
import { keep, kept, part } from "./dom.js";
import { ready, t } from "./i18n.js";
import { startTools } from "./tools.js";
import { page } from "./visit.js";

/** @typedef {{ href: string, name: string }} File */

const skipSeconds = 30;
/** Seconds: so often the place is kept; a file that has hardly begun is begun again. */
const keepEvery = 5, leastKept = 10;

/** Plays a station's files, with or without their page. */
class FilePlayer {
  timeline = { isEmpty: true };
  isShown = false;
  isLive = true;
  canShift = true;
  /** Number of the file that the element holds: the relay has put in the first one. */
  current = 0;
  engine = Object.assign(new EventTarget(), { state: "idle", reason: "" });
  /** What the page shows of it. */
  onChange = () => {};
  /** What the page says of a failure; empty: nothing. */
  say = (/** @type {string} */ _text) => {};
  #keptAt = 0;
  #life = new AbortController();

  /**
   * @param {import("./deck.js").Player["station"]} station
   * @param {HTMLAudioElement} audio
   * @param {File[]} files none where the station is one file
   */
  constructor(station, audio, files) {
    this.station = station;
    this.audio = audio;
    this.files = files;
    this.#goOn();
    const { signal } = this.#life;
    audio.addEventListener("play", () => {
      this.say("");
      this.onChange();
    });
    // What cannot be played takes nobody's place.
    audio.addEventListener("playing", () => this.#set("playing"));
    audio.addEventListener("timeupdate", () =>
      Math.abs(audio.currentTime - this.#keptAt) >= keepEvery && this.#keepPlace());
    audio.addEventListener("pause", () => {
      this.#keepPlace();
      if (this.engine.state !== "idle") this.#set("paused");
    });
    audio.addEventListener("ended", () => {
      keep(this.#placeKey, null);
      this.play(this.current + 1);
    });
    audio.addEventListener("error", () => {
      if (!audio.hasAttribute("src")) return;
      if (this.engine.state !== "idle") this.#set("paused");
      this.say(t("files.failed", { name: this.name }));
    });
    addEventListener("pagehide", () => this.#keepPlace(), { signal });
  }

  get name() {
    return this.files[this.current]?.name ?? "";
  }

  get isSounding() {
    return !this.audio.paused && !this.audio.ended && !this.audio.error;
  }

  title() {
    return { title: this.name, artist: null };
  }

  behind() {
    return 0;
  }

  /** @param {number} index */
  play(index) {
    const file = this.files[index];
    if (!file) return;
    if (index !== this.current || this.audio.error) this.audio.src = file.href;
    this.current = index;
    this.#begin();
  }

  toggle() {
    if (this.isSounding) this.audio.pause();
    else this.#begin();
  }

  /** @param {number} seconds */
  nudge(seconds) {
    this.audio.currentTime = Math.max(0, this.audio.currentTime + seconds);
  }

  hide() {
    this.isShown = false;
    this.onChange = () => {};
    this.say = () => {};
    this.#keepPlace();
    // Out of the page in one step: the sound goes on.
    document.body.append(this.audio);
    this.audio.hidden = true;
  }

  end() {
    this.#keepPlace();
    this.#life.abort();
    this.audio.removeAttribute("src");
    this.audio.load();
    this.audio.remove();
    this.engine.state = "idle";
  }

  #begin() {
    this.audio.play().catch(() => {
      // The element's own events say what became of it.
    });
  }

  /** @param {string} state */
  #set(state) {
    this.engine.state = state;
    this.engine.dispatchEvent(new Event("state"));
    // Behind the end of what sounded before.
    if (state === "playing") this.#connectKeys();
    this.onChange();
  }

  get #placeKey() {
    return `file:${this.station.id}`;
  }

  /** Keeps the place for the next visit. */
  #keepPlace() {
    const { audio } = this;
    if (!audio.currentTime || !audio.src) return;
    this.#keptAt = audio.currentTime;
    keep(this.#placeKey, JSON.stringify({ path: new URL(audio.src).pathname, seconds: Math.floor(this.#keptAt) }));
  }

  /** @returns {{ path: string, seconds: number } | null} */
  #keptFile() {
    try {
      const place = JSON.parse(kept(this.#placeKey) ?? "null");
      return place?.seconds >= leastKept ? place : null;
    } catch {
      // Another page of this address wrote it.
      return null;
    }
  }

  /** Puts the file that was heard last into the element, at the place that was heard. */
  #goOn() {
    const place = this.#keptFile();
    if (!place) return;
    const addresses = this.files.length ? this.files.map(({ href }) => href) : [this.audio.src].filter(Boolean);
    const index = addresses.findIndex((address) => new URL(address).pathname === place.path);
    if (index < 0) return;
    this.current = index;
    this.audio.src = `${addresses[index]}#t=${place.seconds}`;
  }

  /** Lets lock screens and media keys steer what plays. */
  #connectKeys() {
    const session = navigator.mediaSession;
    if (!session || typeof MediaMetadata === "undefined") return;
    session.metadata = new MediaMetadata({ title: this.name || this.station.name, album: this.station.name });
    session.playbackState = "playing";
    /** @type {Partial<Record<MediaSessionAction, MediaSessionActionHandler>>} */
    const actions = {
      play: () => this.#begin(),
      pause: () => this.audio.pause(),
      previoustrack: () => this.play(this.current - 1),
      nexttrack: () => this.play(this.current + 1),
      seekbackward: (details) => this.nudge(-(details.seekOffset ?? skipSeconds)),
      seekforward: (details) => this.nudge(details.seekOffset ?? skipSeconds),
      seekto: (details) => this.audio.currentTime = details.seekTime ?? this.audio.currentTime,
    };
    for (const [action, handler] of Object.entries(actions)) {
      try {
        session.setActionHandler(/** @type {MediaSessionAction} */ (action), handler);
      } catch {
        // The browser does not know the action.
      }
    }
  }
}

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
 * @param {FilePlayer} player
 * @param {HTMLAnchorElement[]} links of its files
 */
function show(player, links) {
  player.isShown = true;
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
  const sounding = deck.player instanceof FilePlayer && deck.player.station.id === id ? deck.player : null;
  const station = { id, name, artwork: frame.querySelector("img")?.getAttribute("src") };
  const player = sounding ?? new FilePlayer(station, audio,
    links.map((link) => ({ href: link.href, name: link.querySelector(".song")?.textContent ?? "" })));
  if (sounding) {
    audio.replaceWith(sounding.audio);
    sounding.audio.id = "file";
    sounding.audio.hidden = audio.hidden;
  } else {
    deck.watch(player);
  }
  show(player, links);
  if (sounding || player.current > 0 || player.audio.src.includes("#t=")) player.onChange();
  signal.addEventListener("abort", () => deck.leave(player));
  if (!frame.querySelector("img")) colourOf(id);
  tendPicture(frame, id, name, (image) => void colourAfter(image));
  await ready();
  if (signal.aborted) return;
  startTools();
  translate();
}

page("files", start);
