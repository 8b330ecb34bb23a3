// The player's page: it reads what the relay wrote, and wires engine, timeline and parts.

import { startActions } from "./actions.js";
import { setAccess } from "./api.js";
import { App } from "./app.js";
import { startControls } from "./controls.js";
import { el, part } from "./dom.js";
import { ready, t } from "./i18n.js";
import { startKeys } from "./keys.js";
import { startScrubber } from "./scrubber.js";
import { adopt, keptPlace } from "./session.js";
import { startTools } from "./tools.js";

async function start() {
  document.documentElement.classList.add("js");
  const state = JSON.parse(part("state").textContent ?? "{}");
  setAccess(state.access);
  adopt(state);
  const remote = state.remote ? import("./remote.js") : null;
  // A press that comes before the address is read would play live.
  const arrival = location.search || state.session ? import("./arrive.js") : null;
  await ready;
  const app = new App(state, (await remote)?.Remote);
  app.audio.removeAttribute("controls");
  // Without an address nothing loads before the first press.
  app.audio.removeAttribute("src");
  const announcer = document.createElement("p");
  announcer.id = "announcer";
  announcer.className = "hidden";
  announcer.setAttribute("aria-live", "polite");
  part("status").after(announcer);
  (await arrival)?.arrive(app, state);
  if (app.isRemote) part("place").after(el("p", { class: "place" }, t("player.remote")));
  startTools({ onHelp: () => app.panel.help() });
  app.parts.push(startControls(app, part("controls")));
  if (!app.timeline.isEmpty) app.parts.push(startScrubber(app, part("scrubber")));
  app.parts.push(startActions(app, part("actions")));
  startKeys(app);
  app.showStation();
  app.start();
  // What is not needed to hear comes after; the relay has rendered the picture and the list.
  if (!arrival && keptPlace(app.station.id)) import("./arrive.js").then(({ arrive }) => arrive(app, state));
  import("./history.js").then(({ startHistory }) => app.parts.push(startHistory(app, part("history"))));
  import("./art.js").then(({ startArt }) => app.parts.push(startArt(app, part("art"))));
  if (!app.timeline.isEmpty) import("./waveform.js").then(({ startWaveform }) => startWaveform(app));
  import("./offline.js").then(({ startOffline }) => startOffline());
}

start();
