/// Times of day: `18:00`, `6:30`, `23:59:30`, and `24:00` for midnight.
public enum ClockText {
  /// Returns seconds after midnight; nil for a text that is no time of day.
  public static func parse(_ text: some StringProtocol) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      (1...2).contains(part.utf8.count) && part.utf8.allSatisfy { (48...57).contains($0) }
        ? Int(part) : nil
    }
    guard (2...3).contains(parts.count), numbers.count == parts.count else { return nil }
    let seconds = numbers[0] * 3600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
    guard numbers.dropFirst().allSatisfy({ $0 < 60 }), seconds <= 86_400 else { return nil }
    return seconds % 86_400
  }

  public static func format(_ seconds: Int) -> String {
    let parts = [seconds / 3600, seconds / 60 % 60] + (seconds % 60 > 0 ? [seconds % 60] : [])
    return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}
