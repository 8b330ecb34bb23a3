import TestSupport

/// The upstream's titles: "Longwave Bench - Track N", where N grows by one every ten seconds.
///
/// They are written and checked without the relay's own ICY code, so that a fault in that code cannot hide.
enum BenchTitle {
  static let seconds = 10.0
  static let metaint = 16_000
  private static let opening = Array("StreamTitle='Longwave Bench - Track ".utf8)
  private static let closing = Array("';".utf8)

  /// Returns the title itself.
  static func text(_ number: Int) -> String { "Longwave Bench - Track \(number)" }

  /// Returns the block with its length byte; without `number`, the block that says "nothing new".
  static func block(_ number: Int?) -> [UInt8] {
    guard let number else { return [0] }
    return FakeStream.block(opening + Array(String(number).utf8) + closing)
  }

  /// Returns the number in a block's text (without its length byte). Nil if the text is no title of this upstream, or
  /// if something other than a StreamUrl and padding follows.
  static func number(in text: [UInt8]) -> Int? {
    guard text.starts(with: opening) else { return nil }
    var index = opening.count
    var number = 0
    while index < text.count, (48...57).contains(text[index]), index < opening.count + 9 {
      number = number * 10 + Int(text[index] - 48)
      index += 1
    }
    guard index > opening.count, text[index...].starts(with: closing) else { return nil }
    let rest = text[(index + closing.count)...]
    let padding = rest.firstIndex(of: 0) ?? rest.endIndex
    let isRestFine = rest[..<padding].isEmpty || rest.starts(with: Array("StreamUrl='".utf8))
    return isRestFine && rest[padding...].allSatisfy { $0 == 0 } ? number : nil
  }
}
