extension TimestampText {
  /// Reads a moment as `parse(_:)` does, a duration before `now` (`-10m`, `-90`), or a time of day: the last moment at
  /// which a clock in `zone` showed `18:00`.
  public static func parse(
    _ text: String, now: Int64, in zone: ZoneOffsets
  ) throws(TimestampError) -> Int64 {
    let moment: Int64
    if text.utf8.first == UInt8(ascii: "-"), let seconds = DurationText.parse(text) {
      moment = now.saturatingAdd(Int64(nanosecondsIn: seconds))
    } else if let time = ClockText.parse(text) {
      moment = lastPassing(of: Int64(time), before: floorDivide(now, 1_000_000_000), in: zone)
        .saturatingMultiply(1_000_000_000)
    } else {
      do throws(TimestampError) {
        return try parse(text)
      } catch .notATime {
        throw .notRelativeEither
      }
    }
    guard Bounds.moments.contains(moment) else { throw .outsideYears }
    return moment
  }

  /// Returns the last moment, in seconds since 1970, at which a clock in `zone` showed `time`.
  ///
  /// - Parameters:
  ///   - time: The time of day in seconds after midnight.
  ///   - now: The current moment in seconds since 1970.
  private static func lastPassing(of time: Int64, before now: Int64, in zone: ZoneOffsets) -> Int64
  {
    let now = max(Bounds.unixSeconds.lowerBound, min(Bounds.unixSeconds.upperBound, now))
    let local = now + Int64(zone.offset(at: now))
    let midnight = floorDivide(local, daySeconds) * daySeconds
    // Moments are compared, not times of day, because the clock may have been changed in between.
    let passings = [0, -1, -2].map { zone.moment(ofLocal: midnight + $0 * daySeconds + time) }
    return passings.first { $0 <= now } ?? passings[2]
  }

  private static let daySeconds: Int64 = 86_400

  /// Returns a moment for the name of a file: `20261120T180000Z`, rounded down to the second.
  public static func compact(_ nanoseconds: Int64) -> String {
    let signs: Set<Character> = ["-", ":"]
    return String(rfc3339(nanoseconds).prefix(19).filter { !signs.contains($0) }) + "Z"
  }
}
