// Made by deploy/check-manual --write.
// The pages stand in the program itself: a package without documents has them.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "cmanual.h"

static const unsigned char page0[] = {
#embed "../Manual/addresses.md"
};
static const unsigned char page1[] = {
#embed "../Manual/api.md"
};
static const unsigned char page2[] = {
#embed "../Manual/backup.md"
};
static const unsigned char page3[] = {
#embed "../Manual/clock.md"
};
static const unsigned char page4[] = {
#embed "../Manual/collections.md"
};
static const unsigned char page5[] = {
#embed "../Manual/commands.md"
};
static const unsigned char page6[] = {
#embed "../Manual/events.md"
};
static const unsigned char page7[] = {
#embed "../Manual/fallback.md"
};
static const unsigned char page8[] = {
#embed "../Manual/hls.md"
};
static const unsigned char page9[] = {
#embed "../Manual/icecast.md"
};
static const unsigned char page10[] = {
#embed "../Manual/install.md"
};
static const unsigned char page11[] = {
#embed "../Manual/library.md"
};
static const unsigned char page12[] = {
#embed "../Manual/listening.md"
};
static const unsigned char page13[] = {
#embed "../Manual/README.md"
};
static const unsigned char page14[] = {
#embed "../Manual/metrics.md"
};
static const unsigned char page15[] = {
#embed "../Manual/monitoring.md"
};
static const unsigned char page16[] = {
#embed "../Manual/moving.md"
};
static const unsigned char page17[] = {
#embed "../Manual/players.md"
};
static const unsigned char page18[] = {
#embed "../Manual/programmes.md"
};
static const unsigned char page19[] = {
#embed "../Manual/proxy.md"
};
static const unsigned char page20[] = {
#embed "../Manual/security.md"
};
static const unsigned char page21[] = {
#embed "../Manual/shows.md"
};
static const unsigned char page22[] = {
#embed "../Manual/sizing.md"
};
static const unsigned char page23[] = {
#embed "../Manual/sound.md"
};
static const unsigned char page24[] = {
#embed "../Manual/tls.md"
};
static const unsigned char page25[] = {
#embed "../Manual/troubleshooting.md"
};
static const unsigned char page26[] = {
#embed "../Manual/upgrade.md"
};
static const unsigned char page27[] = {
#embed "../Manual/upstreams.md"
};

static const cmanual_page table[] = {
  {"addresses", page0, sizeof page0},
  {"api", page1, sizeof page1},
  {"backup", page2, sizeof page2},
  {"clock", page3, sizeof page3},
  {"collections", page4, sizeof page4},
  {"commands", page5, sizeof page5},
  {"events", page6, sizeof page6},
  {"fallback", page7, sizeof page7},
  {"hls", page8, sizeof page8},
  {"icecast", page9, sizeof page9},
  {"install", page10, sizeof page10},
  {"library", page11, sizeof page11},
  {"listening", page12, sizeof page12},
  {"manual", page13, sizeof page13},
  {"metrics", page14, sizeof page14},
  {"monitoring", page15, sizeof page15},
  {"moving", page16, sizeof page16},
  {"players", page17, sizeof page17},
  {"programmes", page18, sizeof page18},
  {"proxy", page19, sizeof page19},
  {"security", page20, sizeof page20},
  {"shows", page21, sizeof page21},
  {"sizing", page22, sizeof page22},
  {"sound", page23, sizeof page23},
  {"tls", page24, sizeof page24},
  {"troubleshooting", page25, sizeof page25},
  {"upgrade", page26, sizeof page26},
  {"upstreams", page27, sizeof page27},
};

const cmanual_page *cmanual_page_at(size_t number) {
  return number < sizeof table / sizeof *table ? &table[number] : 0;
}
