// The Reactor target.
