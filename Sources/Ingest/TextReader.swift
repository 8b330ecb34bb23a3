import Wire

/// How an upstream's titles and headers are read where they are not valid UTF-8. Where they are, they are UTF-8: hardly
/// any text in another charset happens to be.
public enum TextEncoding: Hashable, Sendable {
  /// Latin-1 with Windows' additions.
  case auto
  case named(CharsetName)
  /// Whichever of these makes the last titles look most like text.
  case detect([CharsetName])
}

/// One station's reader of text. Lives on the ingest loop, for as long as the station's settings stay: what it has seen
/// before a reconnect still counts.
final class TextReader {
  /// A title of a few letters says little; so many together do.
  private static let remembered = 20

  /// So many bytes of each are looked at: a hostile upstream may send 4,080 with every packet.
  private static let bytesMax = 256

  private let readings: [([UInt8]) -> String]
  private var seen: [[UInt8]] = []
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
    let text = bestReading()(bytes)
    last = (bytes, text)
    return text
  }

  /// The first of those that give all that was seen the highest score.
  private func bestReading() -> ([UInt8]) -> String {
    var best: (score: Int, reading: ([UInt8]) -> String)?
    for reading in readings {
      let score = seen.reduce(0) { $0 + TextPlausibility.score(reading($1)) }
      if score > best?.score ?? .min { best = (score, reading) }
    }
    return best?.reading ?? Charset.windows1252.decodeInvalid
  }

  private func remember(_ bytes: [UInt8]) {
    // Played again, it is still one title.
    seen.removeAll { $0 == bytes }
    seen.append(bytes)
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
