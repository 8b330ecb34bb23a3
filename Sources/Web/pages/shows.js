// The page of a station's shows.

import { ready } from "./i18n.js";
import { startTools } from "./tools.js";
import { page } from "./visit.js";

page("shows", async () => {
  await ready();
  startTools({});
});
