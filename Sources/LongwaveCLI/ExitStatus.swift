import ArgumentParser

/// Exit statuses besides done, failed and a wrong command line, as in sysexits.h.
extension ExitCode {
  /// No relay runs there.
  static let absent = ExitCode(69)
  static let badConfiguration = ExitCode(78)
}
