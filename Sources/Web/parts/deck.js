// The one player that sounds, or rests where it was paused, whatever page is shown.

/**
 * @typedef {object} Player what the deck and the bar need of one: the app of a station, or what plays its files
 * @property {{ id: string, name: string, artwork?: string | null, nowPlaying?: any, fallback?: string | null }} station
 * @property {EventTarget & { state: string, reason: string }} engine tells `state`
 * @property {HTMLAudioElement} audio
 * @property {{ isEmpty: boolean }} timeline
 * @property {boolean} isShown by a page of its own
 * @property {boolean} isSounding
 * @property {boolean} isLive
 * @property {boolean} canShift
 * @property {() => { title?: string | null, artist?: string | null, artwork?: string | null, position?: number } | null
 *   } title
 * @property {() => number} behind seconds
 * @property {(seconds: number) => void} nudge
 * @property {() => void} toggle
 * @property {(place: "live") => void} [jump] files have none
 * @property {() => void} [refresh] asks for what is new
 * @property {() => void} hide
 * @property {() => void} end
 */

/** Tells `change` when another player sounds, or none. */
class Deck extends EventTarget {
  /** @type {Player | null} */
  player = null;

  /**
   * Takes a player when it begins to sound; the one before ends.
   * @param {Player} player
   */
  watch(player) {
    player.engine.addEventListener("state", () => {
      if (player.engine.state === "idle" || this.player === player) return;
      const before = this.player;
      this.player = player;
      before?.end();
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
    if (this.player !== player) player.end();
    else this.#change();
  }

  /** Ends what sounds; its place is kept. */
  end() {
    this.player?.end();
    this.player = null;
    this.#change();
  }

  /** @param {string} [id] of a station; without one any counts */
  isSounding(id) {
    return this.player !== null && (id === undefined || this.player.station.id === id) && this.player.isSounding;
  }

  #change() {
    this.dispatchEvent(new Event("change"));
  }
}

export const deck = new Deck();
