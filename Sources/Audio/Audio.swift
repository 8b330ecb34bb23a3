// The Audio target.
