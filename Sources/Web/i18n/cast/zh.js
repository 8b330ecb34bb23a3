/** @type {import("../../i18n.js").Phrases} */
export default {
  cast: "投放",
  "cast.connecting": "正在连接",
  "cast.on": "在其他设备上",
  "cast.said": "声音正在其他设备上播放。按此按钮可收回。",
  "cast.none": "目前没有其他设备可以播放。",
};
