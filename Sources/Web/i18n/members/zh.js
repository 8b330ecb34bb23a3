/** @type {import("../../i18n.js").Phrases} */
export default {
  "members.key": "你的密钥",
  "members.user": "用户名",
  "members.password": "密码",
  "members.keep": "在此浏览器中记住",
  "members.open": "收听",
  "members.or": "或",
  "members.enter-key": "请输入密钥以收听。",
  "members.enter-password": "请输入用户名和密码以收听。",
  "members.enter-either": "请输入密钥，或用户名和密码以收听。",
  "members.wrong": "无法打开此电台。请检查后重试。",
  "members.wait": "尝试次数过多。请等一分钟再试。",
  "members.unavailable": "暂时无法验证。请稍后再试。",
};
