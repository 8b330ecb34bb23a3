// The page in place of a station that is not there: the relay rendered it.

import { setText } from "./dom.js";
import { addPhrases, ready, t } from "./i18n.js";
import { startTools } from "./tools.js";
import { page } from "./visit.js";

page("missing", async ({ signal }) => {
  await ready();
  await addPhrases("missing/");
  if (signal.aborted) return;
  startTools();
  setText(document.querySelector("h1"), t(document.querySelector(".nowhere") ? "missing-page" : "missing"));
  setText(document.querySelector(".missing a"), t("all-stations"));
  const words = document.querySelector("h1")?.textContent, house = document.querySelector(".brand")?.textContent;
  document.title = `${words} – ${house}`;
});
