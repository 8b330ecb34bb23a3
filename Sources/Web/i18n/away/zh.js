/** @type {import("../../i18n.js").Phrases} */
export default {
  "player.away-since": "自 {clock} 起中断，恢复后会自动继续。",
  "player.meanwhile": "先听最近一小时 ▸",
  "player.meanwhile-from": "先听 {clock} 起的内容 ▸",
  "player.fallback": "演播室暂未播出。正在播放：{line}",
  "player.fallback-file": "演播室暂未播出。恢复前播放备用节目。",
  "player.fallback-silence": "演播室暂未播出。恢复前没有声音。",
};
