/** @type {import("../../i18n.js").Phrases} */
export default {
  missing: "Cette station n’existe pas",
  "all-stations": "Toutes les stations",
  "missing-page": "Il n’y a rien à cette adresse",
};
