import Foundation
import Wire

/// A station that a file tells of, and that may become one of ours.
public struct StationCandidate: Hashable, Sendable {
  /// What it is called in messages.
  public var label: String
  /// Without an id (`""`) where the file has none for it.
  var definition: StationDefinition
  /// The file says all there is to say about it; else what it does not say stays as it is.
  var isWhole: Bool
  /// Why it cannot be a station; nil when it can.
  var problem: String?
  /// What was left out of it, in words.
  var notes: [String] = []
}

extension StationCandidate {
  /// One entry of a list, or several of the same name: those are one station's fallbacks.
  ///
  /// - Parameter base: the URL of the list; empty for a file.
  init(_ items: [PlaylistItem], base: String) {
    let name = items.first?.title.flatMap(Self.name)
    let urls = items.flatMap { $0.urls(base: base) }.filter(WebURL.isValid)
    var seen: Set<String> = []
    let different = urls.filter { seen.insert($0).inserted }
    let most = ConfigurationLimits.upstreamsMax
    definition = StationDefinition(id: "", name: name, upstream: Array(different.prefix(most)))
    label = name ?? (urls.first ?? items.first?.place).map(URLText.withoutSecrets) ?? "an entry"
    isWhole = false
    if urls.isEmpty {
      let place = URLText.withoutSecrets(items.first?.place ?? "")
      problem =
        place.isEmpty
        ? "has no address" : "\"\(place)\" is not a URL that begins with http:// or https://"
    }
    if different.count > most {
      notes.append("\(different.count - most) addresses left out: a station has at most \(most)")
    }
    for item in items { take(item) }
  }

  private mutating func take(_ item: PlaylistItem) {
    definition.genre = definition.genre ?? text(item.genre, max: 256)
    definition.description = definition.description ?? text(item.description, max: 1024)
    definition.artwork = definition.artwork ?? url(item.artwork, "artwork")
    definition.homepage = definition.homepage ?? url(item.homepage, "homepage")
  }

  private func text(_ text: String?, max: Int) -> String? {
    guard let text, !text.isEmpty else { return nil }
    return String(text.prefix(max))
  }

  private mutating func url(_ text: String?, _ what: String) -> String? {
    guard let text, !text.isEmpty else { return nil }
    if WebURL.isValid(text) { return text }
    let note = "\(what) left out: not a web URL"
    if !notes.contains(note) { notes.append(note) }
    return nil
  }

  /// The name without what SHOUTcast's directory puts in front of it: `(#1 - 42/5000) Jazz`.
  private static func name(_ title: String) -> String? {
    let bare =
      !title.hasPrefix("(#") ? title : title.replacing(/^\(#\d+ - [^)]*\d+\/\d+\)\s*/, with: "")
    return bare.isEmpty ? nil : String(bare.prefix(256))
  }
}

extension StationCandidate {
  /// All stations of a file: a list in any format, or YAML with `stations:`.
  ///
  /// - Parameters:
  ///   - name: the file's, for messages and for what its ending tells.
  ///   - base: where relative addresses begin; empty for a file.
  public static func read(
    _ bytes: [UInt8], name: String, base: String = ""
  ) throws(ConfigurationError) -> [StationCandidate] {
    let bytes = utf8(bytes)
    if let stations = try StationsYAML.read(bytes, name: name) {
      return stations.map {
        StationCandidate(label: $0.name ?? $0.id, definition: $0, isWhole: true)
      }
    }
    let items: [PlaylistItem]
    do throws(StationListProblem) {
      items = try StationList.items(bytes, name: name)
    } catch {
      throw ConfigurationError(name, line: error.line, "\(error)")
    }
    try refuse(items.count, over: ConfigurationLimits.entriesMax, "entries", name)
    let groups = grouped(items)
    try refuse(groups.count, over: ConfigurationLimits.stationsMax, "stations", name)
    return groups.map { StationCandidate($0, base: base) }
  }

  private static func refuse(
    _ count: Int, over most: Int, _ what: String, _ name: String
  ) throws(ConfigurationError) {
    guard count > most else { return }
    throw ConfigurationError(name, "has \(count) \(what); at most \(most) are taken: split it")
  }

  /// Neighbours of one name together.
  private static func grouped(_ items: [PlaylistItem]) -> [[PlaylistItem]] {
    var groups: [[PlaylistItem]] = []
    var last: String?
    for item in items {
      let title = item.title.flatMap(name)
      if let title, title == last {
        groups[groups.count - 1].append(item)
      } else {
        groups.append([item])
      }
      last = title
    }
    return groups
  }

  /// Without a byte order mark. What Windows programs save as "Unicode" is UTF-16.
  private static func utf8(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
    guard bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]),
      let text = String(bytes: bytes, encoding: .utf16)
    else { return bytes }
    return Array(text.utf8)
  }
}
