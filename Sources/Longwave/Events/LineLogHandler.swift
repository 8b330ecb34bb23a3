import Glibc
import Logging
import Timeshift
import Wire

/// Writes log lines for people and journals to standard error: time, level, text.
package struct LineLogHandler: LogHandler {
  package var logLevel: Logger.Level
  package var metadata: Logger.Metadata = [:]
  package var metadataProvider: Logger.MetadataProvider?

  package init(level: Logger.Level = .info) { logLevel = level }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let line = Self.line(event.message.description, level: event.level, at: Moment.now().wall)
    // One write per line, so that lines of several threads do not mix.
    _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
  }

  /// Returns one line with its end. The text may come from strangers: nothing that commands a terminal stays in it.
  static func line(_ text: String, level: Logger.Level, at time: WallTime) -> String {
    "\(time.rfc3339) \(level.rawValue) \(TerminalText.safe(text))\n"
  }

  /// Returns a logger that writes these lines.
  package static func logger(level: Logger.Level = .info) -> Logger {
    Logger(label: "longwave") { _ in LineLogHandler(level: level) }
  }
}
