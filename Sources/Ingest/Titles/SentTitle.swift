import Wire

/// A title that a source's request has sent, in bytes: their charset is the station's, unless the request names one.
public struct SentTitle: Hashable, Sendable {
  public enum Words: Hashable, Sendable {
    /// Artist and song as one text.
    case whole([UInt8])
    case parts(artist: [UInt8], title: [UInt8])
  }

  private let words: Words
  private let url: [UInt8]

  /// Makes a title of what a request says. May read a charset's table from the disk.
  ///
  /// - Parameter charset: the charset that the request names, for bytes that are not UTF-8. An unknown one counts as
  ///   none.
  public init(_ words: Words, url: [UInt8] = [], charset: String? = nil) {
    let named = charset.flatMap(CharsetName.init(known:)).flatMap { $0.builtIn == .utf8 ? nil : $0 }
    let reader = named.map { TextReader(.named($0)) }
    func read(_ bytes: [UInt8]) -> [UInt8] { reader.map { Array($0.text(bytes).utf8) } ?? bytes }
    switch words {
    case .whole(let text): self.words = .whole(read(text))
    case .parts(let artist, let title):
      self.words = .parts(artist: read(artist), title: read(title))
    }
    self.url = read(url)
  }

  /// Returns the title as text.
  ///
  /// - Parameter text: reads bytes in the station's charset.
  func title(_ text: ([UInt8]) -> String) -> Title {
    switch words {
    case .whole(let whole): return Title(text: text(whole), url: text(url))
    case .parts(let artist, let title):
      let (artist, title) = (text(artist), text(title))
      return Title(
        text: "\(artist) - \(title)", url: text(url),
        parts: TitleParts(artist: artist, title: title))
    }
  }
}
