/// What a programme, a part or an insert plays.
public enum Source: Hashable, Sendable {
  /// A collection's name.
  case collection(String)
  /// A folder's absolute path: all audio below it.
  case folder(String)
  /// The absolute path of a list: m3u, m3u8, pls, xspf or cue.
  case list(String)
  /// The address of a file, a list or a podcast feed.
  case url(String)
  /// The id of another station, as it is now.
  case station(String)

  /// The most UTF-8 bytes of a written source.
  public static let bytesMax = 4096

  /// Reads a source as people write it: `NAME`, `folder:/PATH`, `list:/PATH`, `https://…` or `station:ID`.
  public init(_ text: String) throws(ProgrammeProblem) {
    guard !text.isEmpty else { throw .sourceIsEmpty }
    guard text.utf8.count <= Self.bytesMax else { throw .sourceIsLong }
    func rest(_ word: String) -> String? {
      text.utf8.starts(with: word.utf8) ? String(text.utf8.dropFirst(word.utf8.count)) : nil
    }
    if let path = rest("folder:") {
      guard path.utf8.first == UInt8(ascii: "/") else { throw .pathIsRelative(text) }
      self = .folder(path)
    } else if let path = rest("list:") {
      guard path.utf8.first == UInt8(ascii: "/") else { throw .pathIsRelative(text) }
      self = .list(path)
    } else if let id = rest("station:") {
      guard !id.isEmpty else { throw .sourceIsEmpty }
      self = .station(id)
    } else if ["http://", "https://"].contains(where: { rest($0) != nil }) {
      self = .url(text)
    } else {
      self = .collection(text)
    }
  }

  /// The source as people write it.
  public var text: String {
    switch self {
    case .collection(let name): name
    case .folder(let path): "folder:" + path
    case .list(let path): "list:" + path
    case .url(let address): address
    case .station(let id): "station:" + id
    }
  }

  /// The station that is played as it is now, without an end.
  public var station: String? {
    if case .station(let id) = self { id } else { nil }
  }
}
