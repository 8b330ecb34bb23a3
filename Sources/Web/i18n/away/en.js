/** @type {import("../../i18n.js").Phrases} */
export default {
  "player.away-since": "Away since {clock}. It goes on by itself.",
  "player.meanwhile": "Meanwhile: the last hour ▸",
  "player.meanwhile-from": "Meanwhile: from {clock} on ▸",
  "player.fallback": "The studio is off the air. You hear: {line}",
  "player.fallback-file": "The studio is off the air. You hear its stand-in until it is back.",
  "player.fallback-silence": "The studio is off the air. There is silence until it is back.",
};
