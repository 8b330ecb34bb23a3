// The service worker, which keeps the pages' shell where browsers allow one; and the word that says offline.

import { el, setText } from "./dom.js";
import { t } from "./i18n.js";

/** Milliseconds. */
const lookEvery = 10_000;

let lookAgain = () => {};
let isStarted = false;

/** Begins, or looks again: a page may be a kept one. */
export function startOffline() {
  if (isStarted) return lookAgain();
  isStarted = true;
  const word = el("p", { class: "offline", role: "status" });
  document.body.append(word);
  let timer = 0;

  async function look() {
    clearTimeout(timer);
    const isThere = navigator.onLine && await answers();
    setText(word, isThere ? "" : t("offline"));
    if (!isThere) timer = setTimeout(look, lookEvery);
  }

  addEventListener("offline", look);
  addEventListener("online", look);
  if (!isSecureContext || !("serviceWorker" in navigator)) return;
  // A kept page may have been shown: only then it is not known that the relay is there.
  lookAgain = () => void (navigator.serviceWorker.controller && look());
  lookAgain();
  // Its address has no version: a browser that keeps it would else never find the next one.
  navigator.serviceWorker.register("/assets/sw.js", { scope: "/" }).catch(() => {});
}

async function answers() {
  try {
    await fetch("/healthz", { method: "HEAD", cache: "no-store" });
    return true;
  } catch {
    return false;
  }
}
