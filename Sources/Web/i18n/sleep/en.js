/** @type {import("../../i18n.js").Phrases} */
export default {
  "player.sleep-left": "{n} min",
  "player.sleep-title-panel": "Sleep timer",
  "player.sleep-hint": "The sound fades out and pauses. Your place is kept.",
  "player.sleep-minutes": { one: "{n} minute", other: "{n} minutes" },
  "player.sleep-title": "End of this title",
  "player.sleep-off": "Switch off",
  "player.slept": "Paused by the sleep timer at {clock}.",
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
