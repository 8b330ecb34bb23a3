/// Reads lists of stations as people keep them and directories publish them: playlists of any length, and OPML.
public enum StationList {
  /// The most bytes of a list, and the most stations read from it.
  public static let bytesMax = 32 * 1024 * 1024
  public static let itemsMax = 100_000

  public enum Format: String, Hashable, Sendable, CaseIterable {
    case m3u, pls, xspf, opml
  }

  /// Returns the entries of a list, in its order.
  ///
  /// - Parameter name: The file's name, whose ending counts where the content does not tell the kind.
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

  /// Refuses a list that is cut off, because the cut may be in the middle of an address.
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

/// The reason why bytes are no list of stations.
public enum StationListProblem: Error, Hashable, Sendable, CustomStringConvertible {
  case tooLarge, notText, hls, unknown
  case cut(XMLFault)

  /// The line of the fault, from 1; 0 when no line can be named.
  public var line: Int {
    if case .cut(let fault) = self { fault.line } else { 0 }
  }

  public var description: String {
    switch self {
    case .tooLarge: "is larger than \(StationList.bytesMax / 1_048_576) MiB; split it"
    case .notText: "is not text; write a list in pls, m3u, xspf, OPML or YAML"
    case .hls: "is one stream's HLS playlist, not a list of stations; HLS cannot be relayed"
    case .unknown: "is no known list of stations; write pls, m3u, xspf, OPML or YAML"
    case .cut(let fault): "\(fault); \(XMLFault.cutAdvice)"
    }
  }
}
