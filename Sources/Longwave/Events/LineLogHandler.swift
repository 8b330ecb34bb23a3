import Glibc
import Logging
import Timeshift
import Wire

/// Log lines for people and for journals: time, level, text, on standard error.
public struct LineLogHandler: LogHandler {
  public var logLevel: Logger.Level
  public var metadata: Logger.Metadata = [:]
  public var metadataProvider: Logger.MetadataProvider?

  public init(level: Logger.Level = .info) { logLevel = level }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    let line = Self.line(event.message.description, level: event.level, at: Moment.now().wall)
    // One write per line, so that lines of several threads do not mix.
    _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
  }

  /// One line and its end. What strangers say may be in it: nothing that commands a terminal stays.
  static func line(_ text: String, level: Logger.Level, at time: WallTime) -> String {
    "\(time.rfc3339) \(level.rawValue) \(TerminalText.safe(text))\n"
  }

  /// A logger that writes such lines.
  public static func logger(level: Logger.Level = .info) -> Logger {
    Logger(label: "longwave") { _ in LineLogHandler(level: level) }
  }
}
