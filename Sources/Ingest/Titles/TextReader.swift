import Wire

/// One station's reader of text. Lives on the ingest loop as long as the station's settings stay: text from before a
/// reconnect still counts.
final class TextReader {
  /// The number of titles remembered: one title of a few letters says little, this many together do.
  private static let remembered = 20

  /// The bytes of each title that are looked at: a hostile upstream may send 4,080 with every packet.
  private static let bytesMax = 256

  private let isTwice: Bool
  private let readings: [([UInt8]) -> String]
  /// The titles seen, each with its score in each reading. Scores are computed once: a hostile upstream has a title in
  /// every 17 bytes.
  private var seen: [(bytes: [UInt8], scores: [Int])] = []
  /// The title announced last. Announced again it is read alike, whatever was seen since.
  private var last: (bytes: [UInt8], text: String)?

  init(_ encoding: TextEncoding) {
    isTwice = encoding == .twice
    switch encoding {
    case .auto, .twice: readings = [Charset.windows1252.decodeInvalid]
    case .named(let charset): readings = [charset.reader]
    case .detect(let charsets): readings = charsets.map(\.reader)
    }
  }

  /// Reads the text in `bytes`, without characters that could break a header or a line.
  func text(_ bytes: [UInt8]) -> String {
    Charset.decode(isTwice ? Charset.encodedOnce(bytes) ?? bytes : bytes, orElse: readForeign)
  }

  private func readForeign(_ bytes: [UInt8]) -> String {
    guard readings.count > 1 else { return readings.first?(bytes) ?? "" }
    if let last, last.bytes == bytes { return last.text }
    remember(Array(bytes.prefix(Self.bytesMax)))
    let text = readings[bestReading](bytes)
    last = (bytes, text)
    return text
  }

  /// The first of the readings in which all titles seen have the highest score together.
  private var bestReading: Int {
    var best = (score: Int.min, index: 0)
    for index in readings.indices {
      let score = seen.reduce(0) { $0 + $1.scores[index] }
      if score > best.score { best = (score, index) }
    }
    return best.index
  }

  private func remember(_ bytes: [UInt8]) {
    // A title played again is still one title.
    let known = seen.firstIndex { $0.bytes == bytes }.map { seen.remove(at: $0) }
    let scores = known?.scores ?? readings.map { TextPlausibility.score($0(bytes)) }
    seen.append((bytes, scores))
    if seen.count > Self.remembered { seen.removeFirst() }
  }
}
