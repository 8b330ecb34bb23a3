// Web services that are told of events, and whether they take them.

import { t } from "../i18n.js";
import { count, h, stateWord, when } from "./parts.js";
import { Table } from "./table.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./client.js").Webhook} Webhook */

/** Colours of the stations' states, for what means the same. */
const looks = { idle: "playing", delivering: "playing", retrying: "failed", stopped: "stopped" };

/** @param {Webhook} webhook */
function trouble({ failingSince, lastError, nextAttempt }) {
  if (!failingSince) return "";
  const since = t("admin.webhooks.since", { time: when(failingSince), reason: lastError ?? "" });
  return nextAttempt ? `${since}. ${t("admin.webhooks.next", { time: when(nextAttempt) })}` : since;
}

/** @param {Webhook} webhook */
const kinds = webhook => webhook.kinds.join(", ") || t("admin.webhooks.allKinds");

/** @param {Webhook} webhook */
const stations = webhook => webhook.stations.join(", ") || t("admin.listeners.all");

/** @param {App} app */
export function webhooks(app) {
  /** @type {Table<Webhook>} */
  const table = new Table({
    name: t("admin.webhooks"), key: row => String(row.number), empty: t("admin.webhooks.none"),
    sorted: [0, "ascending"],
    columns: [
      { title: t("admin.column.number"), kind: "figure", sort: row => row.number, text: row => count(row.number) },
      { title: t("admin.column.state"), sort: row => row.state, text: row => row.state,
        fill: row => [stateWord(looks[row.state] ?? "stopped", t(`admin.webhook.${row.state}`))] },
      { title: t("admin.column.url"), kind: "wide", sort: row => row.url, text: row => row.url + trouble(row),
        fill: row => [row.url, trouble(row) ? h("small", {}, trouble(row)) : null] },
      { title: t("admin.column.kinds"), kind: "wide", text: row => kinds(row) + stations(row),
        fill: row => [kinds(row), h("small", {}, stations(row))] },
      { title: t("admin.column.waiting"), kind: "figure", sort: row => row.queued, text: row => count(row.queued) },
      { title: t("admin.column.taken"), kind: "figure", sort: row => row.delivered,
        text: row => count(row.delivered) + when(row.lastDelivery),
        fill: row => [count(row.delivered), row.lastDelivery ? h("small", {}, when(row.lastDelivery)) : null] },
      { title: t("admin.column.lost"), kind: "figure", sort: row => row.lost, text: row => count(row.lost) },
    ],
  });
  const element = h("div", {}, h("div", { class: "head" }, h("h1", {}, t("admin.webhooks")),
    h("p", { class: "quiet" }, t("admin.webhooks.about"))), table.element);
  return { title: t("admin.webhooks"), element, update: () => table.update(app.store.webhooks) };
}
