#pragma once
#include <stddef.h>

/// A file that browsers get, as it stands in Sources/Web.
typedef struct {
  const char *name;
  const unsigned char *bytes;
  size_t count;
} cweb_asset;

/// Returns the asset with a number from 0; null behind the last one.
const cweb_asset *cweb_asset_at(size_t number);
