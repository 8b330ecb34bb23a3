#include "hotpath.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

static _Thread_local bool is_measuring;
static _Thread_local uint64_t allocations;

__attribute__((noinline)) void hotpath_measured(void (*body)(void *context), void *context)
{
    is_measuring = true;
    body(context);
    is_measuring = false;
}

uint64_t hotpath_allocations(void)
{
    return allocations;
}

__attribute__((constructor)) static void probe_if_asked(void)
{
    const char *what = getenv("HOTPATH_PROBE");
    if (what == NULL)
        return;
    hotpath_probe(what);
    _exit(0);
}

#ifdef HAS_SANITIZER

bool hotpath_counts_allocations(void)
{
    return false;
}

#else

bool hotpath_counts_allocations(void)
{
    return true;
}

// glibc's own, under the names it keeps for who puts others in front of them. What is defined in a program comes before
// what its libraries define.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static void count(void)
{
    if (is_measuring)
        allocations++;
}

void *malloc(size_t size)
{
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size)
{
    count();
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size)
{
    count();
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL)
        return ENOMEM;
    *result = memory;
    return 0;
}

#endif
