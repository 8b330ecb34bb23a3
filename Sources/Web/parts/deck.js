// The one player that sounds, or rests where it was paused, whatever page is shown.

/**
 * @typedef {object} Player what the deck and the bar need of one: the app of a station, or what plays its files
 * @property {{ id: string, name: string, artwork?: string | null, nowPlaying?: any, fallback?: string | null,
 *   page?: string }} station with its page where that is not the station's own: then it is not the station that sounds
 * @property {EventTarget & { state: string, reason: string }} engine tells `state`
 * @property {HTMLAudioElement} audio
 * @property {{ isEmpty: boolean }} timeline
 * @property {boolean} isShown by a page of its own
 * @property {boolean} isSounding
 * @property {boolean} isLive
 * @property {boolean} canShift
 * @property {() => { title?: string | null, artist?: string | null, artwork?: string | null, position?: number,
 *   album?: string, picture?: string } | null} title its `picture` is an address
 * @property {() => number} behind seconds
 * @property {(seconds: number) => void} nudge
 * @property {() => void} toggle
 * @property {(place: "live") => void} [jump] files have none
 * @property {() => void} [refresh] asks for what is new
 * @property {() => void} [rest] sounds no more, and can again; what no alarm plays has none
 * @property {() => void} hide
 * @property {() => void} end
 */

/** Tells `change` when another player sounds, or none. */
class Deck extends EventTarget {
  /** @type {Player | null} */
  player = null;

  /**
   * Plays later, by an alarm: it stays meanwhile.
   * @type {Player | null}
   */
  #held = null;

  /**
   * Keeps a player that does not sound yet, in the place of the one that was kept before.
   * @param {Player | null} player
   */
  hold(player) {
    const before = this.#held;
    this.#held = player;
    if (before && before !== player && before !== this.player && !before.isShown) before.end();
  }

  /**
   * Returns the player of a station itself: the one that sounds, or rests, or is kept.
   * @param {string | undefined} id
   */
  playerOf(id) {
    return [this.player, this.#held].find((player) => player?.station.id === id && !player?.station.page) ?? null;
  }

  /** @param {Player | null} player that does not sound any more */
  #finish(player) {
    if (player === this.#held) player?.rest?.();
    else player?.end();
  }

  /**
   * Takes a player when it begins to sound; the one before ends.
   * @param {Player} player
   */
  watch(player) {
    player.engine.addEventListener("state", () => {
      if (player.engine.state === "idle" || this.player === player) return;
      const before = this.player;
      this.player = player;
      this.#finish(before);
      this.#change();
    });
  }

  /**
   * Lets a player go on without its page; one that does not sound ends with it.
   * @param {Player} player
   */
  leave(player) {
    player.hide();
    // The next page may bring an element of this name.
    player.audio.removeAttribute("id");
    if (this.player !== player) this.#finish(player);
    else this.#change();
  }

  /** Ends what sounds; its place is kept. */
  end() {
    this.#finish(this.player);
    this.player = null;
    this.#change();
  }

  /** @param {string} [id] of a station; without one any counts */
  isSounding(id) {
    return Boolean((id === undefined ? this.player : this.playerOf(id))?.isSounding);
  }

  #change() {
    this.dispatchEvent(new Event("change"));
  }
}

export const deck = new Deck();
