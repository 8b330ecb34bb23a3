/** @type {import("../../i18n.js").Phrases} */
export default {
  "player.sleep-left": "{n} min",
  "player.sleep-title-panel": "Temporizador",
  "player.sleep-hint": "El sonido se apaga poco a poco y se pausa. Tu lugar se guarda.",
  "player.sleep-minutes": { one: "{n} minuto", other: "{n} minutos" },
  "player.sleep-title": "Fin de este título",
  "player.sleep-off": "Desactivar",
  "player.slept": "El temporizador lo pausó a las {clock}.",
  "alarm.title": "Despertador",
  "alarm.at": "Despertarme a las",
  "alarm.hint": "{name} empieza en directo, suavemente. Deja esta página abierta y el dispositivo activo.",
  "alarm.set": "Poner el despertador",
  "alarm.is-set": "Puesto: {name} empieza a las {clock}. Deja esta página abierta y el dispositivo activo.",
  "alarm.off": "Quitar el despertador",
  "alarm.word": "Despertador {clock}",
  "alarm.missed": "El despertador de las {clock} no sonó: el dispositivo estaba en reposo.",
  "alarm.refused": "El navegador no dejó sonar el despertador de las {clock}. Pulsa reproducir.",
};
