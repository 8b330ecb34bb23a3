/** @type {import("../../i18n.js").Phrases} */
export default {
  cast: "Diffuser",
  "cast.connecting": "Connexion",
  "cast.on": "Sur un autre appareil",
  "cast.said": "Le son est joué par un autre appareil. Appuyez sur le bouton pour le ramener ici.",
  "cast.none": "Aucun autre appareil ne peut jouer ceci maintenant.",
};
