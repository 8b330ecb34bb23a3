import Glibc
import Reactor
import Server
import Timeshift
import Wire

/// An entry of the logs for other programs.
enum LogEntry: Sendable {
  case request(FinishedRequest)
  case title(PlayedTitle)

  /// Bytes of the entry while it waits, about.
  var bytes: Int {
    let texts =
      switch self {
      case .request(let request):
        [request.user, request.line?.method, request.line?.target, request.referer, request.player]
      case .title(let title): [title.mount, title.text]
      }
    return texts.reduce(MemoryLayout<LogEntry>.stride) { $0 + ($1?.utf8.count ?? 0) }
  }

  /// Returns the entry's line, with the line's end.
  func line(anonymised: Bool) -> String {
    switch self {
    case .request(let request): request.accessLine(anonymised: anonymised) + "\n"
    case .title(let title): title.playlistLine + "\n"
    }
  }
}

/// A title that came on air.
struct PlayedTitle: Sendable {
  /// The path that listeners know.
  var mount: String
  var text: String
  /// Number of listeners that heard the title begin.
  var listeners: Int
  /// Time in Unix seconds.
  var time: Int64

  /// Most bytes of a title in the log.
  static let textBytesMax = 1000

  /// The line as in Icecast's playlist log: `date|mount|listeners|title`.
  var playlistLine: String {
    let text = String(decoding: UTF8Text.prefix(text, bytes: Self.textBytesMax), as: UTF8.self)
    return "\(LogTime.text(time))|\(mount)|\(listeners)|\(LogText.line(text))"
  }
}

extension FinishedRequest {
  /// Returns a line of Apache's Combined Log Format with the seconds at its end, as Icecast writes it. The date is that
  /// of the end.
  func accessLine(anonymised: Bool) -> String {
    let request = line.map {
      let target = LogText.quotable(LogText.withoutSecrets(target: $0.target))
      return LogText.quotable($0.method).cut(to: Self.wordBytesMax) + " "
        + target.cut(to: Self.targetBytesMax) + " \($0.version.rawValue)"
    }
    let fields = [
      address(anonymised), "-", LogText.word(user ?? "").cut(to: Self.wordBytesMax),
      "[\(LogTime.text(endedAt.unixSeconds))]", "\"\(request ?? "-")\"",
      "\(status)", "\(bytes)",
      Self.quoted(referer.map(LogText.withoutSecrets(target:)), Self.refererBytesMax),
      Self.quoted(player, Self.playerBytesMax),
      "\(Int(bounded: seconds.rounded()))",
    ]
    return fields.joined(separator: " ")
  }

  private func address(_ anonymised: Bool) -> String {
    switch origin {
    case .tcp(let address): (anonymised ? address.anonymised : address).host
    case .unixSocket: origin.host
    }
  }

  // Programs that read logs take no line of more than 4,095 bytes.
  private static let targetBytesMax = 2000
  private static let refererBytesMax = 1000
  private static let playerBytesMax = 500
  private static let wordBytesMax = 64

  private static func quoted(_ text: String?, _ bytesMax: Int) -> String {
    let text = text ?? ""
    return "\"\(text.isEmpty ? "-" : LogText.quotable(text).cut(to: bytesMax))\""
  }
}

extension String {
  /// Returns the beginning of a text in which each `\` begins an escape of four bytes, without half of one.
  fileprivate func cut(to count: Int) -> String {
    guard utf8.count > count else { return self }
    var kept = utf8.prefix(count)
    if let start = kept.suffix(3).lastIndex(of: UInt8(ascii: "\\")) { kept = kept[..<start] }
    return String(Substring(kept))
  }
}

/// Times as logs have them, in this machine's time zone.
private enum LogTime {
  static func text(_ seconds: Int64) -> String {
    var time = time_t(clamping: seconds)
    var local = tm()
    localtime_r(&time, &local)
    return TimestampText.commonLog(seconds, offset: local.tm_gmtoff)
  }
}
