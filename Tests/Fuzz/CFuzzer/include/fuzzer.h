#pragma once
#include <stddef.h>
#include <stdint.h>

// libFuzzer's entry (llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library"), which no header declares.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *data, size_t size));
