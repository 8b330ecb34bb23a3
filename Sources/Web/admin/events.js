// The log of what happens: chosen by kind and station, held on demand, and taken along as JSON lines.

import { t } from "../i18n.js";
import { part } from "./client.js";
import { button, choice, h, offerStations, when } from "./parts.js";
import { groupOf, groups, told, weight } from "./words.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./feed.js").RelayEvent} RelayEvent */

/** Lines that are shown at once; the download has all that the page has. */
const linesMax = 500;

/**
 * An event as a line: when, where, what, in words. Opened it shows its JSON.
 * @param {RelayEvent} event
 * @param {{ hasJSON?: boolean, times?: number }} options `times` is how often it happened, lastly now.
 */
export function eventLine(event, { hasJSON = false, times = 1 } = {}) {
  const link = () => h("a", { href: `#stations/${part(event.station ?? "")}` }, event.station);
  // What opens something has no link in it; the link stands below, with the JSON.
  const place = event.station && (hasJSON ? event.station : link());
  const again = times > 1 && h("small", {}, ` ×${times}`);
  const words = [h("time", { datetime: event.time, title: event.time }, when(event.time)),
    h("span", { class: "where" }, place || t("admin.event.relay")),
    h("span", { class: "kind" }, event.kind), h("span", { class: "what" }, told(event), again)];
  const level = weight(event.kind);
  if (!hasJSON) return h("li", { class: level }, ...words);
  const more = h("details", {}, h("summary", {}, ...words));
  more.addEventListener("toggle", () => {
    if (!more.open || more.children.length > 1) return;
    if (event.station) more.append(h("p", { class: "more" }, link()));
    more.append(h("pre", {}, h("code", {}, JSON.stringify(event.data, null, 1))));
  });
  return h("li", { class: `opens ${level}` }, more);
}

/**
 * Returns lines of what happened last, the newest first; what happened again and again takes one.
 * @param {RelayEvent[]} events
 * @param {number} linesMax
 */
export function recentLines(events, linesMax) {
  /** @type {Map<string, { event: RelayEvent, times: number }>} */
  const shown = new Map();
  for (const event of [...events].reverse()) {
    const what = `${event.station} ${told(event)}`;
    const before = shown.get(what);
    if (before) before.times++;
    else if (shown.size < linesMax) shown.set(what, { event, times: 1 });
  }
  const lines = [...shown.values()].map(({ event, times }) => eventLine(event, { times }));
  return lines.length ? lines : [h("li", { class: "quiet" }, t("admin.events.none"))];
}

/** @param {App} app */
export function events(app) {
  const list = h("ol", { class: "log full", "aria-label": t("admin.events") });
  const station = h("select", { "aria-label": t("admin.station"), onchange: () => show() });
  const kind = choice([["", t("admin.events.every")], ...groups.map(name =>
    /** @type {[string, string]} */ ([name, t(`admin.events.${name}`)])),
  ["quiet", t("admin.events.quiet")]], { "aria-label": t("admin.events.kind"), onchange: () => show() });
  const hold = button(t("admin.events.hold"), pause, {});
  hold.setAttribute("aria-pressed", "false");
  const load = button(t("admin.events.download"), download, {});
  const sum = h("p", { class: "quiet", role: "status" });
  const link = h("span", { class: "state" });
  const title = h("h1", {}, t("admin.events"));
  const element = h("div", {}, h("div", { class: "head" }, title, link, sum, station, kind, hold, load), list);
  /** The newest event that is shown while the log is held; null while it runs. */
  let held = /** @type {RelayEvent[] | null} */ (null);

  /** @param {RelayEvent} event */
  function isWanted(event) {
    const group = groupOf(event.kind);
    const isKind = kind.value === "quiet" ? group !== "listeners" : !kind.value || kind.value === group;
    return isKind && (!station.value || event.station === station.value);
  }

  function show() {
    const wanted = (held ?? app.log.events).filter(isWanted);
    list.replaceChildren(...wanted.slice(-linesMax).reverse().map(event => eventLine(event, { hasJSON: true })));
    if (!wanted.length) list.append(h("li", { class: "quiet" }, t("admin.events.none")));
    count();
  }

  function count() {
    const wanted = (held ?? app.log.events).filter(isWanted).length;
    const missed = app.log.missed ? ` ${t("admin.events.missed", { n: app.log.missed })}` : "";
    const since = held ? app.log.events.length - held.length : 0;
    const more = held && since > 0 ? ` ${t("admin.events.since", { n: since })}` : "";
    sum.textContent = t("admin.events.sum", { n: wanted }) + more + missed;
  }

  function pause() {
    held = held ? null : [...app.log.events];
    hold.textContent = t(held ? "admin.events.go" : "admin.events.hold");
    hold.setAttribute("aria-pressed", String(held !== null));
    show();
  }

  function download() {
    const lines = (held ?? app.log.events).filter(isWanted).map(({ data }) => JSON.stringify(data) + "\n");
    const address = URL.createObjectURL(new Blob(lines, { type: "application/x-ndjson" }));
    const name = `longwave-events-${new Date().toISOString().slice(0, 19).replace(/:/g, "")}.jsonl`;
    h("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  /** @param {RelayEvent} event */
  function tell(event) {
    if (held || !isWanted(event)) return count();
    if (list.firstElementChild?.classList.contains("quiet")) list.replaceChildren();
    const isAbove = scrollY < 8;
    const line = eventLine(event, { hasJSON: true });
    list.prepend(line);
    // Who reads further down keeps the line that he reads.
    if (!isAbove) scrollBy(0, line.offsetHeight);
    while (list.children.length > linesMax) list.lastElementChild?.remove();
    count();
  }

  function update() {
    link.dataset.state = app.feed.isConnected ? "playing" : "connecting";
    link.textContent = t(app.feed.isConnected ? "admin.events.live" : "admin.events.away");
    offerStations(station, app.store.stations);
  }
  show();
  return { title: t("admin.events"), element, update, told: tell };
}
