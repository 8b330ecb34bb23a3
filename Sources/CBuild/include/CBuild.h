#pragma once

// The sources' commit, as the manifest has it; empty where it has none.
const char *longwave_commit(void);
