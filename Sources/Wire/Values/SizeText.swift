/// Sizes as people write them: `20GB` is 20 × 10⁹ bytes, `512KiB` is 512 × 2¹⁰.
public enum SizeText {
  private static let units: [(name: String, bytes: UInt64)] = [
    ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000),
    ("MiB", 1 << 20), ("MB", 1_000_000), ("KiB", 1 << 10), ("kB", 1000), ("B", 1),
  ]

  /// Returns the bytes of a number with or without a unit; nil for anything else and from 2⁶⁴ on.
  ///
  /// The number may have up to nine decimals, and a fraction of a byte is dropped. A blank may stand before the unit,
  /// whose case does not count. A unit of one letter (`20G`) is refused, because its meaning differs between programs.
  public static func parse(_ text: String) -> UInt64? {
    let bytes = Array(text.utf8)
    guard bytes.count <= 40 else { return nil }
    let number = bytes.prefix { ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }
    var name = bytes[number.endIndex...]
    if name.count > 1 && name.first == ASCII.space { name = name.dropFirst() }
    guard let unit = unitBytes(name), let (whole, fraction) = DecimalText.parts(number),
      fraction.count <= 9, let wholeValue = UInt64(String(decoding: whole, as: UTF8.self))
    else { return nil }
    let (product, overflows) = wholeValue.multipliedReportingOverflow(by: unit)
    let (sum, sumOverflows) = product.addingReportingOverflow(part(fraction, of: unit))
    return overflows || sumOverflows ? nil : sum
  }

  /// Returns the shortest exact text: `20GB`, `512KiB`, `1001B`.
  public static func format(_ bytes: UInt64) -> String {
    guard bytes > 0 else { return "0B" }
    let unit = units.first { bytes % $0.bytes == 0 } ?? units[units.count - 1]
    return "\(bytes / unit.bytes)\(unit.name)"
  }

  /// Returns a rounded size for people, with one decimal below 10: `1.2MB`, `48GB`.
  public static func rounded(_ bytes: UInt64) -> String {
    let decimal = units.filter { !$0.name.contains("i") }
    guard let unit = decimal.first(where: { bytes >= $0.bytes }), unit.bytes > 1 else {
      return "\(bytes)B"
    }
    let tenths = (bytes / (unit.bytes / 100) + 5) / 10
    if tenths >= 100 { return "\((tenths + 5) / 10)\(unit.name)" }
    return "\(tenths / 10).\(tenths % 10)\(unit.name)"
  }

  private static func unitBytes(_ name: ArraySlice<UInt8>) -> UInt64? {
    if name.isEmpty { return 1 }
    let name = String(decoding: name, as: UTF8.self)
    return units.first { ASCII.equalIgnoringCase($0.name, name) }?.bytes
  }

  private static func part(_ fraction: [UInt8], of unit: UInt64) -> UInt64 {
    var numerator: UInt64 = 0
    var denominator: UInt64 = 1
    for digit in fraction {
      numerator = numerator * 10 + UInt64(digit - 0x30)
      denominator *= 10
    }
    let (high, low) = numerator.multipliedFullWidth(by: unit)
    return denominator.dividingFullWidth((high, low)).quotient
  }
}
