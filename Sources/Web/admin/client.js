// Asks the relay's API as an administrator. The token is held here, and nowhere else but in the tab's sessionStorage.

/** @typedef {"playing" | "connecting" | "buffering" | "paused" | "failed" | "stopped"} StationState */
/**
 * @typedef {object} NowPlaying
 * @property {string | null} title
 * @property {string | null} artist
 * @property {string | null} [url]
 * @property {string | null} [since]
 */
/**
 * @typedef {object} Station
 * @property {string} id
 * @property {string} name
 * @property {StationState} state
 * @property {string | null} stateReason
 * @property {{ url: string | null, connectedSince: string | null, attempts: number, bytes: number, skipped: number }}
 *   upstream
 * @property {{ codec: string | null, bitrate: number | null, sampleRate: number | null, channels: number | null }}
 *   format
 * @property {{ oldest: string | null, live: string | null, oldestPosition: number, livePosition: number,
 *   seconds: number, bytes: number, secondsMax: number, bytesMax: number | null, onDisk: number,
 *   storage: "memory-only" | "healthy" | "failed" }} window
 * @property {{ now: number, peak: number, total: number, hls: number }} listeners
 * @property {{ url: string, answers: number, failures: number, trouble: string | null } | null} [metadata]
 * @property {string | null} [fallback]
 * @property {{ state: string, reason: string | null, silent: boolean | null, loudnessState: string | null }} [sound]
 * @property {NowPlaying} nowPlaying
 * @property {{ state: string, play: string | null, item: number | null,
 *   next: { title: string | null, artist: string | null } | null } | null} [programme]
 * @property {boolean} [isConfigured] Whether it stands in the configuration file.
 */
/**
 * @typedef {object} Listener
 * @property {number} id
 * @property {string} station
 * @property {string} address
 * @property {string | null} user
 * @property {string | null} player
 * @property {string} protocol
 * @property {string} connectedAt
 * @property {number} seconds
 * @property {number} bytes
 * @property {number | null} offset Seconds behind live
 * @property {number | null} lag
 * @property {"live" | "shifted" | "stalled" | "paused" | "fallback"} state
 * @property {string | null} session
 * @property {NowPlaying} nowPlaying
 */
/**
 * @typedef {object} Stats
 * @property {string} version
 * @property {number} uptime
 * @property {string | null} leftOut
 * @property {{ now: number, peak: number, total: number, hls: number, max: number, stalled: number }}
 *   listeners
 * @property {{ now: number, max: number, refused: number }} connections
 * @property {{ now: number, max: number }} watchers
 * @property {{ open: number, max: number }} files
 * @property {number} bytesSent
 * @property {number} skips
 * @property {number} overruns
 * @property {number} loops
 * @property {{ memory: number, cpuSeconds: number, openFiles: number, openFilesMax: number, threads: number }} process
 * @property {{ name: string, busy: number, limit: number, waiting: number }[]} lanes
 */
/**
 * @typedef {object} Recording
 * @property {number} id
 * @property {string} station
 * @property {"recording" | "finished" | "failed"} state
 * @property {string | null} reason
 * @property {string} startedAt
 * @property {string | null} from
 * @property {string | null} until
 * @property {boolean} split
 * @property {number} seconds
 * @property {number} bytes
 * @property {number} missedSeconds
 * @property {number} fileCount
 * @property {object | null} schedule
 * @property {RecordingPart | null} current
 * @property {RecordingPart[]} files
 */
/** @typedef {{ part: number, name: string, bytes?: number, seconds?: number, title?: string | null }} RecordingPart */
/**
 * @typedef {{ station: string, days: string[], from: string, to: string, start: string, end: string, name: string,
 *   file: string, timeZone: string }} Planned
 */
/** @typedef {{ id: number, address: string, createdAt: string, until: string | null, reason: string | null }} Ban */
/**
 * @typedef {object} Webhook
 * @property {number} number
 * @property {string} url
 * @property {string[]} kinds
 * @property {string[]} stations
 * @property {"idle" | "delivering" | "retrying" | "stopped"} state
 * @property {number} queued
 * @property {number} delivered
 * @property {number} failed
 * @property {number} lost
 * @property {string | null} lastDelivery
 * @property {string | null} lastError
 * @property {string | null} failingSince
 * @property {string | null} nextAttempt
 */
/** @typedef {Record<string, unknown>} Definition */

/** Milliseconds after which a relay that says nothing counts as away. */
const patience = 15000;
const storageKey = "longwave-admin-token";
/** The fragment of a link that signs in. */
export const secret = /^#(token|code)=(.+)$/;

/** A refusal of the relay, with its words. */
export class Fault extends Error {
  /**
   * @param {number} status 0 where the relay did not answer
   * @param {string} message
   * @param {string | null} [field]
   * @param {string} [code]
   * @param {number} [seconds] After which it may be tried again; 0 where the relay says nothing of that.
   */
  constructor(status, message, field = null, code = "", seconds = 0) {
    super(message);
    this.status = status;
    this.field = field;
    this.code = code;
    this.seconds = seconds;
  }
}

/** @param {string} text */
export const part = text => encodeURIComponent(text);

/**
 * Whether the relay is older than what was asked of it.
 * @param {unknown} fault
 */
export const isUnknown = fault => fault instanceof Fault
  && (fault.status === 405 || (fault.status === 404 && fault.code === "not-found"));

export class Client {
  #token = "";
  /**
   * What this relay is too old for.
   * @type {Set<string>}
   */
  #lacking = new Set();
  /**
   * Whether nobody can read along; null where the relay does not say.
   * @type {boolean | null}
   */
  isSecure = null;
  /**
   * The relay's zone; null before it is known.
   * @type {{ name: string, seconds: number } | null}
   */
  timeZone = null;
  /** Called when the relay does not take the token any more. */
  refused = () => {};

  get isSignedIn() {
    return this.#token !== "";
  }

  /**
   * Takes the token of this tab, or of the address's fragment, which is then removed from the address. A code there is
   * exchanged for the token; throws a `Fault` where that is too late.
   */
  async recall() {
    const [, kind, given = ""] = secret.exec(location.hash) ?? [];
    if (kind) history.replaceState(null, "", location.pathname + location.search);
    this.#token = kind === "token" ? decoded(given) : sessionStorage.getItem(storageKey) ?? "";
    try {
      if (kind === "code") this.#token = (await this.#ask("POST", "dashboard/token", { code: given })).token;
    } catch (fault) {
      // A tab that is signed in stays so.
      if (!this.#token) throw fault;
    }
    return this.#token !== "";
  }

  /**
   * Tries a token by an answer that only administrators get; throws a `Fault` where it is not the one.
   * @param {string} [token] The token to try; without it the one there is.
   */
  async signIn(token = this.#token) {
    this.#token = token;
    this.#lacking.clear();
    try {
      this.isSecure = await this.#me();
      sessionStorage.setItem(storageKey, token);
    } catch (fault) {
      if (/** @type {Fault} */ (fault).status === 401) this.signOut();
      throw fault;
    }
  }

  /** Returns what the relay says of the connection. An older relay is asked for something that needs the token. */
  async #me() {
    try {
      const { secure, timeZone } = await this.#ask("GET", "me");
      this.timeZone = timeZone ?? null;
      return secure === true;
    } catch (fault) {
      if (!isUnknown(fault)) throw fault;
      await this.#ask("GET", "definitions");
      return null;
    }
  }

  signOut() {
    this.#token = "";
    sessionStorage.removeItem(storageKey);
  }

  get headers() {
    return { Authorization: `Bearer ${this.#token}` };
  }

  /**
   * @param {string} path Below /api/v1/
   * @returns {Promise<any>}
   */
  get(path) {
    return this.#kept("GET", path);
  }

  /**
   * Returns an answer, or null where this relay is older than that; it is asked once.
   * @param {string} what Names the operation.
   * @param {string} path
   * @returns {Promise<any>}
   */
  async maybe(what, path) {
    if (this.#lacking.has(what)) return null;
    try {
      return await this.get(path);
    } catch (fault) {
      if (!isUnknown(fault)) throw fault;
      this.#lacking.add(what);
      return null;
    }
  }

  /**
   * @param {string} path
   * @param {object} [body] A file is sent as it is, all else as JSON.
   * @returns {Promise<any>}
   */
  post(path, body) {
    return this.#kept("POST", path, body);
  }

  /**
   * Asks for a file; an element cannot, for it sends no token.
   * @param {string} path
   * @param {AbortSignal} signal
   */
  async file(path, signal) {
    const options = { headers: this.headers, signal, cache: /** @type {const} */ ("no-store") };
    let answer;
    try {
      answer = await fetch(`/api/v1/${path}`, { ...options, credentials: "omit" });
    } catch (fault) {
      if (signal.aborted) throw fault;
      throw new Fault(0, "");
    }
    if (answer.ok) return answer;
    throw await refusal(answer);
  }

  /**
   * @param {string} path
   * @param {object} body
   * @returns {Promise<any>}
   */
  put(path, body) {
    return this.#kept("PUT", path, body);
  }

  /**
   * @param {string} path
   * @param {object} body
   * @returns {Promise<any>}
   */
  patch(path, body) {
    return this.#kept("PATCH", path, body);
  }

  /** @param {string} path */
  async delete(path) {
    await this.#kept("DELETE", path);
  }

  /** Returns what keeps the relay from being ready, in its words; empty when it is ready. */
  async obstacles() {
    const answer = await fetch("/readyz", { headers: this.headers, cache: "no-store" });
    const text = await answer.text();
    return answer.ok ? [] : text.split("\n").filter(line => line !== "");
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   */
  async #kept(method, path, body) {
    try {
      return await this.#ask(method, path, body);
    } catch (fault) {
      if (fault instanceof Fault && fault.status === 401) this.refused();
      throw fault;
    }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   */
  async #ask(method, path, body) {
    /** @type {Record<string, string>} */
    const headers = this.#token ? { ...this.headers } : {};
    const isFile = body instanceof Blob;
    if (body) headers["Content-Type"] = isFile ? "application/octet-stream" : "application/json";
    // The types of TypeScript 4.8 do not know `timeout`.
    const signal = /** @type {any} */ (AbortSignal).timeout(patience);
    const credentials = /** @type {const} */ ("omit");
    const request = { method, headers, body: isFile ? body : body && JSON.stringify(body), signal, credentials };
    let answer;
    try {
      answer = await fetch(`/api/v1/${path}`, { ...request, cache: method === "GET" ? "no-cache" : "no-store" });
    } catch {
      throw new Fault(0, "");
    }
    if (!answer.ok) throw await refusal(answer);
    const text = await answer.text();
    return text.startsWith("{") ? JSON.parse(text) : null;
  }
}

/** @param {Response} answer */
async function refusal(answer) {
  const text = await answer.text();
  const error = (text.startsWith("{") ? JSON.parse(text).error : null) ?? {};
  const seconds = Number(answer.headers.get("Retry-After")) || 0;
  return new Fault(answer.status, error.message ?? text, error.field ?? null, error.code ?? "", seconds);
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
