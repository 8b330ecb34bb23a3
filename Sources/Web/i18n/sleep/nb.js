/** @type {import("../../i18n.js").Phrases} */
export default {
  "player.sleep-left": "{n} min",
  "player.sleep-title-panel": "Innsovningstimer",
  "player.sleep-hint": "Lyden toner ut og settes på pause. Plassen din beholdes.",
  "player.sleep-minutes": { one: "{n} minutt", other: "{n} minutter" },
  "player.sleep-title": "Slutten av tittelen",
  "player.sleep-off": "Slå av",
  "player.slept": "Satt på pause av timeren ved {clock}.",
  "alarm.title": "Vekking",
  "alarm.at": "Vekk meg klokka",
  "alarm.hint": "{name} begynner direkte og lavt. La denne siden være åpen og enheten våken.",
  "alarm.set": "Still vekkingen",
  "alarm.is-set": "Stilt: {name} begynner {clock}. La denne siden være åpen og enheten våken.",
  "alarm.off": "Slå av vekkingen",
  "alarm.word": "Vekking {clock}",
  "alarm.missed": "Vekkingen {clock} gikk tapt: Enheten sov.",
  "alarm.refused": "Nettleseren lot ikke vekkingen {clock} lyde. Trykk på spill.",
};
