/** @type {import("../../i18n.js").Phrases} */
export default {
  cast: "Übertragen",
  "cast.connecting": "Verbindet",
  "cast.on": "Auf anderem Gerät",
  "cast.said": "Der Ton spielt auf einem anderen Gerät. Drück den Knopf, um ihn zurückzuholen.",
  "cast.none": "Kein anderes Gerät kann das jetzt spielen.",
};
