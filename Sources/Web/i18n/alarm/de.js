/** @type {import("../../i18n.js").Phrases} */
export default {
  "alarm.title": "Wecker",
  "alarm.at": "Wecken um",
  "alarm.hint": "{name} beginnt live und leise. Lassen Sie diese Seite offen und das Gerät wach.",
  "alarm.set": "Wecker stellen",
  "alarm.is-set": "Gestellt: {name} beginnt um {clock}. Lassen Sie diese Seite offen und das Gerät wach.",
  "alarm.off": "Wecker ausschalten",
  "alarm.word": "Wecker {clock}",
  "alarm.missed": "Der Wecker von {clock} wurde versäumt: Das Gerät hat geschlafen.",
  "alarm.refused": "Der Browser ließ den Wecker von {clock} nicht klingen. Drücken Sie auf Wiedergabe.",
};
