// Reads the configuration again, and says what that changed, or what is wrong with it.

import { t } from "../i18n.js";
import { Fault } from "./client.js";
import { h, when, words } from "./parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {{ added: string[], changed: string[], removed: string[], needRestart: string[] }} Report */

/** @param {App} app */
export function configuration(app) {
  const report = h("div", { class: "report", role: "status" });
  const go = h("button", { type: "button", class: "button primary", onclick: reload }, t("admin.config.reload"));
  const element = h("div", { class: "configuration" },
    h("div", { class: "head" }, h("h1", {}, t("admin.configuration"))),
    h("p", {}, t("admin.config.about")), h("p", {}, go), report,
    h("p", { class: "quiet" }, t("admin.config.commands")), h("pre", {}, h("code", {}, "longwave config check FILE")));

  async function reload() {
    go.disabled = true;
    report.replaceChildren(h("p", { class: "quiet" }, t("admin.config.reading")));
    try {
      const answer = /** @type {Report} */ (await app.client.post("config/reload"));
      report.replaceChildren(...shown(answer));
      app.store.soon();
    } catch (fault) {
      report.replaceChildren(...refused(fault));
    } finally {
      go.disabled = false;
    }
  }
  return { title: t("admin.configuration"), element };
}

/** @param {Report} report */
function shown(report) {
  const names = /** @type {const} */ (["added", "changed", "removed", "needRestart"]);
  const lines = names.filter(name => report[name].length)
    .map(name => h("li", { class: name }, h("b", {}, t(`admin.config.${name}`)), " ", report[name].join(", ")));
  return [
    h("h2", { class: "good" }, t("admin.config.done", { time: when(Date.now() / 1000) })),
    lines.length ? h("ul", {}, ...lines) : h("p", {}, t("admin.config.same")),
  ];
}

/** @param {unknown} fault */
function refused(fault) {
  const isFile = fault instanceof Fault && fault.status > 0;
  return [
    h("h2", { class: "bad" }, t(isFile ? "admin.config.refused" : "admin.config.unknown")),
    ...words(fault).split("\n").map(line => h("p", {}, h("code", {}, line))),
    isFile ? h("p", {}, t("admin.config.kept")) : "",
  ];
}
