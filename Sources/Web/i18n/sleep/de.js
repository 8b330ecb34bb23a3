/** @type {import("../../i18n.js").Phrases} */
export default {
  "player.sleep-left": "{n} min",
  "player.sleep-title-panel": "Schlaf-Timer",
  "player.sleep-hint": "Der Ton wird leiser und hält an. Deine Stelle bleibt erhalten.",
  "player.sleep-minutes": { one: "{n} Minute", other: "{n} Minuten" },
  "player.sleep-title": "Ende dieses Titels",
  "player.sleep-off": "Ausschalten",
  "player.slept": "Vom Schlaf-Timer bei {clock} angehalten.",
  "alarm.title": "Wecker",
  "alarm.at": "Wecken um",
  "alarm.hint": "{name} beginnt live und leise. Lass diese Seite offen und das Gerät wach.",
  "alarm.set": "Wecker stellen",
  "alarm.is-set": "Gestellt: {name} beginnt um {clock}. Lass diese Seite offen und das Gerät wach.",
  "alarm.off": "Wecker ausschalten",
  "alarm.word": "Wecker {clock}",
  "alarm.missed": "Der Wecker von {clock} wurde versäumt: Das Gerät hat geschlafen.",
  "alarm.refused": "Der Browser ließ den Wecker von {clock} nicht klingen. Drück auf Abspielen.",
};
