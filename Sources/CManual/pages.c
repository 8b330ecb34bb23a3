// Made by deploy/check-manual --write.
// The pages stand in the program itself: a package without documents has them.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "cmanual.h"

static const unsigned char page0[] = {
#embed "../Manual/api.md"
};
static const unsigned char page1[] = {
#embed "../Manual/backup.md"
};
static const unsigned char page2[] = {
#embed "../Manual/events.md"
};
static const unsigned char page3[] = {
#embed "../Manual/icecast.md"
};
static const unsigned char page4[] = {
#embed "../Manual/install.md"
};
static const unsigned char page5[] = {
#embed "../MANUAL.md"
};
static const unsigned char page6[] = {
#embed "../METRICS.md"
};
static const unsigned char page7[] = {
#embed "../Manual/monitoring.md"
};
static const unsigned char page8[] = {
#embed "../Manual/proxy.md"
};
static const unsigned char page9[] = {
#embed "../Manual/security.md"
};
static const unsigned char page10[] = {
#embed "../Manual/sizing.md"
};
static const unsigned char page11[] = {
#embed "../Manual/tls.md"
};
static const unsigned char page12[] = {
#embed "../Manual/troubleshooting.md"
};
static const unsigned char page13[] = {
#embed "../Manual/upgrade.md"
};

static const cmanual_page table[] = {
  {"api", page0, sizeof page0},
  {"backup", page1, sizeof page1},
  {"events", page2, sizeof page2},
  {"icecast", page3, sizeof page3},
  {"install", page4, sizeof page4},
  {"manual", page5, sizeof page5},
  {"metrics", page6, sizeof page6},
  {"monitoring", page7, sizeof page7},
  {"proxy", page8, sizeof page8},
  {"security", page9, sizeof page9},
  {"sizing", page10, sizeof page10},
  {"tls", page11, sizeof page11},
  {"troubleshooting", page12, sizeof page12},
  {"upgrade", page13, sizeof page13},
};

const cmanual_page *cmanual_page_at(size_t number) {
  return number < sizeof table / sizeof *table ? &table[number] : 0;
}
