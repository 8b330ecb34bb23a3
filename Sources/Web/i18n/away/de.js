/** @type {import("../../i18n.js").Phrases} */
export default {
  "player.away-since": "Nicht da seit {clock}. Es geht von selbst weiter.",
  "player.meanwhile": "Solange: die letzte Stunde ▸",
  "player.meanwhile-from": "Solange: ab {clock} ▸",
  "player.fallback": "Das Studio sendet nicht. Du hörst: {line}",
  "player.fallback-file": "Das Studio sendet nicht. Du hörst den Ersatz, bis es wieder da ist.",
  "player.fallback-silence": "Das Studio sendet nicht. Bis es wieder da ist, ist Stille.",
};
