/** @type {import("../../i18n.js").Phrases} */
export default {
  missing: "There is no such station",
  "all-stations": "All stations",
  "missing-page": "There is nothing at this address",
};
