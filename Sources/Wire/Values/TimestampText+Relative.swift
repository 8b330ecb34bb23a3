extension TimestampText {
  /// A moment as `parse(_:)` takes it, or how long before `now` it was: `-10m`, `-90`.
  public static func parse(_ text: String, now: Int64) throws(TimestampError) -> Int64 {
    guard text.utf8.first == UInt8(ascii: "-"), let seconds = DurationText.parse(text) else {
      return try parse(text)
    }
    let moment = now.saturatingAdd(Int64(nanosecondsIn: seconds))
    guard Bounds.moments.contains(moment) else { throw .outsideYears }
    return moment
  }

  /// A moment for the name of a file: `20261120T180000Z`, rounded down to the second.
  public static func compact(_ nanoseconds: Int64) -> String {
    let signs: Set<Character> = ["-", ":"]
    return String(rfc3339(nanoseconds).prefix(19).filter { !signs.contains($0) }) + "Z"
  }
}
