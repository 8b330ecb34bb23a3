// Plays what is there in files: each in its place, with or without a page. What was heard is where the next visit
// goes on.

import { addressed, getJSON } from "./api.js";
import { deck } from "./deck.js";
import { keep, kept } from "./dom.js";
import { span, t } from "./i18n.js";

/** @typedef {{ seconds: number, title: string | null, artist: string | null }} Chapter counted from the work's begin */
/**
 * What is played as one: a file, or a recording in several files.
 * @typedef {object} Work
 * @property {string} key by which its place is kept
 * @property {string} name
 * @property {string[]} files their addresses
 * @property {number[]} [lengths] of the files in seconds, where there are several
 * @property {string} [album]
 * @property {string} [picture] its address
 * @property {Chapter[]} [chapters] the first one first
 * @property {boolean} [isGrowing] there is more of it later
 */
/** @typedef {{ path: string, part: number, seconds: number, saved: number }} Place `seconds` in the part */

const skipSeconds = 30;
/** Seconds: so often the place is kept; what has hardly begun is begun again. */
const keepEvery = 5, leastKept = 10, grownLeast = 1;
/** Seconds until a file that was lost is asked for again; the last one repeats. */
const askDelays = [0.5, 1, 2, 4, 8];
/** Milliseconds: what waits so long for its file may have lost it, which browsers tell half a minute later. */
const stalledAfter = 3_000;
/** HAVE_FUTURE_DATA of HTML's media elements: it goes on. */
const goesOn = 3;

export class FilePlayer {
  timeline = { isEmpty: true };
  isShown = false;
  isLive = true;
  canShift = true;
  /** Number of the work that the element holds, and of its file. */
  current = 0;
  part = 0;
  engine = Object.assign(new EventTarget(), { state: "idle", reason: "" });
  /** What the page shows of it. */
  onChange = () => {};
  /**
   * What the page says of a failure; empty: nothing.
   * @type {(text: string, isRefused?: boolean) => void}
   */
  say = () => {};
  /** Ends what looks for a file that was lost. */
  #looking = new AbortController();
  /** Whether the file was lost, with the relay there, since it last went on for a while. */
  #isLostAgain = false;
  #keptAt = 0;
  /** @type {Chapter | null} */
  #chapter = null;
  #life = new AbortController();

  /**
   * @param {import("./deck.js").Player["station"]} station
   * @param {HTMLAudioElement} audio
   * @param {Work[]} works none where the station is one file, which the element holds
   * @param {{ isList?: boolean }} options `isList`: after one comes the next
   */
  constructor(station, audio, works, { isList = false } = {}) {
    this.station = station;
    this.audio = audio;
    this.works = works;
    this.isList = isList;
    this.#goOn();
    const { signal } = this.#life;
    audio.addEventListener("play", () => {
      this.say("");
      this.onChange();
    });
    // What cannot be played takes nobody's place.
    audio.addEventListener("playing", () => {
      if (this.engine.state === "retrying") this.say("");
      this.#looking.abort();
      this.#set("playing");
    });
    audio.addEventListener("waiting", () => setTimeout(() => {
      if (!audio.paused && !audio.error && audio.readyState < goesOn) void this.#lose();
    }, stalledAfter));
    audio.addEventListener("timeupdate", () => this.#tick());
    audio.addEventListener("pause", () => {
      this.#keepPlace();
      if (this.engine.state !== "idle") this.#set("paused");
    });
    audio.addEventListener("ended", () => this.#end());
    audio.addEventListener("error", () => audio.hasAttribute("src") && void this.#lose());
    audio.addEventListener("ratechange", () => this.#tellPlace());
    addEventListener("pagehide", () => this.#keepPlace(), { signal });
  }

  /** @returns {Work | undefined} */
  get work() {
    return this.works[this.current];
  }

  get name() {
    return this.work?.name ?? "";
  }

  get isSounding() {
    return !this.audio.paused && !this.audio.ended && !this.audio.error;
  }

  /** Returns the place in the work, in seconds. */
  get place() {
    return this.#begin(this.part) + (this.audio.readyState ? this.audio.currentTime : this.#keptAt);
  }

  /** Returns the chapter that is heard, or null. */
  get chapter() {
    const { place } = this;
    // A place that was asked for may lie a packet before.
    return [...this.work?.chapters ?? []].reverse().find(({ seconds }) => seconds <= place + 0.1) ?? null;
  }

  title() {
    const { chapter, name, work } = this;
    const { title, artist } = chapter?.title ? chapter : { title: name, artist: null };
    return { title, artist, album: work?.album, picture: work?.picture };
  }

  behind() {
    return 0;
  }

  /**
   * Takes the works as they are now; what sounds stays what it is.
   * @param {Work[]} works
   */
  take(works) {
    const { work } = this;
    if (!work) {
      this.works = works;
      this.current = 0;
      return this.#load(0, 0);
    }
    const index = works.findIndex(({ key, files }) => key === work.key && files[0] === work.files[0]);
    // What was taken away plays to its end.
    this.works = index < 0 ? [...works, work] : works;
    this.current = index < 0 ? this.works.length - 1 : index;
  }

  /**
   * Plays a work, from where it was heard last or from a place in it.
   * @param {number} index
   * @param {number | null} [seconds]
   */
  play(index, seconds = null) {
    const work = this.works[index];
    if (!work) return;
    this.#isLostAgain = false;
    const isLost = index === this.current && this.audio.error !== null;
    const isOther = index !== this.current || isLost || !this.audio.hasAttribute("src");
    if (isOther || this.audio.ended) {
      if (!isLost) this.#keepPlace();
      const place = seconds !== null ? null : isLost ? { part: this.part, seconds: this.#keptAt }
        : work.chapters ? keptPlace(work) : null;
      this.current = index;
      if (place) this.#load(place.part, place.seconds);
      else this.#seek(seconds ?? 0, true);
    } else if (seconds !== null) {
      this.#seek(seconds);
    }
    this.#sound();
  }

  toggle() {
    if (this.isSounding) this.audio.pause();
    else this.play(this.current);
  }

  /** @param {number} seconds */
  nudge(seconds) {
    this.#seek(this.place + seconds);
  }

  /** @param {number} rate 1: as it was recorded */
  setRate(rate) {
    // The first is that of the next file.
    this.audio.defaultPlaybackRate = this.audio.playbackRate = rate;
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
    this.#looking.abort();
    this.#keepPlace();
    this.audio.removeAttribute("src");
    this.audio.load();
    this.engine.state = "idle";
    // In its page it can begin again.
    if (this.isShown) return;
    this.#life.abort();
    this.audio.remove();
  }

  /** Returns where a part begins, in seconds. */
  #begin(/** @type {number} */ part) {
    return (this.work?.lengths ?? []).slice(0, part).reduce((sum, each) => sum + each, 0);
  }

  /**
   * @param {number} seconds in the work
   * @param {boolean} [isNew] the element holds another work
   */
  #seek(seconds, isNew = false) {
    const lengths = this.work?.lengths ?? [];
    let part = 0;
    while (part < lengths.length - 1 && seconds >= this.#begin(part + 1)) part += 1;
    const rest = Math.max(0, seconds - this.#begin(part));
    const { readyState, error, duration } = this.audio;
    // Before the file is there, the fragment of its address is stronger than a wish for its beginning.
    const isBegun = rest === 0 && !readyState && !error;
    if (isNew || isBegun || part !== this.part || (rest > duration && this.#hasGrown)) {
      const { isSounding } = this;
      this.#load(part, rest);
      if (isSounding) this.#sound();
    } else {
      this.audio.currentTime = rest;
      if (!this.audio.readyState) this.#keptAt = rest;
      this.onChange();
    }
  }

  /**
   * @param {number} part
   * @param {number} seconds in it
   */
  #load(part, seconds) {
    const { work } = this;
    if (!work) return;
    this.#looking.abort();
    this.part = Math.min(part, work.files.length - 1);
    this.audio.src = work.files[this.part] + (seconds > 0 ? `#t=${seconds}` : "");
    this.#keptAt = seconds;
    this.#chapter = null;
    this.onChange();
  }

  /** Looks why a file ended without anybody's wish, and goes on where it was as soon as the relay gives it. */
  async #lose() {
    const { audio } = this;
    if (audio.currentTime) this.#keptAt = audio.currentTime;
    this.#looking.abort();
    this.#looking = new AbortController();
    const { signal } = this.#looking;
    for (let tries = 0;; tries += 1) {
      const { status } = await getJSON(audio.src, { method: "HEAD", signal });
      if (signal.aborted) return;
      const isThere = status >= 200 && status < 300, isBusy = status === 429 || status >= 500, isFirst = tries === 0;
      // It only comes slowly.
      if (isThere && isFirst && !audio.error) return;
      if (isThere && !(isFirst && this.#isLostAgain)) return this.#take(isFirst);
      if (status && !isBusy) return this.#fail(status);
      const reason = isBusy ? "busy" : "offline";
      // What never sounded takes nobody's place.
      if (this.engine.state !== "idle") this.#set("retrying", reason);
      this.say(t(`player.fault.${reason}`));
      const seconds = askDelays[Math.min(tries, askDelays.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, 1_000 * seconds));
      if (signal.aborted) return;
    }
  }

  /**
   * Takes the file again, at the place where it was lost, or that was chosen since.
   * @param {boolean} wasThere the relay did not lack
   */
  #take(wasThere) {
    const { audio } = this, isWanted = !audio.paused;
    this.#isLostAgain = wasThere;
    if (this.work) this.#load(this.part, audio.currentTime || this.#keptAt);
    else audio.load();
    this.say("");
    if (isWanted) this.#sound();
    else if (this.engine.state !== "idle") this.#set("paused");
  }

  /** @param {number} status HTTP's of the file */
  #fail(status) {
    if (this.engine.state !== "idle") this.#set("paused");
    this.say(t("files.failed", { name: this.name }), status === 401 || status === 403);
  }

  #sound() {
    this.audio.play().catch(() => {
      // The element's own events say what became of it.
    });
  }

  /** Whether more of the file was recorded than the element has. */
  get #hasGrown() {
    const { duration } = this.audio;
    return (this.work?.lengths?.[this.part] ?? 0) > duration + grownLeast;
  }

  /** A file is over: the next one of the work follows, then the next work. */
  #end() {
    const { audio, work } = this;
    if (work && this.#hasGrown) {
      this.#load(this.part, audio.duration);
      return this.#sound();
    }
    if (work && this.part < work.files.length - 1) {
      this.#load(this.part + 1, 0);
      return this.#sound();
    }
    if (work?.isGrowing) {
      this.#keepPlace();
      return this.say(t("show.end"));
    }
    if (work) keep(work.key, null);
    if (this.isList) this.play(this.current + 1);
  }

  #tick() {
    if (Math.abs(this.audio.currentTime - this.#keptAt) >= keepEvery) {
      this.#keepPlace();
      this.#isLostAgain = false;
    }
    const { chapter } = this;
    if (chapter !== this.#chapter) {
      this.#chapter = chapter;
      this.#tell();
    }
    if (this.work?.chapters) this.onChange();
  }

  /**
   * @param {string} state
   * @param {string} [reason] why it does not sound
   */
  #set(state, reason = "") {
    Object.assign(this.engine, { state, reason });
    this.engine.dispatchEvent(new Event("state"));
    // Behind the end of what sounded before.
    if (state === "playing") this.#connectKeys();
    this.onChange();
  }

  /** Keeps the place for the next visit. */
  #keepPlace() {
    const { audio, part, work } = this;
    if (!work || !audio.currentTime || !audio.src || (audio.ended && !work.isGrowing)) return;
    this.#keptAt = audio.currentTime;
    this.#tellPlace();
    const path = new URL(audio.src).pathname, seconds = Math.floor(this.#keptAt);
    keep(work.key, JSON.stringify({ path, part, seconds, saved: Date.now() }));
  }

  /** Puts what was heard last into the element, at the place that was heard. */
  #goOn() {
    let last = 0;
    this.works.forEach((work, index) => {
      const place = keptPlace(work);
      if (!place || place.saved < last) return;
      last = place.saved;
      this.current = index;
      this.#load(place.part, place.seconds);
    });
  }

  /** Tells lock screens what is heard. */
  #tell() {
    const session = navigator.mediaSession;
    if (!session || typeof MediaMetadata === "undefined") return;
    const { title, artist } = this.title(), { album, picture } = this.work ?? {};
    session.metadata = new MediaMetadata({
      title: title || this.station.name, artist: artist ?? "", album: album ?? this.station.name,
      artwork: picture ? [{ src: addressed(picture) }] : [],
    });
    this.#tellPlace();
  }

  /** Of several files browsers know the one that plays. */
  #tellPlace() {
    const duration = (this.work?.lengths ?? []).reduce((sum, each) => sum + each, 0);
    const isOne = (this.work?.files.length ?? 0) < 2;
    navigator.mediaSession?.setPositionState?.(isOne ? undefined
      : { duration, position: Math.min(duration, this.place), playbackRate: this.audio.playbackRate });
  }

  /** Lets lock screens and media keys steer what plays. */
  #connectKeys() {
    const session = navigator.mediaSession;
    if (!session || typeof MediaMetadata === "undefined") return;
    this.#tell();
    session.playbackState = "playing";
    /** @type {Partial<Record<MediaSessionAction, MediaSessionActionHandler>>} */
    const actions = {
      play: () => this.#sound(),
      pause: () => this.audio.pause(),
      previoustrack: () => this.step(-1),
      nexttrack: () => this.step(1),
      seekbackward: (details) => this.nudge(-(details.seekOffset ?? skipSeconds)),
      seekforward: (details) => this.nudge(details.seekOffset ?? skipSeconds),
      seekto: (details) => this.#seek(details.seekTime ?? this.place),
    };
    for (const [action, handler] of Object.entries(actions)) {
      try {
        session.setActionHandler(/** @type {MediaSessionAction} */ (action), handler);
      } catch {
        // The browser does not know the action.
      }
    }
  }

  /**
   * Goes to the next or previous chapter, or work.
   * @param {number} by
   */
  step(by) {
    const chapters = this.work?.chapters;
    if (!chapters) return this.play(this.current + by);
    const at = chapters.findIndex((chapter) => chapter === this.chapter) + by;
    if (at < chapters.length) this.#seek(chapters[Math.max(0, at)]?.seconds ?? 0);
  }
}

/**
 * Returns the place where a work was heard last, or null.
 * @param {Work} work
 * @returns {Place | null}
 */
export function keptPlace({ key, files }) {
  try {
    const place = JSON.parse(kept(key) ?? "null");
    if (!(place?.seconds >= leastKept || place?.part > 0)) return null;
    const file = files[place.part ?? 0];
    if (!file || new URL(file, location.href).pathname !== place.path) return null;
    return { path: place.path, part: place.part ?? 0, seconds: place.seconds, saved: place.saved ?? 0 };
  } catch {
    // Another page of this address wrote it.
    return null;
  }
}

/**
 * Returns where a work was heard last, as figures from its beginning; empty where it was not.
 * @param {Work} work
 */
export function keptClock(work) {
  const place = keptPlace(work);
  if (!place) return "";
  return span((work.lengths ?? []).slice(0, place.part).reduce((sum, each) => sum + each, 0) + place.seconds);
}

/**
 * Returns the player of a page: the one that sounds already, whose element comes back into the page, or a new one.
 * @param {import("./deck.js").Player["station"]} station
 * @param {HTMLAudioElement} audio the page's element
 * @param {Work[]} works
 * @param {{ isList?: boolean, signal: AbortSignal }} options the signal ends with the page
 */
export function playerOf(station, audio, works, { isList, signal }) {
  const { player } = deck;
  const isSame = player instanceof FilePlayer && player.station.id === station.id
    && player.station.page === station.page;
  const shown = isSame ? player : new FilePlayer(station, audio, works, { isList });
  if (isSame) {
    audio.replaceWith(player.audio);
    player.audio.id = "file";
    player.audio.hidden = audio.hidden;
    player.take(works);
  } else {
    deck.watch(shown);
  }
  shown.isShown = true;
  signal.addEventListener("abort", () => deck.leave(shown));
  return { player: shown, isSounding: isSame };
}
