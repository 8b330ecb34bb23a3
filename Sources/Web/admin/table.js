// Tables that live: sorted by their headers, walked through by keys, and still while somebody points at them.

import { setAttribute } from "../dom.js";
import { language, t } from "../i18n.js";
import { button, h } from "./parts.js";

/** @typedef {import("./parts.js").Child} Child */
/**
 * @template Row
 * @typedef {object} Column
 * @property {string} title
 * @property {(row: Row) => string | number | null} [sort] Without it the column does not sort.
 * @property {(row: Row) => string} text What is shown, or what a change of `fill` is known by.
 * @property {(row: Row, cell: HTMLTableCellElement) => Child[] | void} [fill] Makes what is shown; nothing keeps it.
 * @property {"figure" | "wide" | "acts" | ""} [kind]
 */

/**
 * Rows that the relay put in order, a page of many; the table then neither sorts nor counts.
 * @typedef {{ page: number, all: number, turn: (by: number) => void }} Part
 */

/** Made once: it compares ten thousand names in a blink. */
const collator = new Intl.Collator(language(), { numeric: true });

/** @template Row */
export class Table {
  #columns;
  #key;
  #about;
  #open;
  /** @type {Map<string, HTMLTableRowElement>} */
  #lines = new Map();
  /** @type {WeakMap<HTMLTableCellElement, string>} */
  #shown = new WeakMap();
  /** @type {Row[]} */
  #rows = [];
  /** @type {string[]} Keys in the order in which they are shown. */
  #order = [];
  #page = 0;
  /** @type {Part | null} */
  #part = null;
  #isPointedAt = false;
  /** @type {[number, "ascending" | "descending"]} */
  #sorted;
  #body = h("tbody");
  #empty = h("p", { class: "empty" });
  #pages = h("p", { class: "pages" });
  element;

  /**
   * @param {object} options
   * @param {string} options.name What the table shows, for who does not see it.
   * @param {Column<Row>[]} options.columns
   * @param {(row: Row) => string} options.key
   * @param {(row: Row) => Record<string, string>} [options.about] Attributes of a row's line.
   * @param {string} options.empty
   * @param {[number, "ascending" | "descending"]} [options.sorted]
   * @param {(row: Row) => void} [options.open] What Enter on a row does.
   * @param {number} [options.pageSize]
   */
  constructor({ name, columns, key, about = () => ({}), empty, sorted, open, pageSize = 200 }) {
    this.#columns = columns;
    this.#key = key;
    this.#about = about;
    this.#open = open;
    this.pageSize = pageSize;
    this.#sorted = sorted ?? [-1, "ascending"];
    this.#empty.textContent = empty;
    const head = h("tr", { role: "row" }, ...columns.map((column, at) => this.#header(column, at)));
    const table = h("table", { role: "table", "aria-label": name },
      h("thead", { role: "rowgroup" }, head), this.#body);
    this.#body.setAttribute("role", "rowgroup");
    this.#body.addEventListener("keydown", event => this.#press(event));
    this.#body.addEventListener("focusin", event => this.#walkTo(event.target));
    for (const kind of ["pointerenter", "pointermove"]) {
      this.#body.addEventListener(kind, () => (this.#isPointedAt = true));
    }
    this.#body.addEventListener("pointerleave", event => {
      // A finger leaves when it is lifted; its tap is not over before the click.
      this.#isPointedAt = false;
      if (event.pointerType === "mouse") this.#show();
    });
    const hasActs = columns.some(({ kind }) => kind === "acts");
    const parts = [h("div", { class: "scroll" }, table), this.#empty, this.#pages];
    this.element = h("div", { class: hasActs ? "table acting" : "table" }, ...parts);
    this.#mark();
  }

  /**
   * @param {Row[]} rows
   * @param {Part | null} [part] Where the rows are a page of more.
   * @param {boolean} [isAsked] Whether somebody asked for just these rows.
   */
  update(rows, part = null, isAsked = false) {
    this.#rows = rows;
    if (Boolean(part) !== Boolean(this.#part)) {
      for (const head of this.element.querySelectorAll("th button")) head.toggleAttribute("disabled", Boolean(part));
    }
    this.#part = part;
    this.element.classList.toggle("paged", Boolean(part));
    this.#mark();
    this.#show(isAsked);
  }

  /**
   * @param {Column<Row>} column
   * @param {number} at
   */
  #header(column, at) {
    const { title, sort, kind = "" } = column;
    const named = h("span", {}, title);
    const content = sort ? h("button", { type: "button", onclick: () => this.#sortBy(at) }, named) : named;
    return h("th", { role: "columnheader", scope: "col", class: kind }, content);
  }

  /** @param {number} at */
  #sortBy(at) {
    const [before, direction] = this.#sorted;
    const first = this.#columns[at].kind === "figure" ? "descending" : "ascending";
    const other = direction === "ascending" ? "descending" : "ascending";
    this.#sorted = [at, before === at ? other : first];
    this.#page = 0;
    this.#isPointedAt = false;
    this.#mark();
    this.#show(true);
  }

  #mark() {
    this.element.querySelectorAll("th").forEach((head, at) => {
      const [by, direction] = this.#sorted;
      const isSorted = by === at && !this.#part;
      if (this.#columns[at].sort) head.setAttribute("aria-sort", isSorted ? direction : "none");
    });
  }

  get #isHeld() {
    return this.#isPointedAt || this.#body.querySelector(":focus-visible") !== null;
  }

  /** Shows the rows: in the order they have while somebody points at them, else in the order that is asked for. */
  #show(isAsked = false) {
    const rows = new Map(this.#rows.map(row => [this.#key(row), row]));
    const isHeld = this.#isHeld && !isAsked;
    if (isHeld) {
      const known = new Set(this.#order);
      this.#order.push(...[...this.#inOrder()].map(this.#key).filter(key => !known.has(key)));
    } else {
      this.#order = this.#inOrder().map(this.#key);
    }
    const last = Math.max(0, Math.ceil((this.#part?.all ?? this.#order.length) / this.pageSize) - 1);
    this.#page = this.#part?.page ?? Math.min(this.#page, last);
    this.#order = this.#order.filter(key => rows.has(key) || this.#lines.has(key));
    const begin = this.#part ? 0 : this.#page * this.pageSize;
    const shown = this.#order.slice(begin, begin + this.pageSize);
    for (const [key, line] of this.#lines) {
      if (shown.includes(key)) continue;
      line.remove();
      this.#lines.delete(key);
    }
    let before = /** @type {Element | null} */ (null);
    for (const key of shown) {
      const line = this.#lines.get(key) ?? this.#line(key);
      const row = rows.get(key);
      line.classList.toggle("gone", !row);
      if (row) this.#fill(line, row);
      const next = before ? before.nextElementSibling : this.#body.firstElementChild;
      if (next !== line) this.#body.insertBefore(line, next);
      before = line;
    }
    this.#empty.hidden = this.#order.length > 0;
    this.element.classList.toggle("bare", this.#order.length === 0);
    this.#showPages(last, this.#part?.all ?? rows.size);
    if (!this.#body.querySelector("tr[tabindex='0']")) this.#walkTo(this.#body.firstElementChild);
  }

  #inOrder() {
    const [at, direction] = this.#sorted;
    const sort = this.#columns[at]?.sort;
    if (!sort || this.#part) return [...this.#rows];
    const turn = direction === "ascending" ? 1 : -1;
    return [...this.#rows].sort((a, b) => {
      const [left, right] = [sort(a), sort(b)];
      // What is not known stands at the end, whatever the direction.
      if (left === null || right === null) return Number(left === null) - Number(right === null);
      const order = typeof left === "number" && typeof right === "number" ? left - right
        : collator.compare(String(left), String(right));
      return order * turn;
    });
  }

  /** @param {string} key */
  #line(key) {
    const line = h("tr", { role: "row", tabindex: -1, "data-key": key }, ...this.#columns.map(({ title, kind }) =>
      h("td", { role: "cell", class: kind || null, "data-title": title })));
    this.#lines.set(key, line);
    return line;
  }

  /**
   * @param {HTMLTableRowElement} line
   * @param {Row} row
   */
  #fill(line, row) {
    for (const [name, value] of Object.entries(this.#about(row))) setAttribute(line, name, value);
    this.#columns.forEach(({ text, fill, kind }, at) => {
      const cell = line.cells[at];
      const words = text(row);
      if (fill) {
        const isNew = this.#shown.get(cell) !== words;
        const made = isNew ? fill(row, cell) : undefined;
        if (made) cell.replaceChildren(.../** @type {(Node | string)[]} */ (made.filter(child => child)));
        if (made && line.tabIndex < 0) this.#setControls(line, -1);
      } else if (this.#shown.get(cell) !== words) {
        // Titles are strangers' text, of any length.
        cell.replaceChildren(kind === "wide" ? h("span", { class: "clamp", title: words }, words) : words);
      }
      this.#shown.set(cell, words);
    });
  }

  /**
   * @param {number} last
   * @param {number} total
   */
  #showPages(last, total) {
    this.#pages.hidden = last === 0;
    if (last === 0) return;
    const turn = (/** @type {number} */ by) => () => {
      if (this.#part) return this.#part.turn(by);
      this.#page += by;
      this.#show(true);
    };
    const [before, next] = [button(t("admin.page.before"), turn(-1)), button(t("admin.page.next"), turn(1))];
    before.disabled = this.#page === 0;
    next.disabled = this.#page === last;
    const where = t("admin.page.of", { page: this.#page + 1, pages: last + 1, n: total });
    this.#pages.replaceChildren(before, h("span", {}, where), next);
  }

  /**
   * Makes one row the one that Tab reaches, with what is in it.
   * @param {EventTarget | null} target
   */
  #walkTo(target) {
    const line = target instanceof Element ? target.closest("tr") : null;
    if (!line || line.tabIndex === 0) return;
    this.#body.querySelectorAll("tr[tabindex='0']").forEach(other => this.#setRow(other, -1));
    this.#setRow(line, 0);
  }

  /**
   * @param {Element} line
   * @param {number} tabIndex
   */
  #setRow(line, tabIndex) {
    /** @type {HTMLElement} */ (line).tabIndex = tabIndex;
    this.#setControls(line, tabIndex);
  }

  /**
   * @param {Element} line
   * @param {number} tabIndex
   */
  #setControls(line, tabIndex) {
    line.querySelectorAll("a, button").forEach(control => (/** @type {HTMLElement} */ (control).tabIndex = tabIndex));
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const line = /** @type {Element} */ (event.target).closest("tr");
    if (!line || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = { ArrowDown: line.nextElementSibling, ArrowUp: line.previousElementSibling,
      Home: this.#body.firstElementChild, End: this.#body.lastElementChild }[event.key];
    const isRow = event.target === line;
    if (to instanceof HTMLElement) {
      to.focus();
    } else if (event.key === "Enter" && isRow && this.#open) {
      const row = this.#rows.find(one => this.#key(one) === line.getAttribute("data-key"));
      if (row) this.#open(row);
    } else if ((event.key === "ContextMenu" || event.key === "m") && isRow) {
      /** @type {HTMLElement | null} */ (line.querySelector("[aria-haspopup='menu']"))?.click();
    } else {
      return;
    }
    event.preventDefault();
  }
}
