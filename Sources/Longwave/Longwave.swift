// The Longwave target.
