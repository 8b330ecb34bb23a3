#pragma once
#include <lame.h>
