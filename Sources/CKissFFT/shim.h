#pragma once
// Its pkg-config file defines macros, which a package may not take over: the scalar is a float without them.
#include <kissfft/kiss_fftr.h>
