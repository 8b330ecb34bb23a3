import Wire

/// One station's reader of titles: turns ICY blocks into text in the right charset, split by the station's rules.
final class TitleReader {
  let texts: TextReader
  let servers = TitleServers()
  private let patterns: [TitlePattern]

  init(_ settings: UpstreamSettings) {
    texts = TextReader(settings.encoding)
    patterns = settings.titlePatterns
  }

  /// Reads the title that a block announces; nil if it has none.
  ///
  /// A block may leave out text that has not changed, but a link belongs to the block in which it stands.
  func title(in block: [UInt8], after previous: Title) -> Title? {
    guard let metadata = ICYBlock.parse(block, text: texts.text) else { return nil }
    let extras = metadata.extras
    if metadata.title == nil && metadata.url == nil {
      // Audio misread as a block may contain a "=".
      return extras.isEmpty || !Self.isText(block) ? nil : previous.with(extras)
    }
    let text = metadata.title ?? previous.text
    let url = URLText.webLink(metadata.url ?? "")
    return Title(text: text, url: url, parts: parts(of: text), extras: extras)
  }

  /// Whether a block can be text in any charset: some have escapes (ISO 2022).
  static func isText(_ block: [UInt8]) -> Bool {
    block.prefix { $0 != 0 }.allSatisfy { $0 >= 32 || 9...15 ~= $0 || $0 == 0x1B }
  }

  /// Reads the title that an Ogg stream's comments announce; nil if they have none.
  func title(in comments: VorbisComments) -> Title? {
    comments.title.map(completed)
  }

  /// Adds the parts of a title that has none, if the station's rules find them.
  func completed(_ title: Title) -> Title {
    var title = title
    title.url = URLText.webLink(title.url)
    if title.parts == nil { title.parts = parts(of: title.text) }
    return title
  }

  private func parts(of text: String) -> TitleParts? {
    for pattern in patterns {
      if let parts = pattern.parts(of: text) { return parts }
    }
    return nil
  }
}

extension Title {
  fileprivate func with(_ extras: [ICYMetadata.Field]) -> Title {
    Title(text: text, url: url, parts: parts, extras: extras)
  }
}
