// The page in place of a station that is not there: the relay rendered it.

import { ready } from "./i18n.js";
import { startTools } from "./tools.js";
import { page } from "./visit.js";

page("missing", async ({ signal }) => {
  await ready;
  if (signal.aborted) return;
  startTools();
  const words = document.querySelector("h1")?.textContent, house = document.querySelector(".brand")?.textContent;
  document.title = `${words} – ${house}`;
});
