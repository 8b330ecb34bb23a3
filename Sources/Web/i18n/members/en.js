/** @type {import("../../i18n.js").Phrases} */
export default {
  "members.key": "Your key",
  "members.user": "Name",
  "members.password": "Password",
  "members.keep": "Remember in this browser",
  "members.open": "Listen",
  "members.or": "or",
  "members.enter-key": "Enter your key to listen.",
  "members.enter-password": "Enter your name and password to listen.",
  "members.enter-either": "Enter your key, or your name and password, to listen.",
  "members.wrong": "That does not open the station. Check it and try again.",
  "members.wait": "Too many tries. Wait a minute and try again.",
  "members.unavailable": "It cannot be checked at the moment. Try again soon.",
};
