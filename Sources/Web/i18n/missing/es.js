/** @type {import("../../i18n.js").Phrases} */
export default {
  missing: "No existe esa emisora",
  "all-stations": "Todas las emisoras",
  "missing-page": "No hay nada en esta dirección",
};
