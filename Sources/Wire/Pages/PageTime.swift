/// A time zone's offsets over some years; they turn times of day into moments without the system's tables.
public struct ZoneOffsets: Hashable, Sendable {
  public struct Change: Hashable, Sendable {
    /// When the offset begins to apply, in seconds since 1970.
    public var from: Int64
    /// The offset in seconds east of UTC from then on.
    public var offset: Int

    public init(from: Int64, offset: Int) {
      self.from = from
      self.offset = offset
    }
  }

  /// The zone's name.
  public var name: String
  /// The changes in order of time; the first one's offset also applies before it.
  public var changes: [Change]

  public init(name: String, changes: [Change]) {
    precondition(!changes.isEmpty, "a zone has an offset")
    self.name = name
    self.changes = changes
  }

  public static let utc = ZoneOffsets(name: "UTC", changes: [Change(from: .min, offset: 0)])

  /// Reads `Z`, `+02:00`, `-0500` or `+1`; nil for anything else.
  public init?(fixed text: String) {
    guard let offset = Self.offset(text) else { return nil }
    self.init(name: text, changes: [Change(from: .min, offset: offset)])
  }

  /// Returns the seconds east of UTC at a moment.
  public func offset(at moment: Int64) -> Int {
    (changes.last { $0.from <= moment } ?? changes[0]).offset
  }

  /// Returns the moment at which a wall clock shows `local`, which counts seconds since 1970 as if it were UTC.
  func moment(ofLocal local: Int64) -> Int64 {
    let guess = local - Int64(offset(at: local))
    return local - Int64(offset(at: guess))
  }

  /// The moments, in seconds since 1970, that a wall clock showing `local` can mean; `local` counts as if it were UTC.
  ///
  /// There is one moment, or two where the clock is put back. A time skipped by putting it forward lies between that
  /// change and the moment that it would have been.
  public func moments(ofLocal local: Int64) -> ClosedRange<Int64> {
    // A zone never changes its clocks twice in two days.
    let (before, after) = (offset(at: local - 86_400), offset(at: local + 86_400))
    let readings = [before, after].map { (moment: local - Int64($0), offset: $0) }
      .filter { offset(at: $0.moment) == $0.offset }.map(\.moment)
    if let first = readings.min(), let last = readings.max() { return first...last }
    let unmoved = local - Int64(before)
    let change = changes.last { $0.from <= unmoved }?.from ?? unmoved
    return change...unmoved
  }

  private static func offset(_ text: String) -> Int? {
    if ["z", "utc", "gmt"].contains(text.lowercased()) { return 0 }
    guard let sign = text.utf8.first, "+-".utf8.contains(sign) else { return nil }
    let digits = text.utf8.dropFirst().filter { $0 != UInt8(ascii: ":") }
    guard [1, 2, 4].contains(digits.count), digits.allSatisfy(ASCII.isDigit),
      let number = Int(String(decoding: digits, as: UTF8.self))
    else { return nil }
    let (hours, minutes) = digits.count == 4 ? (number / 100, number % 100) : (number, 0)
    guard hours <= 14, minutes < 60 else { return nil }
    return (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }
}

/// Reads times as pages write them.
enum PageTime {
  /// Returns seconds since 1970; nil for other texts, and for a time without a zone where no zone is known.
  ///
  /// Accepted are RFC 3339 with or without a zone, `12/31/2026 14:05:06`, seconds or milliseconds since 1970, and
  /// `14:05:06`, which means the day nearest to `now`.
  static func seconds(_ text: String, _ zone: ZoneOffsets?, near now: Int64) -> Int64? {
    if let number = Int64(text) { return sinceEpoch(number) }
    if let exact = try? TimestampText.parse(text) { return exact / 1_000_000_000 }
    guard let zone else { return nil }
    if let clock = clock(text[...]) { return nearest(clock, zone, now) }
    guard let local = local(text) else { return nil }
    return zone.moment(ofLocal: local)
  }

  private static func sinceEpoch(_ number: Int64) -> Int64? {
    switch number {
    case 100_000_000...Bounds.unixSeconds.upperBound: number
    case 100_000_000_000...Bounds.unixSeconds.upperBound * 1000: number / 1000
    default: nil
    }
  }

  /// Returns seconds since midnight.
  private static func clock(_ text: Substring) -> Int64? {
    // A fraction of a second does not matter here.
    let parts = text.prefix { $0 != "." }.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 else { return nil }
    let numbers = parts.compactMap { $0.utf8.count <= 2 ? Int64($0) : nil }
    guard numbers.count == parts.count,
      zip(numbers, [24, 60, 61]).allSatisfy({ $0 >= 0 && $0 < $1 })
    else { return nil }
    return numbers[0] * 3600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
  }

  private static func nearest(_ clock: Int64, _ zone: ZoneOffsets, _ now: Int64) -> Int64 {
    let local = now + Int64(zone.offset(at: now))
    let today = local - local % 86_400 + clock
    let days = [today - 86_400, today, today + 86_400].map(zone.moment(ofLocal:))
    return days.min { abs($0 - now) < abs($1 - now) }!
  }

  /// Reads a date and a time of day as if they were in UTC.
  private static func local(_ text: String) -> Int64? {
    let parts = text.split { $0 == " " || $0 == "T" || $0 == "t" }
    guard parts.count == 2, let clock = clock(parts[1]), let date = date(parts[0]) else {
      return nil
    }
    return Int64(date.daysSince1970) * 86_400 + clock
  }

  /// Reads `2026-12-31` or `12/31/2026`.
  private static func date(_ text: Substring) -> CivilDate? {
    let isAmerican = text.contains("/")
    let numbers = text.split { $0 == "-" || $0 == "/" }.compactMap {
      $0.utf8.count <= 4 ? Int($0) : nil
    }
    guard numbers.count == 3 else { return nil }
    let date =
      isAmerican && numbers[0] <= 12
      ? CivilDate(year: numbers[2], month: numbers[0], day: numbers[1])
      : CivilDate(year: numbers[0], month: numbers[1], day: numbers[2])
    return date.isValid && (1970...2200).contains(date.year) ? date : nil
  }
}
