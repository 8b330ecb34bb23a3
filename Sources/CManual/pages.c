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
#embed "../Manual/commands.md"
};
static const unsigned char page4[] = {
#embed "../Manual/events.md"
};
static const unsigned char page5[] = {
#embed "../Manual/fallback.md"
};
static const unsigned char page6[] = {
#embed "../Manual/icecast.md"
};
static const unsigned char page7[] = {
#embed "../Manual/install.md"
};
static const unsigned char page8[] = {
#embed "../Manual/listening.md"
};
static const unsigned char page9[] = {
#embed "../Manual/README.md"
};
static const unsigned char page10[] = {
#embed "../Manual/metrics.md"
};
static const unsigned char page11[] = {
#embed "../Manual/monitoring.md"
};
static const unsigned char page12[] = {
#embed "../Manual/players.md"
};
static const unsigned char page13[] = {
#embed "../Manual/programmes.md"
};
static const unsigned char page14[] = {
#embed "../Manual/proxy.md"
};
static const unsigned char page15[] = {
#embed "../Manual/security.md"
};
static const unsigned char page16[] = {
#embed "../Manual/sizing.md"
};
static const unsigned char page17[] = {
#embed "../Manual/sound.md"
};
static const unsigned char page18[] = {
#embed "../Manual/tls.md"
};
static const unsigned char page19[] = {
#embed "../Manual/troubleshooting.md"
};
static const unsigned char page20[] = {
#embed "../Manual/upgrade.md"
};
static const unsigned char page21[] = {
#embed "../Manual/upstreams.md"
};

static const cmanual_page table[] = {
  {"addresses", page0, sizeof page0},
  {"api", page1, sizeof page1},
  {"backup", page2, sizeof page2},
  {"commands", page3, sizeof page3},
  {"events", page4, sizeof page4},
  {"fallback", page5, sizeof page5},
  {"icecast", page6, sizeof page6},
  {"install", page7, sizeof page7},
  {"listening", page8, sizeof page8},
  {"manual", page9, sizeof page9},
  {"metrics", page10, sizeof page10},
  {"monitoring", page11, sizeof page11},
  {"players", page12, sizeof page12},
  {"programmes", page13, sizeof page13},
  {"proxy", page14, sizeof page14},
  {"security", page15, sizeof page15},
  {"sizing", page16, sizeof page16},
  {"sound", page17, sizeof page17},
  {"tls", page18, sizeof page18},
  {"troubleshooting", page19, sizeof page19},
  {"upgrade", page20, sizeof page20},
  {"upstreams", page21, sizeof page21},
};

const cmanual_page *cmanual_page_at(size_t number) {
  return number < sizeof table / sizeof *table ? &table[number] : 0;
}
