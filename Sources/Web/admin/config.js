// Shows what reading the configuration again would do, and does it.

import { t } from "../i18n.js";
import { difference, isSame, mistakes, summary } from "./changes.js";
import { Fault } from "./client.js";
import { button, h, when, words } from "./parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./changes.js").Changes} Changes */
/** @typedef {import("./changes.js").Report} Report */

/** @param {App} app */
export function configuration(app) {
  const report = h("div", { class: "report", role: "status" });
  const found = h("div", { class: "changes", role: "status" });
  const go = h("button", { type: "button", class: "button primary", disabled: true, onclick: reload },
    t("admin.config.reload"));
  const again = button(t("admin.config.again"), () => look(true), {});
  const seen = h("p", { class: "quiet" });
  const element = h("div", { class: "configuration" },
    h("div", { class: "head" }, h("h1", {}, t("admin.configuration")), seen, again),
    h("p", {}, t("admin.config.about")), report, found, h("p", {}, go),
    h("p", { class: "quiet" }, t("admin.config.commands")), h("pre", {}, h("code", {}, "longwave config check FILE")));
  let turn = 0;
  let shown = "";

  /** @param {boolean} [isAsked] Whether somebody asked for it; what a reload did then makes room. */
  async function look(isAsked = false) {
    const mine = ++turn;
    if (isAsked) report.replaceChildren();
    try {
      const changes = /** @type {Changes} */ (await app.client.get("config/changes"));
      if (mine !== turn) return;
      show(changes);
      seen.textContent = t("admin.config.seen", { time: when(Date.now() / 1000) });
    } catch (fault) {
      if (mine !== turn) return;
      go.disabled = true;
      shown = "";
      found.replaceChildren(h("p", { class: "trouble" }, words(fault)));
    }
  }

  /** @param {Changes} changes */
  function show(changes) {
    go.disabled = changes.problems.length > 0 || isSame(changes);
    const sign = JSON.stringify(changes);
    if (sign === shown) return;
    shown = sign;
    if (isSame(changes)) return found.replaceChildren(h("p", {}, t("admin.config.nothing")));
    const { problems, lines } = changes;
    const title = problems.length ? h("h2", { class: "bad" }, t("admin.config.mistakes", { n: problems.length }))
      : h("h2", {}, t("admin.config.would"));
    found.replaceChildren(title, problems.length ? mistakes(problems) : "",
      problems.length ? "" : summary(changes) ?? h("p", {}, t("admin.config.same")),
      lines.length ? difference(changes) : "");
  }

  async function reload() {
    go.disabled = true;
    report.replaceChildren(h("p", { class: "quiet" }, t("admin.config.reading")));
    try {
      const answer = /** @type {Report} */ (await app.client.post("config/reload"));
      report.replaceChildren(h("h2", { class: "good" }, t("admin.config.done", { time: when(Date.now() / 1000) })),
        summary(answer) ?? h("p", {}, t("admin.config.same")));
      app.store.soon();
    } catch (fault) {
      report.replaceChildren(...refused(fault));
    }
    await look();
    // The button that was pressed may have nothing left to do.
    if (go.disabled && document.activeElement === document.body) again.focus();
  }

  // Who comes back from the editor sees what the file says now.
  const isBack = () => void (document.hidden || look());
  document.addEventListener("visibilitychange", isBack);
  look();
  const close = () => {
    turn++;
    document.removeEventListener("visibilitychange", isBack);
  };
  return { title: t("admin.configuration"), element, close };
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
