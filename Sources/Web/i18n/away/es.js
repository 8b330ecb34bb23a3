/** @type {import("../../i18n.js").Phrases} */
export default {
  "player.away-since": "Ausente desde las {clock}. Continuará por sí sola.",
  "player.meanwhile": "Mientras tanto: la última hora ▸",
  "player.meanwhile-from": "Mientras tanto: desde las {clock} ▸",
  "player.fallback": "El estudio no emite. Se oye: {line}",
  "player.fallback-file": "El estudio no emite. Se oye su sustituto hasta que vuelva.",
  "player.fallback-silence": "El estudio no emite. Silencio hasta que vuelva.",
};
