import Wire

/// One station's reader of text. Lives on the ingest loop, for as long as the station's settings stay: what it has seen
/// before a reconnect still counts.
final class TextReader {
  /// A title of a few letters says little; so many together do.
  private static let remembered = 20

  /// So many bytes of each are looked at: a hostile upstream may send 4,080 with every packet.
  private static let bytesMax = 256

  private let readings: [([UInt8]) -> String]
  /// Each with the score that each reading gives it: worked out once, for a hostile upstream has a title in every 17
  /// bytes.
  private var seen: [(bytes: [UInt8], scores: [Int])] = []
  /// The text announced last: announced again, it is the same, whatever has been seen since.
  private var last: (bytes: [UInt8], text: String)?

  init(_ encoding: TextEncoding) {
    switch encoding {
    case .auto: readings = [Charset.windows1252.decodeInvalid]
    case .named(let charset): readings = [Self.reading(charset)]
    case .detect(let charsets): readings = charsets.map(Self.reading)
    }
  }

  /// The text in `bytes`, cleaned of what could break a header or a line.
  func text(_ bytes: [UInt8]) -> String {
    Charset.decode(bytes, orElse: readForeign)
  }

  private func readForeign(_ bytes: [UInt8]) -> String {
    guard readings.count > 1 else { return readings.first?(bytes) ?? "" }
    if let last, last.bytes == bytes { return last.text }
    remember(Array(bytes.prefix(Self.bytesMax)))
    let text = readings[bestReading](bytes)
    last = (bytes, text)
    return text
  }

  /// The first of those that give all that was seen the highest score.
  private var bestReading: Int {
    var best = (score: Int.min, index: 0)
    for index in readings.indices {
      let score = seen.reduce(0) { $0 + $1.scores[index] }
      if score > best.score { best = (score, index) }
    }
    return best.index
  }

  private func remember(_ bytes: [UInt8]) {
    // Played again, it is still one title.
    let known = seen.firstIndex { $0.bytes == bytes }.map { seen.remove(at: $0) }
    let scores = known?.scores ?? readings.map { TextPlausibility.score($0(bytes)) }
    seen.append((bytes, scores))
    if seen.count > Self.remembered { seen.removeFirst() }
  }

  private static func reading(_ charset: CharsetName) -> ([UInt8]) -> String {
    if let builtIn = charset.builtIn { return builtIn.decodeInvalid }
    // It could be opened when the configuration was read; where the system is out of memory by now, a guess is text.
    guard let converter = try? CharsetConverter(charset) else {
      return Charset.windows1252.decodeInvalid
    }
    return converter.text
  }
}
