/** @type {import("../../i18n.js").Phrases} */
export default {
  "player.sleep-left": "{n} 分钟",
  "player.sleep-title-panel": "睡眠定时",
  "player.sleep-hint": "声音会渐弱并暂停，位置会保留。",
  "player.sleep-minutes": "{n} 分钟",
  "player.sleep-title": "此标题结束",
  "player.sleep-off": "关闭定时",
  "player.slept": "睡眠定时在 {clock} 处暂停了播放。",
  "alarm.title": "闹钟",
  "alarm.at": "叫醒时间",
  "alarm.hint": "{name} 将直播，音量渐强。请保持此页面打开，设备不要休眠。",
  "alarm.set": "设置闹钟",
  "alarm.is-set": "已设置：{name} 将于 {clock} 开始。请保持此页面打开，设备不要休眠。",
  "alarm.off": "取消闹钟",
  "alarm.word": "闹钟 {clock}",
  "alarm.missed": "错过了 {clock} 的闹钟：设备当时在休眠。",
  "alarm.refused": "浏览器不允许 {clock} 的闹钟发声，请按播放。",
};
