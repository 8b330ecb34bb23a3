// Made by deploy/check-web --write.
// The files stand in the program itself: it needs no folder beside it.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "cweb.h"

static const unsigned char asset0[] = {
#embed "../Web/parts/actions.js"
};
static const unsigned char asset1[] = {
#embed "../Web/pages/admin-views.css"
};
static const unsigned char asset2[] = {
#embed "../Web/pages/admin.css"
};
static const unsigned char asset3[] = {
#embed "../Web/admin/actions.js"
};
static const unsigned char asset4[] = {
#embed "../Web/admin/app.js"
};
static const unsigned char asset5[] = {
#embed "../Web/admin/audience.js"
};
static const unsigned char asset6[] = {
#embed "../Web/admin/bans.js"
};
static const unsigned char asset7[] = {
#embed "../Web/admin/calendar.js"
};
static const unsigned char asset8[] = {
#embed "../Web/admin/changes.js"
};
static const unsigned char asset9[] = {
#embed "../Web/admin/charts.js"
};
static const unsigned char asset10[] = {
#embed "../Web/admin/check.js"
};
static const unsigned char asset11[] = {
#embed "../Web/admin/client.js"
};
static const unsigned char asset12[] = {
#embed "../Web/admin/collection.js"
};
static const unsigned char asset13[] = {
#embed "../Web/admin/collections.js"
};
static const unsigned char asset14[] = {
#embed "../Web/admin/config.js"
};
static const unsigned char asset15[] = {
#embed "../Web/admin/crowd.js"
};
static const unsigned char asset16[] = {
#embed "../Web/admin/events.js"
};
static const unsigned char asset17[] = {
#embed "../Web/admin/facts.js"
};
static const unsigned char asset18[] = {
#embed "../Web/admin/feed.js"
};
static const unsigned char asset19[] = {
#embed "../Web/admin/files.js"
};
static const unsigned char asset20[] = {
#embed "../Web/admin/levels.js"
};
static const unsigned char asset21[] = {
#embed "../Web/admin/library.js"
};
static const unsigned char asset22[] = {
#embed "../Web/admin/listeners.js"
};
static const unsigned char asset23[] = {
#embed "../Web/admin/lists.js"
};
static const unsigned char asset24[] = {
#embed "../Web/admin/login.js"
};
static const unsigned char asset25[] = {
#embed "../Web/admin/members.js"
};
static const unsigned char asset26[] = {
#embed "../Web/admin/music.js"
};
static const unsigned char asset27[] = {
#embed "../Web/admin/overview.js"
};
static const unsigned char asset28[] = {
#embed "../Web/admin/parts.js"
};
static const unsigned char asset29[] = {
#embed "../Web/admin/past.js"
};
static const unsigned char asset30[] = {
#embed "../Web/admin/plan.js"
};
static const unsigned char asset31[] = {
#embed "../Web/admin/player.js"
};
static const unsigned char asset32[] = {
#embed "../Web/admin/programme.js"
};
static const unsigned char asset33[] = {
#embed "../Web/admin/recordings.js"
};
static const unsigned char asset34[] = {
#embed "../Web/admin/roots.js"
};
static const unsigned char asset35[] = {
#embed "../Web/admin/rules.js"
};
static const unsigned char asset36[] = {
#embed "../Web/admin/spark.js"
};
static const unsigned char asset37[] = {
#embed "../Web/admin/station-form.js"
};
static const unsigned char asset38[] = {
#embed "../Web/admin/station.js"
};
static const unsigned char asset39[] = {
#embed "../Web/admin/stations.js"
};
static const unsigned char asset40[] = {
#embed "../Web/admin/store.js"
};
static const unsigned char asset41[] = {
#embed "../Web/admin/table.js"
};
static const unsigned char asset42[] = {
#embed "../Web/admin/track.js"
};
static const unsigned char asset43[] = {
#embed "../Web/admin/tracks.js"
};
static const unsigned char asset44[] = {
#embed "../Web/admin/upcoming.js"
};
static const unsigned char asset45[] = {
#embed "../Web/admin/webhooks.js"
};
static const unsigned char asset46[] = {
#embed "../Web/admin/week.js"
};
static const unsigned char asset47[] = {
#embed "../Web/admin/words.js"
};
static const unsigned char asset48[] = {
#embed "../Web/parts/after.js"
};
static const unsigned char asset49[] = {
#embed "../Web/parts/again.js"
};
static const unsigned char asset50[] = {
#embed "../Web/player/airings.js"
};
static const unsigned char asset51[] = {
#embed "../Web/parts/alarm.js"
};
static const unsigned char asset52[] = {
#embed "../Web/shared/api.js"
};
static const unsigned char asset53[] = {
#embed "../Web/parts/app.js"
};
static const unsigned char asset54[] = {
#embed "../Web/parts/arrive.js"
};
static const unsigned char asset55[] = {
#embed "../Web/parts/art.js"
};
static const unsigned char asset56[] = {
#embed "../Web/parts/away.js"
};
static const unsigned char asset57[] = {
#embed "../Web/parts/bar.js"
};
static const unsigned char asset58[] = {
#embed "../Web/shared/base.css"
};
static const unsigned char asset59[] = {
#embed "../Web/parts/cast.js"
};
static const unsigned char asset60[] = {
#embed "../Web/parts/choice.js"
};
static const unsigned char asset61[] = {
#embed "../Web/parts/clip.js"
};
static const unsigned char asset62[] = {
#embed "../Web/parts/code.js"
};
static const unsigned char asset63[] = {
#embed "../Web/shared/colour.js"
};
static const unsigned char asset64[] = {
#embed "../Web/parts/columns.js"
};
static const unsigned char asset65[] = {
#embed "../Web/parts/controls.js"
};
static const unsigned char asset66[] = {
#embed "../Web/parts/deck.js"
};
static const unsigned char asset67[] = {
#embed "../Web/shared/dom.js"
};
static const unsigned char asset68[] = {
#embed "../Web/pages/embed.css"
};
static const unsigned char asset69[] = {
#embed "../Web/pages/embed.js"
};
static const unsigned char asset70[] = {
#embed "../Web/player/engine.js"
};
static const unsigned char asset71[] = {
#embed "../Web/parts/fileplayer.js"
};
static const unsigned char asset72[] = {
#embed "../Web/pages/files.js"
};
static const unsigned char asset73[] = {
#embed "../Web/parts/filetools.js"
};
static const unsigned char asset74[] = {
#embed "../Web/parts/heading.js"
};
static const unsigned char asset75[] = {
#embed "../Web/player/heard.js"
};
static const unsigned char asset76[] = {
#embed "../Web/parts/help.js"
};
static const unsigned char asset77[] = {
#embed "../Web/parts/history.js"
};
static const unsigned char asset78[] = {
#embed "../Web/shared/i18n.js"
};
static const unsigned char asset79[] = {
#embed "../Web/i18n/admin/de.js"
};
static const unsigned char asset80[] = {
#embed "../Web/i18n/admin/en.js"
};
static const unsigned char asset81[] = {
#embed "../Web/i18n/admin/es.js"
};
static const unsigned char asset82[] = {
#embed "../Web/i18n/admin/fr.js"
};
static const unsigned char asset83[] = {
#embed "../Web/i18n/admin/nb.js"
};
static const unsigned char asset84[] = {
#embed "../Web/i18n/admin/zh.js"
};
static const unsigned char asset85[] = {
#embed "../Web/i18n/away/de.js"
};
static const unsigned char asset86[] = {
#embed "../Web/i18n/away/en.js"
};
static const unsigned char asset87[] = {
#embed "../Web/i18n/away/es.js"
};
static const unsigned char asset88[] = {
#embed "../Web/i18n/away/fr.js"
};
static const unsigned char asset89[] = {
#embed "../Web/i18n/away/nb.js"
};
static const unsigned char asset90[] = {
#embed "../Web/i18n/away/zh.js"
};
static const unsigned char asset91[] = {
#embed "../Web/i18n/cast/de.js"
};
static const unsigned char asset92[] = {
#embed "../Web/i18n/cast/en.js"
};
static const unsigned char asset93[] = {
#embed "../Web/i18n/cast/es.js"
};
static const unsigned char asset94[] = {
#embed "../Web/i18n/cast/fr.js"
};
static const unsigned char asset95[] = {
#embed "../Web/i18n/cast/nb.js"
};
static const unsigned char asset96[] = {
#embed "../Web/i18n/cast/zh.js"
};
static const unsigned char asset97[] = {
#embed "../Web/i18n/de.js"
};
static const unsigned char asset98[] = {
#embed "../Web/i18n/en.js"
};
static const unsigned char asset99[] = {
#embed "../Web/i18n/es.js"
};
static const unsigned char asset100[] = {
#embed "../Web/i18n/fr.js"
};
static const unsigned char asset101[] = {
#embed "../Web/i18n/keys/de.js"
};
static const unsigned char asset102[] = {
#embed "../Web/i18n/keys/en.js"
};
static const unsigned char asset103[] = {
#embed "../Web/i18n/keys/es.js"
};
static const unsigned char asset104[] = {
#embed "../Web/i18n/keys/fr.js"
};
static const unsigned char asset105[] = {
#embed "../Web/i18n/keys/nb.js"
};
static const unsigned char asset106[] = {
#embed "../Web/i18n/keys/zh.js"
};
static const unsigned char asset107[] = {
#embed "../Web/i18n/members/de.js"
};
static const unsigned char asset108[] = {
#embed "../Web/i18n/members/en.js"
};
static const unsigned char asset109[] = {
#embed "../Web/i18n/members/es.js"
};
static const unsigned char asset110[] = {
#embed "../Web/i18n/members/fr.js"
};
static const unsigned char asset111[] = {
#embed "../Web/i18n/members/nb.js"
};
static const unsigned char asset112[] = {
#embed "../Web/i18n/members/zh.js"
};
static const unsigned char asset113[] = {
#embed "../Web/i18n/missing/de.js"
};
static const unsigned char asset114[] = {
#embed "../Web/i18n/missing/en.js"
};
static const unsigned char asset115[] = {
#embed "../Web/i18n/missing/es.js"
};
static const unsigned char asset116[] = {
#embed "../Web/i18n/missing/fr.js"
};
static const unsigned char asset117[] = {
#embed "../Web/i18n/missing/nb.js"
};
static const unsigned char asset118[] = {
#embed "../Web/i18n/missing/zh.js"
};
static const unsigned char asset119[] = {
#embed "../Web/i18n/music/de.js"
};
static const unsigned char asset120[] = {
#embed "../Web/i18n/music/en.js"
};
static const unsigned char asset121[] = {
#embed "../Web/i18n/music/es.js"
};
static const unsigned char asset122[] = {
#embed "../Web/i18n/music/fr.js"
};
static const unsigned char asset123[] = {
#embed "../Web/i18n/music/nb.js"
};
static const unsigned char asset124[] = {
#embed "../Web/i18n/music/zh.js"
};
static const unsigned char asset125[] = {
#embed "../Web/i18n/nb.js"
};
static const unsigned char asset126[] = {
#embed "../Web/i18n/panel/de.js"
};
static const unsigned char asset127[] = {
#embed "../Web/i18n/panel/en.js"
};
static const unsigned char asset128[] = {
#embed "../Web/i18n/panel/es.js"
};
static const unsigned char asset129[] = {
#embed "../Web/i18n/panel/fr.js"
};
static const unsigned char asset130[] = {
#embed "../Web/i18n/panel/nb.js"
};
static const unsigned char asset131[] = {
#embed "../Web/i18n/panel/zh.js"
};
static const unsigned char asset132[] = {
#embed "../Web/i18n/shows/de.js"
};
static const unsigned char asset133[] = {
#embed "../Web/i18n/shows/en.js"
};
static const unsigned char asset134[] = {
#embed "../Web/i18n/shows/es.js"
};
static const unsigned char asset135[] = {
#embed "../Web/i18n/shows/fr.js"
};
static const unsigned char asset136[] = {
#embed "../Web/i18n/shows/nb.js"
};
static const unsigned char asset137[] = {
#embed "../Web/i18n/shows/zh.js"
};
static const unsigned char asset138[] = {
#embed "../Web/i18n/sleep/de.js"
};
static const unsigned char asset139[] = {
#embed "../Web/i18n/sleep/en.js"
};
static const unsigned char asset140[] = {
#embed "../Web/i18n/sleep/es.js"
};
static const unsigned char asset141[] = {
#embed "../Web/i18n/sleep/fr.js"
};
static const unsigned char asset142[] = {
#embed "../Web/i18n/sleep/nb.js"
};
static const unsigned char asset143[] = {
#embed "../Web/i18n/sleep/zh.js"
};
static const unsigned char asset144[] = {
#embed "../Web/i18n/zh.js"
};
static const unsigned char asset145[] = {
#embed "../Web/shared/icon-192.png"
};
static const unsigned char asset146[] = {
#embed "../Web/shared/icon-512.png"
};
static const unsigned char asset147[] = {
#embed "../Web/shared/icon.svg"
};
static const unsigned char asset148[] = {
#embed "../Web/shared/icons.svg"
};
static const unsigned char asset149[] = {
#embed "../Web/parts/keys.js"
};
static const unsigned char asset150[] = {
#embed "../Web/parts/lane.js"
};
static const unsigned char asset151[] = {
#embed "../Web/parts/lens.js"
};
static const unsigned char asset152[] = {
#embed "../Web/pages/listen.css"
};
static const unsigned char asset153[] = {
#embed "../Web/pages/listen.js"
};
static const unsigned char asset154[] = {
#embed "../Web/player/mediasession.js"
};
static const unsigned char asset155[] = {
#embed "../Web/parts/members.js"
};
static const unsigned char asset156[] = {
#embed "../Web/pages/missing.js"
};
static const unsigned char asset157[] = {
#embed "../Web/shared/moment.js"
};
static const unsigned char asset158[] = {
#embed "../Web/shared/offline.js"
};
static const unsigned char asset159[] = {
#embed "../Web/player/outage.js"
};
static const unsigned char asset160[] = {
#embed "../Web/player/output.js"
};
static const unsigned char asset161[] = {
#embed "../Web/parts/panel.js"
};
static const unsigned char asset162[] = {
#embed "../Web/pages/player-element.js"
};
static const unsigned char asset163[] = {
#embed "../Web/parts/playing.js"
};
static const unsigned char asset164[] = {
#embed "../Web/parts/qr.js"
};
static const unsigned char asset165[] = {
#embed "../Web/player/qualities.js"
};
static const unsigned char asset166[] = {
#embed "../Web/parts/quality.js"
};
static const unsigned char asset167[] = {
#embed "../Web/parts/recording.js"
};
static const unsigned char asset168[] = {
#embed "../Web/player/remote.js"
};
static const unsigned char asset169[] = {
#embed "../Web/parts/replayed.js"
};
static const unsigned char asset170[] = {
#embed "../Web/parts/scrubber.js"
};
static const unsigned char asset171[] = {
#embed "../Web/player/session.js"
};
static const unsigned char asset172[] = {
#embed "../Web/parts/share.js"
};
static const unsigned char asset173[] = {
#embed "../Web/parts/showline.js"
};
static const unsigned char asset174[] = {
#embed "../Web/pages/shows.js"
};
static const unsigned char asset175[] = {
#embed "../Web/parts/sleep.js"
};
static const unsigned char asset176[] = {
#embed "../Web/parts/sound.js"
};
static const unsigned char asset177[] = {
#embed "../Web/pages/stations.css"
};
static const unsigned char asset178[] = {
#embed "../Web/pages/stations.js"
};
static const unsigned char asset179[] = {
#embed "../Web/player/steady.js"
};
static const unsigned char asset180[] = {
#embed "../Web/parts/strip.js"
};
static const unsigned char asset181[] = {
#embed "../Web/shared/styles.js"
};
static const unsigned char asset182[] = {
#embed "../Web/pages/sw.js"
};
static const unsigned char asset183[] = {
#embed "../Web/parts/take.js"
};
static const unsigned char asset184[] = {
#embed "../Web/pages/theme.js"
};
static const unsigned char asset185[] = {
#embed "../Web/player/timeline.js"
};
static const unsigned char asset186[] = {
#embed "../Web/pages/titles.js"
};
static const unsigned char asset187[] = {
#embed "../Web/shared/tools.js"
};
static const unsigned char asset188[] = {
#embed "../Web/parts/view.js"
};
static const unsigned char asset189[] = {
#embed "../Web/pages/visit.js"
};
static const unsigned char asset190[] = {
#embed "../Web/parts/waveform.js"
};
static const unsigned char asset191[] = {
#embed "../Web/shared/zone.js"
};

static const cweb_asset table[] = {
  {"actions.js", asset0, sizeof asset0},
  {"admin-views.css", asset1, sizeof asset1},
  {"admin.css", asset2, sizeof asset2},
  {"admin/actions.js", asset3, sizeof asset3},
  {"admin/app.js", asset4, sizeof asset4},
  {"admin/audience.js", asset5, sizeof asset5},
  {"admin/bans.js", asset6, sizeof asset6},
  {"admin/calendar.js", asset7, sizeof asset7},
  {"admin/changes.js", asset8, sizeof asset8},
  {"admin/charts.js", asset9, sizeof asset9},
  {"admin/check.js", asset10, sizeof asset10},
  {"admin/client.js", asset11, sizeof asset11},
  {"admin/collection.js", asset12, sizeof asset12},
  {"admin/collections.js", asset13, sizeof asset13},
  {"admin/config.js", asset14, sizeof asset14},
  {"admin/crowd.js", asset15, sizeof asset15},
  {"admin/events.js", asset16, sizeof asset16},
  {"admin/facts.js", asset17, sizeof asset17},
  {"admin/feed.js", asset18, sizeof asset18},
  {"admin/files.js", asset19, sizeof asset19},
  {"admin/levels.js", asset20, sizeof asset20},
  {"admin/library.js", asset21, sizeof asset21},
  {"admin/listeners.js", asset22, sizeof asset22},
  {"admin/lists.js", asset23, sizeof asset23},
  {"admin/login.js", asset24, sizeof asset24},
  {"admin/members.js", asset25, sizeof asset25},
  {"admin/music.js", asset26, sizeof asset26},
  {"admin/overview.js", asset27, sizeof asset27},
  {"admin/parts.js", asset28, sizeof asset28},
  {"admin/past.js", asset29, sizeof asset29},
  {"admin/plan.js", asset30, sizeof asset30},
  {"admin/player.js", asset31, sizeof asset31},
  {"admin/programme.js", asset32, sizeof asset32},
  {"admin/recordings.js", asset33, sizeof asset33},
  {"admin/roots.js", asset34, sizeof asset34},
  {"admin/rules.js", asset35, sizeof asset35},
  {"admin/spark.js", asset36, sizeof asset36},
  {"admin/station-form.js", asset37, sizeof asset37},
  {"admin/station.js", asset38, sizeof asset38},
  {"admin/stations.js", asset39, sizeof asset39},
  {"admin/store.js", asset40, sizeof asset40},
  {"admin/table.js", asset41, sizeof asset41},
  {"admin/track.js", asset42, sizeof asset42},
  {"admin/tracks.js", asset43, sizeof asset43},
  {"admin/upcoming.js", asset44, sizeof asset44},
  {"admin/webhooks.js", asset45, sizeof asset45},
  {"admin/week.js", asset46, sizeof asset46},
  {"admin/words.js", asset47, sizeof asset47},
  {"after.js", asset48, sizeof asset48},
  {"again.js", asset49, sizeof asset49},
  {"airings.js", asset50, sizeof asset50},
  {"alarm.js", asset51, sizeof asset51},
  {"api.js", asset52, sizeof asset52},
  {"app.js", asset53, sizeof asset53},
  {"arrive.js", asset54, sizeof asset54},
  {"art.js", asset55, sizeof asset55},
  {"away.js", asset56, sizeof asset56},
  {"bar.js", asset57, sizeof asset57},
  {"base.css", asset58, sizeof asset58},
  {"cast.js", asset59, sizeof asset59},
  {"choice.js", asset60, sizeof asset60},
  {"clip.js", asset61, sizeof asset61},
  {"code.js", asset62, sizeof asset62},
  {"colour.js", asset63, sizeof asset63},
  {"columns.js", asset64, sizeof asset64},
  {"controls.js", asset65, sizeof asset65},
  {"deck.js", asset66, sizeof asset66},
  {"dom.js", asset67, sizeof asset67},
  {"embed.css", asset68, sizeof asset68},
  {"embed.js", asset69, sizeof asset69},
  {"engine.js", asset70, sizeof asset70},
  {"fileplayer.js", asset71, sizeof asset71},
  {"files.js", asset72, sizeof asset72},
  {"filetools.js", asset73, sizeof asset73},
  {"heading.js", asset74, sizeof asset74},
  {"heard.js", asset75, sizeof asset75},
  {"help.js", asset76, sizeof asset76},
  {"history.js", asset77, sizeof asset77},
  {"i18n.js", asset78, sizeof asset78},
  {"i18n/admin/de.js", asset79, sizeof asset79},
  {"i18n/admin/en.js", asset80, sizeof asset80},
  {"i18n/admin/es.js", asset81, sizeof asset81},
  {"i18n/admin/fr.js", asset82, sizeof asset82},
  {"i18n/admin/nb.js", asset83, sizeof asset83},
  {"i18n/admin/zh.js", asset84, sizeof asset84},
  {"i18n/away/de.js", asset85, sizeof asset85},
  {"i18n/away/en.js", asset86, sizeof asset86},
  {"i18n/away/es.js", asset87, sizeof asset87},
  {"i18n/away/fr.js", asset88, sizeof asset88},
  {"i18n/away/nb.js", asset89, sizeof asset89},
  {"i18n/away/zh.js", asset90, sizeof asset90},
  {"i18n/cast/de.js", asset91, sizeof asset91},
  {"i18n/cast/en.js", asset92, sizeof asset92},
  {"i18n/cast/es.js", asset93, sizeof asset93},
  {"i18n/cast/fr.js", asset94, sizeof asset94},
  {"i18n/cast/nb.js", asset95, sizeof asset95},
  {"i18n/cast/zh.js", asset96, sizeof asset96},
  {"i18n/de.js", asset97, sizeof asset97},
  {"i18n/en.js", asset98, sizeof asset98},
  {"i18n/es.js", asset99, sizeof asset99},
  {"i18n/fr.js", asset100, sizeof asset100},
  {"i18n/keys/de.js", asset101, sizeof asset101},
  {"i18n/keys/en.js", asset102, sizeof asset102},
  {"i18n/keys/es.js", asset103, sizeof asset103},
  {"i18n/keys/fr.js", asset104, sizeof asset104},
  {"i18n/keys/nb.js", asset105, sizeof asset105},
  {"i18n/keys/zh.js", asset106, sizeof asset106},
  {"i18n/members/de.js", asset107, sizeof asset107},
  {"i18n/members/en.js", asset108, sizeof asset108},
  {"i18n/members/es.js", asset109, sizeof asset109},
  {"i18n/members/fr.js", asset110, sizeof asset110},
  {"i18n/members/nb.js", asset111, sizeof asset111},
  {"i18n/members/zh.js", asset112, sizeof asset112},
  {"i18n/missing/de.js", asset113, sizeof asset113},
  {"i18n/missing/en.js", asset114, sizeof asset114},
  {"i18n/missing/es.js", asset115, sizeof asset115},
  {"i18n/missing/fr.js", asset116, sizeof asset116},
  {"i18n/missing/nb.js", asset117, sizeof asset117},
  {"i18n/missing/zh.js", asset118, sizeof asset118},
  {"i18n/music/de.js", asset119, sizeof asset119},
  {"i18n/music/en.js", asset120, sizeof asset120},
  {"i18n/music/es.js", asset121, sizeof asset121},
  {"i18n/music/fr.js", asset122, sizeof asset122},
  {"i18n/music/nb.js", asset123, sizeof asset123},
  {"i18n/music/zh.js", asset124, sizeof asset124},
  {"i18n/nb.js", asset125, sizeof asset125},
  {"i18n/panel/de.js", asset126, sizeof asset126},
  {"i18n/panel/en.js", asset127, sizeof asset127},
  {"i18n/panel/es.js", asset128, sizeof asset128},
  {"i18n/panel/fr.js", asset129, sizeof asset129},
  {"i18n/panel/nb.js", asset130, sizeof asset130},
  {"i18n/panel/zh.js", asset131, sizeof asset131},
  {"i18n/shows/de.js", asset132, sizeof asset132},
  {"i18n/shows/en.js", asset133, sizeof asset133},
  {"i18n/shows/es.js", asset134, sizeof asset134},
  {"i18n/shows/fr.js", asset135, sizeof asset135},
  {"i18n/shows/nb.js", asset136, sizeof asset136},
  {"i18n/shows/zh.js", asset137, sizeof asset137},
  {"i18n/sleep/de.js", asset138, sizeof asset138},
  {"i18n/sleep/en.js", asset139, sizeof asset139},
  {"i18n/sleep/es.js", asset140, sizeof asset140},
  {"i18n/sleep/fr.js", asset141, sizeof asset141},
  {"i18n/sleep/nb.js", asset142, sizeof asset142},
  {"i18n/sleep/zh.js", asset143, sizeof asset143},
  {"i18n/zh.js", asset144, sizeof asset144},
  {"icon-192.png", asset145, sizeof asset145},
  {"icon-512.png", asset146, sizeof asset146},
  {"icon.svg", asset147, sizeof asset147},
  {"icons.svg", asset148, sizeof asset148},
  {"keys.js", asset149, sizeof asset149},
  {"lane.js", asset150, sizeof asset150},
  {"lens.js", asset151, sizeof asset151},
  {"listen.css", asset152, sizeof asset152},
  {"listen.js", asset153, sizeof asset153},
  {"mediasession.js", asset154, sizeof asset154},
  {"members.js", asset155, sizeof asset155},
  {"missing.js", asset156, sizeof asset156},
  {"moment.js", asset157, sizeof asset157},
  {"offline.js", asset158, sizeof asset158},
  {"outage.js", asset159, sizeof asset159},
  {"output.js", asset160, sizeof asset160},
  {"panel.js", asset161, sizeof asset161},
  {"player-element.js", asset162, sizeof asset162},
  {"playing.js", asset163, sizeof asset163},
  {"qr.js", asset164, sizeof asset164},
  {"qualities.js", asset165, sizeof asset165},
  {"quality.js", asset166, sizeof asset166},
  {"recording.js", asset167, sizeof asset167},
  {"remote.js", asset168, sizeof asset168},
  {"replayed.js", asset169, sizeof asset169},
  {"scrubber.js", asset170, sizeof asset170},
  {"session.js", asset171, sizeof asset171},
  {"share.js", asset172, sizeof asset172},
  {"showline.js", asset173, sizeof asset173},
  {"shows.js", asset174, sizeof asset174},
  {"sleep.js", asset175, sizeof asset175},
  {"sound.js", asset176, sizeof asset176},
  {"stations.css", asset177, sizeof asset177},
  {"stations.js", asset178, sizeof asset178},
  {"steady.js", asset179, sizeof asset179},
  {"strip.js", asset180, sizeof asset180},
  {"styles.js", asset181, sizeof asset181},
  {"sw.js", asset182, sizeof asset182},
  {"take.js", asset183, sizeof asset183},
  {"theme.js", asset184, sizeof asset184},
  {"timeline.js", asset185, sizeof asset185},
  {"titles.js", asset186, sizeof asset186},
  {"tools.js", asset187, sizeof asset187},
  {"view.js", asset188, sizeof asset188},
  {"visit.js", asset189, sizeof asset189},
  {"waveform.js", asset190, sizeof asset190},
  {"zone.js", asset191, sizeof asset191},
};

const cweb_asset *cweb_asset_at(size_t number) {
  return number < sizeof table / sizeof *table ? &table[number] : 0;
}
