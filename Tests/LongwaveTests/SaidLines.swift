import Logging
import Synchronization

/// Lines that people would read.
final class SaidLines: Sendable {
  let lines = Mutex<[String]>([])

  var logger: Logger {
    Logger(label: "test") { _ in Handler(said: self) }
  }

  struct Handler: LogHandler {
    let said: SaidLines
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) { said.lines.withLock { $0.append("\(event.message)") } }
  }

  var all: [String] { lines.withLock { $0 } }
}
