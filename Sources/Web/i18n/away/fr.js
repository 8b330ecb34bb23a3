/** @type {import("../../i18n.js").Phrases} */
export default {
  "player.away-since": "Absente depuis {clock}. Elle reprendra d’elle-même.",
  "player.meanwhile": "En attendant : la dernière heure ▸",
  "player.meanwhile-from": "En attendant : à partir de {clock} ▸",
  "player.fallback": "Le studio n’émet pas. Vous entendez : {line}",
  "player.fallback-file": "Le studio n’émet pas. Vous entendez son remplacement jusqu’à son retour.",
  "player.fallback-silence": "Le studio n’émet pas. Silence jusqu’à son retour.",
};
