// The Server target.
