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
    let time = Moment.now().wall.rfc3339
    let text = event.message.description.map { $0.isNewline ? " " : $0 }
    let line = "\(time) \(event.level.rawValue) \(String(text))\n"
    // One write per line, so that lines of several threads do not mix.
    _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
  }

  /// A logger that writes such lines.
  public static func logger(level: Logger.Level = .info) -> Logger {
    Logger(label: "longwave") { _ in LineLogHandler(level: level) }
  }
}
