// <longwave-player station="jazz" theme="dark" at="2026-11-22T18:03:12Z">: the small player for other sites' pages.
//
// It is the relay's own page in a frame, so that neither page's styles, scripts and policies reach the other.
// With show="now" it is what is on air without sound, with show="history" the last titles; titles="10" says how many.
// Methods: play(), pause(), seek(at), live(). Event: `longwave-state`, with what is heard in `detail`.

const relay = new URL(import.meta.url).origin;
const height = 152;
/** Of what has no sound, until it says how high it is. */
const heights = { now: 96, history: 520 };
/** A frame is never higher, in pixels. */
const heightMost = 2_400;
const attributes = ["station", "theme", "at", "lang", "token", "show", "titles"];

class LongwavePlayer extends HTMLElement {
  static observedAttributes = attributes;
  #frame = document.createElement("iframe");
  /** What the player last told. */
  #state = { state: "idle", title: null, artist: null, air: null, behind: 0 };
  #hear = (/** @type {MessageEvent} */ event) => this.#take(event);
  #isPlanned = false;

  constructor() {
    super();
    const frame = this.#frame;
    frame.allow = "autoplay; clipboard-write";
    frame.height = String(height);
    frame.width = "100%";
    frame.style.cssText = "display: block; width: 100%; border: 0; border-radius: 16px; color-scheme: normal";
    this.attachShadow({ mode: "open" }).append(frame);
  }

  /** What is heard, as the last event told it. */
  get state() {
    return { ...this.#state };
  }

  connectedCallback() {
    // Where the page has said nothing itself, it is a block: an inline element would be 300 px wide.
    if (getComputedStyle(this).display === "inline") this.style.display = "block";
    addEventListener("message", this.#hear);
    this.#plan();
  }

  disconnectedCallback() {
    removeEventListener("message", this.#hear);
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#plan();
  }

  play() {
    this.#tell({ do: "play" });
  }

  pause() {
    this.#tell({ do: "pause" });
  }

  /** @param {Date | number | string} at a moment; a number is milliseconds since 1970 */
  seek(at) {
    this.#tell({ do: "seek", at: at instanceof Date ? at.getTime() : at });
  }

  live() {
    this.#tell({ do: "live" });
  }

  /** Several attributes that change at once load one page. */
  #plan() {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      this.#load();
    });
  }

  #load() {
    const station = this.getAttribute("station");
    if (!station) return;
    const address = new URL(`/listen/${encodeURIComponent(station)}/embed`, relay);
    for (const name of attributes.slice(1)) {
      const value = this.getAttribute(name);
      if (value) address.searchParams.set(name, value);
    }
    this.#frame.title = this.getAttribute("title") ?? station;
    this.#frame.height = String(heights[/** @type {"now"} */ (this.getAttribute("show"))] ?? height);
    if (this.#frame.src !== address.href) this.#frame.src = address.href;
  }

  /** @param {object} message */
  #tell(message) {
    this.#frame.contentWindow?.postMessage({ longwave: 1, ...message }, relay);
  }

  /** @param {MessageEvent} event */
  #take({ source, origin, data }) {
    if (source !== this.#frame.contentWindow || origin !== relay || data?.longwave !== 1) return;
    if (typeof data.height === "number") {
      this.#frame.height = String(Math.min(heightMost, Math.max(1, Math.round(data.height))));
      return;
    }
    const { state, title, artist, air, behind } = data;
    this.#state = { state, title, artist, air, behind };
    this.dispatchEvent(new CustomEvent("longwave-state", { detail: this.state, bubbles: true, composed: true }));
  }
}

if (!customElements.get("longwave-player")) customElements.define("longwave-player", LongwavePlayer);
