import Wire

extension WallTime {
  /// As people and programs write it (`TimestampText`): RFC 3339 or Unix seconds.
  public init(parsing text: String) throws(TimestampError) {
    self.init(nanoseconds: try TimestampText.parse(text))
  }

  /// The same, how long before `now` it was (`-10m`), or when a clock in `zone` showed `18:00` last.
  public init(
    parsing text: String, now: WallTime, in zone: ZoneOffsets
  ) throws(TimestampError) {
    self.init(nanoseconds: try TimestampText.parse(text, now: now.stored, in: zone))
  }

  /// RFC 3339 in UTC with milliseconds.
  public var rfc3339: String { TimestampText.rfc3339(stored) }

  /// As HTTP has dates.
  public var httpDate: String { TimestampText.httpDate(unixSeconds) }

  /// For the name of a file: `20261120T180000Z`.
  public var compact: String { TimestampText.compact(stored) }
}
