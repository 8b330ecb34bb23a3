/** @type {import("../../i18n.js").Phrases} */
export default {
  missing: "没有此电台",
  "all-stations": "所有电台",
  "missing-page": "这个地址没有内容",
};
