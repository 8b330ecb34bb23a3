// What the player's parts share: what is heard and shown, jumps, and the news from the relay.

import { News, getJSON } from "./api.js";
import { el, kept, setText } from "./dom.js";
import { Engine } from "./engine.js";
import { startHeading } from "./heading.js";
import { day, spoken, t } from "./i18n.js";
import { Panel } from "./panel.js";
import { chosen, keyOf, listenersElsewhere, stateOf, steadily } from "./qualities.js";
import { keepPlace, token } from "./session.js";
import { Timeline } from "./timeline.js";

/** @typedef {import("./timeline.js").Place} Place */
/** @typedef {Record<string, () => void>} Keys what a key of the whole page does, letters in lower case */
/** @typedef {{ update: () => void, keys?: Keys }} Part */
/** @typedef {import("./qualities.js").Quality} Quality */

const kinds = ["state", "metadata-live", "gap", "reconnected", "fallback-started", "fallback-stopped"];
/** Milliseconds. */
const timelineEvery = 15_000, barEvery = 5_000, stationEvery = 30_000, placeEvery = 10_000, updateEvery = 250;
const lostFor = 30_000, stillAfter = 3_200;
/** Keys and clicks within this time are one jump, in milliseconds. */
const nudgeWait = 160;
/** Closer than this to live is live, in milliseconds: also what of a burst is no browser's first block. */
const liveWithin = 2_000, burstBesides = 6_000;

/** What the page's parts share. */
export class App {
  /**
   * The station as the API has it.
   * @type {any}
   */
  station;
  /**
   * Where nothing plays yet: from here it will, in milliseconds; null: live.
   * @type {number | null}
   */
  wanted = null;
  /**
   * Shown in place of what is heard while the user moves.
   * @type {number | null}
   */
  preview = null;
  /**
   * Addresses of artwork that has loaded.
   * @type {Set<string>}
   */
  pictures = new Set();
  /** @type {Part[]} of the page that shows it */
  parts = [];
  /** @type {Part[]} which stay when the page goes */
  lasting = [];
  /** Whether a page shows it: it may sound without one. */
  isShown = false;
  /** Ends with the page that shows it. */
  signal = new AbortController().signal;
  /** Shows the page anew: there is more to show than it was made for. */
  renew = () => location.reload();
  /** @type {import("./strip.js").Layers} what is known of them so far */
  layers = { waveform: null, replayed: null };
  /** @type {import("./airings.js").Airings | null} once they are known, where the station has some */
  shows = null;
  /** @type {typeof import("./lane.js").paintLane | null} */
  paintLane = null;
  /** @type {import("./away.js").StandIn | null} what is heard in the station's place */
  standIn = null;
  /** What is said while nothing else is. */
  note = "";
  /** What is said in place of the time line. */
  aside = "";
  /**
   * What a press on play does where nobody may listen yet; null where the station is open.
   * @type {(() => void) | null}
   */
  locked = null;
  #nudge = 0;
  #address = "";
  /** @type {string | null} */
  #etag = null;
  #isWhole = false;
  #soon = 0;
  #life = new AbortController();
  #isStarted = false;

  /**
   * @param {any} state as the relay wrote it into the page
   * @param {HTMLAudioElement} audio
   * @param {{ Remote?: any, isSmall?: boolean }} options `Remote` steers another player instead of playing
   */
  constructor(state, audio, { Remote = null, isSmall = false } = {}) {
    this.station = state.station;
    this.isRemote = Boolean(Remote);
    /** The player inside other pages: it has no room for what floats. */
    this.isSmall = isSmall;
    this.news = new News(this.station.id, kinds, (kind) => this.#news(kind));
    this.timeline = new Timeline(state.timeline);
    /** @type {Quality[]} The original first; none where there is no choice. */
    this.qualities = state.qualities ?? [];
    this.#elsewhere = this.qualities.length ? NaN : 0;
    this.quality = chosen(this.station.id, this.qualities, state.bitrate);
    this.audio = audio;
    // Without an address nothing loads before the first press.
    audio.removeAttribute("controls");
    audio.removeAttribute("src");
    const volume = isSmall ? 1 : Number(kept("volume") ?? 1);
    audio.volume = volume > 0 && volume <= 1 ? volume : 1;
    /** @type {Engine} */
    this.engine = new (/** @type {typeof Engine} */ (Remote ?? Engine))({
      audio: this.audio, station: this.station.id, stream: this.quality.id, token: token(), timeline: this.timeline,
      bitrate: this.quality.bitrate ?? this.station.format?.bitrate ?? 128, signal: this.#life.signal,
    });
    this.panel = new Panel(this, el("div"));
    if (!state.bitrate && kept(keyOf(this.station.id)) === steadily) void this.beSteady();
  }

  /** Plays by HLS from now on, where that can be; without the module it goes on as it is. */
  beSteady = () => import("./steady.js").then(({ beSteady }) => beSteady(this), () => {});

  /** Ends with the player. */
  get life() {
    return this.#life.signal;
  }

  /** @param {any} state as the relay wrote it into a page that shows it again */
  take({ station, timeline, qualities }) {
    this.station = station;
    this.qualities = qualities ?? [];
    if (timeline) this.timeline.merge(timeline);
  }

  /**
   * Begins to be shown in the page that stands.
   * @param {AbortSignal} signal ends with the page
   */
  show(signal) {
    this.signal = signal;
    this.isShown = true;
    this.parts = [startHeading(this)];
    // The small page inside others has no place for it.
    this.panel = new Panel(this, document.getElementById("panel") ?? el("div"));
  }

  /** Goes on without a page. */
  hide() {
    this.panel.close();
    this.isShown = false;
    this.parts = [];
    this.preview = null;
    this.standIn = this.#away = null;
    this.aside = "";
    this.#knowsAway = false;
    this.news.close();
    this.#keepPlace();
    delete document.documentElement.dataset.engine;
  }

  /** Sounds no more for now; the place is kept. */
  rest() {
    this.#keepPlace();
    this.engine.stop();
  }

  /** Ends for good; the place is kept. */
  end() {
    this.#keepPlace();
    // First, so that nothing is told of the end where the next player tells of itself.
    this.#life.abort();
    this.engine.stop();
    this.news.close();
    clearTimeout(this.#nudge);
    this.audio.remove();
  }

  get hasShows() {
    return Boolean(this.station.show ?? this.station.nextShow);
  }

  /** True where the listener may go back in time. */
  get canShift() {
    return !this.timeline.isEmpty && this.station.rights?.shift !== false;
  }

  get canClip() {
    return !this.timeline.isEmpty && this.station.rights?.clip !== false;
  }

  get isSounding() {
    return ["starting", "playing", "waiting", "retrying"].includes(this.engine.state);
  }

  /** Returns the air time that is shown as heard, in milliseconds; null for a station without a window. */
  place() {
    if (this.timeline.isEmpty) return null;
    return this.preview ?? this.engine.heardAir() ?? this.wanted ?? this.timeline.live().air;
  }

  /**
   * Returns a time of day at the station, with the day where that is not today.
   * @param {number} air
   * @param {boolean} [withSeconds]
   */
  clock(air, withSeconds = false) {
    const { timeline } = this, { zone } = timeline;
    const clock = timeline.clock(air, withSeconds), date = day(air / 1_000, zone);
    const now = timeline.isEmpty ? Date.now() : timeline.live().air;
    return date === day(now / 1_000, zone) ? clock : `${date} ${clock}`;
  }

  /** Returns how far the shown place is behind live, in seconds. */
  behind() {
    const place = this.place();
    if (place === null) return 0;
    if (this.preview === null && this.engine.heardAir() !== null) return Math.max(0, this.engine.behind() ?? 0);
    return Math.max(0, (this.timeline.live().air - place) / 1000);
  }

  get isLive() {
    if (this.preview === null && this.engine.heardAir() !== null) return this.engine.isLive();
    return this.behind() * 1000 < liveWithin;
  }

  /** Whether the station has nothing new to hear, and not only for a moment. */
  get isAway() {
    const { state, fallback, upstream } = this.station;
    return state !== "playing" && state !== "paused" && !fallback && upstream?.attempts > 1;
  }

  /** When a later copy begins of which nothing is on air yet; else empty. */
  get begins() {
    const { beginsAt } = this.station;
    return beginsAt ? this.clock(Date.parse(beginsAt)) : "";
  }

  /** Returns the title at the shown place, or null. */
  title() {
    const place = this.place();
    if (place === null) return null;
    const heard = this.preview === null ? this.engine.heardMedia() : null;
    return this.timeline.titleAt(heard ?? this.timeline.mediaOf(place));
  }

  /**
   * Plays somewhere else, or from the wanted place.
   * @param {Place} place
   */
  jump(place) {
    if (this.locked) return this.locked();
    clearTimeout(this.#nudge);
    this.preview = null;
    this.wanted = null;
    if (this.panel.isOffer) this.panel.close();
    this.engine.play(place);
    this.update();
  }

  /** @param {Quality} quality in which it goes on at the same place */
  setQuality(quality) {
    this.quality = quality;
    this.engine.use(quality.id, quality.bitrate, quality.steady);
    this.update();
  }

  toggle() {
    const { state } = this.engine;
    if (state === "idle" || state === "gone") {
      this.jump(this.wanted === null ? "live" : { air: this.wanted });
    } else {
      this.engine.toggle();
    }
    this.update();
  }

  /**
   * Moves what is heard; moves in quick succession are one jump.
   * @param {number} seconds
   */
  nudge(seconds) {
    const place = this.place();
    if (place === null || !this.canShift || (seconds > 0 && this.isLive)) return;
    this.jumpSoon(place + seconds * 1000);
  }

  /**
   * Shows a place at once and plays there after a short rest.
   * @param {number} air
   */
  jumpSoon(air) {
    const live = this.timeline.live().air;
    this.preview = Math.min(live, Math.max(this.timeline.oldest.air, air));
    clearTimeout(this.#nudge);
    this.#nudge = setTimeout(() => {
      this.land(this.preview ?? live);
    }, nudgeWait);
    this.update();
  }

  /**
   * Plays from a place; at live what already plays live goes on undisturbed.
   * @param {number} air
   */
  land(air) {
    const isEdge = this.timeline.live().air - air < Math.max(liveWithin, this.engine.burst * 1_000 - burstBesides);
    this.preview = null;
    if (!isEdge) return this.jump({ air });
    if (!this.engine.isLive() || this.engine.state !== "playing") return this.jump("live");
    this.update();
  }

  /**
   * Says something where people and screen readers find it.
   * @param {string} text
   */
  say(text) {
    if (this.isShown) setText(document.getElementById("status"), text);
  }

  /** Shows everything as it is now. */
  update() {
    this.#away?.update();
    for (const each of [...this.lasting, ...this.parts]) each.update();
  }

  /** Asks for what opens a station for members, and opens it at once where nothing is missing. */
  askMembers() {
    if (this.isRemote || !this.isShown || !document.getElementById("members")) return;
    // A press that comes before the relay's word waits for it.
    let isPressed = false;
    this.locked ??= () => void (isPressed = true);
    import("./members.js").then(({ startMembers }) => startMembers(this)).catch(() => this.locked = null)
      .then(() => isPressed && (this.locked ? this.locked() : this.toggle()));
  }

  #showEngine() {
    const { state, reason } = this.engine;
    const { id, steady } = this.quality;
    if (state === "gone" && (reason === "unknown" ? id !== this.station.id : reason === "format" && steady)) {
      // The rendition or the HLS was taken away, the station need not be.
      this.setQuality({ id: this.station.id, bitrate: this.station.format?.bitrate ?? null });
      return this.engine.resume();
    }
    if (state === "gone" && reason === "unauthorized") this.askMembers();
    if (this.aside && (state === "playing" || state === "idle" || reason === "away")) {
      this.say(this.isSmall ? this.aside : "");
    } else if (state === "retrying" || state === "gone") {
      const isHalted = reason === "away" && this.station.state === "stopped";
      this.say(t(`player.fault.${isHalted ? "halted" : reason || "stopped"}`, { clock: this.begins }));
    } else if (state === "waiting") {
      setTimeout(() => this.engine.state === "waiting" && this.say(t("player.waiting")), 800);
    } else {
      const isIdle = state === "idle", { begins } = this;
      this.say(isIdle && begins ? t("player.early", { clock: begins })
        : isIdle && this.isAway ? t("player.fault.away") : this.#lost || this.note);
    }
    if (state === "playing") this.#startPlaying();
    // The relay counts this listener now, or no longer.
    if (state === "playing" || state === "released") this.refreshStation();
    if (this.isShown) document.documentElement.dataset.engine = state;
    this.update();
  }

  /** Says for a while that it begins later than where it was to go on. */
  #tellLost() {
    const lost = this.engine.lost();
    const key = this.engine.sent === this.station.id ? "player.lost" : "player.lost-quality";
    this.#lost = lost > 0 ? t(key, { length: spoken(lost) }) : "";
    if (!this.#lost) return;
    this.#showEngine();
    setTimeout(() => this.#lost = "", lostFor);
  }
  #lost = "";

  /** Loads what only a player that plays needs; a remote control plays nothing. */
  #startPlaying() {
    if (this.isRemote) return;
    import("./playing.js").then(({ startPlaying }) => startPlaying(this)).catch(() => {});
  }

  /** Asks for the timeline: the first time for all of it, then for what is new. */
  async refresh() {
    const last = this.timeline.titles[this.timeline.titles.length - 1];
    const since = this.#isWhole && last ? `?since=${last.position}` : "";
    const address = `/api/v1/stations/${this.station.id}/timeline${since}`;
    const etag = address === this.#address ? this.#etag : null;
    const answer = await getJSON(address, { etag });
    if (answer.status === 304) return this.timeline.stay();
    if (answer.status !== 200 || !answer.json) return;
    [this.#address, this.#etag, this.#isWhole] = [address, answer.etag, true];
    const wasEmpty = this.timeline.isEmpty;
    this.timeline.merge(answer.json, performance.now());
    // With the first sound there is a past to show; who hears it already is not disturbed.
    const isNew = wasEmpty && !this.timeline.isEmpty && this.engine.state === "idle";
    if (isNew && this.isShown) return void this.renew();
    this.update();
  }

  async refreshStation() {
    const { id } = this.station;
    const [{ status, json }, elsewhere] = await Promise.all(
      [getJSON(`/api/v1/stations/${id}`), listenersElsewhere(id, this.qualities)]);
    this.#elsewhere = elsewhere;
    this.#isReached = status !== 0;
    // A station that was taken off the relay may come back under an open page.
    if (status === 404) this.station.state = "stopped";
    else if (status === 200 && json) this.station = json;
    else if (this.#isReached) return;
    if (!["playing", "paused"].includes(this.station.state)) setTimeout(() => this.refresh(), stillAfter);
    this.showStation();
  }

  /** Whether the relay answered when it was asked last. */
  #isReached = true;

  /** Listeners in the other qualities; not a number before they are known. */
  #elsewhere = NaN;

  showStation() {
    if (!this.isShown) return;
    const word = document.getElementById("state-word");
    if (word) {
      const { begins } = this, shown = this.#isReached ? stateOf(this.station) : "unknown";
      word.dataset.state = shown;
      setText(word, begins && this.#isReached ? t("state-begins", { clock: begins }) : t(`state-${shown}`));
    }
    if (this.station.fallback || this.isAway) this.#startAway();
    if (this.engine.state === "idle") this.#showEngine();
    const { now = 0, hls = 0 } = this.station.listeners ?? {}, n = now + hls + this.#elsewhere;
    if (n >= 0) setText(document.getElementById("count"), t("listening", { n }));
  }

  #startAway() {
    if (this.#knowsAway) return;
    this.#knowsAway = true;
    import("./away.js").then(async ({ ready, startAway }) => {
      await ready;
      if (!this.isShown) return;
      this.#away = startAway(this);
      this.update();
    }).catch(() => this.#knowsAway = false);
  }
  #knowsAway = false;
  /** @type {Part | null} */
  #away = null;

  /** Events say that something is new; what it is stands in the timeline. */
  #news(/** @type {string} */ kind) {
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => {
      if (kind === "lost") return void this.refreshStation();
      this.refresh();
      if (kind !== "metadata-live") this.refreshStation();
    }, 200);
  }

  /** A hidden page holds no event connection: browsers have six for each server, over all tabs. */
  #watch() {
    if (document.hidden) return this.news.close();
    this.refresh();
    if (!this.isShown) return;
    this.refreshStation();
    this.news.open();
  }

  /** Keeps what is heard for the next visit. */
  #keepPlace() {
    const heard = this.isRemote ? null : this.engine.heardAir();
    if (heard !== null && this.engine.state !== "idle") keepPlace(this.station.id, heard);
  }

  /** Begins, or goes on in another page. */
  start() {
    if (!this.#isStarted) this.#begin();
    this.#watch();
    this.#showEngine();
  }

  #begin() {
    const { signal } = this.#life;
    this.#isStarted = true;
    this.engine.addEventListener("state", () => this.#showEngine());
    this.engine.addEventListener("place", () => {
      this.#tellLost();
      this.update();
    });
    document.addEventListener("visibilitychange", () => this.#watch(), { signal });
    addEventListener("pagehide", () => {
      this.#keepPlace();
      this.news.close();
    }, { signal });
    addEventListener("pageshow", (event) => event.persisted && this.#watch(), { signal });
    const timers = [
      setInterval(() => this.refresh(), timelineEvery),
      // Without its page no events tell of it: browsers have six connections for all tabs.
      setInterval(() => this.isShown || document.hidden || !this.isSounding || this.refresh(), barEvery),
      setInterval(() => document.hidden || this.refreshStation(), stationEvery),
      setInterval(() => this.isSounding && this.#keepPlace(), placeEvery),
      setInterval(() => this.update(), updateEvery),
    ];
    signal.addEventListener("abort", () => timers.forEach(clearInterval));
  }
}
