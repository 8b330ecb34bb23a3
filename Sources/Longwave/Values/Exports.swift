// Whoever imports Longwave has configurations, definitions and JSON with it.
@_exported import Settings
