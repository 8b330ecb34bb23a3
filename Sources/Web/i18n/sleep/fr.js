/** @type {import("../../i18n.js").Phrases} */
export default {
  "player.sleep-left": "{n} min",
  "player.sleep-title-panel": "Minuterie de veille",
  "player.sleep-hint": "Le son s’éteint peu à peu, puis se met en pause. Votre place est gardée.",
  "player.sleep-minutes": { one: "{n} minute", other: "{n} minutes" },
  "player.sleep-title": "Fin de ce titre",
  "player.sleep-off": "Désactiver",
  "player.slept": "Mis en pause par la minuterie à {clock}.",
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
