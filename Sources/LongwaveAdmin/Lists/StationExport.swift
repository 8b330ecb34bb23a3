import Ingest
import Longwave
import Wire

/// Stations as a file for another relay, a player or a directory.
public struct StationExport: Sendable {
  public enum Format: String, Hashable, Sendable, CaseIterable {
    case yaml, m3u, pls, xspf, opml

    /// Finds the format by a file's ending; nil for an unknown ending.
    public init?(path: String) {
      switch path.split(separator: ".").last?.lowercased() {
      case "yml", "yaml": self = .yaml
      case "m3u", "m3u8": self = .m3u
      case "pls": self = .pls
      case "xspf": self = .xspf
      case "opml", "xml": self = .opml
      default: return nil
      }
    }
  }

  public var text: String
  /// The stations that the format cannot hold, each with the key of its audio; they have no URL to pull.
  public var leftOut: [String] = []
  /// Whether the text contains passwords of sources or upstreams, or other secrets.
  public var hasSecrets = false

  public init(_ stations: [StationDefinition], as format: Format) {
    guard let list = StationList.Format(rawValue: format.rawValue) else {
      text = StationsYAML.text(stations)
      hasSecrets = stations.contains {
        $0.sourcePassword != nil || $0.auth != nil || $0.connection != ConnectionSettings()
          || $0.metadata.map { URLText.withoutCredentials($0.url) != $0.url } == true
          || $0.program != nil || $0.upstream.contains { URLText.withoutCredentials($0) != $0 }
      }
      return
    }
    let items = stations.map(\.item)
    leftOut = zip(stations, items).filter { $0.1.urls().isEmpty }.map {
      "\($0.0.id) (\($0.0.kind.word))"
    }
    text = StationList.text(items.filter { !$0.urls().isEmpty }, as: list)
  }
}

extension StationExport {
  /// Writes the file whole or not at all; a file with secrets is readable by its owner only.
  public func write(to path: String) throws(AdminError) {
    let file = try OutputFile(path, isSecret: hasSecrets)
    let bytes = Array(text.utf8)
    try file.write(bytes.span)
    try file.finish()
  }
}

extension StationDefinition {
  /// The details for which lists have a place; the id replaces a missing name.
  fileprivate var item: PlaylistItem {
    var item = PlaylistItem(urls: upstream, title: name ?? id)
    item.artwork = artwork
    item.genre = genre
    item.homepage = homepage
    item.description = description
    return item
  }
}
