import Reactor

/// What has to be done in a process before anything else of the relay.
public enum ProcessStart {
  /// Sets OpenSSL up: the first thread that hashes would do it otherwise, and `exit` would take it down under others.
  public static func prepare() { OpenSSL.start() }
}
