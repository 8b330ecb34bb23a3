/// Lists of stations as people keep them and directories give them: playlists of any length, and OPML.
public enum StationList {
  /// Bytes of a list that are looked at, and stations that are taken from it.
  public static let bytesMax = 32 * 1024 * 1024
  public static let itemsMax = 100_000

  public enum Format: String, Hashable, Sendable, CaseIterable {
    case m3u, pls, xspf, opml
  }

  /// What a list says, in its order.
  ///
  /// - Parameter name: the file's, whose ending is believed where the content does not tell.
  public static func items(
    _ bytes: [UInt8], name: String
  ) throws(StationListProblem) -> [PlaylistItem] {
    guard bytes.count <= bytesMax else { throw .tooLarge }
    let lines = PlaylistLines(bytes, max: bytesMax)
    guard lines.isText else { throw .notText }
    if isOPML(lines.text) {
      try refuseCut(lines.text)
      return OPMLReader.items(of: lines.text, max: itemsMax)
    }
    guard let kind = Playlist.kind(of: lines, mediaType: nil, url: name) else { throw .unknown }
    if kind == .hls { throw .hls }
    if kind == .xml { try refuseCut(lines.text) }
    return Playlist.items(of: lines, kind, max: itemsMax)
  }

  /// What is cut may be cut in the middle of an address.
  private static func refuseCut(_ text: ArraySlice<UInt8>) throws(StationListProblem) {
    if let fault = XMLFault(cutting: text) { throw .cut(fault) }
  }

  private static func isOPML(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.first(where: { !ASCII.isBlank($0) && $0 > 0x1F }) == UInt8(ascii: "<") else {
      return false
    }
    var tokens = XMLTokens(text)
    while let token = tokens.next() {
      if case .open(let name, _) = token { return name == "opml" }
    }
    return false
  }
}

/// Why bytes are no list of stations.
public enum StationListProblem: Error, Hashable, Sendable, CustomStringConvertible {
  case tooLarge, notText, hls, unknown
  case cut(XMLFault)

  /// From 1; 0 where there is none to name.
  public var line: Int {
    if case .cut(let fault) = self { fault.line } else { 0 }
  }

  public var description: String {
    switch self {
    case .tooLarge: "is larger than \(StationList.bytesMax / 1_048_576) MiB; split it"
    case .notText: "is not a text; write a list in pls, m3u, xspf, OPML or YAML"
    case .hls: "is one stream's HLS playlist, not a list of stations; HLS cannot be relayed"
    case .unknown: "is no list of stations that is known; write pls, m3u, xspf, OPML or YAML"
    case .cut(let fault): "\(fault); \(XMLFault.cutAdvice)"
    }
  }
}
