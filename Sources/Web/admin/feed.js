// The relay's events, read by fetch: an EventSource sends no Authorization, and tokens do not belong into addresses.

/** @typedef {import("./client.js").Client} Client */
/**
 * @typedef {object} RelayEvent
 * @property {string} id
 * @property {string} kind
 * @property {string | null} station
 * @property {string} time
 * @property {Record<string, any>} data The object as it came.
 */

/** Takes server-sent events apart, however the text is cut (HTML Standard, section 9.2.6). */
export class EventParser {
  #rest = "";
  #fields = { event: "", data: /** @type {string[]} */ ([]) };
  lastID = "";

  /**
   * @param {string} text
   * @returns {{ id: string, event: string, data: string }[]}
   */
  push(text) {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    return lines.flatMap(line => this.#take(line));
  }

  /** @param {string} line */
  #take(line) {
    if (line === "") {
      const { event, data } = this.#fields;
      this.#fields = { event: "", data: [] };
      return data.length ? [{ id: this.lastID, event: event || "message", data: data.join("\n") }] : [];
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#fields.data.push(value);
    if (name === "event") this.#fields.event = value;
    if (name === "id") this.lastID = value;
    return [];
  }
}

/** The connection to the events: it comes back after an outage, and rests while nobody sees the page. */
export class Feed {
  #client;
  #query;
  #stop = new AbortController();
  #parser = new EventParser();
  #isWanted = false;
  #follow = () => this.#followSight();
  isConnected = false;
  /** @type {(event: RelayEvent) => void} */
  told = () => {};
  /** @type {(count: number) => void} */
  missed = () => {};
  changed = () => {};

  /**
   * @param {Client} client
   * @param {string} [query] what is wanted, else all events
   */
  constructor(client, query = "") {
    this.#client = client;
    this.#query = query;
    // 0 asks for all that the relay still has.
    this.#parser.lastID = "0";
  }

  start() {
    this.#isWanted = true;
    document.addEventListener("visibilitychange", this.#follow);
    this.#follow();
  }

  stop() {
    this.#isWanted = false;
    document.removeEventListener("visibilitychange", this.#follow);
    this.#stop.abort();
  }

  #followSight() {
    this.#stop.abort();
    if (!this.#isWanted || document.hidden) return;
    this.#stop = new AbortController();
    this.#run(this.#stop.signal);
  }

  /** @param {AbortSignal} signal */
  async #run(signal) {
    for (let wait = 1; !signal.aborted; wait = Math.min(15, wait * 2)) {
      try {
        await this.#read(signal, () => (wait = 1));
      } catch {
        // The network, or the relay's end: tried again below.
      }
      if (this.isConnected && !signal.aborted) this.#show(false);
      await new Promise(done => setTimeout(done, wait * 1000));
    }
  }

  /**
   * @param {AbortSignal} signal
   * @param {() => void} begun
   */
  async #read(signal, begun) {
    const headers = { ...this.#client.headers, Accept: "text/event-stream", "Last-Event-ID": this.#parser.lastID };
    const path = `/api/v1/events${this.#query}`;
    const answer = await fetch(path, { headers, signal, cache: "no-store", credentials: "omit" });
    if (answer.status === 401) this.#client.refused();
    if (!answer.ok || !answer.body) return;
    this.#show(true);
    begun();
    const parser = new EventParser();
    parser.lastID = this.#parser.lastID;
    this.#parser = parser;
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const { value, done } = await reader.read();
      if (done || signal.aborted) return;
      const events = parser.push(decoder.decode(value, { stream: true }));
      for (const { id, event, data } of events) this.#tell(id, event, data);
    }
  }

  /** @param {boolean} isConnected */
  #show(isConnected) {
    this.isConnected = isConnected;
    this.changed();
  }

  /**
   * @param {string} id
   * @param {string} kind
   * @param {string} text
   */
  #tell(id, kind, text) {
    const data = JSON.parse(text);
    if (kind === "missed") return this.missed(Number(data.missed));
    this.told({ id, kind, station: data.station ?? null, time: data.time, data });
  }
}

/** The events that this page has seen, the oldest first. */
export class EventLog {
  static countMax = 2000;
  /** @type {RelayEvent[]} */
  events = [];
  missed = 0;

  /** @param {RelayEvent} event */
  add(event) {
    this.events.push(event);
    if (this.events.length > EventLog.countMax) this.events.splice(0, this.events.length - EventLog.countMax);
  }
}
