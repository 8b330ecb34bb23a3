import Ingest
import Wire

/// Stations as a file for another relay, for a player or a directory.
public struct StationExport: Sendable {
  public enum Format: String, Hashable, Sendable, CaseIterable {
    case yaml, m3u, pls, xspf, opml

    /// What a file's ending says; nil for one that says nothing.
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
  /// Stations the format cannot hold, each with what it is instead: nothing is pulled for them.
  public var leftOut: [String] = []
  /// Passwords of sources and upstreams are among it.
  public var hasSecrets = false

  public init(_ stations: [StationDefinition], as format: Format) {
    guard let list = StationList.Format(rawValue: format.rawValue) else {
      text = StationsYAML.text(stations)
      hasSecrets = stations.contains {
        $0.sourcePassword != nil || $0.auth != nil || $0.connection != ConnectionSettings()
          || $0.metadata.map { URLText.withoutCredentials($0.url) != $0.url } == true
          || $0.upstream.contains { URLText.withoutCredentials($0) != $0 }
      }
      return
    }
    let items = stations.map(\.item)
    leftOut = zip(stations, items).filter { $0.1.urls().isEmpty }.map {
      "\($0.0.id) (\($0.0.audioKey))"
    }
    text = StationList.text(items.filter { !$0.urls().isEmpty }, as: list)
  }
}

extension StationExport {
  /// Writes a file at once or not at all; one with secrets is for nobody else's eyes.
  public func write(to path: String) throws(AdminError) {
    let file = try OutputFile(path, isSecret: hasSecrets)
    let bytes = Array(text.utf8)
    try file.write(bytes.span)
    try file.finish()
  }
}

extension StationDefinition {
  /// What it is that is not pulled, by its key.
  fileprivate var audioKey: String {
    switch source {
    case .upstream: PushSource.url
    case .copy: "of:"
    case .files: "files:"
    }
  }

  /// What lists have a place for; the id stands for a name that nobody gave.
  fileprivate var item: PlaylistItem {
    var item = PlaylistItem(urls: upstream, title: name ?? id)
    item.artwork = artwork
    item.genre = genre
    item.homepage = homepage
    item.description = description
    return item
  }
}
