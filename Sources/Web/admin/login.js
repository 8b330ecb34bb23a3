// Asks for the admin token. It goes into this tab's sessionStorage, and dies with the tab.

import { t } from "../i18n.js";
import { Fault } from "./client.js";
import { h, words } from "./parts.js";

/** @typedef {import("./client.js").Client} Client */

/** Whether others on the way can read along: http, and not from this machine. */
export function isReadable() {
  const isHere = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname);
  return location.protocol === "http:" && !isHere;
}

/** The red line of a connection that others can read. */
export function warning() {
  return h("p", { class: "notice bad", role: "alert" }, t("admin.login.readable"));
}

/**
 * Returns what a refusal of the token means.
 * @param {unknown} fault
 */
export function refusal(fault) {
  if (!(fault instanceof Fault)) return words(fault);
  if (fault.status === 401) return t("admin.login.wrong");
  if (fault.status === 429) return t("admin.login.tooMany");
  if (fault.code === "admin-off") return t("admin.login.off");
  if (fault.code === "code-over") return t("admin.login.over");
  return words(fault);
}

/**
 * Shows the form.
 * @param {Client} client
 * @param {object} options
 * @param {boolean} options.hasToken Whether the relay has a token at all.
 * @param {string} [options.trouble] Why it is asked again.
 * @param {() => void} options.done
 */
export function login(client, { hasToken, trouble = "", done }) {
  const token = h("input", {
    id: "token", type: "password", name: "password", autocomplete: "current-password", required: true, autofocus: true,
    autocapitalize: "none", spellcheck: "false", "aria-describedby": "token-hint login-trouble",
  });
  // Password managers want a name beside the password.
  const name = h("input", { class: "hidden", name: "username", autocomplete: "username", value: "admin", tabindex: -1,
    readonly: true, "aria-hidden": "true" });
  const said = h("p", { id: "login-trouble", class: "trouble", role: "alert" }, trouble);
  const go = h("button", { class: "button primary" }, t("admin.login.go"));
  const form = h("form", { class: "login", onsubmit: submit }, h("h1", {}, t("admin.login.title")),
    isReadable() ? warning() : null, name,
    h("p", { class: "field" }, h("label", { for: "token" }, t("admin.login.token")), token,
      h("small", { id: "token-hint" }, t("admin.login.hint"))), said, go);
  if (!hasToken) {
    return h("div", { class: "login" }, h("h1", {}, t("admin.login.title")), h("p", {}, t("admin.login.off")),
      h("pre", {}, h("code", {}, "admin:\n  token: …")), h("p", { class: "quiet" }, t("admin.login.offHint")));
  }
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    if (go.disabled) return;
    go.disabled = true;
    said.textContent = "";
    try {
      await client.signIn(token.value.trim());
      done();
    } catch (fault) {
      said.textContent = refusal(fault);
      token.select();
      token.focus();
    } finally {
      go.disabled = false;
    }
  }
  queueMicrotask(() => token.focus());
  return form;
}
