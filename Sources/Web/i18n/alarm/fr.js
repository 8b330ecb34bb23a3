/** @type {import("../../i18n.js").Phrases} */
export default {
  "alarm.title": "Réveil",
  "alarm.at": "Me réveiller à",
  "alarm.hint": "{name} commence en direct, doucement. Laissez cette page ouverte et l’appareil éveillé.",
  "alarm.set": "Régler le réveil",
  "alarm.is-set": "Réglé : {name} commence à {clock}. Laissez cette page ouverte et l’appareil éveillé.",
  "alarm.off": "Annuler le réveil",
  "alarm.word": "Réveil {clock}",
  "alarm.missed": "Le réveil de {clock} a été manqué : l’appareil était en veille.",
  "alarm.refused": "Le navigateur n’a pas laissé sonner le réveil de {clock}. Appuyez sur lecture.",
};
