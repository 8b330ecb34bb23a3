/// A rule for reading the current title from a page that another server or a studio publishes.
public struct TitlePage: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    /// The kind of page is guessed from its content.
    case auto
    case audiovault
    case live365
    case icecast
    case shoutcast
    /// The title is the first line of the page.
    case text
    /// The title stands where `paths` lead, in JSON or XML.
    case json
    case xml
  }

  /// The places of the values in a page of no known format: names joined by dots, from the outermost in.
  ///
  /// In a list the first match counts; `@name` is an attribute.
  public struct Paths: Hashable, Sendable {
    public var title: String?
    public var artist: String?
    public var artwork: String?

    public init() {}
  }

  public var kind = Kind.auto
  /// The mount of the wanted source among an Icecast's sources.
  public var mount: String?
  /// The number of the wanted stream among a SHOUTcast's streams; nil for the first.
  public var sid: Int?
  public var paths = Paths()
  /// The zone of the page's times that name no zone.
  public var zone: ZoneOffsets?

  public init() {}

  // The most bytes of a text; an ICY block has room for 4,080 bytes.
  private static let textBytesMax = 2000

  /// Returns the title that the page says is playing at `now` (seconds since 1970); nil if it names none.
  ///
  /// `text` decodes the bytes of texts, whatever charset they are in.
  public func title(
    in bytes: [UInt8], at now: Int64, text: ([UInt8]) -> String
  ) throws(TitlePageError) -> Title? {
    let found: FoundTitle?
    switch kind {
    case .auto: found = try guessed(bytes, now, text)
    case .text: found = try line(bytes, text)
    case .icecast: found = try tree(bytes, text).icecast(mount)
    case .shoutcast: found = try shoutcast(bytes, text)
    case .audiovault, .live365: found = try tree(bytes, text).playing(at: now, zone, kind)
    case .json, .xml: found = try tree(bytes, text).found(at: paths)
    }
    return found?.title(bytesMax: Self.textBytesMax)
  }

  /// Returns the URL of the page to request: `address` itself, or a known page where `address` names only a server.
  public func url(at address: String) -> String {
    var url = URLReference(address)
    guard url.path.isEmpty || url.path == "/", url.query == nil else { return address }
    switch kind {
    case .icecast:
      url.path = "/status-json.xsl"
      url.query = mount.map { "mount=" + URLText.percentEncoded(Self.path(ofMount: $0)) }
    case .shoutcast:
      url.path = "/stats"
      url.query = "sid=\(sid ?? 1)&json=1"
    default: return address
    }
    return url.text
  }

  static func path(ofMount mount: String) -> String { mount.hasPrefix("/") ? mount : "/" + mount }

  // MARK: Kinds

  private func guessed(
    _ bytes: [UInt8], _ now: Int64, _ text: ([UInt8]) -> String
  ) throws(TitlePageError) -> FoundTitle? {
    guard let tree = Self.tree(bytes, text) else { return try line(bytes, text) }
    if tree.icestats != nil { return try tree.icecast(mount) }
    if tree.isShoutcast { return tree.shoutcast(sid) }
    if let found = tree.sevenFields { return found }
    guard tree.name != "", tree.name != "html" else { throw .unknown }
    return try tree.playing(at: now, zone, .auto)
  }

  private func shoutcast(
    _ bytes: [UInt8], _ text: ([UInt8]) -> String
  ) throws(TitlePageError) -> FoundTitle? {
    // SHOUTcast's /currentsong is a line of text.
    guard let tree = Self.tree(bytes, text) else { return try line(bytes, text) }
    if tree.isShoutcast { return tree.shoutcast(sid) }
    if let found = tree.sevenFields { return found }
    throw .otherKind(.shoutcast)
  }

  private func tree(
    _ bytes: [UInt8], _ text: ([UInt8]) -> String
  ) throws(TitlePageError) -> XMLNode {
    guard let tree = Self.tree(bytes, text) else { throw .otherKind(kind) }
    return tree
  }

  /// Returns the tree of a JSON or XML document; nil for anything else.
  private static func tree(_ bytes: [UInt8], _ text: ([UInt8]) -> String) -> XMLNode? {
    let bytes = withoutMark(bytes)
    let first = ASCII.trimmedLines(bytes[...]).first
    if first == UInt8(ascii: "<") { return XMLNode(bytes, text: text) }
    return JSONTree.read(bytes, text: text)
  }

  private static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }

  private func line(
    _ bytes: [UInt8], _ text: ([UInt8]) -> String
  ) throws(TitlePageError) -> FoundTitle? {
    let lines = Self.withoutMark(bytes).split { $0 == 10 || $0 == 13 }
    guard let line = lines.lazy.map(ASCII.trimmed).first(where: { !$0.isEmpty }) else { return nil }
    // The server has sent an error page instead.
    if line.first == UInt8(ascii: "<") { throw .otherKind(.text) }
    return FoundTitle(title: text(Array(line)))
  }
}

/// The reason why a page does not say what is playing.
public enum TitlePageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The page is not of that kind.
  case otherKind(TitlePage.Kind)
  case unknown
  case severalSources([String])
  case noSuchMount(String, [String])
  case nothingAt(String)

  public var description: String {
    switch self {
    case .otherKind(.text): "the page is HTML or XML, not a line of text"
    case .otherKind(let kind): "the page does not look like kind: \(kind.rawValue)"
    case .unknown: "the page's kind is unknown; name it with kind:"
    case .severalSources(let mounts):
      "the page has several sources; choose one with mount: (\(Self.list(mounts)))"
    case .noSuchMount(let mount, let mounts):
      "the page has no source \(mount), but \(Self.list(mounts))"
    case .nothingAt(let path): "the page has nothing at \(path)"
    }
  }

  private static func list(_ mounts: [String]) -> String {
    mounts.prefix(8).map { UTF8Cut.prefix($0, bytes: 64) }.joined(separator: ", ")
      + (mounts.count > 8 ? ", …" : "")
  }
}

/// The texts found in a page.
struct FoundTitle: Equatable {
  var artist: String?
  var title: String?
  var artwork: String?

  /// Returns the title; nil if the page names none.
  func title(bytesMax: Int) -> Title? {
    func short(_ text: String?) -> String? {
      text.map { String(decoding: UTF8Text.prefix($0, bytes: bytesMax), as: UTF8.self) }
        .flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let title = short(title) ?? short(artist) else { return nil }
    let artist = self.title?.isEmpty == false ? short(artist) : nil
    let artwork = artwork.flatMap { $0.utf8.count <= bytesMax && $0.hasPrefix("http") ? $0 : nil }
    let isApart = artist != nil || artwork != nil
    return Title(
      text: [artist, title].compactMap { $0 }.joined(separator: " - "), url: artwork ?? "",
      parts: isApart ? TitleParts(artist: artist, title: title, artwork: artwork) : nil)
  }
}
