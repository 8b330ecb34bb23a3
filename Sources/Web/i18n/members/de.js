/** @type {import("../../i18n.js").Phrases} */
export default {
  "members.key": "Dein Schlüssel",
  "members.user": "Name",
  "members.password": "Passwort",
  "members.keep": "In diesem Browser merken",
  "members.open": "Zuhören",
  "members.or": "oder",
  "members.enter-key": "Gib deinen Schlüssel ein, um zuzuhören.",
  "members.enter-password": "Gib Namen und Passwort ein, um zuzuhören.",
  "members.enter-either": "Gib deinen Schlüssel oder Namen und Passwort ein, um zuzuhören.",
  "members.wrong": "Das öffnet den Sender nicht. Prüfe es und versuche es noch einmal.",
  "members.wait": "Zu viele Versuche. Warte eine Minute und versuche es noch einmal.",
  "members.unavailable": "Es lässt sich gerade nicht prüfen. Versuche es gleich noch einmal.",
};
