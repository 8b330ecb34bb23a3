// The function is in the compiler's own libFuzzer.
#include "fuzzer.h"
