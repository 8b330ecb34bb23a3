/// Durations as people write them: `90`, `1.5s`, `5m`, `1h30m`, `-300`.
public enum DurationText {
  /// The longest duration in seconds: ten years of 365.25 days. A longer duration is a mistake.
  public static let secondsMax = 315_576_000.0

  private static let units: [(letter: UInt8, milliseconds: Int64)] = [
    (UInt8(ascii: "d"), 86_400_000), (UInt8(ascii: "h"), 3_600_000),
    (UInt8(ascii: "m"), 60_000), (UInt8(ascii: "s"), 1000),
  ]

  /// Returns the seconds of `-?(seconds[.decimals][s] | 1d2h3m4s)`; nil for other texts and beyond `secondsMax`.
  ///
  /// Any part of the second form may be missing, but not all. The order of the parts is fixed, and only seconds may
  /// have decimals.
  public static func parse(_ text: String) -> Double? {
    unbounded(text).flatMap { (-secondsMax...secondsMax).contains($0) ? $0 : nil }
  }

  /// Whether the text is well written and beyond `secondsMax`.
  public static func isTooLong(_ text: String) -> Bool {
    unbounded(text).map { !(-secondsMax...secondsMax).contains($0) } ?? false
  }

  private static func unbounded(_ text: String) -> Double? {
    var rest = Array(text.utf8)[...]
    guard rest.count <= 40 else { return nil }
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest = rest.dropFirst() }
    guard let seconds = DecimalText.double(rest) ?? sumOfUnits(rest) else { return nil }
    return isNegative && seconds != 0 ? -seconds : seconds
  }

  /// Returns the shortest text for a duration, exact to the millisecond: `1h30m`, `-4.5s`, `0s`.
  ///
  /// - Parameter seconds: A finite duration; clamped to `secondsMax` in either direction.
  public static func format(_ seconds: Double) -> String {
    let bounded = max(-secondsMax, min(secondsMax, seconds))
    // `rounded()` is not used, because it calls libm and this module links nothing.
    var rest = Int64(bounded: abs(bounded) * 1000 + 0.5)
    guard rest > 0 else { return "0s" }
    var text = bounded < 0 ? "-" : ""
    for (letter, milliseconds) in units where letter != UInt8(ascii: "s") {
      if rest >= milliseconds { text += "\(rest / milliseconds)\(Unicode.Scalar(letter))" }
      rest %= milliseconds
    }
    if rest > 0 { text += decimal(milliseconds: rest) + "s" }
    return text
  }

  private static func sumOfUnits(_ text: ArraySlice<UInt8>) -> Double? {
    guard !text.isEmpty else { return nil }
    var rest = text
    var sum = 0.0
    for (letter, milliseconds) in units {
      let number = rest.prefix { ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }
      guard rest.dropFirst(number.count).first == letter else { continue }
      let isWhole = !number.contains(UInt8(ascii: "."))
      guard isWhole || letter == UInt8(ascii: "s"), let value = DecimalText.double(number) else {
        return nil
      }
      sum += value * Double(milliseconds) / 1000
      rest = rest.dropFirst(number.count + 1)
    }
    return rest.isEmpty ? sum : nil
  }

  private static func decimal(milliseconds: Int64) -> String {
    let fraction = milliseconds % 1000
    guard fraction > 0 else { return "\(milliseconds / 1000)" }
    var digits = String(String(1000 + fraction).dropFirst())
    while digits.last == "0" { digits.removeLast() }
    return "\(milliseconds / 1000).\(digits)"
  }
}

/// Reads numbers of digits and at most one point; other forms that `Double` accepts are refused.
enum DecimalText {
  /// Returns the digits before and after the point. Neither part may be empty, except that there may be no point.
  static func parts(
    _ text: some BidirectionalCollection<UInt8>
  ) -> (whole: [UInt8], fraction: [UInt8])? {
    let parts = text.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(ASCII.isDigit) }) else { return nil }
    return (Array(parts[0]), parts.count > 1 ? Array(parts[1]) : [])
  }

  static func double(_ text: some BidirectionalCollection<UInt8>) -> Double? {
    guard parts(text) != nil else { return nil }
    return Double(String(decoding: Array(text), as: UTF8.self))
  }
}
