// The door of a station for members: it asks for what opens, and keeps that where the listener wishes.

import { addressed, postJSON, setAccess } from "./api.js";
import { el, icon, part, setText } from "./dom.js";
import { addPhrases, t } from "./i18n.js";
import { refusalCode } from "./outage.js";
import { accessBy, keepKey } from "./session.js";

/** @typedef {import("./app.js").App} App */

/**
 * Lets in who may listen; all others are asked. The relay's word alone decides: a web service may know who it is.
 * @param {App} app
 */
export async function startMembers(app) {
  const place = part("members");
  const [code] = await Promise.all([refusalCode(app.station.id), addPhrases("members/")]);
  if (asked.includes(code)) return show(app, place, code);
  app.locked = null;
  open(place);
}

/** Codes at which something typed may help; with any other the player says why. */
const asked = ["unauthorized", "token-needed", "too-many-guesses", "unavailable"];

/** @param {string} code */
const wordsOf = (code) => t(code === "too-many-guesses" ? "members.wait"
  : code === "unavailable" ? "members.unavailable" : "members.wrong");

/** @param {HTMLElement} place */
function open(place) {
  place.hidden = true;
  for (const link of document.querySelectorAll(".elsewhere a")) {
    const address = link.getAttribute("href") ?? "";
    if (!address.includes("token=")) link.setAttribute("href", addressed(address));
  }
}

/**
 * @param {App} app
 * @param {HTMLElement} place
 * @param {string} reason
 */
function show(app, place, reason) {
  /** @type {string[]} */
  const ways = app.station.auth ?? [];
  const field = (/** @type {string} */ name, /** @type {string} */ type, /** @type {string} */ auto) => el("input", {
    id: `members-${name}`, name, type, autocomplete: auto, maxlength: 256, autocapitalize: "none", spellcheck: "false",
  });
  const label = (/** @type {HTMLInputElement} */ input) =>
    el("label", { for: input.id }, t(`members.${input.name}`), input);
  const key = field("key", "password", "off"), user = field("user", "text", "username");
  const password = field("password", "password", "current-password");
  const keep = el("input", { type: "checkbox", name: "keep" });
  const status = el("p", { class: "hint", role: "status" });
  const takesKey = ways.includes("token"), takesPassword = ways.includes("password");
  const form = el("form", { class: "row" },
    ...(takesKey ? [label(key)] : []), takesKey && takesPassword && el("span", { class: "hint" }, t("members.or")),
    ...(takesPassword ? [label(user), label(password)] : []),
    el("label", { class: "choice" }, keep, t("members.keep")),
    el("button", { type: "submit", class: "button primary" }, t("members.open")));
  const wish = takesPassword ? takesKey ? "members.enter-either" : "members.enter-password" : "members.enter-key";
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { token, code } = await opener(app, key.value.trim(), user.value, password.value);
    if (code) {
      setText(status, wordsOf(code));
      (takesKey && !user.value ? key : password).select();
      return;
    }
    keepKey(app.station.id, token, keep.checked);
    app.locked = null;
    // It was refused until now.
    if (app.layers.waveform) app.layers.waveform.isRefused = false;
    open(place);
    app.say("");
    app.news.reopen();
    app.jump(app.wanted === null ? "live" : { air: app.wanted });
    /** @type {HTMLElement | null} */ (document.querySelector(".button.play"))?.focus();
  });
  app.locked = () => {
    app.say(t(wish));
    form.querySelector("input")?.focus();
  };
  if (reason === "unavailable" || reason === "too-many-guesses") setText(status, wordsOf(reason));
  place.replaceChildren(el("h2", {}, icon("lock"), t("members-only")), el("p", {}, t(wish)), form, status);
  place.hidden = false;
}

/**
 * Tries what was typed. A password is exchanged for a token, since addresses carry it.
 * @param {App} app
 * @param {string} key
 * @param {string} user
 * @param {string} password
 * @returns {Promise<{ token: string, code: string }>}
 */
async function opener(app, key, user, password) {
  let token = key;
  if (user && !key) {
    const { status, json } = await postJSON(`/api/v1/stations/${app.station.id}/pass`, { user, password });
    if (status !== 200) return { token: "", code: json?.error?.code ?? "unavailable" };
    token = json.token;
  }
  if (!token) return { token, code: "unauthorized" };
  setAccess(app, accessBy(token));
  const code = await refusalCode(app.station.id);
  if (code) setAccess(app, "");
  return { token, code };
}
