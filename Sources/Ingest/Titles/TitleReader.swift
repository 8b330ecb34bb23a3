import Wire

/// One station's reader of titles: ICY blocks to text in the right charset, taken apart by the station's rules.
final class TitleReader {
  let texts: TextReader
  private let patterns: [TitlePattern]

  init(_ settings: UpstreamSettings) {
    texts = TextReader(settings.encoding)
    patterns = settings.titlePatterns
  }

  /// The title that a block announces; nil where it says nothing.
  ///
  /// A block may leave out what has not changed of text, but a link belongs to the block it stands in.
  func title(in block: [UInt8], after previous: Title) -> Title? {
    guard let metadata = ICYBlock.parse(block, text: texts.text) else { return nil }
    let extras = metadata.extras
    if metadata.title == nil && metadata.url == nil {
      // Audio that was taken for a block may have a "=" in it.
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

  /// The title that an Ogg stream's comments announce; nil where they say nothing.
  func title(in comments: VorbisComments) -> Title? {
    comments.title.map(completed)
  }

  /// The title with its parts, where it has none and the station's rules tell them.
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
