/** @type {import("../../i18n.js").Phrases} */
export default {
  "player.away-since": "Borte siden {clock}. Den fortsetter av seg selv.",
  "player.meanwhile": "Imens: den siste timen ▸",
  "player.meanwhile-from": "Imens: fra {clock} ▸",
  "player.fallback": "Studioet er ikke på lufta. Du hører: {line}",
  "player.fallback-file": "Studioet er ikke på lufta. Du hører reserven til det er tilbake.",
  "player.fallback-silence": "Studioet er ikke på lufta. Det er stille til det er tilbake.",
};
