/** @type {import("../../i18n.js").Phrases} */
export default {
  "alarm.title": "Despertador",
  "alarm.at": "Despertarme a las",
  "alarm.hint": "{name} empieza en directo, suavemente. Deje esta página abierta y el dispositivo activo.",
  "alarm.set": "Poner el despertador",
  "alarm.is-set": "Puesto: {name} empieza a las {clock}. Deje esta página abierta y el dispositivo activo.",
  "alarm.off": "Quitar el despertador",
  "alarm.word": "Despertador {clock}",
  "alarm.missed": "El despertador de las {clock} no sonó: el dispositivo estaba en reposo.",
  "alarm.refused": "El navegador no dejó sonar el despertador de las {clock}. Pulse reproducir.",
};
