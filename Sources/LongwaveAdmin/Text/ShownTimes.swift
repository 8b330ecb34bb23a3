import Glibc
import Wire

/// Shows people the times of the API in the time zone of their machine, or in UTC.
public struct ShownTimes: Sendable {
  private let isUTC: Bool

  public init(isUTC: Bool = false) { self.isUTC = isUTC }

  /// Returns a time such as `2026-11-20 19:00:00`, in UTC with a Z; a text that is no time stays.
  ///
  /// - Parameter text: RFC 3339, such as `2026-11-20T18:00:00.123Z`.
  /// - Parameter isExact: Whether milliseconds are shown.
  public func text(_ text: String, isExact: Bool = false) -> String {
    // A number alone is one of another kind.
    guard text.contains("T"), let nanoseconds = try? TimestampText.parse(text) else { return text }
    // No time before 1970 is read.
    var seconds = time_t(nanoseconds / 1_000_000_000)
    var parts = tm()
    if isUTC { gmtime_r(&seconds, &parts) } else { localtime_r(&seconds, &parts) }
    let date = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
    let clock = [Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec)]
    let rest = nanoseconds / 1_000_000 % 1000
    let milliseconds = isExact ? "." + String(1000 + rest).dropFirst() : ""
    let day = date.map(Self.digits).joined(separator: "-")
    let hour = clock.map(Self.digits).joined(separator: ":")
    return "\(day) \(hour)\(milliseconds)\(isUTC ? "Z" : "")"
  }

  private static func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
