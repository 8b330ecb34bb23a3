import Timeshift
import Wire

/// The fields that all answers of a loop have, as they are sent: made once a second.
struct StandingFields {
  private let server: String
  /// The second of the lines, since 1970.
  private var second: Int64?
  private var lines: (open: [UInt8], close: [UInt8]) = ([], [])

  init(server: String) { self.server = server }

  /// Returns their lines.
  mutating func lines(at now: WallTime, keepsAlive: Bool) -> [UInt8] {
    if second != now.unixSeconds {
      second = now.unixSeconds
      lines = (make(now, "keep-alive"), make(now, "close"))
    }
    return keepsAlive ? lines.open : lines.close
  }

  private func make(_ now: WallTime, _ connection: String) -> [UInt8] {
    var fields = HTTPFields([
      (name: "Server", value: server),
      (name: "Date", value: now.httpDate),
      (name: "Connection", value: connection),
    ])
    for field in [CORS.anyOrigin, CORS.exposed, Sniffing.off] {
      fields.append(field.name, field.value)
    }
    return fields.lines
  }
}
