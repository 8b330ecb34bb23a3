/// Reads a timestamp of RFC 3339 section 5.6, from left to right.
struct TimestampReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func read() throws(TimestampError) -> Int64 {
    let year = try number(4)
    try skip("-")
    let month = try number(2)
    try skip("-")
    let date = CivilDate(year: year, month: month, day: try number(2))
    try skip("Tt ")
    let hour = try number(2)
    try skip(":")
    let minute = try number(2)
    try skip(":")
    let second = try number(2)
    let nanoseconds = try fraction()
    guard date.isValid, hour < 24, minute < 60, second <= 60 else { throw .notATime }
    let offset = try zone()

    let clock = (hour * 60 + minute) * 60 + min(second, 59)
    let seconds = Int64(date.daysSince1970 * 86_400 + clock - offset)
    return try TimestampText.moment(seconds: seconds, nanoseconds: nanoseconds)
  }

  /// Returns the nanoseconds of up to nine decimals.
  static func nanoseconds(_ digits: some Collection<UInt8>) -> Int64 {
    var value: Int64 = 0
    for digit in digits { value = value * 10 + Int64(digit - 0x30) }
    for _ in digits.count..<9 { value *= 10 }
    return value
  }

  private mutating func number(_ count: Int) throws(TimestampError) -> Int {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy(ASCII.isDigit) else { throw .notATime }
    rest = rest.dropFirst(count)
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private mutating func skip(_ anyOf: String) throws(TimestampError) {
    guard let byte = rest.popFirst(), anyOf.utf8.contains(byte) else { throw .notATime }
  }

  private mutating func fraction() throws(TimestampError) -> Int64 {
    guard rest.first == UInt8(ascii: ".") else { return 0 }
    let digits = rest.dropFirst().prefix(while: ASCII.isDigit)
    guard (1...9).contains(digits.count) else { throw .notATime }
    rest = rest.dropFirst(digits.count + 1)
    return Self.nanoseconds(digits)
  }

  /// Reads the zone, in seconds east of UTC.
  private mutating func zone() throws(TimestampError) -> Int {
    guard let sign = rest.popFirst() else { throw .noZone }
    if sign == UInt8(ascii: "Z") || sign == UInt8(ascii: "z") {
      guard rest.isEmpty else { throw .notATime }
      return 0
    }
    guard "+- ".utf8.contains(sign) else { throw .notATime }
    let hours = try number(2)
    if rest.first == UInt8(ascii: ":") { rest = rest.dropFirst() }
    let minutes = try number(2)
    guard rest.isEmpty, hours < 24, minutes < 60 else { throw .notATime }
    let seconds = (hours * 60 + minutes) * 60
    return sign == UInt8(ascii: "-") ? -seconds : seconds
  }
}
