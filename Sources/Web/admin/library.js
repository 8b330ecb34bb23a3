// All music that the relay knows: a search that answers as one types, and the folders that are looked through.

import { t } from "../i18n.js";
import { addStyles } from "../styles.js";
import { isUnknown, part } from "./client.js";
import { act, length, named, ready } from "./music.js";
import { button, choice, count, h, when, words } from "./parts.js";
import { Roots } from "./roots.js";
import { Table } from "./table.js";
import { Favourites, Target, trackActs } from "./tracks.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./music.js").Track} Track */

const pageSize = 50;
/** Milliseconds after a key before the relay is asked. */
const pause = 150;
/** What each choice asks for. */
const filters = { all: "", playable: "&playable=true", refused: "&playable=false" };
const sorts = ["", "artist", "title", "added"];

/** What was asked for last: who comes back from a track finds it again. */
const asked = { q: "", filter: "all", sort: "" };

/** @param {App} app */
export async function library(app) {
  await ready;
  const target = new Target(app), kept = new Favourites(app);
  const trouble = h("p", { class: "trouble", role: "alert" });
  const sum = h("p", { class: "quiet", role: "status" });
  const found = h("p", { class: "quiet", role: "status" });
  const wanted = t("music.search");
  const search = h("input", { type: "search", name: "q", autocomplete: "off", spellcheck: "false", value: asked.q,
    "aria-label": wanted, placeholder: wanted, oninput: soon });
  const filter = choice(Object.keys(filters).map(word => [word, t(`music.filter.${word}`)]),
    { name: "filter", "aria-label": t("music.filter"), onchange: () => ask() }, asked.filter);
  const sort = choice(sorts.map(word => [word, t(`music.sort.${word || "rank"}`)]),
    { name: "sort", "aria-label": t("admin.order"), onchange: () => ask() }, asked.sort);
  const more = act("more", button(t("music.more"), () => ask(true)));
  /** @type {Table<Track>} */
  const table = new Table({
    name: t("music.tracks"), key: row => row.track, empty: t("music.tracks.none"), pageSize: Number.MAX_SAFE_INTEGER,
    open: row => app.go(`library/${part(row.track)}`),
    about: row => ({ "data-track": row.track, "data-excluded": String(row.excluded) }),
    columns: [
      { title: t("music.column.title"), text: row => `${named(row)}\n${trackNotes(row)}`, fill: title },
      { title: t("music.column.album"), kind: "wide", text: row => [row.album, row.year].filter(Boolean).join(", ") },
      { title: t("admin.column.length"), kind: "figure", text: row => length(row.seconds) },
      { title: t("admin.fact.added"), kind: "figure", text: row => (row.added ? when(row.added, false) : "–") },
      { title: t("admin.column.acts"), kind: "acts", text: row => `${kept.has(row.track)} ${row.excluded}`,
        fill: row => trackActs(app, target, kept, row, change => showChanged(row.track, change)) },
    ],
  });
  const roots = new Roots(app, shown => {
    sum.textContent = t("music.library.sum",
      { tracks: count(shown.tracks), artists: count(shown.artists), albums: count(shown.albums) });
  });
  const pages = h("p", { class: "pages" }, found, more);
  const body = h("div", {}, h("section", {}, h("div", { class: "head" }, search, filter, sort, target.element),
    table.element, pages), roots.element);
  const element = h("div", { class: "music library" },
    h("div", { class: "head" }, h("h1", {}, t("admin.library")), sum), trouble, body);

  /** @type {Track[]} */
  let rows = [];
  /** @type {string | null} */
  let next = null;
  let turn = 0, timer = 0, isClosed = false;

  /**
   * @param {string} track
   * @param {Partial<Track>} change
   */
  function showChanged(track, change) {
    rows = rows.map(row => (row.track === track ? { ...row, ...change } : row));
    table.update(rows);
  }

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(() => ask(), pause);
  }

  /** Asks for the first tracks, or for those behind the last one. What came for an older question is not shown. */
  async function ask(isMore = false) {
    clearTimeout(timer);
    const mine = ++turn;
    Object.assign(asked, { q: search.value.trim(), filter: filter.value, sort: sort.value });
    const { q } = asked;
    const order = asked.sort || (q ? "" : "added");
    const query = [`tracks?limit=${pageSize}`, q && `&q=${part(q)}`, order && `&sort=${order}`,
      filters[/** @type {"all"} */ (asked.filter)], isMore && next !== null && `&after=${part(next)}`];
    more.disabled = true;
    try {
      const answer = await app.client.get(query.filter(Boolean).join(""));
      if (mine !== turn || isClosed) return;
      rows = isMore ? [...rows, ...answer.tracks] : answer.tracks;
      next = answer.next === null || answer.next === undefined ? null : String(answer.next);
      table.update(rows, null, !isMore);
      const all = answer.total ?? null;
      found.textContent = all === null ? t("music.found.many", { n: rows.length }) : t("music.found", { n: all });
      trouble.textContent = "";
    } catch (fault) {
      if (mine !== turn) return;
      body.hidden = isUnknown(fault) && rows.length === 0;
      trouble.textContent = isUnknown(fault) ? t("music.older") : words(fault);
    } finally {
      if (mine === turn) {
        more.disabled = false;
        more.hidden = next === null;
      }
    }
  }

  // Hearts are right from the first moment on; without them the library is of use too.
  await kept.load().catch(() => {});
  await Promise.all([ask(), roots.look()]);
  return {
    title: t("admin.library"), element, told: roots.told.bind(roots),
    update: () => {
      target.update();
      roots.update();
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** @param {Track} row */
function title(row) {
  const notes = trackNotes(row);
  return [
    h("a", { href: `#library/${part(row.track)}` }, row.title ?? t("music.untitled")),
    h("small", {}, row.artist ?? "–"), notes ? h("small", { class: row.playable ? "" : "trouble" }, notes) : null,
  ];
}

/** @param {Track} row */
const trackNotes = ({ excluded, playable, reason }) => [
  excluded ? t("music.excluded") : null, playable ? null : reason ?? t("music.ready.failed"),
].filter(Boolean).join(" · ");

addStyles(`
.library .head input[type="search"] { flex: 1 1 260px; max-width: 520px; width: auto; }
.library td > a { white-space: normal; overflow-wrap: anywhere; }
.library .table td > :is(a, small) { max-width: 420px; }
.library tr[data-excluded="true"] a { color: var(--muted); text-decoration: line-through; }
.library small.trouble { color: var(--bad); }
.library .target { margin-inline-start: auto; }
.library .pages { justify-content: start; }
.library [data-action="favourite"] { min-width: 34px; padding: 0; }
@media (max-width: 720px) {
  .library .acting td:first-child { padding-inline-end: 0; }
  .library .table tbody tr[data-track] { grid-template-columns: minmax(0, 1fr) auto; gap: 4px 12px; }
  .library tr[data-track] td::before, .library tr[data-track] td:nth-child(4) { display: none; }
  .library .table tr[data-track] td.wide { grid-column: 1; color: var(--muted); font-size: 13px; }
  .library .table tr[data-track] td.acts { position: static; grid-column: 1 / -1; flex-wrap: wrap; }
  .library .target { flex: 1 1 100%; order: 3; }
  .library .table thead { display: none; }
}
`);
