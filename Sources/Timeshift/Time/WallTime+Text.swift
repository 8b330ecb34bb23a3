import Wire

extension WallTime {
  /// Parses a moment as people and programs write it (`TimestampText`): RFC 3339 or Unix seconds.
  public init(parsing text: String) throws(TimestampError) {
    self.init(nanoseconds: try TimestampText.parse(text))
  }

  /// Parses a moment, also as a time before `now` (`-10m`), or as the last time a clock in `zone` showed `18:00`.
  public init(
    parsing text: String, now: WallTime, in zone: ZoneOffsets
  ) throws(TimestampError) {
    self.init(nanoseconds: try TimestampText.parse(text, now: now.stored, in: zone))
  }

  /// The moment in RFC 3339, in UTC with milliseconds.
  public var rfc3339: String { TimestampText.rfc3339(stored) }

  /// The moment as HTTP writes dates.
  public var httpDate: String { TimestampText.httpDate(unixSeconds) }

  /// The moment for a file's name: `20261120T180000Z`.
  public var compact: String { TimestampText.compact(stored) }
}
