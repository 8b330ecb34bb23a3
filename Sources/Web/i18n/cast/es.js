/** @type {import("../../i18n.js").Phrases} */
export default {
  cast: "Enviar",
  "cast.connecting": "Conectando",
  "cast.on": "En otro dispositivo",
  "cast.said": "El sonido se oye en otro dispositivo. Pulsa el botón para traerlo aquí.",
  "cast.none": "Ningún otro dispositivo puede reproducir esto ahora.",
};
