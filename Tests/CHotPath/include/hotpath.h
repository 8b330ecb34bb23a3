#ifndef HOTPATH_H
#define HOTPATH_H

#include <stdbool.h>
#include <stdint.h>

/// Runs `body`; what it allocates on this thread is counted. The one function whose instructions callgrind collects
/// (--toggle-collect), so it has a name of its own and is never inlined.
void hotpath_measured(void (*body)(void *context), void *context);

/// Calls of malloc and its like that measured bodies have made on this thread.
uint64_t hotpath_allocations(void);

/// False under a sanitizer, which has an allocator of its own.
bool hotpath_counts_allocations(void);

/// Where HOTPATH_PROBE is in the environment, this is called with it instead of `main`, and the program ends. Valgrind
/// does not survive how Swift's concurrency leaves `main`.
void hotpath_probe(const char *what);

#endif
