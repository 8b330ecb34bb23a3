// A station's programme: what plays and why, what comes and when, and the acts on it.

import { span, t } from "../i18n.js";
import { addStyles } from "../styles.js";
import { isUnknown, part } from "./client.js";
import { act, length, named, notes, phrase, ready, setText } from "./music.js";
import { button, h, menuButton, when, words } from "./parts.js";
import { Plan } from "./plan.js";
import { Rules } from "./rules.js";
import { Upcoming } from "./upcoming.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./music.js").Item} Item */
/**
 * @typedef {object} Programme
 * @property {string} station
 * @property {"playing" | "live" | "waiting" | "paused" | "failed"} state
 * @property {string | null} play
 * @property {string | null} order
 * @property {string | null} repeat
 * @property {string | null} join
 * @property {number | string | null} [fade]
 * @property {number | null} loudness
 * @property {{ play: string | null, until: string | null } | null} part
 * @property {{ station: string, since: string | null } | null} live
 * @property {number | null} cycle
 * @property {number | null} left
 * @property {number | null} total
 * @property {Item | null} now
 * @property {Item[]} upcoming
 * @property {{ count: number, tracks?: { track: string | null, path: string | null, reason: string }[] }} refused
 * @property {string[]} changed
 * @property {number | null} [heardAfter]
 */

/** Kinds of events after which a programme is looked at again. */
const moving = /^(item-|part-|live-|programme-|insert-missed)/;
/** Seconds after which it is looked at again whatever happens. */
const pace = 15;

/**
 * The programme's part of a station's view, once there is something to show; null where the relay knows none.
 * @param {App} app
 * @param {string} id
 */
export async function programme(app, id) {
  await ready;
  const made = new ProgrammePart(app, id);
  return await made.look() ? made : null;
}

class ProgrammePart {
  #app;
  #id;
  #path;
  /** @type {Programme | null} */
  #shown = null;
  /** Numbers of the request that was sent last, and of the one whose answer is shown. */
  #sent = 0;
  #taken = 0;
  #lookedAt = 0;
  #clock = 0;
  #soon = 0;
  /** `performance.now()` at the moment of which the item's position is true. */
  #tookAt = 0;
  #sum = h("p", { class: "quiet" });
  #trouble = h("p", { class: "trouble", role: "alert" });
  #part = h("p", { "data-part": true, hidden: true });
  #live = h("p", { "data-live": true, hidden: true });
  #title = h("strong", { class: "named" });
  #artist = h("span", { class: "named" });
  #bar = h("span", { class: "filled" });
  #place = h("span", { class: "place" });
  #notes = h("span", { class: "notes" });
  #now = h("div", { class: "onair", "data-now": true }, h("p", {}, this.#title, " ", this.#artist),
    h("p", {}, this.#bar, this.#place, this.#notes));
  #upcoming = new Upcoming(body => this.#act(body));
  #refused = h("ul", { class: "boxed refusals" });
  #refusedCount = h("summary");
  #refusals = h("details", { "data-refused": true, hidden: true }, this.#refusedCount, this.#refused);
  #rules;
  element;

  /**
   * @param {App} app
   * @param {string} id
   */
  constructor(app, id) {
    this.#app = app;
    this.#id = id;
    this.#path = `stations/${part(id)}/programme`;
    this.#rules = new Rules(body => this.#send(() => app.client.patch(this.#path, body)));
    const acts = [
      act("previous", button(t("music.previous"), () => this.#act({ action: "previous" }))),
      act("next", button(t("music.next"), () => this.#act({ action: "next" }), { kind: "main" })),
      menuButton(t("admin.acts", { what: t("music.programme") }), () => this.#more()),
    ];
    this.element = h("section", { class: "music programme", "data-programme": id },
      h("div", { class: "head" }, h("h2", {}, t("music.programme")), this.#sum, h("span", { class: "acts" }, ...acts)),
      this.#trouble, this.#part, this.#live, this.#now, h("h3", {}, t("music.comes")), this.#upcoming.element,
      this.#refusals, new Plan(app, this.#path).element, this.#rules.element);
    this.#clock = setInterval(() => this.#showPlace(), 1000);
  }

  /** Asks anew; false where the relay knows no programme here. */
  async look() {
    this.#lookedAt = Date.now();
    try {
      await this.#send(() => this.#app.client.get(this.#path));
      this.#trouble.textContent = "";
    } catch (fault) {
      const isNone = isUnknown(fault) || /** @type {any} */ (fault).code === "no-programme";
      if (isNone && !this.#shown) return false;
      this.#trouble.textContent = words(fault);
    }
    return true;
  }

  update() {
    const here = this.#app.store.station(this.#id)?.programme;
    const isOther = here && this.#shown && here.item !== (this.#shown.now?.item ?? null);
    if (isOther || Date.now() - this.#lookedAt > pace * 1000) this.look();
  }

  /** @param {import("./feed.js").RelayEvent} event */
  told({ kind }) {
    if (!moving.test(kind)) return;
    // What happens at once is asked for once.
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.look(), 100);
  }

  close() {
    clearInterval(this.#clock);
    clearTimeout(this.#soon);
  }

  /** @returns {[string, () => void, string?][]} */
  #more() {
    const queued = this.#shown?.upcoming.some(({ why }) => why === "queue");
    /** @type {[string, () => void][]} */
    const clear = queued ? [[t("music.clear"), () => this.#act({ action: "clear" })]] : [];
    return [
      [t("music.reshuffle"), () => this.#act({ action: "reshuffle" })], ...clear,
      [t("music.toLibrary"), () => this.#app.go("library")],
    ];
  }

  /**
   * Asks for something that answers with the programme. An older answer never replaces a newer one.
   * @param {() => Promise<Programme>} request
   */
  async #send(request) {
    const turn = ++this.#sent;
    const answer = await request();
    if (turn > this.#taken && answer) {
      this.#taken = turn;
      this.#tookAt = performance.now();
      this.#show(answer);
    }
    return answer;
  }

  /** @param {{ action: string, item?: number, items?: number[] }} body */
  async #act(body) {
    const { action } = body;
    try {
      const answer = await this.#send(() => this.#app.client.post(this.#path, body));
      const values = { title: answer?.now ? named(answer.now) : "" };
      const heard = Math.round(answer?.heardAfter ?? 0);
      if (action !== "next" && action !== "previous") this.#app.say(t(`music.done.${action}`));
      else this.#app.say(heard ? t("music.heard", { ...values, seconds: heard }) : t("music.begins", values));
      this.#app.store.soon();
    } catch (fault) {
      this.#app.say(words(fault), { isBad: true });
    }
  }

  /** @param {Programme} shown */
  #show(shown) {
    this.#shown = shown;
    const { play, order, repeat, cycle, left, total, part, live, now, upcoming, refused } = shown;
    const rules = [order && phrase("music.order", order), repeat && phrase("music.repeat", repeat)].filter(Boolean);
    const parts = [rules.length ? `${play ?? "–"}: ${rules.join(", ")}` : play,
      cycle && total !== null && left !== null ? t("music.cycle", { n: cycle, left, total }) : null];
    setText(this.#sum, parts.filter(Boolean).join(" · "));
    this.#part.hidden = !part;
    if (part) setText(this.#part, t("music.part", { play: part.play ?? "–", time: when(part.until, false) }));
    this.#live.hidden = !live;
    if (live) setText(this.#live, t("music.live", { station: live.station, time: when(live.since, false) }));
    this.#now.dataset.item = String(now?.item ?? "");
    setText(this.#title, now ? now.title ?? named(now) : t(`music.state.${shown.state}`));
    setText(this.#artist, (now?.title && now.artist) || "");
    setText(this.#notes, now ? notes(now, true).join(" · ") : "");
    this.#showPlace();
    this.#upcoming.show(upcoming);
    this.#refusals.hidden = !refused?.count;
    setText(this.#refusedCount, t("music.refused", { n: refused?.count ?? 0 }));
    const lines = (refused?.tracks ?? []).map(({ path, track, reason }) =>
      h("li", {}, h("span", { class: "named" }, path ?? track), h("span", { class: "notes" }, reason)));
    // Whoever reads them is not disturbed.
    const isRead = this.#refusals.open && this.#refused.childElementCount === lines.length;
    if (!isRead) this.#refused.replaceChildren(...lines);
    this.#rules.show(shown);
  }

  #showPlace() {
    const now = this.#shown?.now;
    const { position = null, seconds = null } = now ?? {};
    this.#bar.hidden = position === null || !seconds;
    if (position === null) return setText(this.#place, now ? length(seconds) : "");
    const isMoving = this.#shown?.state === "playing" || this.#shown?.state === "live";
    const since = isMoving ? (performance.now() - this.#tookAt) / 1000 : 0;
    const at = seconds === null ? position + since : Math.min(seconds, position + since);
    this.#bar.style.setProperty("--share", String(seconds ? at / seconds : 0));
    setText(this.#place, seconds === null ? span(at) : t("music.place", { now: span(at), all: span(seconds) }));
  }
}

addStyles(`
.programme h3 { padding-block: 12px 6px; color: var(--muted); font-size: 13px; font-weight: 400; }
.programme :is([data-part], [data-live]) {
  margin-block-end: 8px !important; padding: 6px 12px; border-inline-start: 4px solid var(--accent);
  border-radius: 4px 8px 8px 4px; background: var(--surface);
}
.onair { display: grid; gap: 8px; padding: 12px 14px; border: 1px solid var(--line); border-radius: 10px;
  background: var(--surface); }
.onair strong { font-size: 17px; font-weight: 600; }
.onair p { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 10px; }
.onair .filled { flex: 0 1 220px; align-self: center; }
.onair .place { font-variant-numeric: tabular-nums; font-size: 13px; }
.refusals li { display: grid; gap: 2px; padding: 6px 10px; font-size: 13px; }
`);
