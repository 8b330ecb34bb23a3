/** @type {import("../../i18n.js").Phrases} */
export default {
  "members.key": "Votre clé",
  "members.user": "Nom",
  "members.password": "Mot de passe",
  "members.keep": "Retenir dans ce navigateur",
  "members.open": "Écouter",
  "members.or": "ou",
  "members.enter-key": "Saisissez votre clé pour écouter.",
  "members.enter-password": "Saisissez votre nom et votre mot de passe pour écouter.",
  "members.enter-either": "Saisissez votre clé, ou votre nom et votre mot de passe, pour écouter.",
  "members.wrong": "Cela n’ouvre pas la station. Vérifiez et réessayez.",
  "members.wait": "Trop d’essais. Attendez une minute et réessayez.",
  "members.unavailable": "La vérification est impossible pour l’instant. Réessayez bientôt.",
};
