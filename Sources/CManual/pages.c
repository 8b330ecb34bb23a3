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
#embed "../Manual/commands.md"
};
static const unsigned char page5[] = {
#embed "../Manual/events.md"
};
static const unsigned char page6[] = {
#embed "../Manual/fallback.md"
};
static const unsigned char page7[] = {
#embed "../Manual/icecast.md"
};
static const unsigned char page8[] = {
#embed "../Manual/install.md"
};
static const unsigned char page9[] = {
#embed "../Manual/listening.md"
};
static const unsigned char page10[] = {
#embed "../Manual/README.md"
};
static const unsigned char page11[] = {
#embed "../Manual/metrics.md"
};
static const unsigned char page12[] = {
#embed "../Manual/monitoring.md"
};
static const unsigned char page13[] = {
#embed "../Manual/players.md"
};
static const unsigned char page14[] = {
#embed "../Manual/programmes.md"
};
static const unsigned char page15[] = {
#embed "../Manual/proxy.md"
};
static const unsigned char page16[] = {
#embed "../Manual/security.md"
};
static const unsigned char page17[] = {
#embed "../Manual/sizing.md"
};
static const unsigned char page18[] = {
#embed "../Manual/sound.md"
};
static const unsigned char page19[] = {
#embed "../Manual/tls.md"
};
static const unsigned char page20[] = {
#embed "../Manual/troubleshooting.md"
};
static const unsigned char page21[] = {
#embed "../Manual/upgrade.md"
};
static const unsigned char page22[] = {
#embed "../Manual/upstreams.md"
};

static const cmanual_page table[] = {
  {"addresses", page0, sizeof page0},
  {"api", page1, sizeof page1},
  {"backup", page2, sizeof page2},
  {"clock", page3, sizeof page3},
  {"commands", page4, sizeof page4},
  {"events", page5, sizeof page5},
  {"fallback", page6, sizeof page6},
  {"icecast", page7, sizeof page7},
  {"install", page8, sizeof page8},
  {"listening", page9, sizeof page9},
  {"manual", page10, sizeof page10},
  {"metrics", page11, sizeof page11},
  {"monitoring", page12, sizeof page12},
  {"players", page13, sizeof page13},
  {"programmes", page14, sizeof page14},
  {"proxy", page15, sizeof page15},
  {"security", page16, sizeof page16},
  {"sizing", page17, sizeof page17},
  {"sound", page18, sizeof page18},
  {"tls", page19, sizeof page19},
  {"troubleshooting", page20, sizeof page20},
  {"upgrade", page21, sizeof page21},
  {"upstreams", page22, sizeof page22},
};

const cmanual_page *cmanual_page_at(size_t number) {
  return number < sizeof table / sizeof *table ? &table[number] : 0;
}
