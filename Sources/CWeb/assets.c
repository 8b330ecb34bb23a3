// Made by deploy/check-web --write.
// The files stand in the program itself: it needs no folder beside it.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "cweb.h"

static const unsigned char asset0[] = {
#embed "../Web/actions.js"
};
static const unsigned char asset1[] = {
#embed "../Web/admin.css"
};
static const unsigned char asset2[] = {
#embed "../Web/admin/actions.js"
};
static const unsigned char asset3[] = {
#embed "../Web/admin/app.js"
};
static const unsigned char asset4[] = {
#embed "../Web/admin/audience.js"
};
static const unsigned char asset5[] = {
#embed "../Web/admin/bans.js"
};
static const unsigned char asset6[] = {
#embed "../Web/admin/client.js"
};
static const unsigned char asset7[] = {
#embed "../Web/admin/config.js"
};
static const unsigned char asset8[] = {
#embed "../Web/admin/events.js"
};
static const unsigned char asset9[] = {
#embed "../Web/admin/facts.js"
};
static const unsigned char asset10[] = {
#embed "../Web/admin/feed.js"
};
static const unsigned char asset11[] = {
#embed "../Web/admin/listeners.js"
};
static const unsigned char asset12[] = {
#embed "../Web/admin/login.js"
};
static const unsigned char asset13[] = {
#embed "../Web/admin/overview.js"
};
static const unsigned char asset14[] = {
#embed "../Web/admin/parts.js"
};
static const unsigned char asset15[] = {
#embed "../Web/admin/past.js"
};
static const unsigned char asset16[] = {
#embed "../Web/admin/player.js"
};
static const unsigned char asset17[] = {
#embed "../Web/admin/recordings.js"
};
static const unsigned char asset18[] = {
#embed "../Web/admin/spark.js"
};
static const unsigned char asset19[] = {
#embed "../Web/admin/station-form.js"
};
static const unsigned char asset20[] = {
#embed "../Web/admin/station.js"
};
static const unsigned char asset21[] = {
#embed "../Web/admin/stations.js"
};
static const unsigned char asset22[] = {
#embed "../Web/admin/store.js"
};
static const unsigned char asset23[] = {
#embed "../Web/admin/table.js"
};
static const unsigned char asset24[] = {
#embed "../Web/admin/words.js"
};
static const unsigned char asset25[] = {
#embed "../Web/api.js"
};
static const unsigned char asset26[] = {
#embed "../Web/arrive.js"
};
static const unsigned char asset27[] = {
#embed "../Web/art.js"
};
static const unsigned char asset28[] = {
#embed "../Web/bar.js"
};
static const unsigned char asset29[] = {
#embed "../Web/base.css"
};
static const unsigned char asset30[] = {
#embed "../Web/clip.js"
};
static const unsigned char asset31[] = {
#embed "../Web/colour.js"
};
static const unsigned char asset32[] = {
#embed "../Web/controls.js"
};
static const unsigned char asset33[] = {
#embed "../Web/dom.js"
};
static const unsigned char asset34[] = {
#embed "../Web/engine.js"
};
static const unsigned char asset35[] = {
#embed "../Web/heard.js"
};
static const unsigned char asset36[] = {
#embed "../Web/help.js"
};
static const unsigned char asset37[] = {
#embed "../Web/history.js"
};
static const unsigned char asset38[] = {
#embed "../Web/i18n.js"
};
static const unsigned char asset39[] = {
#embed "../Web/i18n/admin/de.js"
};
static const unsigned char asset40[] = {
#embed "../Web/i18n/admin/en.js"
};
static const unsigned char asset41[] = {
#embed "../Web/i18n/admin/es.js"
};
static const unsigned char asset42[] = {
#embed "../Web/i18n/admin/fr.js"
};
static const unsigned char asset43[] = {
#embed "../Web/i18n/admin/nb.js"
};
static const unsigned char asset44[] = {
#embed "../Web/i18n/admin/zh.js"
};
static const unsigned char asset45[] = {
#embed "../Web/i18n/de.js"
};
static const unsigned char asset46[] = {
#embed "../Web/i18n/en.js"
};
static const unsigned char asset47[] = {
#embed "../Web/i18n/es.js"
};
static const unsigned char asset48[] = {
#embed "../Web/i18n/fr.js"
};
static const unsigned char asset49[] = {
#embed "../Web/i18n/nb.js"
};
static const unsigned char asset50[] = {
#embed "../Web/i18n/zh.js"
};
static const unsigned char asset51[] = {
#embed "../Web/icon.svg"
};
static const unsigned char asset52[] = {
#embed "../Web/icons.svg"
};
static const unsigned char asset53[] = {
#embed "../Web/keys.js"
};
static const unsigned char asset54[] = {
#embed "../Web/listen.css"
};
static const unsigned char asset55[] = {
#embed "../Web/listen.js"
};
static const unsigned char asset56[] = {
#embed "../Web/mediasession.js"
};
static const unsigned char asset57[] = {
#embed "../Web/outage.js"
};
static const unsigned char asset58[] = {
#embed "../Web/panel.js"
};
static const unsigned char asset59[] = {
#embed "../Web/place.js"
};
static const unsigned char asset60[] = {
#embed "../Web/scrubber.js"
};
static const unsigned char asset61[] = {
#embed "../Web/session.js"
};
static const unsigned char asset62[] = {
#embed "../Web/share.js"
};
static const unsigned char asset63[] = {
#embed "../Web/sleep.js"
};
static const unsigned char asset64[] = {
#embed "../Web/stations.js"
};
static const unsigned char asset65[] = {
#embed "../Web/strip.js"
};
static const unsigned char asset66[] = {
#embed "../Web/timeline.js"
};
static const unsigned char asset67[] = {
#embed "../Web/tools.js"
};

static const cweb_asset table[] = {
  {"actions.js", asset0, sizeof asset0},
  {"admin.css", asset1, sizeof asset1},
  {"admin/actions.js", asset2, sizeof asset2},
  {"admin/app.js", asset3, sizeof asset3},
  {"admin/audience.js", asset4, sizeof asset4},
  {"admin/bans.js", asset5, sizeof asset5},
  {"admin/client.js", asset6, sizeof asset6},
  {"admin/config.js", asset7, sizeof asset7},
  {"admin/events.js", asset8, sizeof asset8},
  {"admin/facts.js", asset9, sizeof asset9},
  {"admin/feed.js", asset10, sizeof asset10},
  {"admin/listeners.js", asset11, sizeof asset11},
  {"admin/login.js", asset12, sizeof asset12},
  {"admin/overview.js", asset13, sizeof asset13},
  {"admin/parts.js", asset14, sizeof asset14},
  {"admin/past.js", asset15, sizeof asset15},
  {"admin/player.js", asset16, sizeof asset16},
  {"admin/recordings.js", asset17, sizeof asset17},
  {"admin/spark.js", asset18, sizeof asset18},
  {"admin/station-form.js", asset19, sizeof asset19},
  {"admin/station.js", asset20, sizeof asset20},
  {"admin/stations.js", asset21, sizeof asset21},
  {"admin/store.js", asset22, sizeof asset22},
  {"admin/table.js", asset23, sizeof asset23},
  {"admin/words.js", asset24, sizeof asset24},
  {"api.js", asset25, sizeof asset25},
  {"arrive.js", asset26, sizeof asset26},
  {"art.js", asset27, sizeof asset27},
  {"bar.js", asset28, sizeof asset28},
  {"base.css", asset29, sizeof asset29},
  {"clip.js", asset30, sizeof asset30},
  {"colour.js", asset31, sizeof asset31},
  {"controls.js", asset32, sizeof asset32},
  {"dom.js", asset33, sizeof asset33},
  {"engine.js", asset34, sizeof asset34},
  {"heard.js", asset35, sizeof asset35},
  {"help.js", asset36, sizeof asset36},
  {"history.js", asset37, sizeof asset37},
  {"i18n.js", asset38, sizeof asset38},
  {"i18n/admin/de.js", asset39, sizeof asset39},
  {"i18n/admin/en.js", asset40, sizeof asset40},
  {"i18n/admin/es.js", asset41, sizeof asset41},
  {"i18n/admin/fr.js", asset42, sizeof asset42},
  {"i18n/admin/nb.js", asset43, sizeof asset43},
  {"i18n/admin/zh.js", asset44, sizeof asset44},
  {"i18n/de.js", asset45, sizeof asset45},
  {"i18n/en.js", asset46, sizeof asset46},
  {"i18n/es.js", asset47, sizeof asset47},
  {"i18n/fr.js", asset48, sizeof asset48},
  {"i18n/nb.js", asset49, sizeof asset49},
  {"i18n/zh.js", asset50, sizeof asset50},
  {"icon.svg", asset51, sizeof asset51},
  {"icons.svg", asset52, sizeof asset52},
  {"keys.js", asset53, sizeof asset53},
  {"listen.css", asset54, sizeof asset54},
  {"listen.js", asset55, sizeof asset55},
  {"mediasession.js", asset56, sizeof asset56},
  {"outage.js", asset57, sizeof asset57},
  {"panel.js", asset58, sizeof asset58},
  {"place.js", asset59, sizeof asset59},
  {"scrubber.js", asset60, sizeof asset60},
  {"session.js", asset61, sizeof asset61},
  {"share.js", asset62, sizeof asset62},
  {"sleep.js", asset63, sizeof asset63},
  {"stations.js", asset64, sizeof asset64},
  {"strip.js", asset65, sizeof asset65},
  {"timeline.js", asset66, sizeof asset66},
  {"tools.js", asset67, sizeof asset67},
};

const cweb_asset *cweb_asset_at(size_t number) {
  return number < sizeof table / sizeof *table ? &table[number] : 0;
}
