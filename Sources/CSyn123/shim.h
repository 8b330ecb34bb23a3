#pragma once
#include <syn123.h>
