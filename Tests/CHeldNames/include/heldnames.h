#pragma once

#include <stdbool.h>

// Names that end in `.held.test` are looked up without end while they are held: a name server that never answers.
void heldnames_hold(bool is_held);

// Lookups of such names that wait now.
int heldnames_waiting(void);
