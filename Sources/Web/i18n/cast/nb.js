/** @type {import("../../i18n.js").Phrases} */
export default {
  cast: "Cast",
  "cast.connecting": "Kobler til",
  "cast.on": "På en annen enhet",
  "cast.said": "Lyden spilles på en annen enhet. Trykk på knappen for å hente den tilbake.",
  "cast.none": "Ingen annen enhet kan spille dette nå.",
};
