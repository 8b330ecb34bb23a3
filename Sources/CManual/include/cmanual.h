#pragma once
#include <stddef.h>

/// A page of the manual, as it stands in Sources.
typedef struct {
  /// The topic that it is asked for by.
  const char *name;
  const unsigned char *bytes;
  size_t count;
} cmanual_page;

/// Returns the page with a number from 0; null behind the last one.
const cmanual_page *cmanual_page_at(size_t number);
