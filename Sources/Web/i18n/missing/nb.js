/** @type {import("../../i18n.js").Phrases} */
export default {
  missing: "Denne stasjonen finnes ikke",
  "all-stations": "Alle stasjoner",
  "missing-page": "Det er ingenting på denne adressen",
};
