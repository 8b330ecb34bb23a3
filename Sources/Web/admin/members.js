// The members of a collection in their order. They are dragged, or moved by Alt with an arrow key.

import { t } from "../i18n.js";
import { addStyles } from "../styles.js";
import { part } from "./client.js";
import { act, length, named, setText } from "./music.js";
import { button, h } from "./parts.js";

/** @typedef {import("./collections.js").Member} Member */

/** What a line takes besides the arrow keys. */
const keys = "Alt+ArrowUp Alt+ArrowDown Delete";
/** Pixels of the pointer before it drags rather than clicks. */
const slack = 4;
/** Pixels from the window's edge within which dragging scrolls, and by how much. */
const margin = 56, stride = 14;

export class Members {
  #can;
  /** @type {Map<number, HTMLElement>} */
  #lines = new Map();
  #list = h("ol", { class: "boxed members" });
  #said = h("p", { class: "spoken", role: "status" });
  /** Moves wait for those before them: each names a neighbour. */
  #last = Promise.resolve();
  element = h("div", {}, this.#list, this.#said);

  /**
   * @param {object} can
   * @param {boolean} can.change Whether members may be moved and removed.
   * @param {(member: number, before: number | null) => Promise<void>} can.move
   * @param {(member: Member, before: number | null) => void} can.remove
   * @param {() => Promise<void>} can.more Loads those behind the last; nothing where there are none.
   * @param {string} can.label
   */
  constructor(can) {
    this.#can = can;
    this.#list.setAttribute("aria-label", can.label);
    this.#list.addEventListener("keydown", event => this.#press(event));
    this.#list.addEventListener("focusin", event => this.#reach(lineOf(event.target)));
    if (can.change) this.#list.addEventListener("pointerdown", event => this.#grab(event));
  }

  /** @param {Member[]} members */
  show(members) {
    const kept = new Set(members.map(({ member }) => member));
    for (const [member, line] of this.#lines) {
      if (kept.has(member)) continue;
      const next = line.contains(document.activeElement) && (line.nextElementSibling ?? line.previousElementSibling);
      if (next instanceof HTMLElement) next.focus();
      line.remove();
      this.#lines.delete(member);
    }
    let before = /** @type {Element | null} */ (null);
    for (const member of members) {
      const line = this.#lines.get(member.member) ?? this.#line(member);
      setText(line.querySelector(".notes"), notes(member));
      line.dataset.state = member.state;
      const next = before ? before.nextElementSibling : this.#list.firstElementChild;
      if (next !== line) this.#list.insertBefore(line, next);
      before = line;
    }
    this.#list.hidden = members.length === 0;
    if (!this.#list.querySelector("li[tabindex='0']")) this.#reach(this.#list.firstElementChild);
  }

  /** @param {Member} about */
  #line(about) {
    const { member, track, collection } = about;
    const title = memberName(about);
    const found = track ? `#library/${part(track.track)}` : null;
    const way = found ?? (collection ? `#collections/${part(collection)}` : null);
    const shown = way ? h("a", { class: "named", href: way, tabindex: -1, draggable: "false" }, title)
      : h("span", { class: "named" }, title);
    const remove = act("remove", button("×", () => this.#can.remove(about, this.#after(line)),
      { label: t("music.remove", { title }) }));
    remove.tabIndex = -1;
    const grip = this.#can.change ? h("span", { class: "grip", "aria-hidden": "true" }, "⠿") : null;
    /** @type {HTMLElement} */
    const line = h("li", { "data-member": member, tabindex: -1, "aria-keyshortcuts": this.#can.change ? keys : null },
      grip, h("span", { class: "what" }, shown, h("span", { class: "notes" })),
      h("span", { class: "figure" }, length(track?.seconds)), this.#can.change ? remove : null);
    this.#lines.set(member, line);
    return line;
  }

  /**
   * The member behind a line; null at the end.
   * @param {Element} line
   */
  #after(line) {
    const next = line.nextElementSibling;
    return next ? Number(next.getAttribute("data-member")) : null;
  }

  /**
   * Makes one line the one that Tab reaches.
   * @param {Element | null} line
   */
  #reach(line) {
    if (!(line instanceof HTMLElement) || line.tabIndex === 0) return;
    this.#list.querySelectorAll("li[tabindex='0']").forEach(other => setReach(other, -1));
    setReach(line, 0);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const line = lineOf(event.target);
    if (!line || event.ctrlKey || event.metaKey) return;
    const to = { ArrowUp: line.previousElementSibling, ArrowDown: line.nextElementSibling,
      Home: this.#list.firstElementChild, End: this.#list.lastElementChild }[event.key];
    if (event.altKey) {
      if (!this.#can.change || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
      this.#step(line, event.key === "ArrowUp");
    } else if (to instanceof HTMLElement) {
      to.focus();
    } else if (event.key === "Delete" && this.#can.change && event.target === line) {
      /** @type {HTMLElement | null} */ (line.querySelector("[data-action='remove']"))?.click();
    } else {
      return;
    }
    event.preventDefault();
  }

  /**
   * Moves a line by one place. The focus stays on it.
   * @param {HTMLElement} line
   * @param {boolean} isUp
   */
  async #step(line, isUp) {
    if (!isUp && !line.nextElementSibling) await this.#can.more();
    const other = isUp ? line.previousElementSibling : line.nextElementSibling;
    if (!other) return;
    // The other one goes, so that the line with the focus stays where it is in the document.
    if (isUp) line.after(other);
    else line.before(other);
    line.scrollIntoView({ block: "nearest" });
    this.#settle(line);
  }

  /**
   * Tells the relay where a line stands now.
   * @param {HTMLElement} line
   */
  #settle(line) {
    const [member, before] = [Number(line.dataset.member), this.#after(line)];
    const place = [...this.#list.children].indexOf(line) + 1;
    this.#said.textContent = t("music.moved", { place, n: this.#list.childElementCount });
    this.#last = this.#last.then(() => this.#can.move(member, before));
  }

  /** @param {PointerEvent} event */
  #grab(event) {
    const target = /** @type {Element} */ (event.target), line = lineOf(target);
    const isHandle = target.closest(".grip") !== null;
    // A finger scrolls; only on the handle it drags.
    const isMeant = isHandle || (event.pointerType === "mouse" && !target.closest("button, a"));
    if (!line || event.button !== 0 || !isMeant) return;
    const [from, next] = [event.clientY, line.nextElementSibling];
    const end = new AbortController();
    let isDragged = false;
    const finish = (/** @type {boolean} */ isKept) => {
      end.abort();
      line.classList.remove("dragged");
      if (!isDragged) return;
      if (!isKept) this.#list.insertBefore(line, next);
      else if (line.nextElementSibling !== next) this.#settle(line);
    };
    const drag = (/** @type {PointerEvent} */ { clientY: y }) => {
      if (!isDragged && Math.abs(y - from) < slack) return;
      isDragged = true;
      line.classList.add("dragged");
      const before = [...this.#list.children].find(other => other !== line && y < middle(other)) ?? null;
      if (before !== line.nextElementSibling) this.#list.insertBefore(line, before);
      if (y < margin) scrollBy(0, -stride);
      else if (y > innerHeight - margin) scrollBy(0, stride);
    };
    const options = { signal: end.signal };
    addEventListener("pointermove", drag, options);
    addEventListener("pointerup", () => finish(true), options);
    addEventListener("pointercancel", () => finish(false), options);
    addEventListener("keydown", ({ key }) => key === "Escape" && finish(false), options);
    // Neither a marked text nor a lost pointer: what is under the finger follows it.
    if (isHandle) event.preventDefault();
  }
}

/**
 * Returns what a member is called. Of a track that is in no folder now, the member itself knows it.
 * @param {Member} member
 */
export const memberName = ({ track, title, artist, url, collection, path }) => named({
  title: track?.title ?? title, artist: track?.artist ?? artist, source: url ?? collection ?? path,
});

/** @param {EventTarget | null} target */
const lineOf = target => /** @type {HTMLElement | null} */ (target instanceof Element ? target.closest("li") : null);

/** @param {Element} line */
function middle(line) {
  const { top, height } = line.getBoundingClientRect();
  return top + height / 2;
}

/**
 * @param {Element} line
 * @param {number} tabIndex
 */
function setReach(line, tabIndex) {
  for (const one of [line, ...line.querySelectorAll("a, button")]) /** @type {HTMLElement} */ (one).tabIndex = tabIndex;
}

/** @param {Member} member */
function notes({ state, track, path, url, collection }) {
  const about = [collection ? t("music.collection") : null, track?.album ?? null];
  if (state !== "ok") about.push(t(`music.member.${state}`), path ?? url);
  return about.filter(Boolean).join(" · ");
}

addStyles(`
.members li {
  display: grid; grid-template-columns: auto minmax(0, 1fr) 64px auto; align-items: center; gap: 2px 10px;
  min-height: 40px; padding: 4px 10px; font-size: 13px; -webkit-user-select: none; user-select: none;
}
.members li:not(:has(.grip)) { grid-template-columns: minmax(0, 1fr) 64px; }
.members li:focus-visible { outline-offset: -3px; }
.members .what { display: grid; justify-items: start; }
.members a { color: inherit; text-decoration: none; }
.members a:hover { text-decoration: underline; }
.members .figure { text-align: end; font-variant-numeric: tabular-nums; }
.members .grip { padding: 6px 4px; color: var(--muted); cursor: grab; touch-action: none; }
.members .dragged { background: var(--tint); outline: 2px solid var(--accent); outline-offset: -2px; cursor: grabbing; }
.members li:is([data-state="missing"], [data-state="failed"]) .notes { color: var(--bad); }
@media (pointer: coarse) { .members .grip { padding: 12px; } }
`);
