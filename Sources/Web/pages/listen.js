// The player's page: it reads what the relay wrote, and wires engine, timeline and parts.

import { startActions } from "./actions.js";
import { setAccess } from "./api.js";
import { App } from "./app.js";
import { startControls } from "./controls.js";
import { deck } from "./deck.js";
import { button, el, part } from "./dom.js";
import { ready, spoken, t } from "./i18n.js";
import { startKeys } from "./keys.js";
import { startOffline } from "./offline.js";
import { startScrubber } from "./scrubber.js";
import { adopt, keptAccess, keptPlace } from "./session.js";
import { startTools } from "./tools.js";
import { again, page } from "./visit.js";

/** @param {import("./visit.js").Visit} visit */
async function start({ state, signal, isPressed }) {
  const access = state.access ?? keptAccess(state.station);
  // What sounds keeps what it was opened with.
  if (access || deck.player?.station.id !== state.station.id) setAccess(state, access);
  adopt(state);
  // The next page has the session of this tab.
  if (state.remote) signal.addEventListener("abort", () => adopt({}));
  const remote = state.remote ? import("./remote.js") : null;
  // A press that comes before the address is read would play live.
  const arrival = location.search || state.session ? import("./arrive.js") : null;
  const Remote = (await remote)?.Remote;
  await ready();
  const arrive = (await arrival)?.arrive;
  if (signal.aborted) return;
  const player = Remote ? null : deck.playerOf(state.station.id);
  const own = player instanceof App ? player : null;
  const sounding = own && own === deck.player ? own : null;
  const app = own ?? begun(state, Remote);
  if (own) takeUp(own, state);
  signal.addEventListener("abort", () => deck.leave(app));
  app.show(signal);
  app.renew = again;
  const announcer = document.createElement("p");
  announcer.id = "announcer";
  announcer.className = "hidden";
  announcer.setAttribute("aria-live", "polite");
  part("status").after(announcer);
  // What sounds already is where it should be, unless a link leads elsewhere.
  if (!sounding || isPressed) arrive?.(app, state);
  const { delay } = state.station;
  if (delay) part("state-word").after(el("span", { class: "later" }, t("later", { length: spoken(delay) })));
  const { hasShows } = app;
  // Its room is there from the beginning, so that nothing moves when they come.
  if (hasShows) part("place").after(el("div", { class: "place show-line", id: "show-line" }));
  const { zone } = app.timeline, note = el("p", { class: "place zone" });
  const isElsewhere = zone.seconds !== -60 * new Date().getTimezoneOffset();
  if (isElsewhere) part("place").after(note);
  startTools({ onHelp: () => app.panel.help() });
  app.parts.push(startControls(app, part("controls")));
  if (!app.timeline.isEmpty) app.parts.push(startScrubber(app, part("scrubber")));
  app.parts.push(startActions(app, part("actions")));
  startKeys(app);
  app.showStation();
  if (app.station.auth.length) app.askMembers();
  app.start();
  /** @type {<Module>(module: Promise<Module>, work: (module: Module) => unknown) => void} */
  const later = (module, work) => void module.then((loaded) => signal.aborted || work(loaded));
  // What is not needed to hear comes after; the relay has rendered the picture and the list.
  if (!sounding && !arrive && keptPlace(app.station.id)) {
    later(import("./arrive.js"), ({ arrive }) => arrive(app, state));
  }
  later(import("./after.js"), ({ startAfter }) => startAfter(app));
  if (isElsewhere) later(import("./zone.js"), ({ zoneNote }) => note.append(zoneNote(zone)));
  const hls = document.getElementById("hls"), text = t("qr");
  const press = button("qr", text, () => later(import("./code.js"), ({ toggleCode }) => hls && toggleCode(hls, press)),
    { text, class: "outlined" });
  hls?.after(press);
  if (hasShows) later(import("./showline.js"), ({ startShows }) => startShows(app, part("show-line")));
  startOffline();
}

/**
 * Returns a player with the element of its page, which moves to where it outlives the page.
 * @param {any} state
 * @param {any} Remote
 */
function begun(state, Remote) {
  const audio = /** @type {HTMLAudioElement} */ (part("audio"));
  const app = new App(state, audio, { Remote });
  document.body.append(audio);
  if (!app.isRemote) deck.watch(app);
  return app;
}

/**
 * Gives the page to the player that sounds, with the element that it has.
 * @param {App} app
 * @param {any} state
 */
function takeUp(app, state) {
  part("audio").remove();
  app.audio.id = "audio";
  app.take(state);
}

page("listen", start);
