/** @type {import("../../i18n.js").Phrases} */
export default {
  "members.key": "Tu clave",
  "members.user": "Nombre",
  "members.password": "Contraseña",
  "members.keep": "Recordar en este navegador",
  "members.open": "Escuchar",
  "members.or": "o",
  "members.enter-key": "Escribe tu clave para escuchar.",
  "members.enter-password": "Escribe tu nombre y tu contraseña para escuchar.",
  "members.enter-either": "Escribe tu clave, o tu nombre y contraseña, para escuchar.",
  "members.wrong": "Eso no abre la emisora. Revísalo y vuelve a intentarlo.",
  "members.wait": "Demasiados intentos. Espera un minuto y vuelve a intentarlo.",
  "members.unavailable": "Ahora no se puede comprobar. Vuelve a intentarlo pronto.",
};
