/// A page that says what a station is playing, as other servers and studios publish it: what to look for in it.
public struct TitlePage: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    /// Whichever of the named ones the page looks like.
    case auto
    case audiovault
    case live365
    case icecast
    case shoutcast
    /// Its first line.
    case text
    /// Where `paths` lead.
    case json
    case xml
  }

  /// Where the values stand in a document of nobody's format: names joined by dots, from the outermost in; of a list
  /// the first that leads there, `@name` is an attribute.
  public struct Paths: Hashable, Sendable {
    public var title: String?
    public var artist: String?
    public var artwork: String?

    public init() {}
  }

  public var kind = Kind.auto
  /// Which of an Icecast's sources.
  public var mount: String?
  /// Which of a SHOUTcast's streams; nil: the first.
  public var sid: Int?
  public var paths = Paths()
  /// What the page's times are in, where they do not say so themselves.
  public var zone: ZoneOffsets?

  public init() {}

  // ICY's blocks have room for 4,080 bytes.
  private static let textBytesMax = 2000

  /// What the page says is playing at `now` (seconds since 1970); nil where it says nothing.
  ///
  /// `text` reads the bytes of texts, whatever charset they are in.
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

  /// The page to ask for where `address` is a server's alone; else `address`.
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
    // /currentsong
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

  /// JSON and XML alike; nil for anything else.
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
    // An error's page in place of it.
    if line.first == UInt8(ascii: "<") { throw .otherKind(.text) }
    return FoundTitle(title: text(Array(line)))
  }
}

/// Why a page says nothing of what is playing.
public enum TitlePageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is no page of that kind.
  case otherKind(TitlePage.Kind)
  case unknown
  case severalSources([String])
  case noSuchMount(String, [String])
  case nothingAt(String)

  public var description: String {
    switch self {
    case .otherKind(.text): "the page is HTML or XML, not a line of text"
    case .otherKind(let kind): "the page is not what kind: \(kind.rawValue) looks like"
    case .unknown: "the page is of no kind that is known; say which it is with kind:"
    case .severalSources(let mounts):
      "the page has several sources; say which with mount: (\(Self.list(mounts)))"
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

/// The texts that a page was found to have.
struct FoundTitle: Equatable {
  var artist: String?
  var title: String?
  var artwork: String?

  /// nil: it says nothing.
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
