/** @type {import("../../i18n.js").Phrases} */
export default {
  cast: "Cast",
  "cast.connecting": "Connecting",
  "cast.on": "On another device",
  "cast.said": "The sound plays on another device. Press the button to bring it back.",
  "cast.none": "No other device can play this now.",
};
