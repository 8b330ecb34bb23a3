/** @type {import("../../i18n.js").Phrases} */
export default {
  missing: "Diesen Sender gibt es nicht",
  "all-stations": "Alle Sender",
  "missing-page": "Unter dieser Adresse ist nichts",
};
