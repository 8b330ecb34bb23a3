// Who is kept out, and for how long. A lifted ban can be spoken again at once.

import { t } from "../i18n.js";
import { banChoices } from "./actions.js";
import { ask, button, choice, field, h, lasting, unix, value, when, words } from "./parts.js";
import { Table } from "./table.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./client.js").Ban} Ban */

/** @param {App} app */
export function bans(app) {
  const left = (/** @type {Ban} */ { until }) => (until === null ? Infinity : unix(until) - Date.now() / 1000);
  /** @type {Table<Ban>} */
  const table = new Table({
    name: t("admin.bans"), key: row => String(row.id), empty: t("admin.bans.none"), sorted: [1, "descending"],
    columns: [
      { title: t("admin.column.address"), sort: row => row.address, text: row => row.address },
      { title: t("admin.column.since"), sort: row => row.createdAt, text: row => when(row.createdAt) },
      { title: t("admin.column.until"), sort: left,
        text: row => (row.until ? when(row.until) : t("admin.bans.forGood")) },
      { title: t("admin.column.left"), kind: "figure", sort: left,
        text: row => (row.until ? lasting(Math.max(0, left(row))) : "–") },
      { title: t("admin.column.reason"), kind: "wide", sort: row => row.reason, text: row => row.reason ?? "–" },
      { title: t("admin.column.acts"), kind: "acts", text: () => "", fill: row =>
        [button(t("admin.ban.lift"), () => lift(row), { label: t("admin.ban.liftLabel", { who: row.address }) })] },
    ],
  });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const element = h("div", {}, h("div", { class: "head" }, h("h1", {}, t("admin.bans")),
    h("p", { class: "quiet" }, t("admin.bans.about")), button(t("admin.bans.add"), add, { kind: "main" })), trouble,
    table.element);
  let isClosed = false;

  async function update() {
    try {
      const { bans } = await app.client.get("bans");
      trouble.textContent = "";
      if (!isClosed) table.update(bans);
    } catch (fault) {
      trouble.textContent = words(fault);
    }
  }

  async function add() {
    let address = "";
    const isDone = await ask({
      title: t("admin.bans.add"),
      body: [
        field(t("admin.bans.address"), h("input", { name: "address", required: true, autocomplete: "off" }),
          t("admin.bans.hint")),
        field(t("admin.ban.length"), choice(banChoices(), { name: "seconds" }, "86400")),
        field(t("admin.ban.reason"), h("input", { name: "reason", autocomplete: "off" })),
      ],
      action: t("admin.ban"), isDangerous: true,
      act: form => {
        address = value(form, "address");
        const seconds = Number(value(form, "seconds")) || null;
        return app.client.post("bans", { address, seconds, reason: value(form, "reason") || null });
      },
    });
    if (isDone) app.say(t("admin.ban.done", { who: address }));
    update();
  }

  /** @param {Ban} ban */
  async function lift({ id, address, until, reason }) {
    try {
      await app.client.delete(`bans/${id}`);
      const again = () => app.run(() => app.client.post("bans", { address, until, reason }),
        t("admin.ban.done", { who: address })).then(update);
      app.say(t("admin.ban.lifted", { who: address }), { word: t("admin.ban.again"), act: again });
    } catch (fault) {
      app.say(words(fault), { isBad: true });
    }
    update();
  }
  return { title: t("admin.bans"), element, update, close: () => void (isClosed = true) };
}
