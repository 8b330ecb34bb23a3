// The Ingest target.
