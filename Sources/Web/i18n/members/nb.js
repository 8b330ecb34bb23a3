/** @type {import("../../i18n.js").Phrases} */
export default {
  "members.key": "Nøkkelen din",
  "members.user": "Navn",
  "members.password": "Passord",
  "members.keep": "Husk i denne nettleseren",
  "members.open": "Lytt",
  "members.or": "eller",
  "members.enter-key": "Skriv inn nøkkelen din for å lytte.",
  "members.enter-password": "Skriv inn navn og passord for å lytte.",
  "members.enter-either": "Skriv inn nøkkelen din, eller navn og passord, for å lytte.",
  "members.wrong": "Det åpner ikke stasjonen. Se over det og prøv igjen.",
  "members.wait": "For mange forsøk. Vent et minutt og prøv igjen.",
  "members.unavailable": "Det kan ikke kontrolleres akkurat nå. Prøv igjen snart.",
};
