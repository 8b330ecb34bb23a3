/** @type {import("../../i18n.js").Phrases} */
export default {
  "alarm.title": "Alarm",
  "alarm.at": "Wake me at",
  "alarm.hint": "{name} begins live, softly. Keep this page open and the device awake.",
  "alarm.set": "Set the alarm",
  "alarm.is-set": "Set: {name} begins at {clock}. Keep this page open and the device awake.",
  "alarm.off": "Cancel the alarm",
  "alarm.word": "Alarm {clock}",
  "alarm.missed": "The alarm of {clock} was missed: the device slept through it.",
  "alarm.refused": "The browser did not let the alarm of {clock} sound. Press play.",
};
