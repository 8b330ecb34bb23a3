import Glibc
import Logging
import Reactor
import Timeshift
import Wire

/// Writes log lines to standard error: for people, for programs, or to systemd's journal where standard error is one.
package struct LineLogHandler: LogHandler {
  package var logLevel: Logger.Level
  package var metadata: Logger.Metadata = [:]
  package var metadataProvider: Logger.MetadataProvider?
  private let form: LogMessage.Form

  package init(level: Logger.Level = .info, form: LogMessage.Form = .text) {
    (logLevel, self.form) = (level, form)
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let entry = LogMessage(
      text: event.message.description, level: event.level, time: Moment.now().wall,
      station: event.metadata?[LogMessage.stationKey]?.description,
      event: event.metadata?[LogMessage.eventKey]?.description)
    if case .journal(let address) = form,
      LocalDatagram.send(Array(entry.fields.utf8), to: address) == 0
    {
      return
    }
    // One write per line, so that lines of several threads do not mix.
    let line = form == .json ? entry.json : entry.line
    _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
  }

  /// Returns a logger that writes these lines.
  package static func logger(level: Logger.Level = .info, form: LogMessage.Form = .text) -> Logger {
    Logger(label: "longwave") { _ in LineLogHandler(level: level, form: form) }
  }
}

/// A line of the log in each of its forms. Its text may come from strangers: nothing that commands a terminal stays.
package struct LogMessage: Hashable, Sendable {
  /// Where lines go, and as what.
  package enum Form: Hashable, Sendable {
    /// Time, level, text.
    case text
    /// An object for each line.
    case json
    /// The fields of systemd's journal, to its socket; the time is the journal's.
    case journal(String)
  }

  /// Keys of what a logger is told besides the text.
  static let stationKey = "station"
  static let eventKey = "event"

  /// Where systemd's journal takes entries (systemd.io, Native Journal Protocol).
  package static let journalAddress = "/run/systemd/journal/socket"

  package var text: String
  package var level: Logger.Level
  package var time: WallTime
  package var station: String?
  package var event: String?

  package init(
    text: String, level: Logger.Level, time: WallTime, station: String? = nil,
    event: String? = nil
  ) {
    (self.text, self.level, self.time) = (TerminalText.safe(text), level, time)
    (self.station, self.event) = (station, event)
  }

  var line: String { "\(time.rfc3339) \(level.rawValue) \(text)\n" }

  var json: String {
    let known: [(String, String?)] = [
      ("time", time.rfc3339), ("level", level.rawValue), ("message", text),
      ("station", station), ("event", event),
    ]
    let members = known.compactMap { key, value in
      value.map { JSON.Member(key: key, value: .string($0)) }
    }
    return JSON.object(members).text + "\n"
  }

  /// Lines `KEY=value`. None of the values has a line end.
  var fields: String {
    let known: [(String, String?)] = [
      ("MESSAGE", text), ("PRIORITY", "\(priority)"), ("SYSLOG_IDENTIFIER", "longwave"),
      ("STATION", station.map { TerminalText.safe($0) }), ("EVENT", event),
    ]
    return known.compactMap { key, value in value.map { "\(key)=\($0)\n" } }.joined()
  }

  /// syslog(3)'s number.
  private var priority: Int {
    switch level {
    case .critical: 2
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .info: 6
    case .debug, .trace: 7
    }
  }

  /// Returns the journal's form where a descriptor is the journal's, else the wished one.
  ///
  /// - Parameter stream: `$JOURNAL_STREAM`: device and inode of the journal's end, with a colon between them.
  package static func form(
    _ wished: Form, stream: String?, of descriptor: Int32 = 2,
    journal address: String = journalAddress
  ) -> Form {
    var status = stat()
    guard let stream, fstat(descriptor, &status) == 0,
      stream == "\(status.st_dev):\(status.st_ino)"
    else { return wished }
    return .journal(address)
  }
}
