/// Names the life of a log that wrote some audio, and how that audio is cut: `4f9a2c71b03d-6a`.
///
/// A URL below it has the same bytes for ever: whatever could change them has another key.
public struct PieceKey: Hashable, Sendable {
  /// 48 bits, drawn anew for each life.
  public let life: UInt64
  private let cellSeconds: UInt8
  private let letter: UInt8

  /// The whole seconds of a cell.
  public static let seconds = 2...10
  /// The layout of bytes that this version writes.
  public static let layout: UInt8 = UInt8(ascii: "a")
  static let lives: Range<UInt64> = 0..<1 << 48

  /// The whole seconds of a cell, within `PieceKey.seconds`.
  public var seconds: Int { Int(clamping: cellSeconds) }
  /// The layout of bytes, a small letter.
  public var layout: UInt8 { letter }

  /// - Parameters:
  ///   - life: of which the lower 48 bits count.
  ///   - seconds: limited to `PieceKey.seconds`.
  public init(life: UInt64, seconds: Int) {
    self.life = life & (Self.lives.upperBound - 1)
    cellSeconds = UInt8(
      clamping: max(Self.seconds.lowerBound, min(Self.seconds.upperBound, seconds)))
    letter = Self.layout
  }

  private static let digits = 12

  init?(reading reader: inout NameReader) {
    guard let life = reader.hexadecimal(digits: Self.digits), reader.read("-"),
      let seconds = reader.number(below: UInt64(clamping: Self.seconds.upperBound) + 1),
      Self.seconds.contains(Int(clamping: seconds)), let letter = reader.letter()
    else { return nil }
    (self.life, cellSeconds, self.letter) = (life, UInt8(clamping: seconds), letter)
  }

  func append(to bytes: inout [UInt8]) {
    bytes.append(hexadecimal: life, digits: Self.digits)
    bytes.append(UInt8(ascii: "-"))
    bytes.append(decimal: UInt64(clamping: cellSeconds))
    bytes.append(letter)
  }

  public var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
